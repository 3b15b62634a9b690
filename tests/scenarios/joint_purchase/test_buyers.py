"""The scripted buyers' decisions: whom they ask to sign, when they look again, and when they give up."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.simtime import HOUR, MINUTE, to_iso
from scenarios.joint_purchase import agents
from scenarios.joint_purchase.terms import PLAIN, Ending, Lot
from tests.scenarios.scripted import Conversation, Refusal, in_turn, listed

from .replies import OFFER, RULES, START, Purchases, office, person, shown, work

FULL = Ending(PLAIN, OFFER.lots[0], {"BUD-11": 2000.0, "BUD-21": 2000.0}, ())
REQUEST, ORDER = "approvalflow_request_purchase", "approvalflow_place_order"
#: No remedy for the second department, which has no reserve.
ONLY_RESERVE = replace(RULES, ways=("reserve",))
WITHDRAW = "approvalflow_withdraw_purchase"
STAYS_AWAY = {"is_away": True, "away_until": to_iso(START + 96 * HOUR)}


def requested(talk: Conversation, ending: Ending = FULL, **found: Any) -> dict[str, Any]:
    """Return the arguments with which the purchase of an ending is requested."""
    talk.run(agents._requested(work(talk.asker(), **found), ending))
    return talk.calls_of(REQUEST)[0]


def ended(talk: Conversation) -> list[str]:
    """Return the tools that change something, in the order in which they were called."""
    changing = (REQUEST, WITHDRAW, ORDER, "refuse", "finish")
    return [tool for tool, _ in talk.calls if tool in changing]


def test_a_request_names_the_lot_the_offer_and_an_owner_for_each_share() -> None:
    made = requested(office())

    assert (made["item"], made["quantity"], made["quote"]) == ("places", 40, "DOC-5")
    assert made["shares"] == [
        {"budget_id": "BUD-11", "amount": 2000.0, "approver": "ada"},
        {"budget_id": "BUD-21", "amount": 2000.0, "approver": "bo"},
    ]


def test_the_owner_of_a_reserve_signs_for_it() -> None:
    with_reserve = replace(FULL, shares={"BUD-11": 1800.0, "BUD-91": 200.0, "BUD-21": 2000.0})

    made = requested(office(), with_reserve, owners={"BUD-91": "kit"})

    assert [one["approver"] for one in made["shares"]] == ["ada", "kit", "bo"]


@pytest.mark.parametrize(
    ("signing", "also"),
    [((4000.01, 9000.0), []), ((4000.0, 9000.0), ["fin"]), ((1000.0, 4000.0), ["fin", "cfo"])],
    ids=["nobody", "the director", "both"],
)
def test_the_offices_that_the_total_asks_for_sign_and_no_others_are_looked_up(
    signing: tuple[float, float], also: list[str]
) -> None:
    talk = office()

    made = requested(talk, rules=replace(RULES, signing=signing))

    assert made["also"] == also
    assert len(talk.calls_of("datahub_get_approver")) == len(also)


def test_the_total_of_a_smaller_lot_decides_who_signs_for_it() -> None:
    smaller = Ending("smaller_lot", Lot(30, 3100.0), {"BUD-11": 1550.0, "BUD-21": 1550.0}, ("BUD-11",))

    assert requested(office(), smaller)["also"] == []


def test_the_holder_of_an_office_is_looked_up_once() -> None:
    talk = office()
    known = work(talk.asker())

    for _ in range(2):
        talk.run(agents._requested(known, FULL))

    assert len(talk.calls_of("datahub_get_approver")) == 1


@pytest.mark.parametrize(("signing", "hours"), [((4000.0, 9000.0), 4), ((5000.0, 9000.0), 3)])
def test_an_hour_more_is_waited_if_others_sign_besides_the_owners(
    signing: tuple[float, float], hours: int
) -> None:
    talk = office()

    requested(talk, rules=replace(RULES, signing=signing))

    assert talk.calls_of("wait") == [{"until": to_iso(START + hours * HOUR + 2 * MINUTE)}]


def test_orders_on_a_budget_are_added_up_whosever_they_are() -> None:
    def purchase(status: str, **amounts: float) -> dict[str, Any]:
        shares = [{"budget_id": f"BUD-{name[1:]}", "amount": amount} for name, amount in amounts.items()]
        return {"status": status, "shares": shares}

    made = [
        purchase("ordered", B1=10.1, B2=500.0),
        purchase("ordered", B1=20.2),
        purchase("approved", B1=1000.0),
        purchase("withdrawn", B1=1000.0),
    ]

    assert agents._ordered_on("BUD-1", made) == 30.3
    assert agents._ordered_on("BUD-3", made) == 0.0


def line(status: str, version: int = 2, purchase_id: str = "PUR-7", due: str | None = None) -> dict[str, Any]:
    """Return a purchase as it is listed, with the time at which its only signer looks at it."""
    shares = [{"budget_id": "BUD-12", "amount": 5.0}]
    told = {"id": purchase_id, "status": status, "version": version, "shares": shares}
    return {**told, "sign_offs": [{"due_at": due}, {"due_at": None}]}


def polled(*pages: list[dict[str, Any]]) -> tuple[dict[str, Any], Conversation]:
    """Return what a purchase has become, from the lists of both budgets in turn."""
    talk = office(approvalflow_list_purchases=in_turn(*(listed(*page) for page in pages)))
    made = talk.run(agents._signed(work(talk.asker()), line("open")))
    return dict(made), talk


def test_an_open_purchase_is_looked_at_again_when_the_next_signer_is_due() -> None:
    due = to_iso(START + HOUR)

    made, talk = polled([line("open", due=due)], [line("open", due=due)], [line("approved", 3)])

    assert made["status"] == "approved"
    assert talk.calls_of("wait") == [{"until": due}]


def test_a_purchase_that_two_lists_show_differently_is_read_again() -> None:
    made, talk = polled([line("approved", 3)], [line("rejected", 4)], [line("rejected", 4)])

    assert made["status"] == "rejected"
    assert len(talk.calls_of("approvalflow_list_purchases")) == 4


def test_a_purchase_on_the_next_quarters_budgets_is_looked_up_there() -> None:
    made, talk = polled([], [], [line("approved", 3)])

    assert made["status"] == "approved"
    assert [one["budget_id"] for one in talk.calls_of("approvalflow_list_purchases")] == [
        "BUD-11",
        "BUD-21",
        "BUD-12",
    ]


def test_purchases_of_others_are_not_taken_for_the_own_one() -> None:
    made, _ = polled([line("ordered", 9, "PUR-1"), line("approved", 3)], [line("approved", 3)])

    assert (made["id"], made["status"]) == ("PUR-7", "approved")


def test_the_oracle_orders_once_everybody_has_signed_and_the_budgets_still_suffice() -> None:
    talk = office()

    talk.run(agents.oracle(talk.first))

    assert ended(talk) == [REQUEST, ORDER, "finish"]
    assert talk.calls_of(ORDER) == [{"purchase_id": "PUR-7"}]


@pytest.mark.parametrize(("spent", "is_short"), [(1000.0, False), (1000.01, True)])
def test_the_oracle_withdraws_a_request_if_a_colleague_was_faster(spent: float, is_short: bool) -> None:
    talk = office(Purchases({"BUD-21": spent}))

    talk.run(agents.oracle(talk.first))

    first = [REQUEST, WITHDRAW] if is_short else []
    assert ended(talk) == [*first, REQUEST, ORDER, "finish"]
    assert [one["purchase_id"] for one in talk.calls_of(WITHDRAW)] == ["PUR-7"] * is_short
    assert talk.calls_of(REQUEST)[-1]["quantity"] == (30 if is_short else 40)


def test_the_oracle_refuses_with_the_short_budget_if_no_remedy_is_possible() -> None:
    talk = office(
        rules=ONLY_RESERVE,
        datahub_get_budget=lambda asked: shown(
            asked["budget_id"], 2500.0 if asked["budget_id"] == "BUD-21" else 0.0
        ),
    )

    talk.run(agents.oracle(talk.first))

    assert ended(talk) == ["refuse"]
    assert talk.calls_of("refuse") == [{"reason_code": "no_budget", "evidence": ["BUD-21"]}]


def test_the_oracle_withdraws_before_it_refuses_what_has_become_impossible() -> None:
    talk = office(Purchases({"BUD-21": 2900.0}), rules=ONLY_RESERVE)

    talk.run(agents.oracle(talk.first))

    assert ended(talk) == [REQUEST, WITHDRAW, "refuse"]
    assert talk.calls_of("refuse")[0]["evidence"] == ["BUD-21"]


def test_the_oracle_asks_again_after_a_rejection_and_withdraws_nothing() -> None:
    talk = office(Purchases(statuses=("rejected", "approved")))

    talk.run(agents.oracle(talk.first))

    assert ended(talk) == [REQUEST, REQUEST, ORDER, "finish"]


def test_the_careful_buyer_orders_what_the_oracle_would_withdraw() -> None:
    talk = office(Purchases({"BUD-21": 2900.0}))

    talk.run(agents.careful(talk.first))

    assert ended(talk) == [REQUEST, ORDER, "finish"]


def test_the_careful_buyer_refuses_what_the_ledgers_rule_out() -> None:
    talk = office(rules=ONLY_RESERVE, datahub_get_budget=lambda asked: shown(asked["budget_id"], 2500.0))

    talk.run(agents.careful(talk.first))

    assert talk.calls_of("refuse") == [{"reason_code": "no_budget", "evidence": ["BUD-11", "BUD-21"]}]


def test_the_naive_buyer_splits_in_half_and_refreshes_nothing() -> None:
    talk = office()

    talk.run(agents.naive(talk.first))

    [made] = talk.calls_of(REQUEST)
    assert [one["amount"] for one in made["shares"]] == [2000.0, 2000.0]
    assert "also" not in made
    assert talk.calls_of("datahub_refresh_data") == []
    assert ended(talk) == [REQUEST, ORDER, "finish"]


def test_the_naive_buyer_believes_in_delegates_without_a_look_at_what_they_may_sign() -> None:
    away = {"delegate": "dan", "delegate_types": [], "delegate_limit": 1.0, **STAYS_AWAY}
    talk = office(datahub_get_person=in_turn(person("ada", **away), person("bo")))

    talk.run(agents.naive(talk.first))

    assert [one["approver"] for one in talk.calls_of(REQUEST)[0]["shares"]] == ["dan", "bo"]


def test_the_naive_buyer_says_that_it_is_ordered_even_where_the_order_is_refused() -> None:
    talk = office(approvalflow_place_order=Refusal("not_signed"))

    talk.run(agents.naive(talk.first))

    assert talk.calls[-1] == ("finish", {"answer": "It is ordered."})
