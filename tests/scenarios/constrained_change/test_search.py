"""The simulation of a company's rules, and the search for an order of acts: none that does harm, if there is one."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import to_iso
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.search import Aim, find_order
from scenarios.constrained_change.simulation import (
    CHANGING,
    HIGHEST,
    Act,
    Simulation,
    State,
    hand_over,
    raise_to,
    wait,
)
from scenarios.constrained_change.statements import FOLLOWS, FREEZE, LAST, PAGE

from ..conftest import instance_of
from ..play import carry_out
from .hand_built import BADGE, KEY, aim, asset, clearance, effects, rule, state, ticket

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
    more = [*puzzle.aim(puzzle.moves).acts, *(hand_over(move.asset["id"], None) for move in puzzle.moves[:3])]
    acts = [*draws.shuffled("acts", moves)[:4], *draws.shuffled("more", more)]

    foreseen = puzzle.simulation.through(puzzle.start, acts)
    found = carry_out(url, SCENARIO, seed, [act.call for act in acts]).state_of(instance).view()

    for place, row in foreseen.rows.items():
        columns = [name for name in CHANGING if name in row]
        real = found.row(*place)
        assert real is not None
        assert [real[name] for name in columns] == [row[name] for name in columns]
    lowered = [line for line in found.changed("datahub", "changes") if line["action"] == "lowered"]
    assert len(lowered) == sum(kind == "lowered" for kind, _ in foreseen.history)


@pytest.mark.parametrize(
    ("before", "by", "then"), [(3, -1, 2), (0, -1, 0), (1, -2, 0), (4, 3, HIGHEST), (HIGHEST, 1, HIGHEST)]
)
def test_a_level_stays_between_none_and_the_highest(before: int, by: int, then: int) -> None:
    change = rule("asset.assigned", "change_clearance", person="$holder", by=by)

    found = Simulation([change]).after(state(asset(1), clearance("ann.lee", before)), TO_ANN)

    assert found.rows["datahub", "clearances", "ann.lee"]["level"] == then
    assert (("lowered", "ann.lee") in found.history) == (then < before)


def test_a_level_that_falls_and_rises_again_was_lowered_all_the_same() -> None:
    low = condition("$level", "eq", 2)
    raised = rule("clearance.changed", "change_clearance", low, person="$person_id", by=1)

    happened = effects(state(asset(1), clearance("ann.lee")), TO_ANN, COSTLY, raised)

    assert happened == [("level:2", "ann.lee"), ("lowered", "ann.lee"), ("level:3", "ann.lee")]


def test_a_rule_sees_what_an_earlier_rule_of_the_same_delivery_did() -> None:
    take = rule("asset.assigned", "return_asset", asset="AST-2")
    few = condition({"count": "assets", "where": {"holder": "ann.lee"}}, "lt", 2)
    lose = rule("asset.assigned", "change_clearance", few, person="ann.lee", by=-1)
    start = state(asset(1), asset(2, "ann.lee"), clearance("ann.lee"))

    lost = [
        ("lowered", "ann.lee") in effects(start, TO_ANN, *rules) for rules in ((take, lose), (lose, take))
    ]

    assert lost == [True, False]


def ceiling(most: int) -> Rule:
    """Return the rule that a person who is given more keys than this loses a level."""
    held = {"count": "assets", "where": {"holder": "$holder", "asset_class": KEY.id}}
    when = condition("$asset_class", "eq", KEY.id), condition(held, "gt", most)
    return rule("asset.assigned", "change_clearance", *when, person="$holder", by=-1)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[State, Aim, Sequence[Rule]]:
    """Return three keys of two people, where they have to be, and one or both of two rules."""
    start = state(*(asset(number, draw(HOLDERS)) for number in (1, 2, 3)), *map(clearance, PEOPLE))
    acts = draw(st.lists(st.sampled_from(ALL_ACTS), min_size=1, max_size=9, unique=True))
    wanted = aim(acts, {f"AST-{number}": draw(HOLDERS) for number in (1, 2, 3)})
    return start, wanted, draw(st.sampled_from([(LAST_KEY,), (ceiling(1),), (LAST_KEY, ceiling(2))]))


def is_reachable(simulation: Simulation, start: State, wanted: Aim) -> bool:
    """Return whether any order of acts reaches an aim without harm, by walking through all of them."""
    waiting, seen = deque([start]), {start.key}
    while waiting:
        here = waiting.popleft()
        if wanted.holds(here):
            return True
        for there in (simulation.after(here, act) for act in wanted.acts):
            if not wanted.harmed(there) and there.key not in seen:
                seen.add(there.key)
                waiting.append(there)
    return False


@settings(max_examples=40)
@given(puzzles())
def test_an_order_is_found_exactly_where_there_is_one_and_reaches_the_aim_without_harm(
    puzzle: tuple[State, Aim, Sequence[Rule]],
) -> None:
    start, wanted, rules = puzzle
    simulation = Simulation(rules)

    order = find_order(simulation, start, wanted)

    end = simulation.through(start, order or [])
    assert (order is not None) == is_reachable(simulation, start, wanted)
    assert order is None or (wanted.holds(end) and not wanted.harmed(end))
    assert {*(order or [])} <= {*wanted.acts}


def test_a_ring_of_last_pieces_needs_a_spare_which_goes_back() -> None:
    start = state(asset(1, "ann.lee"), asset(2, "bob.ray"), asset(3), *map(clearance, PEOPLE))
    swap = [hand_over("AST-1", "bob.ray"), hand_over("AST-2", "ann.lee")]
    lend, back = hand_over("AST-3", "ann.lee"), hand_over("AST-3", None)
    wanted = {"AST-1": "bob.ray", "AST-2": "ann.lee", "AST-3": None}

    orders = [
        find_order(Simulation([LAST_KEY]), start, aim(acts, wanted))
        for acts in ([*swap, lend, back], swap, [*swap, lend])
    ]

    assert orders == [[lend, *swap[::-1], back], None, None] or orders == [[lend, *swap, back], None, None]


def test_an_order_waits_for_the_end_of_each_freeze_and_sets_the_priority_last() -> None:
    """Each class starts where the one before it ended; a paused rule resumes at 200, so no wait may go beyond."""
    freezes = [FREEZE.rule("AUT-1", {**one.fields, "until": to_iso(100)}) for one in (KEY, BADGE)]
    follows = FOLLOWS.rule("AUT-3", {**KEY.fields, "ticket": "TD-3", "to": "low"})
    resumes = Rule("AUT-4", "datahub", 1, "asset.assigned", [], COSTLY.do, active_from=200)
    rules = Simulation([*freezes, follows, resumes, PAGED])
    tickets = ticket(1, "AST-1"), ticket(2, "AST-2"), ticket(3)
    start = state(asset(1), asset(2, None, BADGE), *tickets, clearance("ann.lee"))
    acts = [raise_to("TD-3", "high"), TO_ANN, hand_over("AST-2", "ann.lee")]

    def order_with(*waits: Act) -> list[Act] | None:
        wanted: dict[str, Any] = {"AST-1": "ann.lee", "AST-2": "ann.lee", "TD-3": "high"}
        return find_order(rules, start, aim([*acts, *waits], wanted))

    assert order_with(wait(99)) is None
    assert order_with(wait(200)) is None
    assert order_with(wait(200), wait(100)) == [wait(100), TO_ANN, hand_over("AST-2", "ann.lee"), acts[0]]
