"""Planned changes: what counts as reached, which hand-over is left out, and how a plan is judged."""

from dataclasses import replace

import pytest

from companyos.company import Company
from companyos.sdk.draws import Draws
from scenarios.constrained_change.change import CEILINGS, FOUR, THREE, Author, PlannedChange
from scenarios.constrained_change.documents import LATEST, LOWEST
from scenarios.constrained_change.pack import PRIORITIES
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act

from .changes import cast_of, planned

PAIRS = range(8)
PARTLY = [pair for pair in PAIRS if planned(pair, THREE).left_out is not None]
NOT_AT_ALL = [pair for pair in range(40) if planned(pair, THREE).all_or_nothing][:2]


def fresh(pair: int, cause: str = THREE) -> PlannedChange:
    """Return the change of a pair without a company around it and without a decision, to be altered at will."""
    draws = Draws("companyos-public", "constrained_change", SCENARIO.version, pair)
    company = Company(draws, SCENARIO.start, SCENARIO.packs)
    return Author(company, cast_of(company), cause).change()


def with_keeps_high(*, keeps_high: bool) -> PlannedChange:
    return next(one for pair in PAIRS if (one := planned(pair, FOUR)).keeps_high == keeps_high)


def asset_place(asset_id: str) -> tuple[str, str, str]:
    return "datahub", "assets", asset_id


@pytest.mark.parametrize("pair", PAIRS)
def test_an_asset_that_is_left_out_is_wanted_where_it_was(pair: int) -> None:
    change = planned(pair, FOUR)
    first, *others = change.moves

    wanted = change.aim(others).wanted

    assert wanted[asset_place(first.asset["id"])] == {"holder": first.asset["holder"]}
    assert all(wanted[asset_place(one.asset["id"])] == {"holder": one.to} for one in others)
    assert all(wanted[asset_place(one["id"])] == {"holder": None} for one in change.spares)


@pytest.mark.parametrize("keeps_high", [True, False])
def test_the_priority_of_the_project_counts_only_where_the_list_asks_for_it(*, keeps_high: bool) -> None:
    change = with_keeps_high(keeps_high=keeps_high)
    place = ("ticketdesk", "tickets", change.project["id"])
    act = Act("priority", change.project["id"], "high")

    aim = change.aim(change.moves)

    assert aim.wanted.get(place) == ({"priority": "high"} if keeps_high else None)
    assert aim.acts.count(act) == keeps_high
    assert change.direct(change.moves).count(act) == keeps_high


@pytest.mark.parametrize("pair", PAIRS)
def test_the_acts_to_choose_from_are_the_moves_a_spare_for_the_first_person_new_tickets_and_waits(
    pair: int,
) -> None:
    change = planned(pair, FOUR)
    [spare] = change.spares

    acts = [act for act in change.aim(change.moves).acts if act.kind != "priority"]

    assert acts == [
        *(Act("assign", move.asset["id"], move.to) for move in change.moves),
        Act("assign", spare["id"], change.people[0].id),
        Act("return", spare["id"]),
        *(Act("begin", move.ticket["id"]) for move in change.moves if move.ticket["status"] == "new"),
        *(Act("wait", "", until=until) for until in change.waits),
    ]


def test_harm_is_a_level_of_anybody_and_a_ticket_for_the_on_call() -> None:
    change = planned(0, FOUR)

    assert change.aim([]).never == {("lowered", ""), (f"assignee:{change.oncall.id}", "")}


@pytest.mark.parametrize("pair", PAIRS[:8])
def test_the_state_at_the_start_covers_every_asset_of_the_classes_that_move_and_no_other(pair: int) -> None:
    change = planned(pair, FOUR)
    classes = {move.asset["asset_class"] for move in change.moves}
    assets = change.company.rows["datahub"]["assets"]

    known = {key for service, table, key in change.begun.rows if (service, table) == ("datahub", "assets")}

    assert known == {row["id"] for row in assets if row["asset_class"] in classes}
    assert len(known) < len(assets)


@pytest.mark.parametrize("pair", PAIRS[:8])
def test_the_state_at_the_start_covers_the_people_and_tickets_of_the_task(pair: int) -> None:
    change = planned(pair, FOUR)

    people = {key for _, table, key in change.begun.rows if table == "clearances"}
    tickets = {key for _, table, key in change.begun.rows if table == "tickets"}

    assert people == {person.id for person in change.people}
    assert tickets == {change.project["id"], *(move.ticket["id"] for move in change.moves)}
    assert (change.begun.now, change.begun.history) == (change.company.start, ())


@pytest.mark.parametrize("pair", PARTLY)
def test_hand_overs_earlier_in_the_policy_could_not_be_left_out_instead(pair: int) -> None:
    change = planned(pair, THREE)
    assert change.left_out is not None
    order = change.moves[::-1]
    if change.which == LOWEST:
        order = sorted(change.moves, key=lambda one: PRIORITIES.index(one.ticket["priority"]))

    earlier = order[: order.index(change.left_out)]

    for move in earlier:
        others = [one for one in change.moves if one is not move]
        assert replace(change, moves=others, all_or_nothing=True, left_out=None).search() == (None, None)


@pytest.mark.parametrize("which", [LOWEST, LATEST])
def test_the_policy_decides_among_hand_overs_that_could_all_be_left_out(which: str) -> None:
    change = fresh(PARTLY[0])
    change.which = which
    capped = [move for move in change.moves if move.ceiling]

    left_out, order = change.search()

    low = next(move for move in capped if move.ticket["priority"] == "low")
    assert left_out == (low if which == LOWEST else capped[-1]).asset["id"]
    assert order is not None


@pytest.mark.parametrize("pair", NOT_AT_ALL)
def test_where_a_project_wants_all_or_nothing_no_part_is_searched_for(pair: int) -> None:
    change = fresh(pair)

    assert change.search() == (None, None)
    change.all_or_nothing = False
    assert change.search()[1] is not None


def test_a_change_that_lacks_nothing_leaves_nothing_out() -> None:
    change = fresh(0, FOUR)

    left_out, order = change.search()

    assert left_out is None
    assert order is not None


def test_decision_determines_the_moves_that_are_made() -> None:
    change = fresh(0)
    move = change.moves[1]

    change.decide(move.asset["id"], [])

    assert change.left_out is move
    assert change.made == [one for one in change.moves if one is not move]
    change.decide(None, None)
    assert vars(change)["left_out"] is None
    assert vars(change)["order"] is None
    assert change.made == change.moves


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("cause", [THREE, FOUR])
def test_every_act_of_a_planned_order_is_necessary(cause: str, pair: int) -> None:
    change = planned(pair, cause)
    order = list(change.order or ())

    assert not order or not change.fails(order)
    assert [act for act in order if not change.fails([one for one in order if one is not act])] == []


@pytest.mark.parametrize("pair", PARTLY)
def test_an_order_for_a_ceiling_of_four_does_harm_with_a_ceiling_of_three(pair: int) -> None:
    three, four = planned(pair, THREE), planned(pair, FOUR)
    assert four.order is not None

    after = three.simulation.through(three.begun, four.order)

    assert three.aim(three.made).harmed(after)
    assert three.begun.values == {three.metric["id"]: CEILINGS[THREE]}


@pytest.mark.parametrize("pair", PARTLY)
def test_an_order_that_leaves_a_part_out_misses_the_aim_where_the_ceiling_is_four(pair: int) -> None:
    three, four = planned(pair, THREE), planned(pair, FOUR)
    assert three.order is not None

    after = four.simulation.through(four.begun, three.order)

    assert not four.aim(four.made).harmed(after)
    assert four.aim(four.made).missing(after) == 1


def test_one_more_act_that_harms_nobody_but_misplaces_an_asset_fails() -> None:
    change = planned(0, FOUR)
    spare = change.spares[0]["id"]
    assert change.order is not None

    assert change.fails([*change.order, Act("assign", spare, change.people[2].id)])
