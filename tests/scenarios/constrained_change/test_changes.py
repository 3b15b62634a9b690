"""Plans are feasible, the obvious order harms somebody, and declined changes are impossible."""

from itertools import permutations

import pytest

from companyos.chaos import parse_chaos
from scenarios.constrained_change.change import FOUR, THREE
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act, find_order

from .changes import planned

PAIRS = range(24)
CAUSES = (THREE, FOUR)


@pytest.mark.parametrize("cause", CAUSES)
def test_the_order_found_brings_about_what_is_wanted_and_harms_nobody(cause: str) -> None:
    changes = [planned(pair, cause) for pair in PAIRS]

    assert not any(one.fails(one.order) for one in changes if one.order is not None)


@pytest.mark.parametrize("cause", CAUSES)
def test_who_knows_what_to_leave_out_and_ignores_automations_fails(cause: str) -> None:
    """The gate is that at most a fifth succeeds."""
    changes = [one for pair in PAIRS if (one := planned(pair, cause)).order is not None]

    solved = sum(not one.fails(one.direct(one.made)) for one in changes)

    assert solved <= len(changes) / 5


@pytest.mark.parametrize("cause", CAUSES)
def test_no_order_of_the_hand_overs_alone_is_right_where_a_detour_is_needed(cause: str) -> None:
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
            assert (three.left_out.ceiling, three.left_out.ticket["priority"]) == (True, "low")


def test_about_one_instance_in_eight_cannot_be_done() -> None:
    hopeless = sum(planned(pair, THREE).order is None for pair in PAIRS)

    assert 0.06 <= hopeless / (2 * len(PAIRS)) <= 0.2


def test_what_cannot_be_done_cannot_be_done_with_more_detours_either() -> None:
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


def test_the_brief_is_short_and_names_no_procedure() -> None:
    for seed in range(0, 12, 2):
        brief = SCENARIO.generate(seed, parse_chaos(0), "companyos-public", "small").brief
        assert len(brief.split()) <= 120
        assert "automations" not in brief


def test_a_company_has_ten_to_sixty_rules_of_others_and_one_that_no_list_shows() -> None:
    for pair in range(10):
        company = planned(pair, FOUR).company
        rows = [row for tables in company.rows.values() for row in tables["automations"]]
        assert 10 <= len(rows) <= 70
        assert sum(not row["listed"] for row in rows) == 1
