"""An action comes to a call, to time passing, to an end, or to a mistake that is told."""

from typing import Any

import pytest

from companyos.simtime import DAY, to_iso
from orchestrator.actions import Action, CallTool, ListTools
from orchestrator.intents import (
    BadArguments,
    Calls,
    Finishes,
    Intent,
    Lists,
    NoSuchTool,
    Refuses,
    Waits,
    intent_of,
)
from orchestrator.tools import OWN_TOOLS, Tool

NOW = 1000
GET = Tool(
    "desk_get", "Get.", {"type": "object", "required": ["id"], "properties": {"id": {}}}, service="desk"
)
TOOLS = {tool.name: tool for tool in (GET, *OWN_TOOLS)}


def meant(action: Action) -> Intent:
    return intent_of(action, TOOLS, NOW)


def call(name: str, **arguments: Any) -> Intent:
    return meant(CallTool(name, arguments))


def test_actions_come_to_what_they_say() -> None:
    assert meant(ListTools()) == Lists()
    assert call("desk_get", id=1) == Calls(GET, {"id": 1})
    assert call("wait", seconds=3600) == Waits(NOW + 3600)
    assert call("wait", until=to_iso(NOW + DAY)) == Waits(NOW + DAY)
    assert call("finish") == Finishes()
    assert call("refuse", reason_code="vacant", evidence=["P-1"]) == Refuses("vacant", ["P-1"])
    assert call("refuse", reason_code="vacant") == Refuses("vacant", ())


def test_a_tool_that_does_not_exist_is_told_by_name() -> None:
    assert call("desk_destroy") == NoSuchTool("desk_destroy")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("desk_get", {}),
        ("wait", {}),
        ("wait", {"seconds": 3600, "until": to_iso(NOW + 3600)}),
        ("wait", {"seconds": 59}),
        ("wait", {"seconds": 7 * DAY + 1}),
        ("wait", {"seconds": 1e300}),
        ("wait", {"until": "tomorrow"}),
        ("wait", {"until": "9999-12-31T23:59:59-23:59"}),
        ("wait", {"until": to_iso(NOW)}),
        ("wait", {"until": to_iso(NOW - DAY)}),
        ("wait", {"until": to_iso(NOW + 8 * DAY)}),
        ("finish", {"answer": 3}),
        ("refuse", {}),
    ],
)
def test_arguments_that_do_not_fit_come_to_a_mistake(name: str, arguments: dict[str, Any]) -> None:
    assert isinstance(call(name, **arguments), BadArguments)
