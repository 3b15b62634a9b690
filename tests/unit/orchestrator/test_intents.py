"""An action comes to a call, to time passing, to an end, or to a mistake that is told."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, to_iso
from orchestrator.agent.actions import Action, CallTool, ListTools, MalformedCall, NoCall
from orchestrator.agent.arguments import Flaw
from orchestrator.agent.intents import (
    BadArguments,
    Calls,
    Finishes,
    Intent,
    Lists,
    NoSuchTool,
    Refuses,
    SaysNothing,
    Waits,
    intent_of,
)
from orchestrator.agent.tools import OWN_TOOLS, Tool
from orchestrator.agent.toolsets import COMMON, Toolset

NOW = 1000
GET = Tool(
    "desk_get", "Get.", {"type": "object", "required": ["id"], "properties": {"id": {}}}, service="desk"
)
PUT = Tool("desk_put", "Put.", {"type": "object"}, service="desk")
TOOLS = Toolset({tool.name: tool for tool in (GET, PUT, *OWN_TOOLS)}, ["desk_get", *COMMON])


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


def test_a_tool_that_the_agent_was_not_given_is_no_tool_of_its() -> None:
    assert call("desk_put") == NoSuchTool("desk_put", exists=True)


def test_a_call_that_is_none_comes_to_a_mistake() -> None:
    slip = meant(MalformedCall("desk_get", "arguments: must be a JSON object.", {"tool_name": "desk_get"}))

    assert slip == BadArguments("desk_get", Flaw("arguments: must be a JSON object."))
    assert meant(NoCall("I would rather not.")) == SaysNothing()


def test_null_for_what_is_optional_is_not_given() -> None:
    assert call("wait", seconds=3600, until=None) == Waits(NOW + 3600)
    assert call("finish", answer=None) == Finishes()
    assert call("refuse", reason_code="vacant", evidence=None) == Refuses("vacant", ())


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
        ("finish", {"answer": True}),
        ("refuse", {}),
    ],
)
def test_arguments_that_do_not_fit_come_to_a_mistake(name: str, arguments: dict[str, Any]) -> None:
    assert isinstance(call(name, **arguments), BadArguments)
