"""The search for an order of acts: what it reaches, what it avoids, and when it says that there is no order."""

from collections import deque
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.automations import Rule
from companyos.sdk.automations import given as condition
from scenarios.constrained_change.simulation import Act, Aim, Simulation, State, find_order
from scenarios.constrained_change.statements import FOLLOWS, FREEZE, LAST, PAGE, TWIN, UNSTARTED

from .hand_built import (
    BADGE,
    KEY,
    aim,
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

PAGED = stated(PAGE, {"oncall": "oncall"}, number=9)
LAST_KEY = stated(LAST, KEY.fields)
UNSTARTED_KEY = stated(UNSTARTED, KEY.fields)


def ceiling(most: int) -> Rule:
    """Return the rule that costs a level whoever is given more keys than this."""
    held = {"count": "assets", "where": {"holder": "$holder", "asset_class": KEY.id}}
    of_class = condition("$asset_class", "eq", KEY.id)
    too_many = condition(held, "gt", most)
    return rule("datahub", "asset.assigned", "change_clearance", of_class, too_many, person="$holder", by=-1)


def found(start: State, wanted: Aim, *rules: Rule) -> list[Act] | None:
    """Return the order that the search finds in a company with these rules."""
    return find_order(Simulation(rules), start, wanted)


def test_where_everything_is_as_wanted_nothing_is_done() -> None:
    assert found(state(asset(1, "ann.lee")), aim([hand_over(1, "ann.lee")], {1: "ann.lee"})) == []


def test_search_without_obstacles_finds_exactly_the_wanted_acts() -> None:
    acts = [hand_over(1, "ann.lee"), take_back(2)]

    order = found(state(asset(1), asset(2, "bob.ray")), aim(acts, {1: "ann.lee", 2: None}))

    assert order is not None
    assert sorted(order, key=str) == sorted(acts, key=str)


def test_a_needless_act_is_left_out() -> None:
    acts = [take_back(2), hand_over(2, "ann.lee"), raise_to(1, "high"), hand_over(1, "ann.lee")]

    order = found(state(asset(1), asset(2), ticket(1)), aim(acts, {1: "ann.lee", 2: None}))

    assert order == [hand_over(1, "ann.lee")]


def test_search_finds_no_order_for_an_unreachable_goal() -> None:
    assert found(state(asset(1)), aim([hand_over(1, "bob.ray")], {1: "ann.lee"})) is None


def test_harm_done_before_the_first_act_is_not_made_good() -> None:
    start = State(0, state(asset(1)).rows, {}, (("lowered", "ann.lee"),))

    assert found(start, aim([hand_over(1, "ann.lee")], {1: "ann.lee"})) is None


def test_an_asset_leaves_before_the_next_one_comes_where_there_is_a_ceiling() -> None:
    start = state(asset(1), asset(2, "ann.lee"), asset(3, "ann.lee"), clearance("ann.lee"))
    comes, goes = hand_over(1, "ann.lee"), hand_over(2, "bob.ray")

    order = found(start, aim([comes, goes], {1: "ann.lee", 2: "bob.ray"}), ceiling(2))

    assert order == [goes, comes]


@pytest.mark.parametrize(("most", "possible"), [(1, False), (2, True), (3, True)])
def test_a_ceiling_is_met_exactly(most: int, *, possible: bool) -> None:
    start = state(asset(1), asset(2, "ann.lee"), clearance("ann.lee"))

    order = found(start, aim([hand_over(1, "ann.lee")], {1: "ann.lee"}), ceiling(most))

    assert (order is not None) == possible


def test_a_ring_of_last_pieces_needs_a_spare_which_goes_back() -> None:
    start = state(
        asset(1, "ann.lee"), asset(2, "bob.ray"), asset(3), clearance("ann.lee"), clearance("bob.ray")
    )
    swap = [hand_over(1, "bob.ray"), hand_over(2, "ann.lee")]
    wanted = {1: "bob.ray", 2: "ann.lee", 3: None}

    alone = found(start, aim(swap, wanted), LAST_KEY)
    order = found(start, aim([*swap, hand_over(3, "ann.lee"), take_back(3)], wanted), LAST_KEY)

    assert alone is None
    assert order is not None
    assert order == [hand_over(3, "ann.lee"), *order[1:3], take_back(3)]


def test_a_spare_must_not_stay_where_it_was_lent() -> None:
    start = state(
        asset(1, "ann.lee"), asset(2, "bob.ray"), asset(3), clearance("ann.lee"), clearance("bob.ray")
    )
    acts = [hand_over(1, "bob.ray"), hand_over(2, "ann.lee"), hand_over(3, "ann.lee")]

    assert found(start, aim(acts, {1: "bob.ray", 2: "ann.lee", 3: None}), LAST_KEY) is None


def test_work_on_a_ticket_begins_before_its_asset_moves() -> None:
    start = state(asset(1), ticket(1, "AST-1", status="new"))
    acts = [hand_over(1, "ann.lee"), begin(1)]

    order = found(start, aim(acts, {1: "ann.lee"}), UNSTARTED_KEY, PAGED)

    assert order == [begin(1), hand_over(1, "ann.lee")]


def test_an_urgent_ticket_is_no_harm_where_nobody_is_paged() -> None:
    start = state(asset(1), ticket(1, "AST-1", status="new"))

    order = found(start, aim([hand_over(1, "ann.lee"), begin(1)], {1: "ann.lee"}), UNSTARTED_KEY)

    assert order == [hand_over(1, "ann.lee")]


@pytest.mark.parametrize(("until", "possible"), [(99, False), (100, True), (101, True)])
def test_the_end_of_a_freeze_is_waited_for(until: int, *, possible: bool) -> None:
    freeze = stated(FREEZE, {**KEY.fields, "until": "-"}, until=100)
    start = state(asset(1), ticket(1, "AST-1"), now=50)
    acts = [hand_over(1, "ann.lee"), wait(until)]

    order = found(start, aim(acts, {1: "ann.lee"}), freeze, PAGED)

    assert order == ([wait(until), hand_over(1, "ann.lee")] if possible else None)


def test_a_wait_that_is_too_long_does_harm() -> None:
    """A paused rule resumes at 200, so the wait for the end of another must not go beyond."""
    resumes = Rule("AUT-2", "datahub", 1, "asset.assigned", [], ceiling(0).do, active_from=200)
    freeze = stated(FREEZE, {**KEY.fields, "until": "-"}, until=100)
    start = state(asset(1), ticket(1, "AST-1"), clearance("ann.lee"))

    def order_with(*acts: Act) -> list[Act] | None:
        return found(start, aim([hand_over(1, "ann.lee"), *acts], {1: "ann.lee"}), freeze, resumes, PAGED)

    assert order_with(wait(200)) is None
    assert order_with(wait(200), wait(150)) == [wait(150), hand_over(1, "ann.lee")]


def test_a_priority_that_follows_the_last_asset_is_right_at_the_end() -> None:
    follows = [
        stated(FOLLOWS, {**class_.fields, "ticket": "TD-1", "to": to}, number=number)
        for number, (class_, to) in enumerate(((KEY, "low"), (BADGE, "high")), start=1)
    ]
    start = state(asset(1), asset(2, None, BADGE), ticket(1))
    acts = [hand_over(2, "ann.lee"), hand_over(1, "ann.lee"), raise_to(1, "high")]

    order = found(start, aim(acts, {1: "ann.lee", 2: "ann.lee"}, high=1), *follows)

    assert order is not None
    assert (
        Simulation(follows).through(start, order).row("ticketdesk", "tickets", "TD-1")["priority"] == "high"
    )


def test_a_twin_that_returned_by_itself_is_handed_over_afterwards() -> None:
    """Whichever of the two moves first, the other goes back to the pool and has to come from there."""
    twins = [
        stated(TWIN, {"asset": f"AST-{one}", "other": f"AST-{other}"}, number=one)
        for one, other in ((1, 2), (2, 1))
    ]
    start = state(asset(1, "ann.lee"), asset(2, "bob.ray"))
    acts = [hand_over(1, "carl.moe"), hand_over(2, "carl.moe")]

    order = found(start, aim(acts, {1: "carl.moe", 2: "carl.moe"}), *twins)

    assert order in ([acts[0], acts[1]], [acts[1], acts[0]])


def test_a_detour_over_the_pool_is_taken_only_if_it_is_among_the_acts() -> None:
    """Passing a key on directly costs a level here; taking it back first does not."""
    direct = rule(
        "datahub",
        "asset.assigned",
        "change_clearance",
        condition("$previous", "ne", None),
        person="$holder",
        by=-1,
    )
    start = state(asset(1, "bob.ray"), clearance("ann.lee"))
    give = hand_over(1, "ann.lee")

    assert found(start, aim([give], {1: "ann.lee"}), direct) is None
    assert found(start, aim([give, take_back(1)], {1: "ann.lee"}), direct) == [take_back(1), give]


def test_an_aim_misses_as_many_columns_as_are_wrong() -> None:
    wanted = aim([], {1: "ann.lee", 2: None}, high=1)
    start = state(asset(1), asset(2), ticket(1))

    reached = Simulation([]).through(start, [hand_over(1, "ann.lee"), raise_to(1, "high")])

    assert (wanted.missing(start), wanted.holds(start)) == (2, False)
    assert (wanted.missing(reached), wanted.holds(reached)) == (0, True)


@pytest.mark.parametrize(
    ("history", "harmed"),
    [
        ((), False),
        ((("holder:ann.lee", "AST-1"), ("priority:urgent", "TD-1")), False),
        ((("lowered", "ann.lee"),), True),
        ((("assignee:oncall", "TD-7"),), True),
        ((("assignee:bob.ray", "TD-7"),), False),
        ((("priority:low", "TD-1"),), True),
        ((("priority:low", "TD-2"),), False),
    ],
)
def test_harm_is_what_is_named_for_any_object_or_for_one(
    history: tuple[tuple[str, str], ...], *, harmed: bool
) -> None:
    never = frozenset({("lowered", ""), ("assignee:oncall", ""), ("priority:low", "TD-1")})

    assert aim([], {}, never=never).harmed(State(0, {}, {}, history)) == harmed


def test_an_aim_is_reached_class_by_class_and_what_concerns_no_asset_comes_last() -> None:
    start = state(
        asset(1), asset(2, None, BADGE), ticket(1, "AST-1"), ticket(2, "AST-2"), ticket(3), ticket(4, "R-1")
    )
    acts = [raise_to(3, "high"), begin(2), hand_over(1, "ann.lee"), wait(5), begin(4), begin(1)]

    parts = aim(acts, {1: "ann.lee", 2: None}, high=3).parts(start)

    assert [part.acts for part in parts] == [
        [begin(2), wait(5)],
        [hand_over(1, "ann.lee"), begin(1), wait(5)],
        [raise_to(3, "high"), begin(4), wait(5)],
    ]
    assert [list(part.wanted) for part in parts] == [
        [("datahub", "assets", "AST-2")],
        [("datahub", "assets", "AST-1")],
        [("ticketdesk", "tickets", "TD-3")],
    ]
    assert {part.never for part in parts} == {aim([], {}).never}


def test_later_classes_start_where_earlier_ones_ended() -> None:
    """The wait for one class is over for the next one as well."""
    freezes = [
        stated(FREEZE, {**class_.fields, "until": "-"}, until=100, number=number)
        for number, class_ in enumerate((KEY, BADGE), start=1)
    ]
    start = state(asset(1), asset(2, None, BADGE), ticket(1, "AST-1"), ticket(2, "AST-2"))
    acts = [hand_over(1, "ann.lee"), hand_over(2, "ann.lee"), wait(100)]

    order = found(start, aim(acts, {1: "ann.lee", 2: "ann.lee"}), *freezes, PAGED)

    assert order == [wait(100), hand_over(1, "ann.lee"), hand_over(2, "ann.lee")]


PEOPLE = ("ann.lee", "bob.ray")
HOLDERS = st.sampled_from((None, *PEOPLE))
ALL_ACTS = [
    act
    for number in (1, 2, 3)
    for act in (*(hand_over(number, person) for person in PEOPLE), take_back(number))
]


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


@settings(max_examples=50)
@given(puzzles())
def test_an_order_is_found_exactly_where_there_is_one(puzzle: tuple[State, Aim, Sequence[Rule]]) -> None:
    start, wanted, rules = puzzle

    order = found(start, wanted, *rules)

    assert (order is not None) == is_reachable(Simulation(rules), start, wanted)


@settings(max_examples=50)
@given(puzzles())
def test_an_order_that_is_found_reaches_the_aim_and_no_act_of_it_harms(
    puzzle: tuple[State, Aim, Sequence[Rule]],
) -> None:
    start, wanted, rules = puzzle

    order = found(start, wanted, *rules)

    end = Simulation(rules).through(start, order or [])
    assert order is None or (wanted.holds(end) and not wanted.harmed(end))
    assert set(order or []) <= set(wanted.acts)
