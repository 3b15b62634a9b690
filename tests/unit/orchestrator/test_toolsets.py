"""Agents are given what was chosen for them: all tools, some by name, or what a scenario can need at a level."""

from typing import ClassVar

import pytest

from companyos.sdk.chaos import Chaos, parse_chaos
from companyos.sdk.scenario import Instance, Observation, Scenario, Script
from orchestrator.agent.tools import OWN_TOOLS, Tool
from orchestrator.agent.toolsets import COMMON, Toolset, Toolsets
from orchestrator.protocol.options import ToolsFormat
from orchestrator.protocol.problems import Refusal


def tool(name: str) -> Tool:
    service, _, operation = name.partition("_")
    return Tool(name, "Do it.", {"type": "object"}, service=service, operation=operation)


NAMES = ("desk_get", "desk_put", "desk_replay_events", "hub_get", "hub_replay_events")
CATALOG = {one.name: one for one in (*map(tool, NAMES), *OWN_TOOLS)}
CALM, STORMY = parse_chaos(0), parse_chaos(5)


class Filing(Scenario):
    """A scenario that needs one tool."""

    name = "filing"
    tools: ClassVar[tuple[str, ...]] = ("desk_get",)

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        raise NotImplementedError

    def oracle(self, observation: Observation) -> Script:
        raise NotImplementedError


class Anything(Filing):
    """One that may need every tool."""

    name = "anything"
    tools: ClassVar[tuple[str, ...]] = ()


FILING, ANYTHING = Filing(), Anything()


def test_all_tools_come_in_the_order_of_the_catalog() -> None:
    everything = Toolsets(CATALOG).chosen("all", FILING, CALM)

    assert list(everything.offered) == list(CATALOG)
    assert [card["name"] for card in everything.cards] == list(CATALOG)
    assert [function["function"]["name"] for function in everything.functions] == list(CATALOG)


def test_named_tools_are_all_that_is_offered() -> None:
    named = Toolsets(CATALOG).chosen(("finish", "hub_get"), FILING, CALM)

    assert list(named.offered) == ["hub_get", "finish"]
    assert named.get("desk_get") is None


def test_a_scenario_gets_what_it_can_need_and_with_chaos_what_mends() -> None:
    toolsets = Toolsets(CATALOG)

    calm = toolsets.chosen("scenario", FILING, CALM)
    stormy = toolsets.chosen("scenario", FILING, CALM, STORMY)

    assert list(calm.offered) == ["desk_get", *COMMON]
    assert {"desk_get", "desk_replay_events", "hub_replay_events", "renew_session"} < set(stormy.offered)
    assert not {"desk_put", "hub_get"} & set(stormy.offered)


def test_a_scenario_that_says_nothing_gets_all() -> None:
    assert list(Toolsets(CATALOG).chosen("scenario", ANYTHING, CALM).offered) == list(CATALOG)


def test_a_name_that_is_no_tool_is_refused_with_the_nearest() -> None:
    toolsets = Toolsets(CATALOG)

    toolsets.refuse_unknown("all")
    toolsets.refuse_unknown(("desk_get", "wait"))
    with pytest.raises(Refusal, match=r"There is no tool 'desk_gett'\. Did you mean desk_get") as refused:
        toolsets.refuse_unknown(("wait", "desk_gett"))

    assert (refused.value.status, refused.value.code, refused.value.field) == (422, "tool_unknown", "tools")


def test_shared_arguments_are_described_once_above_the_tools() -> None:
    change = Tool(
        "desk_set", "Set it.", {"type": "object", "properties": {"idempotency_key": {"type": "string"}}}
    )
    text = Toolset({"desk_set": change, **CATALOG}, ["desk_set"]).listed(ToolsFormat.SCHEMAS).text

    assert text.startswith("Tools take the arguments they list and no others.")
    assert text.count("`idempotency_key`") == 1
    assert text.endswith("\n\ndesk_set(idempotency_key?): Set it.")
    assert "idempotency_key" not in Toolset(CATALOG, ["desk_get"]).listed(ToolsFormat.SCHEMAS).text


def test_signatures_are_a_line_for_each_tool_and_explain_shared_arguments_once() -> None:
    arguments = {"name": {"type": "string"}, "size": {"type": "integer"}, "cursor": {"type": "string"}}
    parameters = {"type": "object", "properties": arguments, "required": ["name"]}
    tools = Toolset({"desk_find": Tool("desk_find", "Find desks. Takes long.", parameters)})

    listed = tools.listed(ToolsFormat.SIGNATURES)

    [card] = listed.cards
    assert card["signature"] == "desk_find(name, size?) - Find desks"
    assert card["description"] == "Find desks."
    assert card["input_schema"] == {"type": "object", "properties": arguments, "required": ["name"]}
    assert listed.introduction.count("cursor (") == 1
    assert listed.text == f"{listed.introduction}\n{card['signature']}"
    assert "Some tools" not in Toolset(CATALOG, ["desk_get"]).listed(ToolsFormat.SIGNATURES).introduction
