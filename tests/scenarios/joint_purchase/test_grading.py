"""What a buyer does beside or instead of the right purchase, played for real: it costs success, or is as good."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from companyos.scenario import Action, Instance, call
from companyos.sdk.simtime import DAY, HOUR
from scenarios.joint_purchase.case import BASES, WAYS
from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.scenario import SCENARIO
from scenarios.joint_purchase.terms import AGREED, DECLINED, NEXT_QUARTER, PLAIN, RESERVE

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


def first(claim: Callable[[Facts], object]) -> Of:
    return next(one for one in map(instance_drawn_with, range(200)) if claim(one.facts))


def is_simple(facts: Facts) -> bool:
    """Return whether one purchase is right all day, officers and both heads sign it, and the first cannot pay it."""
    heads, lot = {one.head.id for one in facts.departments}, facts.ending.lot
    is_short = lot is not None and facts.case.sides[0].ample < lot.price
    return (
        facts.ending.kind == PLAIN and is_short and bool(facts.also) and set(facts.signers.values()) == heads
    )


ONE = first(lambda facts: is_simple(facts) and facts.bases)
SPLIT_BY_MAIL = first(lambda facts: facts.case.basis == AGREED and facts.ending.lot)
THREE = first(lambda facts: facts.ending.kind == RESERVE and len(facts.endings) == 1)
TWICE = first(lambda facts: len(facts.endings) == 2 and facts.officers_for(facts.first_ending))
LATER = first(lambda facts: facts.ending.kind == NEXT_QUARTER)
NEVER = first(lambda facts: facts.ending.kind == DECLINED and not facts.endings)
NO_MORE = first(lambda facts: facts.ending.kind == DECLINED and facts.endings)


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


def names_of(metrics: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(one["id"]) for one in metrics}


def without_metrics(plan: Plan, ids: set[str], *tools: str) -> list[Action]:
    return [
        one for one in plan if one["tool_name"] not in tools or one["arguments"].get("metric_id") not in ids
    ]


COVER = {
    kind: next(
        seed
        for seed in range(100)
        if (facts := instance_drawn_with(seed).facts) and kind in (facts.case.basis, facts.ending.kind)
    )
    for kind in (*BASES, *WAYS, PLAIN, DECLINED)
}


@pytest.mark.parametrize("kind", COVER)
def test_the_oracle_solves_a_purchase_of_every_basis_and_every_ending(url: str, kind: str) -> None:
    of = instance_drawn_with(COVER[kind])

    episode = play(url, of, plan_of(url, of))

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
ORDERED = {"ordered_wrongly", "only_right_requested"}


@pytest.mark.parametrize(
    ("change", "flaws"),
    [
        (lambda plan: with_shares(plan, 0.06, -0.06), ORDERED),
        (lambda plan: changed(plan, REQUEST, quantity=request_in(plan)["quantity"] + 1), ORDERED),
        (lambda plan: changed(plan, REQUEST, quote=OLD_OFFER), ORDERED),
        (lambda plan: changed(plan, REQUEST, also=[]), ORDERED),
        (lambda plan: changed(plan, REQUEST, also=[*request_in(plan)["also"], "stranger"]), ORDERED),
        (lambda plan: changed(plan, REQUEST, item="A statue"), set()),
        (lambda plan: with_shares(plan, 500.0, 500.0), ORDERED),
        (lambda plan: changed(plan, REQUEST, shares=[alone(plan)]), {*ORDERED, "overspent"}),
        (lambda plan: without(plan, ORDER), {"ordered"}),
        (lambda plan: inserted(plan, call(REQUEST, **request_in(plan)), before=ORDER), {"divided"}),
        (lambda plan: [*plan[:-1], *again(plan), plan[-1]], {"divided", "ordered_twice", "overspent"}),
    ],
    ids=[
        "shares",
        "lot",
        "offer",
        "officers",
        "strangers",
        "item",
        "price",
        "alone",
        "nothing",
        "two",
        "twice",
    ],
)
def test_another_purchase_than_the_right_one_costs_success(
    url: str, change: Callable[[Plan], list[Action]], flaws: set[str]
) -> None:
    stranger = next(
        str(row["id"])
        for row in ONE.rows["approvalflow"]["people"]
        if str(row["id"]) not in f"{ONE.facts} {ONE.persona.id}" and not row["away"]
    )
    plan = [
        call(one["tool_name"], **_with_stranger(one["arguments"], stranger))
        for one in change(plan_of(url, ONE))
    ]

    episode = play(url, ONE, plan)

    assert not episode.success
    assert broken(episode) == flaws
    assert episode.grade["collateral"] or flaws <= {"ordered"} or flaws == ORDERED


def _with_stranger(arguments: Mapping[str, Any], stranger: str) -> dict[str, Any]:
    also = [stranger if one == "stranger" else one for one in arguments.get("also", ())]
    return {**arguments, **({"also": also} if also else {})}


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


@pytest.mark.parametrize(
    ("of", "flaw"), [(TWICE, "divided"), (NO_MORE, "nothing_requested")], ids=["two", "declined"]
)
def test_a_purchase_that_is_right_no_more_is_withdrawn(url: str, of: Of, flaw: str) -> None:
    assert broken(play(url, of, without(plan_of(url, of), WITHDRAW))) == {flaw}


@pytest.mark.parametrize(
    ("of", "tool", "flaws"),
    [
        (ONE, "datahub_query_metric", {"split_before_request"}),
        (SPLIT_BY_MAIL, "datahub_get_message", {"split_before_request", "read_before_order"}),
        (LATER, "datahub_get_message", {"read_before_order"}),
        (NEVER, "datahub_get_message", {"papers_read"}),
        (NEVER, REFRESH, {"ledgers_fresh"}),
    ],
    ids=["metrics", "agreement", "needs", "needs of a refusal", "ledgers of a refusal"],
)
def test_papers_and_figures_that_decide_are_read_and_fresh(
    url: str, of: Of, tool: str, flaws: set[str]
) -> None:
    episode = play(url, of, without(plan_of(url, of), tool))

    assert not episode.success
    assert broken(episode) >= flaws


def test_ledgers_are_refreshed_before_the_order_and_metrics_before_the_request(url: str) -> None:
    plan, facts = plan_of(url, ONE), ONE.facts
    ledgers, bases = names_of(facts.ledgers), names_of(facts.bases)

    def late(ids: set[str]) -> list[Action]:
        kept = without_metrics(plan, ids, REFRESH, "datahub_query_metric")
        runs = [call(REFRESH, metric_id=one) for one in sorted(ids)]
        return inserted(kept, *runs, call("wait", seconds=1000))

    assert broken(play(url, ONE, late(ledgers))) == {"ledgers_before_order"}
    assert broken(play(url, ONE, late(bases))) == {"split_before_request"}


def reordered(plan: Plan) -> list[Action]:
    asked = request_in(plan)
    return changed(plan, REQUEST, shares=asked["shares"][::-1], also=asked["also"][::-1])


@pytest.mark.parametrize(
    "change",
    [
        reordered,
        lambda plan: with_shares(plan, 0.04, -0.04),
        lambda plan: changed(plan, REQUEST, item=f"{ONE.facts.case.wanted} x {ONE.facts.item['id']}"),
        lambda plan: inserted(
            plan,
            *[call(REFRESH, metric_id=ONE.facts.ledgers[0]["id"])] * 2,
            *(
                call(
                    "datahub_message_colleague", to=one, about=ONE.facts.item["id"], body="It is on its way."
                )
                for one in (
                    ONE.facts.reporter.id,
                    ONE.facts.departments[1].head.id,
                    ONE.facts.needs[0]["sender"],
                )
            ),
        ),
    ],
    ids=["other order", "rounding", "id", "more than needed"],
)
def test_the_same_purchase_in_other_words_is_as_good(
    url: str, change: Callable[[Plan], list[Action]]
) -> None:
    episode = play(url, ONE, change(plan_of(url, ONE)))

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
    [(officer, deputy)] = of.facts.also
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
