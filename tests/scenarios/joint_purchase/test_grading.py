"""The grading of a joint purchase: the right rows succeed, and each required fact that is flipped is noticed."""

from typing import Any

import pytest

from scenarios.joint_purchase import grading
from scenarios.joint_purchase.terms import split

from .grades import PURCHASE, Committed, drawn_for, solved

ONLY_RIGHT = "only_right_requested"


def failing(state: Committed) -> set[str]:
    return {one.name for one in grading.musts(state.facts) if not one.holds(state.view)}


def missing(state: Committed) -> set[str]:
    """Return which musts fail, but for the one that every wrong request fails."""
    return failing(state) - {ONLY_RIGHT}


def broken(state: Committed) -> set[str]:
    return {one.name for one in grading.forbidden(state.facts) if one.holds(state.view)}


def earned(state: Committed) -> set[str]:
    return {one.name for one in grading.milestones(state.facts) if one.holds(state.view)}


def with_shares(**changes: float) -> dict[str, float]:
    """Return the right shares with some amounts added, by `first`, `second` or the id of a budget."""
    right = dict(drawn_for().facts.ending.shares)
    names = dict(zip(("first", "second"), right, strict=False))
    for name, more in changes.items():
        budget_id = names.get(name, name)
        right[budget_id] = round(right.get(budget_id, 0.0) + more, 2)
    return right


def ordered(**changes: Any) -> Committed:
    """Return the solved state, but for changes of what was ordered."""
    state = solved()
    state.purchase("ordered", **changes)
    return state


def test_the_right_order_holds_everything_and_breaks_nothing() -> None:
    state = solved()

    assert failing(state) == set()
    assert broken(state) == set()
    assert earned(state) == {one.name for one in grading.milestones(state.facts)}


def test_at_the_start_nothing_is_earned_or_broken_and_everything_is_missing() -> None:
    state = Committed(drawn_for())

    assert failing(state) == {one.name for one in grading.musts(state.facts)} - {ONLY_RIGHT}
    assert broken(state) == earned(state) == set()


def test_where_nothing_can_be_bought_only_the_ledgers_and_the_papers_are_required() -> None:
    state = Committed(drawn_for(declined=True))

    assert missing(state) == {"ledgers_fresh", "papers_read"}
    assert missing(solved(declined=True)) == set()
    assert earned(solved(declined=True)) == {"ledgers_fresh"}


@pytest.mark.parametrize("status", ["open", "approved", "ordered"])
def test_where_nothing_can_be_bought_no_request_may_be_left(status: str) -> None:
    state = solved(declined=True)

    state.purchase(status)

    assert missing(state) == {"nothing_requested"}


@pytest.mark.parametrize("status", ["withdrawn", "rejected"])
def test_a_request_that_is_over_is_not_left(status: str) -> None:
    state = solved(declined=True)

    state.purchase(status)

    assert missing(state) == set()


@pytest.mark.parametrize("number", [0, 1])
def test_each_ledger_and_each_metric_of_the_basis_must_be_refreshed(number: int) -> None:
    state = solved()
    for kind in ("ledgers", "bases"):
        metric = getattr(state.facts, kind)[number]
        state.write("datahub", "metrics", metric["id"], as_of=metric["as_of"])

    assert missing(state) == {"ledgers_fresh", "basis_fresh"}
    assert earned(state) == {"rightly_requested", "rightly_signed"}


def test_a_metric_that_is_gone_was_not_refreshed() -> None:
    state = solved()

    state.remove("datahub", "metrics", state.facts.ledgers[0]["id"])

    assert missing(state) == {"ledgers_fresh"}


@pytest.mark.parametrize(("more", "is_right"), [(0.05, True), (-0.05, True), (0.06, False), (-0.06, False)])
def test_a_share_may_be_off_by_the_rounding_and_no_more(more: float, is_right: bool) -> None:
    state = ordered(shares=with_shares(first=more))

    assert (missing(state) == set()) is is_right
    assert ("ordered_wrongly" not in broken(state)) is is_right


def test_only_the_share_that_is_off_is_missing() -> None:
    first, _ = sorted(drawn_for().facts.ending.shares)

    state = ordered(shares=with_shares(**{first: 1.0}))

    assert missing(state) == {"share_1"}
    assert broken(state) >= {"ordered_wrongly"}


def test_payment_from_another_budget_is_forbidden() -> None:
    following = drawn_for().facts.departments[0].following["id"]

    state = ordered(shares=with_shares(**{following: 0.01}))

    assert {"share_1", "share_2"} <= missing(state)
    assert broken(state) == {"ordered_wrongly"}


@pytest.mark.parametrize(
    "change",
    [{"quantity": drawn_for().facts.case.wanted + 1}, {"quote": "DOC-0000"}, {"quote": None}],
    ids=["quantity", "offer", "no offer"],
)
def test_the_lot_must_be_that_of_the_offer_in_force(change: dict[str, Any]) -> None:
    state = ordered(**change)

    assert missing(state) == {"lot_right"}
    assert broken(state) == {"ordered_wrongly"}


@pytest.mark.parametrize("status", ["waiting", "pending", "rejected", "canceled"])
def test_every_signature_must_be_given(status: str) -> None:
    state = solved()

    state.write("approvalflow", "sign_offs", f"{PURCHASE}-S1", status=status)

    assert missing(state) == {"signed"}


def test_a_purchase_without_signatures_is_not_signed() -> None:
    state = Committed(drawn_for())
    state.refresh(*state.facts.ledgers, *state.facts.bases)
    state.read(*state.facts.papers)

    state.purchase("ordered")
    state.order()

    assert missing(state) == {"signed"}


def test_sign_off_beyond_the_required_ones_is_forbidden() -> None:
    state = solved()

    state.sign("signed", *state.facts.also, "ada.else")

    assert missing(state) == {"signed"}
    assert broken(state) == {"ordered_wrongly"}


def test_those_who_have_to_sign_besides_must_be_asked() -> None:
    state = solved()
    for row in state.view.rows("approvalflow", "sign_offs", stage=2):
        state.write("approvalflow", "sign_offs", row["id"], approver="ada.else")

    assert missing(state) == {"signed"}
    assert broken(state) == {"ordered_wrongly"}


def test_exactly_one_order_is_required() -> None:
    none, two = Committed(drawn_for()), solved()
    two.order("ORD-9002")

    assert "ordered_once" in missing(none)
    assert missing(two) == {"ordered_once"}


def test_the_order_of_a_colleague_is_not_the_agents() -> None:
    state = solved()

    state.order("ORD-9002", by="ada.else")

    assert missing(state) == set()


@pytest.mark.parametrize(
    ("status", "milestones"),
    [
        ("open", {"rightly_requested"}),
        ("approved", {"rightly_requested", "rightly_signed"}),
        ("ordered", {"rightly_requested", "rightly_signed"}),
        ("rejected", set()),
        ("withdrawn", set()),
    ],
)
def test_a_request_earns_while_it_lives_and_more_once_it_is_signed(status: str, milestones: set[str]) -> None:
    state = Committed(drawn_for())
    state.sign("pending")

    state.purchase(status)

    assert earned(state) == milestones


@pytest.mark.parametrize(
    "change",
    [{"quantity": 1}, {"quote": "DOC-0000"}, {"requester": "ada.else"}, {"shares": with_shares(first=9.0)}],
    ids=["quantity", "offer", "requester", "share"],
)
def test_a_wrong_request_earns_nothing_and_does_no_harm_before_it_is_ordered(change: dict[str, Any]) -> None:
    state = Committed(drawn_for())
    state.sign("signed")

    state.purchase("approved", **change)

    assert earned(state) == broken(state) == set()


def test_two_live_requests_divide_the_purchase() -> None:
    state = solved()

    state.purchase("open", "PUR-9002")

    assert broken(state) == {"divided"}


def test_a_request_after_a_withdrawn_one_divides_nothing() -> None:
    state = solved()

    state.purchase("withdrawn", "PUR-9002")
    state.purchase("open", "PUR-9003", requester="ada.else")

    assert broken(state) == set()


def test_a_second_order_is_forbidden_even_if_it_is_right() -> None:
    state = solved()

    state.purchase("ordered", "PUR-9002", shares={})
    state.sign("signed", purchase_id="PUR-9002")

    assert {"ordered_twice", "divided", "ordered_wrongly"} == broken(state)


def room(state: Committed) -> tuple[str, float]:
    """Return a budget that pays, and what is left of it once all orders of the state are placed."""
    department = next(
        one for one in state.facts.departments if one.current["id"] in state.facts.ending.shares
    )
    budget_id = department.current["id"]
    spent = [row["amount"] for row in state.view.rows("approvalflow", "purchase_shares", budget_id=budget_id)]
    return budget_id, department.current["limit_amount"] - state.drawn.fresh(department.ledger["id"]) - sum(
        spent
    )


@pytest.mark.parametrize(("beyond", "is_overspent"), [(0.04, False), (0.06, True)])
@pytest.mark.parametrize("status", ["ordered", "approved"])
def test_a_budget_is_overspent_by_orders_beyond_what_the_fresh_ledger_leaves(
    status: str, beyond: float, is_overspent: bool
) -> None:
    state = solved()
    budget_id, left = room(state)

    state.purchase(status, "PUR-9002", {budget_id: left + beyond}, requester="ada.else")

    assert ("overspent" in broken(state)) is (is_overspent and status == "ordered")


def test_overspending_by_colleagues_is_not_the_agents_fault() -> None:
    state = Committed(drawn_for())
    budget_id, left = room(state)

    state.purchase("ordered", "PUR-9002", {budget_id: left + 1.0}, requester="ada.else")

    assert broken(state) == set()


def test_a_wrong_order_where_nothing_can_be_bought_overspends_the_short_budget() -> None:
    state = solved(declined=True)
    facts = state.facts
    shares = split(facts.case.lot.price, [side.weight for side in facts.case.sides])

    state.purchase(
        "ordered",
        shares={one.current["id"]: 3 * share for one, share in zip(facts.departments, shares, strict=True)},
    )

    assert broken(state) == {"overspent", "ordered_wrongly"}


def test_the_ledgers_come_before_the_first_order() -> None:
    order, _ = grading.orders(drawn_for().facts)
    start, requested = Committed(drawn_for()), Committed(drawn_for())

    requested.purchase("approved")

    assert not order.first(start.view)
    assert not order.then(requested.view)
    assert order.first(solved().view)
    assert order.then(solved().view)
    assert grading.orders(drawn_for(declined=True).facts) == ()


def test_only_this_quarters_the_nexts_and_the_reserves_budgets_can_be_overspent() -> None:
    state = solved()
    department = state.facts.departments[0]
    [past] = state.view.rows("datahub", "budgets", name=f"{department.name}, last quarter")

    state.purchase("ordered", shares=with_shares(**{past["id"]: past["limit_amount"]}))

    assert broken(state) == {"ordered_wrongly"}
