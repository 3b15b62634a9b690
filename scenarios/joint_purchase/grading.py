"""Grading of a joint purchase: what must hold, and what must not happen."""

from math import fsum
from typing import Final

from companyos.sdk.company.areas.spending import LEDGER
from companyos.sdk.company.reading import has_read, has_read_anew, is_fresh
from companyos.sdk.grading.allowances import is_near
from companyos.sdk.grading.predicates import all_of
from companyos.sdk.scenario import Check, Forbidden, Harm, Milestone, Order, Predicate, Row, View

from .facts import Facts
from .terms import Ending

#: How far a share may be off, in EUR.
TOLERANCE: Final = 0.05
#: Statuses of purchases that count.
_LIVE: Final = ("open", "approved", "ordered")
_SIGNED: Final = ("approved", "ordered")


def musts(facts: Facts) -> tuple[Check, ...]:
    """Return what must hold for success besides the orders."""
    right = Check(
        "only_right_requested",
        _is_only_right_requested(facts),
        "Nobody was asked to sign anything but the right purchase.",
    )
    if facts.ending.lot is not None:
        return (right, Check("ordered", _are_orders(facts, 1), "The purchase is ordered."))
    return (
        right,
        Check("ledgers_fresh", is_fresh(*facts.ledgers), "The ledgers of both budgets were refreshed."),
        Check("papers_read", are_read(facts), "The offer and the mails that decide were read."),
        Check("nothing_requested", _nothing_is_asked(facts), "No purchase of it is left."),
    )


def milestones(facts: Facts) -> tuple[Milestone, ...]:
    """Return the milestones."""
    ledgers = Milestone("ledgers_fresh", 1.0, is_fresh(*facts.ledgers))
    if facts.ending.lot is None:
        return (ledgers,)
    basis = (Milestone("basis_fresh", 1.0, is_fresh(*facts.bases)),) if facts.bases else ()
    return (
        ledgers,
        *basis,
        Milestone("rightly_requested", 2.0, _there_is(facts, _LIVE)),
        Milestone("rightly_signed", 3.0, _there_is(facts, _SIGNED)),
    )


def forbidden(facts: Facts) -> tuple[Forbidden, ...]:
    """Return what rules out success."""
    return (
        Forbidden("overspent", _is_overspent(facts), "A budget was overspent.", Harm.IRREVERSIBLE),
        Forbidden(
            "ordered_wrongly", _is_ordered_wrongly(facts), "What was ordered is wrong.", Harm.IRREVERSIBLE
        ),
        Forbidden("ordered_twice", _are_orders(facts, 2), "There is a second order.", Harm.DUPLICATE),
        Forbidden("divided", _is_divided(facts), "The purchase was divided into several requests."),
    )


def orders(facts: Facts) -> tuple[Order, ...]:
    """Return the required orders of acts."""
    return (
        Order("split_before_request", _split_is_known(facts), lambda view: bool(_own(view, facts))),
        Order("ledgers_before_order", is_fresh(*facts.ledgers), _are_orders(facts, 1)),
        Order("read_before_order", are_read(facts), _are_orders(facts, 1)),
    )


def _split_is_known(facts: Facts) -> Predicate:
    """Return whether the agent has read the offer, and the agreement or the fresh metrics that split the price."""
    me, agreed = facts.me.id, [] if facts.bases else [facts.agreement["id"]]
    return all_of(has_read(me, facts.offer["id"], *agreed), has_read_anew(me, *facts.bases))


def are_read(facts: Facts) -> Predicate:
    """Return whether the agent has read the papers that decide the purchase."""

    return has_read(facts.me.id, *(row["id"] for row in facts.papers))


def _own(view: View, facts: Facts) -> list[Row]:
    return view.rows("approvalflow", "purchases", requester=facts.me.id)


def _ordered(view: View, facts: Facts) -> list[Row]:
    return [row for row in _own(view, facts) if row["status"] == "ordered"]


def _shares(view: View, purchase: Row) -> dict[str, float]:
    rows = view.rows("approvalflow", "purchase_shares", purchase_id=purchase["id"])
    return {row["budget_id"]: row["amount"] for row in rows}


def _has_the_lot(facts: Facts, purchase: Row, ending: Ending) -> bool:
    lot = ending.lot
    return lot is not None and (purchase["quantity"], purchase["quote"]) == (lot.quantity, facts.offer["id"])


def _has_the_shares(view: View, purchase: Row, ending: Ending) -> bool:
    paid, wanted = _shares(view, purchase), ending.shares
    return set(paid) == set(wanted) and all(is_near(wanted[one], TOLERANCE)(paid[one]) for one in wanted)


def _asks_the_right(view: View, facts: Facts, purchase: Row, ending: Ending) -> bool:
    rows = view.rows("approvalflow", "sign_offs", purchase_id=purchase["id"], stage=2)
    officers, asked = facts.officers_for(ending), {row["approver"] for row in rows}
    return len(asked) == len(officers) and all(asked.intersection(one) for one in officers)


def _is_right(view: View, facts: Facts, purchase: Row, *endings: Ending) -> bool:
    """Return whether a purchase is as one of these endings has it, by default the one to order."""
    return any(
        _has_the_lot(facts, purchase, ending)
        and _has_the_shares(view, purchase, ending)
        and _asks_the_right(view, facts, purchase, ending)
        for ending in endings or (facts.ending,)
    )


def _is_only_right_requested(facts: Facts) -> Predicate:
    """Return whether all purchases, even withdrawn ones, were right before or after the colleague's order."""
    return lambda view: all(_is_right(view, facts, one, *facts.endings) for one in _own(view, facts))


def _there_is(facts: Facts, statuses: tuple[str, ...]) -> Predicate:
    return lambda view: any(
        one["status"] in statuses and _is_right(view, facts, one) for one in _own(view, facts)
    )


def _nothing_is_asked(facts: Facts) -> Predicate:
    return lambda view: not any(one["status"] in _LIVE for one in _own(view, facts))


def _are_orders(facts: Facts, count: int) -> Predicate:
    return lambda view: len(_ordered(view, facts)) >= count


def _is_ordered_wrongly(facts: Facts) -> Predicate:
    return lambda view: any(not _is_right(view, facts, one) for one in _ordered(view, facts))


def _is_divided(facts: Facts) -> Predicate:
    return lambda view: sum(one["status"] in _LIVE for one in _own(view, facts)) > 1


def _is_overspent(facts: Facts) -> Predicate:
    """Return whether orders on a budget exceed what is left of it according to the fresh ledger."""

    def holds(view: View) -> bool:
        spent = {budget_id for one in _ordered(view, facts) for budget_id in _shares(view, one)}
        return any(_left(view, budget_id) < -TOLERANCE for budget_id in sorted(spent & set(facts.budgets)))

    return holds


def _left(view: View, budget_id: str) -> float:
    budget = view.row("datahub", "budgets", budget_id)
    [ledger] = view.rows("datahub", "metrics", subject=budget_id, name=LEDGER)
    source = view.row("datahub", "sources", ledger["id"])
    committed = source["values"][-1] if source is not None and source["values"] else ledger["value"]
    amounts = [
        -share["amount"]
        for share in view.rows("approvalflow", "purchase_shares", budget_id=budget_id)
        if (one := view.row("approvalflow", "purchases", share["purchase_id"])) and one["status"] == "ordered"
    ]
    return fsum([budget["limit_amount"] if budget else 0.0, -committed, *amounts])
