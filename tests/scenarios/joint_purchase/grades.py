"""Committed states of a joint purchase, written row by row, for the tests of its grading."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.terms import DECLINED

from ..committed import Committed
from .drawings import Drawing, drawing

PURCHASE = "PUR-9001"


@cache
def drawn_for(*, declined: bool = False) -> Drawing:
    """Return the first drawing that is declined, or that has co-signers and is split by metrics."""
    return next(
        one
        for one in map(drawing, range(200))
        if (declined and one.facts.ending.kind == DECLINED)
        or (not declined and one.facts.also and one.facts.bases)
    )


#: The first drawing in which another purchase is right before a colleague has ordered, signed by the same officers.
TWICE = next(
    one
    for one in map(drawing, range(400))
    if len(one.facts.endings) > 1 and one.facts.officers_for(one.facts.first_ending) == one.facts.also
)


class CommittedPurchase(Committed):
    """The state at the start of an episode, in which a test writes rows."""

    def __init__(self, drawn: Drawing) -> None:
        super().__init__(drawn.company)
        self.drawn = drawn
        self.facts: Facts = drawn.facts

    def refresh(self, *metrics: Mapping[str, Any]) -> None:
        """Refresh metrics a second after the start."""
        for metric in metrics:
            self.write("datahub", "metrics", metric["id"], as_of=self.drawn.company.start + 1)

    def read(self, *papers: Mapping[str, Any]) -> None:
        """Read documents and messages."""
        for paper in papers:
            receipt = {"object_id": paper["id"], "reader": self.facts.me.id}
            self.write("datahub", "receipts", f"{paper['id']}@1:{self.facts.me.id}", **receipt)

    def purchase(
        self,
        status: str,
        purchase_id: str = PURCHASE,
        shares: Mapping[str, float] | None = None,
        **columns: Any,
    ) -> None:
        """Write a purchase of the agent, by default with the right lot and the right shares."""
        lot = self.facts.ending.lot
        right = {
            "requester": self.facts.me.id,
            "quantity": lot.quantity if lot else self.facts.case.wanted,
            "quote": self.facts.offer["id"],
        }
        self.write("approvalflow", "purchases", purchase_id, status=status, **{**right, **columns})
        paid = self.facts.ending.shares if shares is None else shares
        for number, (budget_id, amount) in enumerate(paid.items(), start=1):
            told = {"purchase_id": purchase_id, "budget_id": budget_id, "amount": amount}
            self.write("approvalflow", "purchase_shares", f"{purchase_id}-L{number}", **told)

    def sign(self, status: str, *named: str, purchase_id: str = PURCHASE) -> None:
        """Write the signatures of owners, of those named (by default the right ones), and of the lead."""
        lead = self.drawn.cast.offices["purchasing_lead"].id
        signers = [(1, one) for one in self.facts.signers.values()]
        signers += [(2, one) for one in named or self.facts.also] + [(3, lead)]
        for number, (stage, approver) in enumerate(signers, start=1):
            told = {"purchase_id": purchase_id, "stage": stage, "approver": approver, "status": status}
            self.write("approvalflow", "sign_offs", f"{purchase_id}-S{number}", **told)

    def order(self, order_id: str = "ORD-9001", by: str | None = None) -> None:
        """Write an order, by default the agent's."""
        self.write("approvalflow", "purchase_orders", order_id, ordered_by=by or self.facts.me.id)


def solved(*, declined: bool = False) -> CommittedPurchase:
    """Return the state in which the right purchase is signed and ordered, or nothing is to be bought."""
    state = CommittedPurchase(drawn_for(declined=declined))
    state.refresh(*state.facts.ledgers, *state.facts.bases)
    state.read(*state.facts.papers)
    if not declined:
        state.purchase("ordered")
        state.sign("signed")
        state.order()
    return state
