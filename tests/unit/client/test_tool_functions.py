"""Functions made of tools take arguments of any name."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from companyos.integrations.functions import coroutine_of, method_of
from companyos.sdk.scenario import call

NAMES = ["tool_name", "self", "cls", "timeout_s", "name", "arguments", "given", "answer"]


def tool(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    return {"name": "t", "description": "Does it.", "input_schema": {"properties": properties}}


@pytest.mark.parametrize("name", NAMES)
def test_a_method_takes_an_argument_of_any_name(name: str) -> None:
    owner = type("Owner", (), {"t": method_of(tool(name, "other"), lambda _, called, given: (called, given))})

    made = owner().t  # type: ignore[attr-defined]

    assert made(**{name: "x", "other": "y"}) == ("t", {name: "x", "other": "y"})
    assert made("x") == ("t", {name: "x"})
    assert list(inspect.signature(made).parameters) == [name, "other"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_coroutine_takes_an_argument_of_any_name(name: str) -> None:
    async def answer(called: str, given: Any) -> Any:
        return called, given

    assert await coroutine_of(tool(name), answer)(**{name: "x"}) == ("t", {name: "x"})


@pytest.mark.parametrize("name", NAMES)
def test_a_scripts_call_takes_an_argument_of_any_name(name: str) -> None:
    assert call("t", **{name: "x"})["arguments"] == {name: "x"}
