"""The rows that a buyer may write during a joint purchase."""

from collections.abc import Iterator
from typing import Final

from companyos.sdk.company import allowances
from companyos.sdk.grading.allowances import is_near
from companyos.sdk.scenario import ANYTHING, Allowance, Table, one_of

from .facts import Facts
from .grading import TOLERANCE
from .terms import Ending

SHARES: Final[Table] = ("approvalflow", "purchase_shares")
SIGN_OFFS: Final[Table] = ("approvalflow", "sign_offs")
ORDERS: Final[Table] = ("approvalflow", "purchase_orders")
#: The most messages to each person who takes part, and the most runs of a metric of the departments.
_MESSAGES, _RUNS = 2, 4


def allowed(facts: Facts) -> Iterator[Allowance]:
    """Yield what a purchase may write, and what one that is declined may."""
    for ending in facts.endings:
        yield from _request(facts, ending)
    if facts.ending.quantity:
        paid = is_near(facts.ending.price, TOLERANCE)
        yield Allowance(ORDERS, {"purchase_id": ANYTHING, "amount": paid}, created=1)
    why = "a further run of a ledger or metric of the departments"
    for metric in (*facts.ledgers, *(row for one in facts.departments for row in one.metrics.values())):
        yield allowances.refreshes(metric["id"], at_most=_RUNS, harmless=why)
    yield from _messages(facts)


def _request(facts: Facts, ending: Ending) -> Iterator[Allowance]:
    """Yield one request for a purchase that is right before or after the colleague's order."""
    # Two purchases of one quantity differ in their shares alone, so that either may explain the one that is ordered.
    early = "a request that is right until a colleague orders, and is withdrawn"
    columns = {
        "item": lambda text: any(facts.item[one].lower() in text.lower() for one in ("name", "id")),
        "quantity": ending.quantity,
        "quote": facts.offer["id"],
        "amount": is_near(ending.price, TOLERANCE),
        "status": one_of("open", "withdrawn", "ordered"),
        "reason": ANYTHING,
    }
    harmless = "" if ending is facts.ending else early
    yield Allowance(allowances.PURCHASES, columns, created=1, harmless=harmless)
    for budget_id, amount in ending.shares.items():
        centre = {"budget_id": budget_id, "cost_centre": facts.budgets[budget_id]["cost_centre"]}
        share = {"purchase_id": ANYTHING, **centre, "amount": is_near(amount, TOLERANCE)}
        yield Allowance(SHARES, share, created=1)
    signers = [{"stage": 1, "budget_id": one, "approver": facts.signers[one]} for one in ending.shares]
    officers = [{"stage": 2, "approver": one_of(*each)} for each in facts.officers_for(ending)]
    # The lead is asked by the service.
    for signature in (*signers, *officers, {"stage": 3, "approver": ANYTHING}):
        unsigned = {"purchase_id": ANYTHING, "status": one_of("waiting", "pending", "canceled")}
        yield Allowance(SIGN_OFFS, {**unsigned, **signature}, created=1)


def _messages(facts: Facts) -> Iterator[Allowance]:
    """Yield the messages to those who asked for the purchase, need it, agree on it or sign it."""
    heads = (one.head.id for one in facts.departments)
    needy = (row["sender"] for row in facts.needs)
    officers = (person for ending in facts.endings for each in facts.officers_for(ending) for person in each)
    why = "a message about the purchase to somebody who asked for it, needs it or signs it"
    about = [facts.item["id"], facts.offer["id"], *facts.budgets]
    for person in dict.fromkeys([facts.reporter.id, *heads, *needy, *facts.signers.values(), *officers]):
        yield allowances.messages(person, about, at_most=_MESSAGES, harmless=why)
