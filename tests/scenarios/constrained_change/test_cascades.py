"""Automations in the simulation: what a rule is told, what it can look up, and how rules follow rules."""

from typing import Any

import pytest

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from scenarios.constrained_change.simulation import Act, Simulation, State
from scenarios.constrained_change.statements import LAST, PAGE, UNSTARTED

from .hand_built import (
    BADGE,
    KEY,
    asset,
    begin,
    clearance,
    hand_over,
    raise_to,
    rule,
    state,
    stated,
    take_back,
    ticket,
)


def after(start: State, act: Act, *rules: Rule) -> State:
    """Return the state after an act in a company with these rules."""
    return Simulation(rules).after(start, act)


def level(found: State, person: str = "ann.lee") -> Any:
    return found.row("datahub", "clearances", person)["level"]


@pytest.mark.parametrize(
    ("trigger", "act", "facts"),
    [
        (
            "asset.assigned",
            hand_over(1, "bob.ray"),
            {
                "asset_id": "AST-1",
                "asset_class": "signing_key",
                "previous": "ann.lee",
                "holder": "bob.ray",
            },
        ),
        (
            "asset.returned",
            take_back(1),
            {"asset_id": "AST-1", "asset_class": "signing_key", "previous": "ann.lee", "holder": None},
        ),
        ("assets", hand_over(1, "bob.ray"), {"id": "AST-1", "holder": "bob.ray", "was_holder": "ann.lee"}),
        ("assets", take_back(1), {"id": "AST-1", "holder": None, "was_holder": "ann.lee"}),
    ],
    ids=["assigned", "returned", "changed hands", "changed to the pool"],
)
def test_a_rule_is_told_the_facts_of_what_happened(trigger: str, act: Act, facts: dict[str, Any]) -> None:
    when = [condition(f"${name}", "eq", value) for name, value in facts.items()]
    counted = rule("datahub", trigger, "change_clearance", *when, person="carl.moe", by=1)

    found = after(state(asset(1, "ann.lee"), clearance("carl.moe")), act, counted)

    assert level(found, "carl.moe") == 4


def test_a_rule_about_a_changed_row_is_told_which_columns_changed() -> None:
    of_status = rule(
        "ticketdesk", "tickets", "assign", condition("$changed", "has", "status"), ticket="$id", to="oncall"
    )

    raised = after(state(ticket(1, status="new")), raise_to(1, "high"), of_status)
    begun = after(state(ticket(1, status="new")), begin(1), of_status)

    assert raised.row("ticketdesk", "tickets", "TD-1")["assignee"] is None
    assert begun.row("ticketdesk", "tickets", "TD-1")["assignee"] == "oncall"


def test_every_condition_of_a_rule_has_to_hold() -> None:
    both = rule(
        "datahub",
        "asset.assigned",
        "change_clearance",
        condition("$asset_class", "eq", KEY.id),
        condition("$previous", "ne", None),
        person="$holder",
        by=-1,
    )
    start = state(asset(1, "bob.ray"), asset(2), asset(3, "bob.ray", BADGE), clearance("ann.lee"))

    levels = [level(after(start, hand_over(number, "ann.lee"), both)) for number in (1, 2, 3)]

    assert levels == [2, 3, 3]


def test_a_row_starts_rules_of_its_own_service_only() -> None:
    foreign = rule("ticketdesk", "assets", "set_priority", ticket="TD-1", to="urgent")

    found = after(state(asset(1), ticket(1)), hand_over(1, "ann.lee"), foreign)

    assert found.row("ticketdesk", "tickets", "TD-1")["priority"] == "medium"


def test_an_event_reaches_the_other_service_and_its_own() -> None:
    own = rule("datahub", "asset.assigned", "change_clearance", person="$holder", by=1)
    other = rule("ticketdesk", "asset.assigned", "set_priority", ticket="TD-1", to="urgent")

    found = after(state(asset(1), ticket(1), clearance("ann.lee")), hand_over(1, "ann.lee"), own, other)

    assert level(found) == 4
    assert found.row("ticketdesk", "tickets", "TD-1")["priority"] == "urgent"


def test_a_rule_looks_into_the_tables_of_its_own_service_only() -> None:
    held = {"count": "assets", "where": {"holder": "$holder"}}
    blind = rule(
        "ticketdesk",
        "asset.assigned",
        "set_priority",
        condition(held, "gt", 0),
        ticket="TD-1",
        to="urgent",
    )

    found = after(state(asset(1), ticket(1)), hand_over(1, "ann.lee"), blind)

    assert found.row("ticketdesk", "tickets", "TD-1")["priority"] == "medium"


@pytest.mark.parametrize(("most", "then"), [(1, 2), (2, 3), (3, 3)])
def test_a_count_covers_the_rows_that_match_after_the_act(most: int, then: int) -> None:
    held = {"count": "assets", "where": {"holder": "$holder", "asset_class": KEY.id}}
    ceiling = rule(
        "datahub", "asset.assigned", "change_clearance", condition(held, "gt", most), person="$holder", by=-1
    )
    start = state(asset(1, "ann.lee"), asset(2), asset(3, "ann.lee", BADGE), clearance("ann.lee"))

    assert level(after(start, hand_over(2, "ann.lee"), ceiling)) == then


@pytest.mark.parametrize(("value", "then"), [(0.0, 2), (1.0, 3), (2.0, 3), (None, 3)])
def test_a_limit_is_the_metric_as_its_source_has_it_and_an_unknown_one_stops_nobody(
    value: float | None, then: int
) -> None:
    held = {"count": "assets", "where": {"holder": "$holder"}}
    limit = {"value": "live_metric", "of": "MET-0101"}
    ceiling = rule(
        "datahub", "asset.assigned", "change_clearance", condition(held, "gt", limit), person="$holder", by=-1
    )
    values = {} if value is None else {"MET-0101": value}

    found = after(state(asset(1), clearance("ann.lee"), values=values), hand_over(1, "ann.lee"), ceiling)

    assert level(found) == then


def test_the_first_row_of_several_has_the_lowest_id_as_a_text() -> None:
    urgent = rule(
        "ticketdesk",
        "asset.assigned",
        "set_priority",
        ticket={"first": "tickets", "where": {"subject": "$asset_id"}, "column": "id"},
        to="urgent",
    )
    start = state(asset(1), ticket(9, "AST-1"), ticket(10, "AST-1"), ticket(11, "AST-2"))

    found = after(start, hand_over(1, "ann.lee"), urgent)

    assert found.history[1:] == (("priority:urgent", "TD-10"),)


def test_a_rule_whose_row_does_not_exist_does_nothing() -> None:
    urgent = rule(
        "ticketdesk",
        "asset.assigned",
        "set_priority",
        ticket={"first": "tickets", "where": {"subject": "$asset_id"}, "column": "id"},
        to="urgent",
    )

    found = after(state(asset(1), ticket(1)), hand_over(1, "ann.lee"), urgent)

    assert found.history == (("holder:ann.lee", "AST-1"),)


def test_an_action_about_other_tables_concerns_no_row_of_the_task() -> None:
    other = rule("datahub", "asset.assigned", "set_record_status", record="R-1", status="pending")

    assert after(state(asset(1)), hand_over(1, "ann.lee"), other) == after(
        state(asset(1)), hand_over(1, "ann.lee")
    )


def test_a_rule_sees_what_an_earlier_rule_of_the_same_delivery_did() -> None:
    """Rules run in the order of their list, and the second counts what the first one took."""
    take = rule("datahub", "asset.assigned", "return_asset", asset="AST-2")
    left = {"count": "assets", "where": {"holder": "ann.lee"}}
    few = rule(
        "datahub", "asset.assigned", "change_clearance", condition(left, "lt", 2), person="ann.lee", by=-1
    )
    start = state(asset(1), asset(2, "ann.lee"), clearance("ann.lee"))

    assert level(after(start, hand_over(1, "ann.lee"), take, few)) == 2
    assert level(after(start, hand_over(1, "ann.lee"), few, take)) == 3


def test_all_changes_of_a_transaction_reach_a_rule_of_its_service_before_the_next_rule() -> None:
    both = [rule("datahub", "asset.assigned", "return_asset", asset=f"AST-{number}") for number in (2, 3)]
    back = condition("$holder", "eq", None)
    watched = [
        rule("datahub", "assets", "change_clearance", back, person=person, by=-1)
        for person in ("carl.moe", "dora.fox")
    ]
    start = state(
        asset(1),
        asset(2, "bob.ray"),
        asset(3, "bob.ray"),
        clearance("carl.moe"),
        clearance("dora.fox"),
    )

    found = after(start, hand_over(1, "ann.lee"), *both, *watched)

    lowered = [person for kind, person in found.history if kind == "lowered"]
    assert lowered == ["carl.moe", "carl.moe", "dora.fox", "dora.fox"]


def test_rules_follow_rules_across_services() -> None:
    """An asset moves before its ticket has begun: the ticket becomes urgent, and an urgent ticket pages."""
    rules = [stated(UNSTARTED, KEY.fields), stated(PAGE, {"oncall": "oncall"})]

    found = after(state(asset(1), ticket(1, "AST-1", status="new")), hand_over(1, "ann.lee"), *rules)

    assert found.history[1:] == (("priority:urgent", "TD-1"), ("assignee:oncall", "TD-1"))


def test_a_rule_about_returns_sees_assets_that_a_rule_returned() -> None:
    take = rule("datahub", "asset.assigned", "return_asset", asset="AST-2")
    start = state(asset(1), asset(2, "bob.ray"), clearance("bob.ray"))

    found = after(start, hand_over(1, "ann.lee"), take, stated(LAST, KEY.fields))

    assert level(found, "bob.ray") == 2
