"""Drawn changes: the hazards on the way, the order that avoids them, and the documents that tell of both."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest

from companyos.sdk.automations import Rule
from companyos.sdk.company.areas.automations import rule_of
from companyos.sdk.scenario import Instance
from scenarios.constrained_change.change import CEILINGS, FOUR, HAZARDS, THREE
from scenarios.constrained_change.documents import LATEST, LOWEST
from scenarios.constrained_change.oracle import read_puzzle
from scenarios.constrained_change.pack import PRIORITIES
from scenarios.constrained_change.puzzle import Move, Puzzle, classes_of, find_order
from scenarios.constrained_change.rules import ARRANGEMENTS, LAST, ON_CALL, PAGE, POLICY, STATED, UNSTARTED
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act, State

from ..conftest import instance_of
from ..play import find_out
from .hand_built import hand_over, raise_to


@cache
def drawn_change(seed: int) -> Instance:
    """Return an instance in a small company."""
    return instance_of(SCENARIO, seed, size="small")


@cache
def instances(*causes: str) -> list[Instance]:
    """Return instances with these causes, or with any."""
    return [one for one in map(drawn_change, range(40)) if not causes or one.cause in causes]


def orders(*causes: str) -> list[tuple[Instance, Sequence[Act]]]:
    """Return the instances of which something can be done, each with the acts that do it."""
    return [(one, one.facts.solution.acts) for one in instances(*causes) if one.facts.solution.acts]


def obvious(one: Instance) -> list[Act]:
    """Return the moves that can be made in the order of the list, and nothing else."""
    high = [raise_to(one.facts.puzzle.project["id"], "high")] if one.facts.puzzle.keeps_high else []
    return [*(hand_over(move.asset["id"], move.to) for move in one.facts.solution.moves), *high]


def fails(one: Instance, acts: Sequence[Act]) -> bool:
    """Return whether these acts do harm or miss the aim."""
    puzzle = one.facts.puzzle
    end = puzzle.start.after(*acts)
    return end.is_harmed or bool(end.due(puzzle.wanted_acts(one.facts.solution.moves)))


def texts(one: Instance, title: str) -> dict[str, str]:
    """Return the text of each edition of a document by status."""
    rows = one.rows["datahub"]["documents"]
    return {row["status"]: row["body"] for row in rows if row["title"] == title}


def rules_of(one: Instance) -> list[dict[str, Any]]:
    """Return the rows of the task's rules."""
    ids = {rule.id for rule in one.facts.puzzle.rules}
    return [row for tables in one.rows.values() for row in tables["automations"] if row["id"] in ids]


def running(one: Instance) -> list[Rule]:
    """Return every rule that the services run."""
    tables = one.rows.items()
    return [rule_of(service, row) for service, rows in tables for row in rows["automations"]]


def resumptions(one: Instance) -> list[int]:
    """Return when paused rules resume."""
    return [row["at"] for row in one.rows["datahub"]["automation_changes"]]


def sentences_in(text: str) -> list[str]:
    """Return the sentences of a text that state rules."""
    return [each.text.format(**fields) for each in STATED for fields in each.sentence.find(text)]


@pytest.mark.parametrize("cause", [THREE, FOUR])
def test_hand_overs_in_the_order_of_the_list_do_harm_in_most_tasks(cause: str) -> None:
    possible = orders(cause)

    assert not any(fails(one, acts) for one, acts in possible)
    assert sum(not fails(one, obvious(one)) for one, _ in possible) <= len(possible) / 5


def test_every_act_of_an_order_is_necessary_and_orders_differ() -> None:
    for one, acts in orders()[:12]:
        assert [act for act in acts if not fails(one, [each for each in acts if each is not act])] == []
    assert len({tuple(act.column for act in acts) for _, acts in orders()}) >= 8


def test_a_ceiling_of_three_costs_a_part_or_everything_and_one_of_four_neither() -> None:
    for pair in range(20):
        facts = {one.cause: one.facts for one in (drawn_change(2 * pair), drawn_change(2 * pair + 1))}
        three, four = facts[THREE], facts[FOUR]
        left_out = len(three.puzzle.moves) - len(three.solution.moves)
        assert len(four.solution.moves) == len(four.puzzle.moves)
        assert left_out == (len(three.puzzle.moves) if three.puzzle.all_or_nothing else 1)
        assert three.metric["value"] == four.metric["value"]
        assert [[*one.puzzle.limits.values()] for one in (three, four)] == [
            [CEILINGS[THREE]],
            [CEILINGS[FOUR]],
        ]


def test_the_policy_says_which_hand_over_is_left_out_and_none_before_it_could_be() -> None:
    ruled = set()
    for one in instances(THREE):
        puzzle, made = one.facts.puzzle, one.facts.solution.moves
        if made:
            [left_out] = [move for move in puzzle.moves if move not in made]
            is_latest = LATEST in puzzle.policy["body"]
            ruled.add(is_latest)
            order = puzzle.moves[::-1] if is_latest else sorted(puzzle.moves, key=_rank)
            for move in order[: order.index(left_out)]:
                others = [other for other in puzzle.moves if other is not move]
                assert find_order(puzzle.start, puzzle.wanted_acts(others), puzzle.acts(others)) is None
    assert ruled == {True, False}


def _rank(move: Move) -> int:
    return PRIORITIES.index(move.ticket["priority"])


def test_about_one_instance_in_eight_is_refused_with_the_ceiling_and_the_policy() -> None:
    refusals = [one.refusal.evidence for one in instances() if one.refusal]

    assert 0.06 <= len(refusals) / len(instances()) <= 0.2
    assert all([one.partition("-")[0] for one in evidence] == ["AUT", "DOC"] for evidence in refusals)


def test_infeasible_changes_stay_infeasible_with_more_detours() -> None:
    """The search knows a few detours; here every asset of the ceiling's class may go anywhere in between."""
    puzzle = next(one.facts.puzzle for one in instances() if one.refusal)
    moves, [class_] = puzzle.moves, classes_of(puzzle.rules[0])
    capped = [move.asset["id"] for move in puzzle.moves if move.asset["asset_class"] == class_][:2]
    people = (puzzle.moves[-1].to, None)
    more = [hand_over(one, person) for one in capped for person in people]

    assert find_order(puzzle.start, puzzle.wanted_acts(moves), [*puzzle.acts(moves), *more]) is None


def test_every_hazard_occurs_and_a_freeze_ends_before_the_paused_rule_of_its_class_resumes() -> None:
    hazards = {frozenset(row["name"].partition(": ")[2] for row in rules_of(one)) for one in instances(FOUR)}

    assert len(hazards) == len(HAZARDS)
    for one in instances(FOUR):
        ends = [rule.active_until for rule in one.facts.puzzle.rules if rule.active_until]
        assert all(one.start < end < at for end, at in zip(ends, resumptions(one), strict=True))


def test_rules_that_no_register_shows_are_those_of_documents_in_force() -> None:
    counts = []
    for one in instances(FOUR):
        hidden = [row["description"] for row in rules_of(one) if not row["listed"]]
        in_force = [texts(one, title)["in_force"] for title in (POLICY, ARRANGEMENTS, ON_CALL)]
        assert sorted(each for text in in_force for each in sentences_in(text)) == sorted(hidden)
        counts.append(len(hidden))
    assert min(counts) >= 1
    assert sum(count > 1 for count in counts) >= 0.8 * len(counts)


def test_editions_that_do_not_apply_state_other_rules_about_the_same_things() -> None:
    for one in instances(FOUR):
        policy = texts(one, POLICY)
        which = LATEST if LATEST in policy["in_force"] else LOWEST
        for status in ("superseded", "draft"):
            assert sentences_in(policy[status]) == []
            assert [each in policy[status] for each in (LOWEST, LATEST)] == [which == LATEST, which == LOWEST]
        [last] = LAST.sentence.find(policy["in_force"])
        former, on_call = (texts(one, title)["superseded"] for title in (ARRANGEMENTS, ON_CALL))
        running = {row["description"] for tables in one.rows.values() for row in tables["automations"]}
        assert f"`{last['class_']}`" in policy["superseded"]
        assert [each["class_"] for each in UNSTARTED.sentence.find(former)] == [last["class_"]]
        assert [each["oncall"] for each in PAGE.sentence.find(on_call)] != [one.facts.puzzle.oncall]
        assert running.isdisjoint([*sentences_in(former), *sentences_in(on_call)])


def test_rules_and_assets_of_the_background_leave_the_task_alone() -> None:
    tables = ("datahub", "assets"), ("datahub", "clearances"), ("ticketdesk", "tickets")
    for one, acts in orders(FOUR)[:6]:
        puzzle = one.facts.puzzle
        rows = {(table, row["id"]): row for service, table in tables for row in one.rows[service][table]}
        everything = State(one.start, rows, running(one), puzzle.limits, puzzle.oncall)

        after, foreseen = everything.after(*acts), puzzle.start.after(*acts)

        assert len(everything.rules) > len(puzzle.rules) + 5
        assert {place for place, row in after.rows.items() if row != rows[place]} <= foreseen.rows.keys()
        assert {place: after.rows[place] for place in foreseen.rows} == foreseen.rows
        assert not after.is_harmed
        assert everything.after(*obvious(one)).is_harmed or not obvious(one)


def contents_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return what decides a puzzle besides its rules, in no particular order of rows, and how it is solved."""
    return {
        "moves": [(move.asset["id"], move.to, move.ticket["id"]) for move in puzzle.moves],
        "holders": sorted((row["id"], str(row["holder"])) for row in puzzle.assets),
        "limits": puzzle.limits,
        "words": (puzzle.oncall, puzzle.all_or_nothing, puzzle.keeps_high, puzzle.evidence),
        "made": [move.asset["id"] for move in puzzle.solve().moves],
    }


def names_of(rules: Iterable[Rule]) -> set[str]:
    """Return what decides what rules do; a rule that a document states has another id."""
    parts = ([one.service, one.trigger, one.when, one.do, one.active_until] for one in rules)
    return {json.dumps(part, sort_keys=True) for part in parts}


@pytest.mark.parametrize("seed", range(3))
def test_an_agent_that_has_read_everything_knows_the_puzzle_of_its_author(url: str, seed: int) -> None:
    instance = instance_of(SCENARIO, seed)
    puzzle = instance.facts.puzzle

    read = find_out(url, SCENARIO, seed, read_puzzle)

    assert contents_of(read) == contents_of(puzzle)
    assert names_of(puzzle.rules) <= names_of(read.rules) <= names_of(running(instance))
    assert {one.active_from for one in read.rules} == {None, *resumptions(instance)}
