"""What agents are shown of the real tools is short enough, and takes what a model may reasonably write."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companyos.sdk.chaos import CATALOG as FAULTS
from companyos.sdk.chaos import FaultSpec, parse_chaos
from companyos.sdk.scenario import Scenario, find, load_scenarios
from orchestrator.agent.agent_schemas import SHARED_ARGUMENTS
from orchestrator.agent.tools import Tool
from orchestrator.agent.toolsets import Toolset
from orchestrator.services.catalog import Catalog
from services import manifests
from tests.approval_tasks import APPROVAL_TASKS

ROOT = Path(__file__).parents[3]
#: Characters of a tool's schema on average, and of all those of a scenario where nothing goes wrong.
MOST_ON_AVERAGE, MOST_OF_A_SCENARIO = 650, 12_000


CATALOG = Catalog(manifests())
TOOLS = list(CATALOG.tools.values())
SCENARIOS = list(load_scenarios().values())


def value_of(schema: dict[str, Any]) -> Any:
    """Return a value that a schema takes."""
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return value_of(schema["anyOf"][0])
    match schema["type"]:
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "array":
            return [value_of(schema["items"])] * schema.get("minItems", 0)
        case "object":
            required = {name: value_of(schema["properties"][name]) for name in schema.get("required", ())}
            return required or {"a": "b"}
    return "2030-03-04T09:00:00Z" if schema.get("format") == "date-time" else "T-1"


def least(tool: Tool) -> dict[str, Any]:
    properties = tool.parameters["properties"]
    return {name: value_of(properties[name]) for name in tool.requires}


def optional(tool: Tool) -> list[str]:
    return [name for name in tool.parameters["properties"] if name not in tool.requires]


def enumerated() -> Iterator[tuple[Tool, str, str]]:
    for tool in TOOLS:
        for name, schema in tool.card["input_schema"]["properties"].items():
            yield from ((tool, name, option) for option in schema.get("enum", ()))


def test_all_tools_together_are_short() -> None:
    assert len(json.dumps(Toolset(CATALOG.tools).functions)) <= MOST_ON_AVERAGE * len(CATALOG.tools)


def test_every_list_takes_the_limit_that_agents_are_told_once() -> None:
    tools = [tool for manifest in manifests() for tool in manifest["tools"]]
    limits = [tool["parameters"]["properties"].get("limit", {}) for tool in tools]

    assert {limit["maximum"] for limit in limits if limit.get("type") == "integer"} == {200}
    assert "at most 200" in SHARED_ARGUMENTS["limit"]


def test_a_tool_that_reads_takes_no_key_however_it_is_called() -> None:
    verbs = {"check", "find", "get", "list", "query", "search"}
    reading = [tool for tool in TOOLS if tool.service and tool.operation.partition("_")[0] in verbs]

    assert {tool.method for tool in reading} == {"GET", "POST"}
    assert [tool.name for tool in reading if "idempotency_key" in tool.places] == []
    assert all(tool.is_idempotent for tool in reading)
    assert not CATALOG.tools["ticketdesk_update_ticket"].is_idempotent


def test_the_limit_of_a_delegation_is_told_as_the_amount_it_is() -> None:
    limit = CATALOG.tools["datahub_set_delegate"].card["input_schema"]["properties"]["limit"]

    assert limit["type"] == "number"
    assert "amount" in limit["description"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_the_tools_of_a_scenario_are_shorter_and_are_all_there(scenario: Scenario) -> None:
    chosen = CATALOG.toolsets.chosen("scenario", scenario, parse_chaos(0))

    assert len(json.dumps(chosen.cards)) <= MOST_OF_A_SCENARIO
    assert set(scenario.tools) <= set(chosen.offered)


@pytest.mark.parametrize("scenario", APPROVAL_TASKS)
def test_approval_tasks_offer_all_tools_their_agents_call_at_the_highest_level(
    scenario: str,
) -> None:
    offered = CATALOG.toolsets.chosen("scenario", find(scenario), parse_chaos(5)).offered
    sources = [
        *(ROOT / "companyos/sdk/approval_task/playbook").glob("*.py"),
        *(ROOT / "companyos/evaluation/agents").glob("*.py"),
    ]
    names = {
        node.value
        for source in sources
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Constant) and node.value in CATALOG.tools
    }

    assert len(names) > 20
    # Another scenario's way of holding its object back, what is drawn at random alone, and what an omission hides.
    drawn = {"approvalflow_list_approval_types", "approvalflow_escalate", "ticketdesk_search_tickets"}
    assert names - set(offered) <= {"ticketdesk_create_ticket", *drawn, "datahub_list_messages"}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda one: one.name)
def test_null_for_an_optional_argument_is_not_given(tool: Tool) -> None:
    given = {**least(tool), **dict.fromkeys(optional(tool))}

    assert tool.read(given) == least(tool)
    assert tool.flaw(tool.read(given)) is None


def test_a_value_of_a_closed_set_is_taken_in_any_case() -> None:
    options = list(enumerated())

    assert options
    for tool, name, option in options:
        read = tool.read({name: option.upper()})
        assert read == {name: option}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda one: one.name)
def test_tool_schemas_for_agents_contain_no_noise(tool: Tool) -> None:
    schema = tool.card["input_schema"]
    text = json.dumps(schema)

    assert schema["type"] == "object"
    assert not re.search(r'"(title|default|pattern|\$ref|\$defs)": (?!{)', text)
    assert '"null"' not in text
    shared = [schema["properties"].get(name, {}) for name in SHARED_ARGUMENTS]
    assert not [one for one in shared if "description" in one and one["type"] != "number"]


@pytest.mark.parametrize("spec", FAULTS.values(), ids=lambda one: one.id)
def test_every_fault_comes_with_the_tools_that_cope_with_it(spec: FaultSpec) -> None:
    chaos = parse_chaos({"faults": {str(spec.id): {"p": 1.0}}})
    offered = CATALOG.toolsets.chosen("scenario", SCENARIOS[0], chaos).offered

    assert {*spec.coping_tools, *spec.supporting_tools} <= {
        tool.operation or tool.name for tool in offered.values()
    }
