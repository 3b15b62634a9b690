"""Drawn changes: the hazards on the way, the order that avoids them, and the documents that tell of both."""

from dataclasses import replace
from itertools import permutations

import pytest

from companyos.chaos import parse_chaos
from scenarios.constrained_change import pack
from scenarios.constrained_change.change import CEILINGS, FOUR, HAZARDS, RINGS, THREE, Move, PlannedChange
from scenarios.constrained_change.documents import ARRANGEMENTS, LATEST, LOWEST, ON_CALL, TITLE
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import CHANGING, Act, Simulation, State, find_order
from scenarios.constrained_change.statements import (
    FOLLOWS,
    FREEZE,
    LAST,
    PAGE,
    STATEMENTS,
    TWIN,
    UNSTARTED,
    Fields,
    Statement,
)

from .changes import planned

PAIRS = range(24)
CAUSES = (THREE, FOUR)
ALL = [planned(pair, cause) for pair in PAIRS for cause in CAUSES]
FOURS = [planned(pair, FOUR) for pair in PAIRS]
POSSIBLE = [one for one in ALL if one.order is not None]
PARTLY = [one for one in ALL if one.left_out is not None]


def dispensable(change: PlannedChange) -> list[Move]:
    """Return the moves in the order in which the policy leaves them out."""
    if change.which == LATEST:
        return [*change.moves[::-1]]
    return sorted(change.moves, key=lambda one: pack.PRIORITIES.index(one.ticket["priority"]))


def texts(change: PlannedChange, title: str) -> dict[str, str]:
    """Return the text of each edition of a document by status."""
    rows = change.company.rows["datahub"]["documents"]
    return {row["status"]: row["body"] for row in rows if row["title"] == title}


def rules_in(text: str) -> list[tuple[Statement, Fields]]:
    """Return the rules that a text states, each with its fields."""
    return [(one, fields) for one in STATEMENTS for fields in one.read(text)]


def sentences_in(text: str) -> list[str]:
    """Return the sentences of a text that state rules."""
    return [one.text.format(**fields) for one, fields in rules_in(text)]


def hazards(change: PlannedChange) -> set[str]:
    """Return the hazards of a change, as its rules show them."""
    shown = {"unstarted": UNSTARTED, "freeze": FREEZE, "follows": FOLLOWS, "twin": TWIN}
    descriptions = "\n".join(row["description"] for _, row in change.goal_rules)
    return {name for name, statement in shown.items() if any(statement.read(descriptions))}


@pytest.mark.parametrize("cause", CAUSES)
def test_hand_overs_in_the_order_of_the_list_do_harm_in_most_tasks(cause: str) -> None:
    changes = [one for one in POSSIBLE if one.cause == cause]

    assert not any(one.fails(one.order or ()) for one in changes)
    assert sum(not one.fails(one.direct(one.made)) for one in changes) <= len(changes) / 5


def test_every_act_of_a_planned_order_is_necessary() -> None:
    for one in POSSIBLE[:16]:
        order = list(one.order or ())
        assert [act for act in order if not one.fails([each for each in order if each is not act])] == []


def test_reordered_hand_overs_do_not_replace_a_necessary_detour() -> None:
    detours = ("begin", "return", "wait")
    needing = [one for one in POSSIBLE if any(act.kind in detours for act in one.order or ())]

    for one in needing[:3]:
        moves = [act for act in one.direct(one.made) if act.kind == "assign"][:5]
        wanted = [act for act in one.direct(one.made) if act not in moves]
        assert all(one.fails([*order, *wanted]) for order in permutations(moves))


def test_a_ceiling_of_three_costs_a_part_or_everything_and_one_of_four_neither() -> None:
    for pair in PAIRS:
        three, four = planned(pair, THREE), planned(pair, FOUR)
        assert four.order is not None
        assert four.left_out is None
        assert (three.order is None) == (three.left_out is None) == three.all_or_nothing
        assert three.order is None or four.fails(three.order)
        assert three.fails(four.order)


def test_the_policy_says_which_hand_over_is_left_out_and_none_before_it_could_be() -> None:
    for one in PARTLY:
        order = dispensable(one)
        assert one.left_out is not None
        for move in order[: order.index(one.left_out)]:
            others = [other for other in one.moves if other is not move]
            assert replace(one, moves=others, all_or_nothing=True, left_out=None).search() == (None, None)
        assert one.which in texts(one, TITLE)["in_force"]
    assert {one.which for one in PARTLY} == {LOWEST, LATEST}


def test_about_one_instance_in_eight_is_refused_with_the_ceiling_and_the_policy() -> None:
    chaos = parse_chaos(0)
    instances = [
        SCENARIO.generate(seed, chaos, "companyos-public", "small") for seed in range(2 * len(PAIRS))
    ]

    refusals = [one.refusal.evidence for one in instances if one.refusal]

    assert 0.06 <= len(refusals) / len(instances) <= 0.2
    assert all([one.partition("-")[0] for one in evidence] == ["AUT", "DOC"] for evidence in refusals)


def test_infeasible_changes_stay_infeasible_with_more_detours() -> None:
    """The search knows a few detours; here every asset concerned may go anywhere in between."""
    change = next(one for one in ALL if one.order is None)
    aim, second = change.aim(change.moves), change.people[1].id
    capped = [move.asset["id"] for move in change.moves if move.ceiling]
    more = [act for one in capped for act in (Act("assign", one, second), Act("return", one))]

    assert find_order(change.simulation, change.begun, replace(aim, acts=[*aim.acts, *more])) is None


def test_the_ceiling_and_last_pieces_alone_spoil_the_order_of_the_list() -> None:
    for one in ALL:
        acts, rules = one.direct(one.moves), one.simulation.rules
        last = [rule for rule in rules if rule.trigger == "assets"]
        for each in (rules[:1], last):
            after = Simulation(each).through(one.begun, acts)
            assert "lowered" in {kind for kind, _ in after.history}


def test_hazards_rings_classes_and_orders_differ_from_seed_to_seed() -> None:
    rings = {
        sum(one.asset["asset_class"] == each.spares[0]["asset_class"] for one in each.moves) for each in FOURS
    }
    orders = {tuple(act.kind for act in one.order or ()) for one in POSSIBLE}

    assert rings == {*RINGS}
    assert {frozenset(hazards(one)) for one in FOURS} == {frozenset(one) for one in HAZARDS}
    assert len(orders) >= 8
    assert len({one.moves[0].asset["asset_class"] for one in FOURS}) >= 6


def test_the_ceiling_is_known_only_after_a_refresh() -> None:
    for pair in PAIRS:
        changes = [planned(pair, cause) for cause in CAUSES]
        assert len({str(one.company.row("datahub", "metrics", one.metric["id"])) for one in changes}) == 1
        for one in changes:
            assert one.company.source(one.metric["id"])["values"] == [CEILINGS[one.cause]]
            assert one.metric["as_of"] + one.metric["ttl_s"] < one.company.start
    stale = [one.metric["value"] for one in FOURS]
    assert min(stale.count(value) for value in CEILINGS.values()) >= len(stale) / 4


def test_a_freeze_ends_before_the_paused_rule_of_its_class_resumes() -> None:
    frozen = [one for one in FOURS if "freeze" in hazards(one)]

    for one in frozen:
        [paused] = [rule for rule in one.simulation.rules if rule.paused]
        [fields] = [fields for _, row in one.goal_rules for fields in FREEZE.read(row["description"])]
        [announced] = one.company.rows["datahub"]["automation_changes"]
        [until] = one.waits
        assert one.company.start < until < announced["at"]
        assert announced["automation_id"] == paused.id
        assert fields["class_"] in str(paused.when)


def test_rules_that_no_register_shows_are_those_of_documents_in_force() -> None:
    """What the services run and what a reader makes of the sentence are one rule."""
    counts = []
    for one in FOURS:
        hidden = [row["description"] for _, row in one.goal_rules if not row["listed"]]
        in_force = [texts(one, title)["in_force"] for title in (TITLE, ARRANGEMENTS, ON_CALL)]
        assert sorted(each for text in in_force for each in sentences_in(text)) == sorted(hidden)
        for service, row in one.goal_rules:
            for each, fields in rules_in(row["description"]):
                assert (service, row["trigger"]) == (each.service, each.trigger)
                assert (row["when"], row["do"]) == (each.when(fields), each.do(fields))
        counts.append(len(hidden))
    assert min(counts) >= 1
    assert sum(count > 1 for count in counts) >= 0.8 * len(counts)


def test_editions_that_do_not_apply_state_other_rules_about_the_same_things() -> None:
    for one in FOURS:
        policy = texts(one, TITLE)
        for status in ("superseded", "draft"):
            assert sentences_in(policy[status]) == []
            assert one.which not in policy[status]
            assert {LOWEST, LATEST} & {each for each in (LOWEST, LATEST) if each in policy[status]}
        [last] = LAST.read(policy["in_force"])
        former = texts(one, ARRANGEMENTS)["superseded"]
        [page] = PAGE.read(texts(one, ON_CALL)["superseded"])
        running = {
            row["description"] for tables in one.company.rows.values() for row in tables["automations"]
        }
        assert f"`{last['class_']}`" in policy["superseded"]
        assert next(UNSTARTED.read(former))["class_"] == last["class_"]
        assert page["oncall"] != one.oncall.id
        assert not running & {*sentences_in(former), *sentences_in(texts(one, ON_CALL)["superseded"])}


def test_rules_and_assets_of_the_background_leave_the_task_alone() -> None:
    tables = (("datahub", "assets"), ("datahub", "clearances"), ("ticketdesk", "tickets"))
    for one in FOURS[:8]:
        rows = one.company.rows
        whole = {
            (service, table, row["id"]): row for service, table in tables for row in rows[service][table]
        }
        everything = State(one.company.start, whole, one.begun.values)
        company, order = Simulation(one.company.automation_rules()), one.order or ()

        after, foreseen = company.through(everything, order), one.simulation.through(one.begun, order)

        assert len(company.rules) > len(one.simulation.rules) + 5
        assert sorted(after.history) == sorted(foreseen.history)
        for place, row in foreseen.rows.items():
            columns = [name for name in CHANGING if name in row]
            assert [after.rows[place][name] for name in columns] == [row[name] for name in columns]
        assert one.aim(one.moves).harmed(company.through(everything, one.direct(one.moves)))
