"""The simulation on companies built by hand: acts, time, levels, and what it remembers."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from scenarios.constrained_change.simulation import HIGHEST, Act, Simulation, State
from scenarios.constrained_change.statements import LAST, PAGE, UNSTARTED

from .hand_built import (
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
    wait,
)

NO_RULES = Simulation([])
#: Everybody who is given an asset loses a level.
COSTLY = rule("datahub", "asset.assigned", "change_clearance", person="$holder", by=-1)


def after(start: State, act: Act, *rules: Rule) -> State:
    """Return the state after an act in a company with these rules."""
    return Simulation(rules).after(start, act)


def level(found: State, person: str = "ann.lee") -> Any:
    return found.row("datahub", "clearances", person)["level"]


@pytest.mark.parametrize(
    ("act", "column", "value"),
    [
        (hand_over(1, "bob.ray"), "holder", "bob.ray"),
        (take_back(1), "holder", None),
        (begin(1), "status", "in_progress"),
        (raise_to(1, "high"), "priority", "high"),
    ],
    ids=["assign", "return", "begin", "priority"],
)
def test_an_act_changes_its_column_of_its_row_and_nothing_else(act: Act, column: str, value: str) -> None:
    start = state(asset(1, "ann.lee"), ticket(1, "AST-1", status="new"), asset(2, "ann.lee"), ticket(2))

    found = after(start, act)

    assert found.rows == {**start.rows, act.place: {**start.rows[act.place], column: value}}
    assert found.history == ((f"{column}:{value}", act.object),)


def test_an_act_leaves_the_state_before_it_as_it_was() -> None:
    start = state(asset(1, "ann.lee"), clearance("bob.ray"))

    after(start, hand_over(1, "bob.ray"), COSTLY)

    assert start == state(asset(1, "ann.lee"), clearance("bob.ray"))


@pytest.mark.parametrize(
    "act",
    [
        hand_over(1, "ann.lee"),
        take_back(2),
        begin(1),
        raise_to(1, "medium"),
        raise_to(2, "high"),
        hand_over(9, "ann.lee"),
        take_back(9),
        raise_to(9, "high"),
        begin(9),
        wait(0),
    ],
    ids=[
        "its holder gets it again",
        "it is in the pool already",
        "begun already",
        "the same priority",
        "a closed ticket",
        "an unknown asset is given",
        "an unknown asset goes back",
        "an unknown ticket is raised",
        "an unknown ticket begins",
        "no time passes",
    ],
)
def test_an_act_that_changes_nothing_starts_no_rule(act: Act) -> None:
    start = state(asset(1, "ann.lee"), asset(2), ticket(1), ticket(2, status="closed"), clearance("ann.lee"))
    returned = rule("datahub", "asset.returned", "change_clearance", person="ann.lee", by=-1)
    changed = rule("datahub", "assets", "change_clearance", person="ann.lee", by=-1)

    found = after(start, act, COSTLY, returned, changed)

    assert found == start


@pytest.mark.parametrize(("until", "now"), [(99, 100), (100, 100), (101, 101)])
def test_waiting_brings_a_time_that_is_still_to_come_and_never_one_that_has_passed(
    until: int, now: int
) -> None:
    assert after(state(now=100), wait(until)).now == now


def test_other_acts_take_no_time() -> None:
    assert after(state(asset(1), now=100), hand_over(1, "ann.lee")).now == 100


@pytest.mark.parametrize(("now", "runs"), [(99, True), (100, False), (101, False)])
def test_a_rule_runs_until_just_before_it_ends(now: int, *, runs: bool) -> None:
    freeze = Rule("AUT-1", "datahub", 1, "asset.assigned", [], COSTLY.do, active_until=100)

    found = after(state(asset(1), clearance("ann.lee"), now=now), hand_over(1, "ann.lee"), freeze)

    assert level(found) == (2 if runs else 3)


@pytest.mark.parametrize(("now", "runs"), [(99, False), (100, True), (101, True)])
def test_a_rule_runs_from_the_instant_at_which_it_begins(now: int, *, runs: bool) -> None:
    resumed = Rule("AUT-1", "datahub", 1, "asset.assigned", [], COSTLY.do, active_from=100)

    found = after(state(asset(1), clearance("ann.lee"), now=now), hand_over(1, "ann.lee"), resumed)

    assert level(found) == (2 if runs else 3)


def test_a_paused_rule_does_not_run() -> None:
    paused = Rule("AUT-1", "datahub", 1, "asset.assigned", [], COSTLY.do, paused=True)

    assert level(after(state(asset(1), clearance("ann.lee")), hand_over(1, "ann.lee"), paused)) == 3


@pytest.mark.parametrize(
    ("before", "by", "then"),
    [(3, -1, 2), (1, -1, 0), (0, -1, 0), (1, -2, 0), (4, 1, 5), (HIGHEST, 1, HIGHEST), (4, 3, HIGHEST)],
)
def test_a_level_stays_between_none_and_the_highest(before: int, by: int, then: int) -> None:
    change = rule("datahub", "asset.assigned", "change_clearance", person="$holder", by=by)

    found = after(state(asset(1), clearance("ann.lee", before)), hand_over(1, "ann.lee"), change)

    assert level(found) == then
    assert (("lowered", "ann.lee") in found.history) == (then < before)


def test_a_level_that_falls_and_rises_again_was_lowered_all_the_same() -> None:
    raised = rule(
        "datahub",
        "clearance.changed",
        "change_clearance",
        condition("$level", "eq", 2),
        person="$person_id",
        by=1,
    )

    found = after(state(asset(1), clearance("ann.lee")), hand_over(1, "ann.lee"), COSTLY, raised)

    assert level(found) == 3
    assert ("lowered", "ann.lee") in found.history


def test_a_level_that_does_not_change_is_no_event() -> None:
    follows = rule("datahub", "clearance.changed", "return_asset", asset="AST-1")

    found = after(state(asset(1), clearance("ann.lee", 0)), hand_over(1, "ann.lee"), COSTLY, follows)

    assert found.row("datahub", "assets", "AST-1")["holder"] == "ann.lee"


def test_a_person_whose_level_nobody_knows_has_none_to_lose() -> None:
    found = after(state(asset(1)), hand_over(1, "ann.lee"), COSTLY)

    assert found.history == (("holder:ann.lee", "AST-1"),)


def test_history_records_acts_in_order() -> None:
    acts = [hand_over(1, "ann.lee"), take_back(1), raise_to(1, "high")]

    found = NO_RULES.through(state(asset(1), ticket(1)), acts)

    assert found.history == (("holder:ann.lee", "AST-1"), ("holder:None", "AST-1"), ("priority:high", "TD-1"))


def test_states_are_told_apart_by_time_and_by_each_column_that_can_change() -> None:
    start = state(asset(1), ticket(1), clearance("ann.lee"))
    others = [
        state(asset(1), ticket(1), clearance("ann.lee"), now=1),
        state(asset(1, "ann.lee"), ticket(1), clearance("ann.lee")),
        state(asset(1), ticket(1, status="new"), clearance("ann.lee")),
        state(asset(1), ticket(1, priority="high"), clearance("ann.lee")),
        state(asset(1), ticket(1, assignee="oncall"), clearance("ann.lee")),
        state(asset(1), ticket(1), clearance("ann.lee", 2)),
    ]

    keys = {one.key for one in (start, *others)}

    assert len(keys) == 1 + len(others)


def test_the_way_to_a_state_does_not_tell_it_apart() -> None:
    start = state(asset(1))

    there_and_back = NO_RULES.through(start, [hand_over(1, "ann.lee"), take_back(1)])

    assert there_and_back.key == start.key
    assert there_and_back != start


PEOPLE = ("ann.lee", "bob.ray", "carl.moe")
ACTS = st.one_of(
    st.builds(hand_over, st.integers(1, 3), st.sampled_from(PEOPLE)),
    st.builds(take_back, st.integers(1, 3)),
    st.builds(begin, st.integers(1, 2)),
    st.builds(raise_to, st.integers(1, 2), st.sampled_from(["low", "high", "urgent"])),
    st.builds(wait, st.integers(0, 200)),
)
RULES = Simulation(
    [
        stated(LAST, KEY.fields, number=1),
        COSTLY,
        stated(UNSTARTED, KEY.fields, number=2),
        stated(PAGE, {"oncall": "oncall"}, number=3),
    ]
)


def small_company() -> State:
    """Return three assets, two tickets and everybody's clearance."""
    return state(
        asset(1),
        asset(2, "ann.lee"),
        asset(3, "bob.ray"),
        ticket(1, "AST-1", status="new"),
        ticket(2, "AST-2"),
        *(clearance(person, 2) for person in PEOPLE),
    )


@settings(max_examples=50)
@given(st.lists(ACTS, max_size=6))
def test_acts_neither_add_nor_remove_rows_nor_turn_back_time(acts: list[Act]) -> None:
    found = RULES.through(small_company(), acts)

    assert list(found.rows) == list(small_company().rows)
    assert found.now == max([0, *(act.until for act in acts)])
    assert all(0 <= level(found, person) <= HIGHEST for person in PEOPLE)


@settings(max_examples=50)
@given(st.lists(ACTS, max_size=6))
def test_a_level_is_lower_than_at_first_only_if_the_history_says_so(acts: list[Act]) -> None:
    found = RULES.through(small_company(), acts)

    lost = {person: 2 - level(found, person) for person in PEOPLE}

    assert lost == {person: found.history.count(("lowered", person)) for person in PEOPLE}


@settings(max_examples=50)
@given(st.lists(ACTS, max_size=4), ACTS)
def test_an_act_done_twice_is_done_once(acts: list[Act], act: Act) -> None:
    before = RULES.through(small_company(), acts)

    once = RULES.after(before, act)

    assert RULES.after(once, act) == once


@settings(max_examples=50)
@given(ACTS, ACTS)
def test_acts_on_different_rows_commute_where_there_are_no_rules(one: Act, other: Act) -> None:
    if one.place == other.place:
        return

    orders = [NO_RULES.through(small_company(), order) for order in ([one, other], [other, one])]

    assert orders[0].key == orders[1].key
