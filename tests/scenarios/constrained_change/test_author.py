"""Drawn changes: who has what and gets what, the hazards on the way, and the list that the agent reads."""

from collections import Counter

import pytest

from companyos.sdk.automations import given as condition
from companyos.sdk.simtime import HOUR
from scenarios.constrained_change.change import CEILINGS, FOUR, HAZARDS, RINGS, THREE, PlannedChange
from scenarios.constrained_change.house_rules import tomorrow
from scenarios.constrained_change.simulation import Simulation
from scenarios.constrained_change.statements import (
    FOLLOWS,
    FREEZE,
    LAST,
    PAGE,
    TWIN,
    UNSTARTED,
    UNSTARTED_RETURN,
    Statement,
)

from .changes import planned

PAIRS = range(8)


def change_of(pair: int) -> PlannedChange:
    return planned(pair, FOUR)


def capped_class(change: PlannedChange) -> str:
    """Return the class that has a ceiling."""
    return next(str(move.asset["asset_class"]) for move in change.moves if move.ceiling)


def last_class(change: PlannedChange) -> str:
    """Return the class whose last asset costs a level."""
    return str(change.spares[0]["asset_class"])


def held(change: PlannedChange, class_: str, *, at_the_end: bool) -> Counter[str]:
    """Return how many assets of a class each person holds, at the start or once all moves are made."""
    to = {move.asset["id"]: move.to for move in change.moves} if at_the_end else {}
    assets = [row for row in change.company.rows["datahub"]["assets"] if row["asset_class"] == class_]
    holders = [to.get(row["id"], row["holder"]) for row in assets]
    return Counter(one for one in holders if one is not None)


def stating(change: PlannedChange, statement: Statement) -> list[tuple[str, dict[str, object]]]:
    """Return the task's rules that a statement states."""
    return [one for one in change.goal_rules if any(True for _ in statement.read(one[1]["description"]))]


def hazards(change: PlannedChange) -> tuple[str, ...]:
    """Return the hazards of a change, as its rules show them."""
    shown = {"unstarted": UNSTARTED, "freeze": FREEZE, "follows": FOLLOWS, "twin": TWIN}
    return tuple(name for name, statement in shown.items() if stating(change, statement))


def harm(change: PlannedChange, *statements: Statement) -> set[str]:
    """Return the harm that the list in its own order does, with the rules of these statements alone."""
    descriptions = {row["description"] for one in statements for _, row in stating(change, one)}
    rules = [
        rule
        for (_, row), rule in zip(change.goal_rules, change.simulation.rules, strict=True)
        if row["description"] in descriptions
    ]
    after = Simulation(rules).through(change.begun, change.direct(change.moves))
    return {kind for kind, _ in after.history if (kind, "") in change.aim(change.moves).never}


@pytest.mark.parametrize("pair", PAIRS)
def test_one_person_has_to_hold_four_of_the_capped_class_and_nobody_else_as_many(pair: int) -> None:
    change = change_of(pair)
    class_, first = capped_class(change), change.people[0].id

    before, after = (held(change, class_, at_the_end=late) for late in (False, True))

    assert 2 <= before[first] <= 4
    assert after.pop(first) == CEILINGS[FOUR]
    assert max(after.values()) < CEILINGS[THREE]


@pytest.mark.parametrize("pair", PAIRS)
def test_that_person_gets_all_but_one_of_what_the_ceiling_is_about_and_gives_one(pair: int) -> None:
    change = change_of(pair)
    class_, first = capped_class(change), change.people[0].id
    moves = [move for move in change.moves if move.asset["asset_class"] == class_]

    given = [move for move in moves if move.asset["holder"] == first]

    assert [move.to for move in given] == [change.people[1].id]
    assert {move.to for move in moves if move.ceiling} == {first}
    assert [move for move in moves if not move.ceiling] == given


@pytest.mark.parametrize("pair", PAIRS)
def test_one_ticket_has_the_lowest_priority_and_its_asset_is_capped(pair: int) -> None:
    change = change_of(pair)

    low = [move for move in change.moves if move.ticket["priority"] == "low"]

    assert [move.ceiling for move in low] == [True]
    assert {move.ticket["priority"] for move in change.moves} <= {"low", "medium", "high"}


@pytest.mark.parametrize("pair", PAIRS)
def test_some_people_pass_their_only_asset_on_in_a_ring(pair: int) -> None:
    change = change_of(pair)
    class_ = last_class(change)
    passed = {move.asset["holder"]: move.to for move in change.moves if move.asset["asset_class"] == class_}

    assert len(passed) in RINGS
    assert set(passed) == set(passed.values())
    assert not any(giver == taker for giver, taker in passed.items())
    assert held(change, class_, at_the_end=False) == dict.fromkeys(passed, 1)
    assert held(change, class_, at_the_end=True) == dict.fromkeys(passed, 1)


@pytest.mark.parametrize("pair", PAIRS)
def test_one_spare_is_in_the_pool_and_every_order_borrows_it(pair: int) -> None:
    change = change_of(pair)
    [spare] = change.spares

    borrowed = [act for act in change.order or () if act.object == spare["id"]]

    assert spare["holder"] is None
    assert spare["asset_class"] != capped_class(change)
    assert [act.kind for act in borrowed][-1] == "return"
    assert borrowed[0].to == change.people[0].id


def test_rings_of_either_size_and_all_hazards_occur() -> None:
    changes = [change_of(pair) for pair in range(24)]

    rings = {sum(move.asset["asset_class"] == last_class(one) for move in one.moves) for one in changes}

    assert rings == set(RINGS)
    assert {frozenset(hazards(one)) for one in changes} == {frozenset(one) for one in HAZARDS}


@pytest.mark.parametrize("pair", PAIRS)
def test_each_hand_over_has_a_ticket_about_its_asset(pair: int) -> None:
    change = change_of(pair)

    for move in change.moves:
        assert move.ticket["subject"] == move.asset["id"]
        assert move.ticket["title"] == f"Hand-over of {move.asset['id']} for {change.codename}"
    assert len({move.ticket["id"] for move in change.moves}) == len(change.moves)


@pytest.mark.parametrize("pair", PAIRS)
def test_only_tickets_that_a_rule_watches_are_still_new(pair: int) -> None:
    change = change_of(pair)
    watched = {
        fields["class_"]
        for statement in (UNSTARTED, UNSTARTED_RETURN)
        for _, row in stating(change, statement)
        for fields in statement.read(str(row["description"]))
    }

    statuses = Counter((move.ticket["status"], move.asset["asset_class"]) for move in change.moves)

    assert {class_ for status, class_ in statuses if status == "new"} == watched
    assert all(statuses["new", class_] == 1 for class_ in watched)
    assert {status for status, _ in statuses} <= {"new", "in_progress"}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_freeze_ends_in_hours_and_well_before_the_paused_rule_resumes(pair: int) -> None:
    change = change_of(pair)
    start = change.company.start
    freezes = [row for _, row in stating(change, FREEZE)]

    assert change.waits == [row["active_until"] for row in freezes]
    assert all(3 * HOUR <= until - start <= 6 * HOUR for until in change.waits)
    announced = [row["at"] for row in change.company.rows["datahub"]["automation_changes"]]
    assert announced == [tomorrow(start)] * len(freezes)
    assert all(until < at for until, at in zip(change.waits, announced, strict=True))


@pytest.mark.parametrize("pair", PAIRS)
def test_everybody_concerned_has_two_levels_to_lose_and_one_to_gain(pair: int) -> None:
    change = change_of(pair)
    levels = {row["id"]: row["level"] for row in change.company.rows["datahub"]["clearances"]}

    assert all(2 <= levels[person.id] <= 4 for person in (*change.people, change.oncall))


@pytest.mark.parametrize("cause", [THREE, FOUR])
@pytest.mark.parametrize("pair", PAIRS[:8])
def test_the_ceiling_is_known_only_after_a_refresh(pair: int, cause: str) -> None:
    change = planned(pair, cause)
    metric = change.metric

    assert change.company.source(metric["id"])["values"] == [CEILINGS[cause]]
    assert metric["value"] in CEILINGS.values()
    assert metric["as_of"] + metric["ttl_s"] < change.company.start
    assert metric["refresh_s"] in range(600, 1801, 300)
    assert change.begun.values == {metric["id"]: CEILINGS[cause]}


def test_the_old_reading_of_the_ceiling_says_nothing_about_the_new_one() -> None:
    stale = Counter(change_of(pair).metric["value"] for pair in PAIRS)

    assert all(planned(pair, THREE).metric["value"] == change_of(pair).metric["value"] for pair in PAIRS)
    assert min(stale[value] for value in CEILINGS.values()) >= len(PAIRS) / 4


@pytest.mark.parametrize("pair", PAIRS)
def test_the_list_names_each_asset_and_its_new_holder_and_the_capped_ones_first(pair: int) -> None:
    change = change_of(pair)
    lines = change.project["description"].splitlines()

    listed = [line for line in lines if line.startswith("- ")]

    assert listed == [f"- {one.asset['id']} ({one.asset['name']}) to {one.to}" for one in change.moves]
    assert [move.ceiling for move in change.moves] == sorted(
        (move.ceiling for move in change.moves), reverse=True
    )
    assert ("priority high" in lines[-1]) == change.keeps_high == ("follows" in hazards(change))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("cause", [THREE, FOUR])
def test_the_ceiling_alone_spoils_the_order_of_the_list(cause: str, pair: int) -> None:
    change = planned(pair, cause)
    ceiling = change.simulation.rules[:1]

    after = Simulation(ceiling).through(change.begun, change.direct(change.moves))

    assert ("lowered", change.people[0].id) in after.history


@pytest.mark.parametrize("pair", PAIRS)
def test_each_hazard_of_last_new_or_frozen_assets_alone_spoils_the_order_of_the_list(pair: int) -> None:
    change = change_of(pair)
    paged = {f"assignee:{change.oncall.id}"}

    assert harm(change, LAST) == {"lowered"}
    assert harm(change, UNSTARTED, PAGE) == (paged if "unstarted" in hazards(change) else set())
    assert harm(change, FREEZE, PAGE) == (paged if "freeze" in hazards(change) else set())


@pytest.mark.parametrize("pair", PAIRS)
def test_the_rule_that_is_paused_concerns_the_class_of_the_freeze(pair: int) -> None:
    change = change_of(pair)
    frozen = [
        fields["class_"]
        for _, row in stating(change, FREEZE)
        for fields in FREEZE.read(str(row["description"]))
    ]

    paused = [rule for rule in change.simulation.rules if rule.paused]

    assert [rule.when for rule in paused] == [[condition("$asset_class", "eq", one)] for one in frozen]
    assert [rule.action for rule in paused] == ["change_clearance"] * len(frozen)


@pytest.mark.parametrize("pair", PAIRS)
def test_twins_start_apart_and_end_together(pair: int) -> None:
    change = change_of(pair)
    twins = [fields for _, row in stating(change, TWIN) for fields in TWIN.read(str(row["description"]))]
    moves = {move.asset["id"]: move for move in change.moves}

    assert len(twins) == 2 * ("twin" in hazards(change))
    for fields in twins:
        one, other = moves[fields["asset"]], moves[fields["other"]]
        assert one.asset["holder"] != other.asset["holder"]
        assert one.to == other.to
