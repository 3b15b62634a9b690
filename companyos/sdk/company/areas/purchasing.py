"""Purchasing, for the builder of a company: signature stages, past orders, and colleagues' planned orders."""

from collections.abc import Sequence
from typing import NamedTuple

from ..company import Company
from ..rows import Row
from ..staff import Person

#: The type by which delegations cover purchases.
PURCHASE = "purchase"


class Stage(NamedTuple):
    """A signature stage: its signers (`owners`, `named` or `role`), and how long they take."""

    signers: str
    decision_s: int
    role: str | None = None


def set_stages(company: Company, stages: Sequence[Stage]) -> None:
    """Require purchases to be signed in these stages, in order."""
    for number, stage in enumerate(stages, start=1):
        company.add_row(
            "approvalflow", "purchase_stages", {"id": f"STG-{number}", "number": number, **stage._asdict()}
        )


def let_pay(company: Company, budget: Row) -> Row:
    """Make a DataHub budget available for purchases, and return it."""
    known = {name: budget[name] for name in ("id", "cost_centre", "owner", "starts_at")}
    company.add_row("approvalflow", "known_budgets", known)
    return budget


def order_in_the_past(
    company: Company, budget: Row, buyer: Person, item: str, quantity: int, amount: float, *, age_s: int
) -> Row:
    """Add a past purchase that was ordered on one budget and is committed in it."""
    purchase_id, order_id = company.numbers.next("PUR"), company.numbers.next("ORD")
    at = company.start - age_s
    share = {"id": f"{purchase_id}-L1", "purchase_id": purchase_id, "amount": amount}
    paid = {"budget_id": budget["id"], "cost_centre": budget["cost_centre"]}
    company.add_row("approvalflow", "purchase_shares", {**share, **paid})
    order = {"id": order_id, "purchase_id": purchase_id, "ordered_by": buyer.id, "at": at, "charged_from": at}
    company.add_row("approvalflow", "purchase_orders", {**order, "amount": amount})
    commitment = {"id": share["id"], "budget_id": budget["id"], "amount": amount, "at": at}
    company.add_row("datahub", "commitments", commitment)
    asked = {"requester": buyer.id, "requested_at": at - 86_400, "quote": None, "reason": None, "version": 5}
    return company.add_row(
        "approvalflow",
        "purchases",
        {
            "id": purchase_id,
            "item": item,
            "quantity": quantity,
            "status": "ordered",
            "amount": amount,
            "order_id": order_id,
            **asked,
        },
    )


def plan_order(
    company: Company, budget: Row, buyer: Person, item: str, quantity: int, amount: float, *, in_s: int
) -> Row:
    """Plan a colleague's order on a budget, `in_s` after the start."""
    planned = {"id": f"PLAN-{buyer.id}", "at": company.start + in_s, "buyer": buyer.id}
    bought = {"item": item, "quantity": quantity, "budget_id": budget["id"], "amount": amount}
    return company.add_row("approvalflow", "planned_orders", {**planned, **bought})
