"""Whole numbers in the arguments of adapters, whose frameworks are stood in for by what the adapters import."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companyos.integrations.connection import whole_number

#: The names that an adapter imports of its framework, by module.
FRAMEWORKS = {
    "inspect_ai.tool": {"ToolParams": object},
    "skyrl_gym.envs.base_text_env": {
        "BaseTextEnv": object,
        "BaseTextEnvStepOutput": SimpleNamespace,
        "ConversationType": list,
    },
}


@pytest.fixture(autouse=True)
def _frameworks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, parts in FRAMEWORKS.items():
        for each in (name.partition(".")[0], name):
            module = ModuleType(each)
            vars(module).update(parts)
            monkeypatch.setitem(sys.modules, each, module)
    yield
    for name in ("inspect_samples", "skyrl"):
        sys.modules.pop(f"companyos.integrations.{name}", None)


@pytest.mark.parametrize(
    "given", [7, 7.0, "7", "7.0", np.int64(7), np.float32(7), np.str_("7"), np.array(7), Decimal(7)]
)
def test_a_whole_number_is_read_however_a_table_or_a_library_writes_it(given: Any) -> None:
    assert type(whole_number(given, "seed")) is int
    assert whole_number(given, "seed") == 7


@pytest.mark.parametrize(
    "given", [7.5, "7.5", "1_0", " 7", "+7", "", True, None, [7], float("inf"), float("nan")]
)
def test_a_value_that_means_no_whole_number_is_named(given: Any) -> None:
    with pytest.raises(ValueError, match=r"^seed: .* is no whole number$"):
        whole_number(given, "seed")


@pytest.mark.parametrize(
    ("given", "seeds"),
    [
        (7, [7]),
        (np.int64(7), [7]),
        (7.0, [7]),
        (np.array([7, 9]), [7, 9]),
        (range(3), [0, 1, 2]),
        ("0-2, 9", [0, 1, 2, 9]),
        ([np.int32(7), "9"], [7, 9]),
    ],
)
def test_seeds_of_inspect_are_read_whatever_library_they_are_of(given: Any, seeds: list[int]) -> None:
    inspect_samples = import_module("companyos.integrations.inspect_samples")

    assert list(inspect_samples.seeds_in(given)) == seeds


@pytest.mark.parametrize("given", ["seven", "", "1_0", 7.5, None, [None]])
def test_malformed_seeds_of_inspect_are_refused(given: Any) -> None:
    inspect_samples = import_module("companyos.integrations.inspect_samples")

    with pytest.raises(ValueError, match="is not of the form 7, 7,9 or 0-9"):
        inspect_samples.seeds_in(given)


@pytest.mark.parametrize(
    ("given", "turns"),
    [("20", 20), (np.int64(20), 20), (20.0, 20), (20, 20), (None, 1000), (0, 1000), (float("nan"), 1000)],
)
def test_turns_of_skyrl_are_read_whatever_the_column_holds(given: Any, turns: int) -> None:
    skyrl = import_module("companyos.integrations.skyrl")

    env = skyrl.SkyrlEnv({"base_url": "http://127.0.0.1:9"}, {"max_turns": given})

    assert env.max_turns == turns


def test_turns_of_skyrl_that_are_no_number_are_refused_before_an_episode() -> None:
    skyrl = import_module("companyos.integrations.skyrl")

    with pytest.raises(ValueError, match="max_turns: 'many' is no whole number"):
        skyrl.SkyrlEnv({"base_url": "http://127.0.0.1:9"}, {"max_turns": "many"})
