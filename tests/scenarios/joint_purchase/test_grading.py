"""What a buyer does beside or instead of the right purchase, played for real: it costs success, or is as good."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from companyos.sdk.scenario import Action, Instance, call
from companyos.sdk.simtime import DAY, HOUR
from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.scenario import SCENARIO
from scenarios.joint_purchase.terms import AGREED, DECLINED, NEXT_QUARTER, PLAIN, RESERVE, SMALLER

from ..conftest import instance_of
from ..play import Episode, broken, carry_out, changed, inserted, next_id, solution, without

Plan = Sequence[Action]
Of = Instance[Facts]
SIZE = "small"
#: A seed at whose level 2 the finance director is away, with a deputy whose delegation names other types.
ABSENT = 815
REQUEST, ORDER = "approvalflow_request_purchase", "approvalflow_place_order"
WITHDRAW, REFRESH = "approvalflow_withdraw_purchase", "datahub_refresh_data"


@cache
def instance_drawn_with(seed: int) -> Of:
    return instance_of(SCENARIO, seed, size=SIZE)


#: One purchase is right all day, which officers and both heads sign and which no budget could pay alone.
ONE = instance_drawn_with(29)
#: The heads agree on the split by mail; a reserve pays a part; what is right to request changes during the day.
SPLIT_BY_MAIL, THREE, TWICE = map(instance_drawn_with, (4, 32, 1))
#: The next quarter pays; a purchase is declined at once; a purchase is declined after the colleague's order.
LATER, NEVER, NO_MORE = map(instance_drawn_with, (6, 39, 0))
#: A seed of each ending, and one of each basis among them.
COVER = {DECLINED: 0, SMALLER: 1, PLAIN: 2, RESERVE: 3, AGREED: 4, NEXT_QUARTER: 6}


def plan_of(url: str, of: Of) -> Plan:
    return solution(url, SCENARIO, of.seed, size=SIZE, tools="all")


def play(url: str, of: Of, plan: Plan) -> Episode:
    return carry_out(url, SCENARIO, of.seed, plan, size=SIZE, tools="all")


def request_in(plan: Plan) -> Mapping[str, Any]:
    return next(one["arguments"] for one in plan if one["tool_name"] == REQUEST)


def with_shares(plan: Plan, *amounts: float) -> list[Action]:
    """Return the plan with these amounts added to the shares, in their order."""
    shares = request_in(plan)["shares"]
    added = [
        {**share, "amount": round(share["amount"] + more, 2)}
        for share, more in zip(shares, amounts, strict=True)
    ]
    return changed(plan, REQUEST, shares=added)


@pytest.mark.parametrize("kind", COVER)
def test_the_oracle_solves_a_purchase_of_every_basis_and_every_ending(url: str, kind: str) -> None:
    of = instance_drawn_with(COVER[kind])

    episode = play(url, of, plan_of(url, of))

    assert kind in (of.facts.case.basis, of.facts.ending.kind)
    lines = [line["name"] for record in episode.trace[1:] for line in record["ledger"]]
    earned = {line.rpartition(":")[2] for line in lines}
    assert episode.success
    assert {"ledgers_fresh", *(("rightly_requested", "rightly_signed") if of.feasible else ())} <= earned
    assert ("basis_fresh" in earned) is bool(of.facts.bases and of.feasible)


OLD_OFFER = next(
    str(row["id"])
    for row in ONE.rows["datahub"]["documents"]
    if ONE.facts.item["id"] in row["links"] and row["status"] == "superseded"
)
STRANGER = next(
    str(row["id"])
    for row in ONE.rows["approvalflow"]["people"]
    if str(row["id"]) not in f"{ONE.facts} {ONE.persona.id}" and not row["away"]
)
ORDERED = {"ordered_wrongly", "only_right_requested"}


@pytest.mark.parametrize(
    ("change", "flaws"),
    [
        (lambda plan: with_shares(plan, 0.06, -0.06), ORDERED),
        (lambda plan: changed(plan, REQUEST, quantity=request_in(plan)["quantity"] + 1), ORDERED),
        (lambda plan: changed(plan, REQUEST, quote=OLD_OFFER), ORDERED),
        (lambda plan: changed(plan, REQUEST, also=[]), ORDERED),
        (lambda plan: changed(plan, REQUEST, also=[*request_in(plan)["also"], STRANGER]), ORDERED),
        (lambda plan: changed(plan, REQUEST, item="A statue"), set()),
        (lambda plan: changed(plan, REQUEST, shares=[alone(plan)]), {*ORDERED, "overspent"}),
        (lambda plan: [*plan[:-1], *again(plan), plan[-1]], {"divided", "ordered_twice", "overspent"}),
    ],
    ids=["shares", "lot", "offer", "officers", "strangers", "item", "alone", "twice"],
)
def test_another_purchase_than_the_right_one_costs_success(
    url: str, change: Callable[[Plan], list[Action]], flaws: set[str]
) -> None:
    episode = play(url, ONE, change(plan_of(url, ONE)))

    assert not episode.success
    assert broken(episode) == flaws
    assert episode.grade["collateral"] or flaws == ORDERED


def alone(plan: Plan) -> dict[str, Any]:
    """Return the share of one budget that pays everything."""
    shares = request_in(plan)["shares"]
    return {**shares[0], "amount": round(sum(one["amount"] for one in shares), 2)}


def again(plan: Plan) -> list[Action]:
    """Return the calls from the request to the order, about a purchase of their own."""
    begun = [one["tool_name"] for one in plan].index(REQUEST)
    ordered = next(one for one in plan if one["tool_name"] == ORDER)["arguments"]["purchase_id"]
    prefix, _, number = ordered.partition("-")
    # The colleague's purchase comes between the two.
    later = [plan[begun], call("wait", seconds=6 * HOUR), *plan[begun + 2 : -1]]
    return changed(later, ORDER, purchase_id=f"{prefix}-{int(number) + 2:0{len(number)}}")


def test_a_reserve_pays_neither_more_nor_less_than_its_part(url: str) -> None:
    episode = play(url, THREE, with_shares(plan_of(url, THREE), 0.0, 1.0, -1.0))

    assert broken(episode) >= {"ordered_wrongly"}
    assert not episode.success


def test_a_purchase_that_is_withdrawn_had_to_ask_the_right_officers(url: str) -> None:
    plan = list(plan_of(url, TWICE))
    begun = [one["tool_name"] for one in plan].index(REQUEST)
    plan[begun] = call(REQUEST, **{**plan[begun]["arguments"], "also": []})

    assert broken(play(url, TWICE, plan)) == {"only_right_requested"}


def test_a_purchase_that_is_withdrawn_had_to_have_the_right_shares(url: str) -> None:
    plan = list(plan_of(url, ONE))
    begun, shares = [one["tool_name"] for one in plan].index(REQUEST), request_in(plan)["shares"]
    first = next_id(ONE, "approvalflow", "purchases")
    swapped = [
        {**share, "amount": other["amount"]} for share, other in zip(shares, shares[::-1], strict=True)
    ]
    wrong = [
        *changed(plan[begun : begun + 1], REQUEST, shares=swapped),
        call("wait", seconds=HOUR),
        call(WITHDRAW, purchase_id=first, reason="The shares were swapped."),
    ]

    episode = play(url, ONE, [*plan[:begun], *wrong, *again(plan), plan[-1]])

    assert broken(episode) == {"only_right_requested"}
    assert not episode.success


@pytest.mark.parametrize(
    ("of", "flaw"), [(TWICE, "divided"), (NO_MORE, "nothing_requested")], ids=["two", "declined"]
)
def test_a_purchase_that_is_right_no_more_is_withdrawn(url: str, of: Of, flaw: str) -> None:
    assert broken(play(url, of, without(plan_of(url, of), WITHDRAW))) == {flaw}


@pytest.mark.parametrize(
    ("of", "tool", "flaws"),
    [
        (SPLIT_BY_MAIL, "datahub_get_message", {"split_before_request", "read_before_order"}),
        (LATER, "datahub_get_message", {"read_before_order"}),
        (NEVER, "datahub_get_message", {"papers_read"}),
        (NEVER, REFRESH, {"ledgers_fresh"}),
    ],
    ids=["agreement", "needs", "needs of a refusal", "ledgers of a refusal"],
)
def test_papers_and_figures_that_decide_are_read_and_fresh(
    url: str, of: Of, tool: str, flaws: set[str]
) -> None:
    episode = play(url, of, without(plan_of(url, of), tool))

    assert not episode.success
    assert broken(episode) >= flaws


def test_ledgers_are_refreshed_before_the_order_and_metrics_before_the_request(url: str) -> None:
    plan = plan_of(url, ONE)

    def late(metrics: Sequence[Mapping[str, Any]]) -> list[Action]:
        ids = sorted(str(one["id"]) for one in metrics)
        kept = [one for one in plan if one["arguments"].get("metric_id") not in ids]
        runs = [call(REFRESH, metric_id=one) for one in ids]
        return inserted(kept, *runs, call("wait", seconds=1000))

    assert broken(play(url, ONE, late(ONE.facts.ledgers))) == {"ledgers_before_order"}
    assert broken(play(url, ONE, late(ONE.facts.bases))) == {"split_before_request"}


def test_the_same_purchase_in_other_words_is_as_good(url: str) -> None:
    facts, asked = ONE.facts, request_in(plan := with_shares(plan_of(url, ONE), 0.04, -0.04))
    words = {"item": f"{facts.case.demand.wanted} x {facts.item['id']}", "also": asked["also"][::-1]}
    people = (facts.reporter.id, facts.departments[1].head.id, facts.needs[0]["sender"])
    [purchase] = [one["arguments"]["purchase_id"] for one in plan if one["tool_name"] == ORDER]
    officers = asked["also"]
    more = [
        *[call(REFRESH, metric_id=facts.ledgers[0]["id"])] * 2,
        *(call("datahub_message_colleague", to=one, about=facts.item["id"], body="Soon.") for one in people),
        *(
            call("datahub_message_colleague", to=one, about=purchase, body="Done.")
            for one in (people[1], *officers)
        ),
    ]

    episode = play(url, ONE, inserted(changed(plan, REQUEST, shares=asked["shares"][::-1], **words), *more))

    assert episode.success, episode.grade


def test_a_buyer_who_waits_for_the_colleague_need_not_make_a_request_in_vain(url: str) -> None:
    plan = list(plan_of(url, TWICE))
    vain = [one["tool_name"] for one in plan].index(REQUEST)
    plan = without([*plan[:vain], *plan[vain + 1 :]], WITHDRAW)
    number = int(next_id(TWICE, "approvalflow", "purchases").partition("-")[2])

    episode = play(url, TWICE, changed(plan, ORDER, purchase_id=f"PUR-{number + 1:04}"))

    assert episode.success, episode.grade


def test_a_purchase_that_waited_for_an_absent_officer_is_right_as_well(url: str) -> None:
    of = instance_of(SCENARIO, ABSENT, level=2)
    [(officer, deputy)] = of.facts.officers_for(of.facts.ending)
    plan = solution(url, SCENARIO, ABSENT, chaos=2, tools="all")
    patient = [
        call("wait", seconds=5 * HOUR) if one["tool_name"] == "wait" else one
        for one in changed(plan, REQUEST, also=[officer])
    ]

    episode = carry_out(
        url, SCENARIO, ABSENT, [call("wait", seconds=6 * DAY), *patient], chaos=2, tools="all"
    )

    assert request_in(plan)["also"] == [deputy]
    assert episode.success, broken(episode)
