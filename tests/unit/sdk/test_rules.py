"""The language of automations: when a rule is active, what its conditions ask for, and what they come to."""

from collections.abc import Generator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.automations.rules import (
    OPERATORS,
    Lookup,
    Rule,
    arguments,
    evaluate,
    is_active,
    may_hold,
)
from companyos.sdk.automations.rules import given as condition

FACTS = {"holder": "ann.lee", "count": 3, "class": "A", "empty": None, "changed": ["status", "priority"]}


def rule(**parts: Any) -> Rule:
    return Rule(
        **{
            "id": "r1",
            "service": "ticketdesk",
            "number": 1,
            "trigger": "tickets",
            "when": (),
            "do": {"action": "assign"},
            **parts,
        }
    )


def run(
    plan: Generator[Lookup, Any, Any], known: Mapping[Lookup, Any] | None = None
) -> tuple[Any, list[Lookup]]:
    """Return what a plan comes to when lookups have these values, and what it looked up."""
    asked: list[Lookup] = []
    try:
        wanted = next(plan)
        while True:
            asked.append(wanted)
            wanted = plan.send((known or {})[wanted])
    except StopIteration as end:
        return end.value, asked


@pytest.mark.parametrize(
    ("parts", "active_at"),
    [
        ({}, [9, 10, 11, 19, 20, 21]),
        ({"active_from": 10}, [10, 11, 19, 20, 21]),
        ({"active_until": 20}, [9, 10, 11, 19]),
        ({"active_from": 10, "active_until": 20}, [10, 11, 19]),
        ({"active_from": 10, "active_until": 10}, []),
        ({"paused": True}, []),
    ],
    ids=str,
)
def test_a_rule_is_active_from_its_first_instant_to_the_one_before_its_last(
    parts: dict[str, Any], active_at: list[int]
) -> None:
    assert [now for now in (9, 10, 11, 19, 20, 21) if is_active(rule(**parts), now)] == active_at


@pytest.mark.parametrize(
    ("left", "operator", "right", "holds"),
    [
        ("$count", "eq", 3, True),
        ("$count", "ne", 3, False),
        ("$count", "lt", 3, False),
        ("$count", "lt", 4, True),
        ("$count", "le", 3, True),
        ("$count", "le", 2, False),
        ("$count", "gt", 3, False),
        ("$count", "gt", 2, True),
        ("$count", "ge", 3, True),
        ("$count", "ge", 4, False),
        ("$class", "in", ["A", "B"], True),
        ("$class", "in", ["B"], False),
        ("$changed", "has", "status", True),
        ("$changed", "has", "title", False),
        ("$holder", "eq", "ann.lee", True),
        ("holder", "eq", "ann.lee", False),
        ("$nothing", "eq", None, True),
    ],
)
def test_a_condition_compares_a_fact_with_a_literal(
    left: Any, operator: str, right: Any, holds: bool
) -> None:
    assert run(evaluate([condition(left, operator, right)], FACTS)) == (holds, [])


@pytest.mark.parametrize("operator", sorted({"has", "lt", "le", "gt", "ge"} & set(OPERATORS)))
@pytest.mark.parametrize("sides", [("$empty", 1), ("$count", "$nothing"), ("$nothing", "$empty")], ids=str)
def test_a_missing_value_satisfies_no_comparison(operator: str, sides: tuple[Any, Any]) -> None:
    holds, _ = run(evaluate([condition(sides[0], operator, sides[1])], FACTS))

    assert not holds


def test_empty_list_of_conditions_always_holds() -> None:
    assert run(evaluate([], FACTS)) == (True, [])


def test_conditions_after_a_failed_one_are_not_looked_up() -> None:
    open_tickets = {"count": "tickets", "where": {"status": "open"}}
    when = [condition("$count", "gt", 5), condition(open_tickets, "gt", 0)]

    assert run(evaluate(when, FACTS)) == (False, [])


def test_a_lookup_is_bound_to_the_facts_and_its_columns_have_one_order() -> None:
    assets = {"count": "assets", "where": {"holder": "$holder", "asset_class": "$class"}}
    newest = {"first": "tickets", "where": {"subject": "$holder"}, "column": "status"}
    live = {"value": "live_metric", "of": "$class"}
    expected = [
        Lookup("count", "assets", (("asset_class", "A"), ("holder", "ann.lee"))),
        Lookup("first", "tickets", (("subject", "ann.lee"),), "status"),
        Lookup("value", "live_metric", (("of", "A"),)),
    ]
    when = [condition(assets, "ge", 2), condition(newest, "eq", "open"), condition(live, "lt", 9)]

    holds, asked = run(evaluate(when, FACTS), dict(zip(expected, (2, "open", 8.5), strict=True)))

    assert asked == expected
    assert holds


@pytest.mark.parametrize("value", [None, 0, "closed"], ids=repr)
def test_a_looked_up_value_decides_like_any_other(value: Any) -> None:
    status = {"first": "tickets", "where": {"id": "TD-1"}, "column": "status"}
    lookup = Lookup("first", "tickets", (("id", "TD-1"),), "status")

    holds, _ = run(evaluate([condition(status, "eq", "closed")], FACTS), {lookup: value})

    assert holds is (value == "closed")


def test_arguments_are_literals_facts_and_lookups() -> None:
    lead = {"first": "people", "where": {"role": "lead"}, "column": "id"}
    do = {"action": "assign", "with": {"ticket": "$holder", "note": "by rule", "to": lead}}

    found, asked = run(
        arguments(do, FACTS), {Lookup("first", "people", (("role", "lead"),), "id"): "bob.ray"}
    )

    assert found == {"ticket": "ann.lee", "note": "by rule", "to": "bob.ray"}
    assert len(asked) == 1
    assert run(arguments({"action": "close"}, FACTS)) == ({}, [])


@pytest.mark.parametrize(
    ("when", "can"),
    [
        ([], True),
        ([condition("$class", "eq", "A")], True),
        ([condition("$class", "eq", "B")], False),
        ([condition("$class", "eq", "A"), condition("$holder", "eq", "bob.ray")], False),
        ([condition("$nothing", "eq", "A")], False),
        ([condition("$class", "ne", "A")], True),
        ([condition("$class", "eq", "$holder")], True),
        ([condition("$count", "eq", 9)], True),
        ([condition("class", "eq", "B")], True),
        ([condition({"count": "tickets", "where": {}}, "eq", "B")], True),
    ],
    ids=str,
)
def test_rules_are_ruled_out_only_by_facts_that_must_equal_a_text(when: list[Any], can: bool) -> None:
    assert may_hold(when, FACTS) is can


TERMS = st.sampled_from(["$holder", "$class", "$empty", "A", "ann.lee", "B"])


@settings(max_examples=50)
@given(st.lists(st.tuples(TERMS, st.sampled_from(["eq", "ne"]), TERMS), max_size=4))
def test_conditions_that_hold_are_among_those_that_may_hold(sides: list[tuple[str, str, str]]) -> None:
    when = [condition(left, operator, right) for left, operator, right in sides]

    holds, _ = run(evaluate(when, FACTS))

    assert may_hold(when, FACTS) or not holds
