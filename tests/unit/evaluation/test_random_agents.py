"""Agents that draw their calls: every call is of a tool there is, with arguments of things in sight."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.agents import POOL, RandomPool, RandomSchema
from companyos.evaluation.agents.visible import Visible

NOW = "2030-03-04T09:00:00Z"
BRIEF = "You are Ann Lee (ann.lee). Get ticket TD-1042 decided (vendor_approval) with bob.ray."


def shown(step: int = 0, result: Any = None, *, text: str = BRIEF, tools: Any = ()) -> dict[str, Any]:
    return {"text": text, "result": result, "error": None, "step": step, "sim_now": NOW, "tools": tools}


def pool_calls(seed: int, result: Any = None, text: str = BRIEF) -> list[dict[str, Any]]:
    agent = RandomPool(seed)
    agent.start(shown(text=text))
    return [agent.act(shown(step, result, text=text)) for step in range(120)]


def arguments_of(calls: list[dict[str, Any]], tool: str, name: str) -> set[str]:
    return {one["arguments"][name] for one in calls if one["tool_name"] == tool}


@pytest.mark.parametrize("seed", range(3))
def test_the_pool_is_drawn_from_with_what_the_brief_names(seed: int) -> None:
    calls = pool_calls(seed)

    assert {one["tool_name"] for one in calls} == set(POOL)
    assert arguments_of(calls, "ticketdesk_get_ticket", "ticket_id") == {"TD-1042"}
    assert arguments_of(calls, "ticketdesk_assign_ticket", "assignee") == {"ann.lee", "bob.ray"}
    assert arguments_of(calls, "approvalflow_submit_approval", "type") == {"vendor_approval"}


def test_random_arguments_use_seen_values_and_guess_unseen_ones() -> None:
    seen = {"items": [{"id": "MET-7"}, {"id": "APR-9", "role": "cfo", "metric_field": "risk"}]}

    blind, seeing = pool_calls(1), pool_calls(1, seen)

    assert arguments_of(blind, "datahub_query_metric", "metric_id") == {"MET-0101"}
    assert arguments_of(seeing, "datahub_query_metric", "metric_id") == {"MET-7"}
    assert arguments_of(blind, "approvalflow_check_status", "request_id") == {"APR-0001"}
    assert arguments_of(seeing, "approvalflow_check_status", "request_id") == {"APR-9"}
    assert arguments_of(blind, "datahub_get_approver", "role") == {"lead"}
    assert arguments_of(seeing, "datahub_get_approver", "role") == {"cfo"}


def test_a_brief_without_a_ticket_or_a_type_leaves_them_empty() -> None:
    calls = pool_calls(0, text="You are ann.lee.")

    assert arguments_of(calls, "ticketdesk_get_ticket", "ticket_id") == {""}
    assert arguments_of(calls, "approvalflow_submit_approval", "type") == {""}


@settings(max_examples=40)
@given(st.integers(0, 10**9))
def test_an_agent_of_one_seed_draws_the_same_in_every_episode(seed: int) -> None:
    agent = RandomPool(seed)
    agent.start(shown())
    first = [agent.act(shown(step, {"id": "MET-1"})) for step in range(6)]
    agent.start(shown())

    assert [agent.act(shown(step, {"id": "MET-1"})) for step in range(6)] == first


def drawn(schema: dict[str, Any], **parts: Any) -> list[Any]:
    """Values of a required argument of this schema."""
    tool = {"name": "t", "input_schema": {"properties": {"x": schema}, "required": ["x"], **parts}}
    values = []
    for seed in range(40):
        agent = RandomSchema(seed)
        agent.start(shown(tools=[tool]))
        values.append(agent.act(shown())["arguments"]["x"])
    return values


@pytest.mark.parametrize(
    ("schema", "low", "high"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 5}, 3, 5),
        ({"type": "integer", "minimum": -2, "maximum": -2}, -2, -2),
        ({"type": "integer"}, 0, 100_000),
        ({"type": "number", "maximum": 1}, 0, 1),
        ({"type": "integer", "minimum": 10**6}, 10**6, 10**6 + 100_000),
    ],
    ids=str,
)
def test_a_number_keeps_to_its_bounds(schema: dict[str, Any], low: int, high: int) -> None:
    values = drawn(schema)

    assert all(low <= value <= high for value in values)
    assert all(isinstance(value, float if schema["type"] == "number" else int) for value in values)


def test_a_choice_is_drawn_from_its_options_and_each_variant_comes() -> None:
    reference = {"anyOf": [{"$ref": "#/$defs/P"}, {"type": "null"}]}
    values = drawn(reference, **{"$defs": {"P": {"enum": ["low", "high"]}}})

    assert set(values) == {"low", "high", None}
    assert set(drawn({"const": 7})) == {7}
    assert set(drawn({"type": "boolean"})) == {True, False}


def test_optional_arguments_are_given_now_and_then() -> None:
    tool = {"name": "t", "input_schema": {"properties": {"x": {"type": "boolean"}}}}
    agent = RandomSchema(0)
    agent.start(shown(tools=[tool]))

    given_arguments = [bool(agent.act(shown(step))["arguments"]) for step in range(200)]

    assert 30 <= sum(given_arguments) <= 90


@pytest.mark.parametrize(
    ("text", "objects", "people"),
    [
        ("TD-1 MET-22 APR-0003", ["TD-1", "MET-22", "APR-0003"], []),
        ("ABCDE-1 td-1 TD- TD1 T-1", ["T-1"], []),
        ("ann.lee Ann.Lee ann.lee.", [], ["ann.lee"]),
        ("see docs.rs and e.g. this", [], ["docs.rs", "e.g"]),
    ],
)
def test_ids_are_seen_by_their_form_once_and_in_order(
    text: str, objects: list[str], people: list[str]
) -> None:
    visible = Visible()

    visible.see(shown(text=text))

    assert (visible.objects(), visible.people) == (objects, people)


def test_vocabularies_are_seen_at_any_depth_and_only_as_text() -> None:
    visible = Visible()

    visible.see(shown(result={"role": "lead", "items": [{"kind": "vendor", "role": 5}, [{"role": "cfo"}]]}))

    assert visible.names("role") == ["lead", "cfo"]
    assert visible.names("kind") == ["vendor"]
    assert visible.names("metric_field") == visible.names("anything") == []
