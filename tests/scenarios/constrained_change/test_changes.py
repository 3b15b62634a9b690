"""Plans are feasible, the obvious order harms somebody, and declined changes are impossible."""

from itertools import permutations

import pytest

from companyos.chaos import parse_chaos
from scenarios.constrained_change.change import FOUR, THREE
from scenarios.constrained_change.documents import LATEST, LOWEST
from scenarios.constrained_change.pack import PRIORITIES
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act, find_order
from scenarios.constrained_change.statements import STATEMENTS

from .changes import planned

PAIRS = range(24)
CAUSES = (THREE, FOUR)


@pytest.mark.parametrize("cause", CAUSES)
def test_the_order_found_brings_about_what_is_wanted_and_harms_nobody(cause: str) -> None:
    changes = [planned(pair, cause) for pair in PAIRS]

    assert not any(one.fails(one.order) for one in changes if one.order is not None)


@pytest.mark.parametrize("cause", CAUSES)
def test_plans_that_ignore_automations_solve_at_most_a_fifth(cause: str) -> None:
    """The gate is that at most a fifth succeeds."""
    changes = [one for pair in PAIRS if (one := planned(pair, cause)).order is not None]

    solved = sum(not one.fails(one.direct(one.made)) for one in changes)

    assert solved <= len(changes) / 5


@pytest.mark.parametrize("cause", CAUSES)
def test_reordered_hand_overs_do_not_replace_a_necessary_detour(cause: str) -> None:
    detours = ("begin", "return", "wait")
    needing = [
        one
        for pair in PAIRS
        if (one := planned(pair, cause)).order and any(act.kind in detours for act in one.order)
    ]

    for one in needing[:2]:
        moves = [act for act in one.direct(one.made) if act.kind == "assign"][:5]
        wanted = [act for act in one.direct(one.made) if act not in moves]
        assert all(one.fails([*order, *wanted]) for order in permutations(moves))


def test_a_ceiling_of_three_costs_a_part_and_one_of_four_none() -> None:
    for pair in PAIRS:
        three, four = planned(pair, THREE), planned(pair, FOUR)
        assert (four.order is None, four.left_out) == (False, None)
        assert (three.order is None) == three.all_or_nothing
        assert (three.left_out is None) == three.all_or_nothing
        if three.left_out is not None:
            assert three.left_out.ceiling


def test_the_policy_in_force_says_which_hand_over_is_left_out() -> None:
    changes = [one for pair in PAIRS if (one := planned(pair, THREE)).left_out is not None]

    for one in changes:
        capped = [move for move in one.moves if move.ceiling]
        policy = one.company.row("datahub", "documents", one.policy_id)
        by_priority = min(capped, key=lambda move: PRIORITIES.index(move.ticket["priority"]))
        assert one.which in policy["body"]
        assert one.left_out is (capped[-1] if one.which == LATEST else by_priority)
    assert {one.which for one in changes} == {LOWEST, LATEST}


def test_a_refusal_names_the_ceiling_and_the_policy() -> None:
    instances = [
        SCENARIO.generate(seed, parse_chaos(0), "companyos-public", "small") for seed in range(2 * len(PAIRS))
    ]

    refusals = [one.refusal.evidence for one in instances if one.refusal]

    assert refusals
    assert all([one.partition("-")[0] for one in evidence] == ["AUT", "DOC"] for evidence in refusals)


def test_about_one_instance_in_eight_cannot_be_done() -> None:
    hopeless = sum(planned(pair, THREE).order is None for pair in PAIRS)

    assert 0.06 <= hopeless / (2 * len(PAIRS)) <= 0.2


def test_infeasible_changes_stay_infeasible_with_more_detours() -> None:
    """The search knows a few detours; here every asset concerned may go anywhere in between."""
    change = next(one for pair in PAIRS if (one := planned(pair, THREE)).order is None)
    aim = change.aim(change.moves)
    capped = [move for move in change.moves if move.ceiling]
    more = [Act("assign", move.asset["id"], person.id) for move in capped for person in change.people[1:2]]
    more += [Act("return", move.asset["id"]) for move in capped]

    found = find_order(change.simulation, change.begun, type(aim)(aim.wanted, aim.never, [*aim.acts, *more]))

    assert found is None


def test_orders_differ_from_seed_to_seed() -> None:
    kinds = {
        tuple(act.kind for act in planned(pair, cause).order or ()) for pair in range(24) for cause in CAUSES
    }

    assert len(kinds) >= 8


def test_a_company_has_ten_to_sixty_rules_of_others() -> None:
    for pair in range(10):
        company = planned(pair, FOUR).company
        assert 10 <= len([row for tables in company.rows.values() for row in tables["automations"]]) <= 70


def test_unlisted_rules_are_exactly_those_stated_by_documents_in_force() -> None:
    for pair in range(10):
        change = planned(pair, FOUR)
        hidden = {row["id"]: row for _, row in change.goal_rules if not row["listed"]}
        in_force = [
            row["body"]
            for row in change.company.rows["datahub"]["documents"]
            if row["kind"] in ("policy", "arrangement") and row["status"] == "in_force"
        ]
        stated = [
            statement.text.format(**fields)
            for body in in_force
            for statement in STATEMENTS
            for fields in statement.read(body)
        ]
        assert sorted(stated) == sorted(row["description"] for row in hidden.values())
        assert len(hidden) >= 1


def test_a_statement_means_the_same_in_a_register_and_in_a_document() -> None:
    """What the services run and what a reader makes of the sentence are one rule."""
    for pair in range(10):
        for service, row in planned(pair, FOUR).goal_rules:
            for statement in STATEMENTS:
                for fields in statement.read(row["description"]):
                    assert (service, row["trigger"]) == (statement.service, statement.trigger)
                    assert row["when"] == statement.when(fields)
                    assert row["do"] == statement.do(fields)


def test_four_in_five_companies_have_more_than_one_rule_that_no_register_shows() -> None:
    changes = [planned(pair, FOUR) for pair in PAIRS]

    several = sum(sum(not row["listed"] for _, row in one.goal_rules) > 1 for one in changes)

    assert several / len(changes) >= 0.8
