"""The simulation of a company's rules, and the search for an order of acts: none that does harm, if there is one."""

from collections import deque
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import to_iso
from scenarios.constrained_change.puzzle import find_order
from scenarios.constrained_change.rules import FOLLOWS, FREEZE, LAST, PAGE
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import CHANGING, Act, State

from ..conftest import instance_of
from ..play import carry_out
from .hand_built import BADGE, KEY, asset, clearance, hand_over, raise_to, rule, state, ticket, wait

PEOPLE = ("ann.lee", "bob.ray")
HOLDERS = st.sampled_from((None, *PEOPLE))
ALL_ACTS = [hand_over(f"AST-{number}", person) for number in (1, 2, 3) for person in (*PEOPLE, None)]
LAST_KEY, PAGED = LAST.rule("AUT-8", KEY.fields), PAGE.rule("AUT-9", {"oncall": "oncall"})
#: Everybody who is given an asset loses a level.
COSTLY = rule("asset.assigned", "change_clearance", person="$holder", by=-1)
TO_ANN = hand_over("AST-1", "ann.lee")


@pytest.mark.parametrize("seed", range(4))
def test_the_simulation_foresees_what_the_services_do(url: str, seed: int) -> None:
    """Acts come in any order, some twice, and some are refused because nothing would change."""
    instance, draws = instance_of(SCENARIO, seed), Draws("test", seed)
    puzzle = instance.facts.puzzle
    moves = [hand_over(move.asset["id"], move.to) for move in puzzle.moves]
    more = [*puzzle.acts(puzzle.moves), *(hand_over(move.asset["id"], None) for move in puzzle.moves[:3])]
    acts = [*draws.shuffled("acts", moves)[:4], *draws.shuffled("more", more)]

    foreseen = puzzle.start.after(*acts)
    found = carry_out(url, SCENARIO, seed, [act.call for act in acts]).state_of(instance).view()

    for (table, row_id), row in foreseen.rows.items():
        columns = [name for name in CHANGING if name in row]
        real = found.row("ticketdesk" if table == "tickets" else "datahub", table, row_id)
        assert real is not None
        assert [real[name] for name in columns] == [row[name] for name in columns]
    assert foreseen.is_harmed == any(one.holds(found) for one in instance.forbidden)


def test_a_level_stays_at_none_and_is_no_lower_then() -> None:
    falls = [state(asset(1), clearance("ann.lee", level), rules=(COSTLY,)).after(TO_ANN) for level in (3, 0)]

    assert [one.rows["clearances", "ann.lee"]["level"] for one in falls] == [2, 0]
    assert [one.is_harmed for one in falls] == [True, False]


def test_a_level_that_falls_and_rises_again_does_harm_all_the_same() -> None:
    raised = rule("asset.assigned", "change_clearance", person="$holder", by=1)

    end = state(asset(1), clearance("ann.lee"), rules=(COSTLY, raised)).after(TO_ANN)

    assert end.is_harmed
    assert end.rows["clearances", "ann.lee"]["level"] == 3


def test_a_rule_sees_what_an_earlier_rule_on_the_same_event_did() -> None:
    take = rule("asset.assigned", "return_asset", asset="AST-2")
    few = condition({"count": "assets", "where": {"holder": "ann.lee"}}, "lt", 2)
    lose = rule("asset.assigned", "change_clearance", few, person="ann.lee", by=-1)
    rows = asset(1), asset(2, "ann.lee"), clearance("ann.lee")

    lost = [state(*rows, rules=rules).after(TO_ANN).is_harmed for rules in ((take, lose), (lose, take))]

    assert lost == [True, False]


def ceiling(most: int) -> Rule:
    """Return the rule that a person who is given more keys than this loses a level."""
    held = {"count": "assets", "where": {"holder": "$holder", "asset_class": KEY.id}}
    when = condition("$asset_class", "eq", KEY.id), condition(held, "gt", most)
    return rule("asset.assigned", "change_clearance", *when, person="$holder", by=-1)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[State, list[Act], list[Act]]:
    """Return three keys of two people under one or both of two rules, where they have to be, and acts."""
    rules = draw(st.sampled_from([(LAST_KEY,), (ceiling(1),), (LAST_KEY, ceiling(2))]))
    assets = (asset(number, draw(HOLDERS)) for number in (1, 2, 3))
    acts = draw(st.lists(st.sampled_from(ALL_ACTS), min_size=1, max_size=9, unique=True))
    wanted = [hand_over(f"AST-{number}", draw(HOLDERS)) for number in (1, 2, 3)]
    return state(*assets, *map(clearance, PEOPLE), rules=rules), wanted, acts


def is_reachable(start: State, wanted: Sequence[Act], acts: Sequence[Act]) -> bool:
    """Return whether any order of acts does all that is wanted without harm, by walking through all of them."""
    waiting, seen = deque([start]), {start.key}
    while waiting:
        here = waiting.popleft()
        if not here.due(wanted):
            return True
        for there in (here.after(act) for act in acts):
            if not there.is_harmed and there.key not in seen:
                seen.add(there.key)
                waiting.append(there)
    return False


@settings(max_examples=40)
@given(puzzles())
def test_an_order_is_found_exactly_where_there_is_one_and_harms_nobody(
    puzzle: tuple[State, list[Act], list[Act]],
) -> None:
    start, wanted, acts = puzzle

    order = find_order(start, wanted, acts)

    end = start.after(*(order or []))
    assert (order is not None) == is_reachable(start, wanted, acts)
    assert order is None or not (end.due(wanted) or end.is_harmed)
    assert {*(order or [])} <= {*acts}


def test_a_ring_of_last_pieces_needs_a_spare_which_goes_back() -> None:
    rows = asset(1, "ann.lee"), asset(2, "bob.ray"), asset(3), *map(clearance, PEOPLE)
    swap = [hand_over("AST-1", "bob.ray"), hand_over("AST-2", "ann.lee")]
    lend, back = hand_over("AST-3", "ann.lee"), hand_over("AST-3", None)

    orders = [
        find_order(state(*rows, rules=(LAST_KEY,)), [*swap, back], acts)
        for acts in ([*swap, lend, back], swap, [*swap, lend])
    ]

    assert orders == [[lend, *swap[::-1], back], None, None] or orders == [[lend, *swap, back], None, None]


def test_an_order_waits_for_the_end_of_each_freeze_and_sets_the_priority_last() -> None:
    """Each class starts where the one before it ended; a paused rule resumes at 200, so no wait may go beyond."""
    freezes = [FREEZE.rule("AUT-1", {**one.fields, "until": to_iso(100)}) for one in (KEY, BADGE)]
    follows = FOLLOWS.rule("AUT-3", {**KEY.fields, "ticket": "TD-3", "to": "low"})
    resumes = Rule("AUT-4", "datahub", 1, "asset.assigned", [], COSTLY.do, active_from=200)
    rows = (
        asset(1),
        asset(2, None, BADGE),
        ticket(1, "AST-1"),
        ticket(2, "AST-2"),
        ticket(3),
        clearance("ann.lee"),
    )
    start = state(*rows, rules=(*freezes, follows, resumes, PAGED))
    high, badge = raise_to("TD-3", "high"), hand_over("AST-2", "ann.lee")
    acts = [high, TO_ANN, badge]

    orders = [find_order(start, acts, [*acts, *map(wait, ends)]) for ends in ((99,), (200,), (200, 100))]

    assert orders == [None, None, [wait(100), TO_ANN, badge, high]]
