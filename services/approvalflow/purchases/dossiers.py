"""Purchases as they are requested and as they are shown, with their shares and signatures."""

from collections.abc import Sequence
from dataclasses import dataclass

from .models import KnownBudget, Purchase, PurchaseShare, SignOff


@dataclass(frozen=True)
class Charge:
    """A requested share: the budget, the amount, and the person who is to sign for it."""

    budget_id: str
    amount: float
    approver: str


@dataclass(frozen=True)
class PurchaseDossier:
    """A purchase with its shares and signatures."""

    id: str
    item: str
    quantity: int
    quote: str | None
    requester: str
    status: str
    amount: float
    requested_at: int
    order_id: str | None
    reason: str | None
    shares: list[PurchaseShare]
    sign_offs: list[SignOff]
    version: int


def shares_of(
    purchase: Purchase, charges: Sequence[Charge], budgets: dict[str, KnownBudget]
) -> list[PurchaseShare]:
    """Return the shares of a purchase that the budgets pay."""
    return [
        PurchaseShare(
            f"{purchase.id}-L{number}",
            purchase.id,
            charge.budget_id,
            budgets[charge.budget_id].cost_centre,
            charge.amount,
        )
        for number, charge in enumerate(charges, start=1)
    ]


def dossier_of(purchase: Purchase, shares: list[PurchaseShare], sign_offs: list[SignOff]) -> PurchaseDossier:
    """Return a purchase with its shares and signatures."""
    return PurchaseDossier(
        id=purchase.id,
        item=purchase.item,
        quantity=purchase.quantity,
        quote=purchase.quote,
        requester=purchase.requester,
        status=purchase.status,
        amount=purchase.amount,
        requested_at=purchase.requested_at,
        order_id=purchase.order_id,
        reason=purchase.reason,
        shares=shares,
        sign_offs=sign_offs,
        version=purchase.version,
    )
