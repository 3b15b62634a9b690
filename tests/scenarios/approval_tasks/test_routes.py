"""Who may decide, when, and whom to ask: routes against a plain reading of the rule, and as they are laid."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from companyos.sdk.approval_task.delegation import Link, first_in_line
from companyos.sdk.approval_task.route import Absence, Route, lay_route
from companyos.sdk.approval_task.second_approver import hire_co_holder, provide_second_approvers
from companyos.sdk.company import DECISION_S
from companyos.sdk.simtime import DAY, HOUR, MINUTE
from scenarios.packs.finance import EXPENSE_APPROVAL

from .made import START, builder_of, made

PEOPLE = ("ann", "ben", "cat", "dan")
HOURS = st.integers(-1, 6).map(lambda hours: START + hours * HOUR)


def linked(drawn: Sequence[tuple[int, bool, bool]]) -> tuple[Link, ...]:
    """Return a chain, whose last person hands on to nobody."""
    return tuple(
        Link(person, back_at, covers=leads and number < len(drawn), barred=barred)
        for number, (person, (back_at, leads, barred)) in enumerate(zip(PEOPLE, drawn, strict=False), start=1)
    )


LINKS = st.lists(st.tuples(HOURS, st.booleans(), st.booleans()), min_size=1, max_size=4).map(linked)
ROUTES = st.builds(
    Route,
    st.just("cfo"),
    LINKS,
    st.lists(st.sampled_from(("yan", "zoe")), unique=True, max_size=2).map(tuple),
    HOURS,
    st.sampled_from((None, 1000)),
)


def told_by_the_handbook(links: Sequence[Link], at: int) -> str | None:
    """Return who decides, as the handbook says it: people who are away or barred hand on, if they can."""
    if not links:
        return None
    first, *rest = links
    here = first.back_at <= at
    if here and not first.barred:
        return first.person
    return told_by_the_handbook(rest, at) if first.covers else None


@given(LINKS, HOURS)
def test_the_first_in_line_is_the_one_that_the_handbook_names(links: tuple[Link, ...], at: int) -> None:
    assert first_in_line(links, at) == told_by_the_handbook(links, at)


@pytest.mark.parametrize(("at", "person"), [(START - 1, "ben"), (START, "ann"), (START + 1, "ann")])
def test_somebody_decides_again_from_the_second_of_the_return_on(at: int, person: str) -> None:
    assert first_in_line((Link("ann", START, covers=True), Link("ben", 0)), at) == person


@settings(max_examples=40)
@given(ROUTES, HOURS)
def test_the_person_to_ask_may_decide_or_nobody_but_the_holder_can_be_asked(route: Route, at: int) -> None:
    asked = route.approver(at)

    assert route.decides(asked, at) or (asked == route.holder and first_in_line(route.links, at) is None)


@settings(max_examples=40)
@given(ROUTES, st.sampled_from((*PEOPLE, "yan", "zoe")), HOURS)
def test_without_a_person_that_person_never_decides(route: Route, person: str, at: int) -> None:
    rest = route.without([person])

    assert not rest.decides(person, at)
    assert rest.without([person]) == rest


@settings(max_examples=40)
@given(ROUTES, HOURS)
def test_approver_at_the_opening_still_decides_two_hours_later(route: Route, now: int) -> None:
    alone = Route(route.role, route.links)
    at = alone.opening(now)

    assume(at > now)
    assert first_in_line(alone.links, at) == first_in_line(alone.links, at + 2 * DECISION_S) is not None


@pytest.mark.parametrize(
    ("back_in", "opens_in"),
    [(HOUR, HOUR), (2 * HOUR, 2 * HOUR), (2 * HOUR + 1, 0)],
    ids=["before a decision", "as the second hour ends", "a second later"],
)
def test_a_delegate_is_not_asked_if_the_holder_is_back_within_two_hours(back_in: int, opens_in: int) -> None:
    route = Route("cfo", (Link("ann", START + back_in, covers=True), Link("ben", START)))

    assert route.opening(START) == START + opens_in


@settings(max_examples=40)
@given(ROUTES, HOURS)
def test_routes_without_other_holders_open_at_the_earliest_useful_return(route: Route, now: int) -> None:
    alone = Route(route.role, route.links)
    at = alone.opening(now)

    for earlier in range(now, at, HOUR):
        person = first_in_line(alone.links, earlier)
        assert person is None or person != first_in_line(alone.links, earlier + 2 * DECISION_S)


@pytest.mark.parametrize(
    ("others_at", "opening"), [(0, START), (START + HOUR, START + HOUR), (START + 9 * HOUR, START + 4 * HOUR)]
)
def test_another_holder_opens_a_route_earlier_but_never_later(others_at: int, opening: int) -> None:
    route = Route("cfo", (Link("ann", START + 4 * HOUR),), ("zoe",), others_at)

    assert route.opening(START) == opening


#: How long an absence of each kind lasts from the start, at least and at most.
LASTS = {
    Absence.COVERED: (9 * DAY, 20 * DAY),
    Absence.BRIEF: (25 * MINUTE, 50 * MINUTE),
    Absence.UNCOVERED: (2 * HOUR, 6 * HOUR),
    Absence.NONE: (0, 0),
}


@pytest.mark.parametrize("absence", LASTS)
def test_an_absence_of_two_lasts_as_long_as_its_kind_says(absence: Absence) -> None:
    shortest, longest = LASTS[absence]
    lasted = set()
    for seed in range(25):
        builder = builder_of("expense_report", seed=seed)
        route = lay_route(builder.company, builder.cast, "cfo", EXPENSE_APPROVAL, absence)
        lasted.add(route.back_at - START)

    assert all(shortest <= one <= longest for one in lasted)
    assert len(lasted) >= 5 or absence is Absence.NONE


@pytest.mark.parametrize("away", [True, False])
def test_a_builder_lays_a_route_with_the_holder_here_or_away_for_days(away: bool) -> None:
    builder = builder_of("expense_report")

    route = builder.route("cfo", EXPENSE_APPROVAL, amount=1000, away=away)

    assert (route.back_at > START + 8 * DAY) is away
    assert route.approver(START) == (route.delegate if away else route.holder)
    assert builder.company.row("datahub", "people", route.holder)["delegate_limit"] == 2500


@pytest.mark.parametrize("seed", range(8))
def test_another_holder_of_a_role_comes_after_the_first_in_the_directory(seed: int) -> None:
    builder = builder_of("expense_report", seed=seed)
    route = builder.route("cfo", EXPENSE_APPROVAL)

    first, second = hire_co_holder(builder, route), hire_co_holder(builder, route)

    holder = builder.person(route.holder)
    assert min(first.id, second.id) > holder.id
    assert (first.role, first.team) == (second.role, second.team) == (holder.role, holder.team)
    assert len({holder.id, first.id, second.id}) == 3


def test_where_no_name_of_the_pool_sorts_after_the_holder_the_other_is_called_junior() -> None:
    builder = builder_of("expense_report")
    last = builder.company.hire("Zzz Zzz", "cfo", "Finance")
    route = Route("cfo", (Link(last.id, START),))

    assert [hire_co_holder(builder, route).name for _ in range(2)] == ["Zzz Zzz Junior", "Zzz Zzz Senior"]


@pytest.mark.parametrize("seed", range(6))
def test_a_second_approver_is_added_at_the_end_of_every_route(seed: int) -> None:
    facts, builder = made("expense_report", seed=seed)
    before = dict(builder.routes)

    facts = provide_second_approvers(facts, builder)

    for role, route in before.items():
        longer = builder.routes[role]
        first = route.approver(START)
        assert longer.approver(START) == first
        assert longer.without([first]).approver(START) not in (first, route.holder)
    assert facts.route == builder.routes[facts.route.role]


def test_a_circle_gets_another_holder_of_the_role() -> None:
    facts, builder = made("expense_report")
    route = facts.route
    builder.routes[route.role] = Route(route.role, route.links, ("zoe",))

    facts = provide_second_approvers(facts, builder)

    assert facts.route.others[0] == "zoe"
    assert len(facts.route.others) == 2
    assert builder.person(facts.route.others[1]).role == route.role


def test_a_broken_route_gets_somebody_who_is_back_with_the_first_of_it() -> None:
    facts, builder = made("expense_report")
    links = (Link(facts.route.holder, START + 3 * HOUR), Link("ben", START + DAY))
    builder.routes[facts.route.role] = Route(facts.route.role, links)

    facts = provide_second_approvers(facts, builder)

    [other] = facts.route.others
    assert facts.route.others_at == START + 3 * HOUR
    assert builder.company.row("approvalflow", "people", other)["away_until"] == START + 3 * HOUR
    assert facts.route.opening(START) == START + 3 * HOUR
