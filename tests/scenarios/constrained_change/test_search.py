"""The search for an order of acts: it finds one exactly where there is one, and none that does harm."""

from collections import deque
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from scenarios.constrained_change.simulation import Act, Aim, Simulation, State, find_order
from scenarios.constrained_change.statements import FOLLOWS, FREEZE, LAST, PAGE

from .hand_built import (
    BADGE,
    KEY,
    aim,
    asset,
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

PAGED = stated(PAGE, {"oncall": "oncall"}, number=9)
LAST_KEY = stated(LAST, KEY.fields)
PEOPLE = ("ann.lee", "bob.ray")
HOLDERS = st.sampled_from((None, *PEOPLE))
ALL_ACTS = [
    act
    for number in (1, 2, 3)
    for act in (*(hand_over(number, person) for person in PEOPLE), take_back(number))
]


def ceiling(most: int) -> Rule:
    """Return the rule that costs a level whoever is given more keys than this."""
    held = {"count": "assets", "where": {"holder": "$holder", "asset_class": KEY.id}}
    when = condition("$asset_class", "eq", KEY.id), condition(held, "gt", most)
    return rule("datahub", "asset.assigned", "change_clearance", *when, person="$holder", by=-1)


def found(start: State, wanted: Aim, *rules: Rule) -> list[Act] | None:
    """Return the order that the search finds in a company with these rules."""
    return find_order(Simulation(rules), start, wanted)


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[State, Aim, Sequence[Rule]]:
    """Return three keys of two people, where they have to be, and one or both of two rules."""
    start = state(
        *(asset(number, draw(HOLDERS)) for number in (1, 2, 3)),
        *(clearance(person) for person in PEOPLE),
    )
    acts = draw(st.lists(st.sampled_from(ALL_ACTS), min_size=1, max_size=9, unique=True))
    wanted = aim(acts, {number: draw(HOLDERS) for number in (1, 2, 3)})
    return start, wanted, draw(st.sampled_from([(LAST_KEY,), (ceiling(1),), (LAST_KEY, ceiling(2))]))


def is_reachable(simulation: Simulation, start: State, wanted: Aim) -> bool:
    """Return whether any order of acts reaches an aim without harm, by walking through all of them."""
    waiting, seen = deque([start]), {start.key}
    while waiting:
        here = waiting.popleft()
        if wanted.holds(here):
            return True
        for act in wanted.acts:
            there = simulation.after(here, act)
            if not wanted.harmed(there) and there.key not in seen:
                seen.add(there.key)
                waiting.append(there)
    return False


@settings(max_examples=60)
@given(puzzles())
def test_an_order_is_found_exactly_where_there_is_one_and_reaches_the_aim_without_harm(
    puzzle: tuple[State, Aim, Sequence[Rule]],
) -> None:
    start, wanted, rules = puzzle

    order = found(start, wanted, *rules)

    end = Simulation(rules).through(start, order or [])
    assert (order is not None) == is_reachable(Simulation(rules), start, wanted)
    assert order is None or (wanted.holds(end) and not wanted.harmed(end))
    assert set(order or []) <= set(wanted.acts)


def test_a_ring_of_last_pieces_needs_a_spare_which_goes_back() -> None:
    start = state(asset(1, "ann.lee"), asset(2, "bob.ray"), asset(3), *map(clearance, PEOPLE))
    swap, lend = [hand_over(1, "bob.ray"), hand_over(2, "ann.lee")], hand_over(3, "ann.lee")
    wanted = {1: "bob.ray", 2: "ann.lee", 3: None}

    order = found(start, aim([*swap, lend, take_back(3)], wanted), LAST_KEY)

    assert order is not None
    assert order == [lend, *order[1:3], take_back(3)]
    assert found(start, aim(swap, wanted), LAST_KEY) is None
    assert found(start, aim([*swap, lend], wanted), LAST_KEY) is None


def test_an_order_waits_for_the_end_of_a_freeze_and_no_longer() -> None:
    """A paused rule resumes at 200, so the wait for the end of another must not go beyond."""
    resumes = Rule("AUT-2", "datahub", 1, "asset.assigned", [], ceiling(0).do, active_from=200)
    freeze = stated(FREEZE, {**KEY.fields, "until": "-"}, until=100)
    start = state(asset(1), ticket(1, "AST-1"), clearance("ann.lee"))

    def order_with(*acts: Act) -> list[Act] | None:
        return found(start, aim([hand_over(1, "ann.lee"), *acts], {1: "ann.lee"}), freeze, resumes, PAGED)

    assert order_with(wait(99)) is None
    assert order_with(wait(200)) is None
    assert order_with(wait(200), wait(100)) == [wait(100), hand_over(1, "ann.lee")]


def test_classes_are_searched_one_after_another_and_the_priority_last() -> None:
    """Each class starts where the one before it ended, and a priority that follows assets is right at the end."""
    freezes = [
        stated(FREEZE, {**class_.fields, "until": "-"}, until=100, number=number)
        for number, class_ in enumerate((KEY, BADGE), start=1)
    ]
    follows = stated(FOLLOWS, {**KEY.fields, "ticket": "TD-3", "to": "low"}, number=3)
    start = state(asset(1), asset(2, None, BADGE), ticket(1, "AST-1"), ticket(2, "AST-2"), ticket(3))
    acts = [raise_to(3, "high"), hand_over(1, "ann.lee"), hand_over(2, "ann.lee"), wait(100)]

    order = found(start, aim(acts, {1: "ann.lee", 2: "ann.lee"}, high=3), *freezes, follows, PAGED)

    assert order == [wait(100), hand_over(1, "ann.lee"), hand_over(2, "ann.lee"), raise_to(3, "high")]


def test_harm_done_before_the_first_act_is_not_made_good() -> None:
    start = State(0, state(asset(1)).rows, {}, (("lowered", "ann.lee"),))

    assert found(start, aim([hand_over(1, "ann.lee")], {1: "ann.lee"})) is None
