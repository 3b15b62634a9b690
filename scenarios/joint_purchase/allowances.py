"""The rows that a buyer may write during a joint purchase."""

from collections.abc import Callable, Iterator
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
#: What the agent's own calls make of a signature.
_UNSIGNED: Final = one_of("waiting", "pending", "canceled")


def allowed(facts: Facts) -> tuple[Allowance, ...]:
    """Return what a purchase may write, and what one that is declined may."""
    return (*_requests(facts), *_order(facts), *_runs(facts), *_messages(facts))


def _requests(facts: Facts) -> Iterator[Allowance]:
    """Yield one request for each purchase that is right before or after the colleague's order."""
    for ending in facts.endings:
        yield _purchase(facts, ending)
        yield from _shares(facts, ending)
        yield from _sign_offs(facts, ending)


def _purchase(facts: Facts, ending: Ending) -> Allowance:
    # Two purchases of one lot differ in their shares alone, so that either may explain the one that is ordered.
    assert ending.lot is not None
    return Allowance(
        allowances.PURCHASES,
        {
            "item": _names_item(facts),
            "quantity": ending.lot.quantity,
            "quote": facts.offer["id"],
            "amount": is_near(ending.lot.price, TOLERANCE),
            "status": one_of("open", "withdrawn", "ordered"),
            "reason": ANYTHING,
        },
        created=1,
        harmless=""
        if ending is facts.ending
        else "a request that is right until a colleague orders, and is withdrawn",
    )


def _shares(facts: Facts, ending: Ending) -> Iterator[Allowance]:
    for budget_id, amount in ending.shares.items():
        columns = {
            "purchase_id": ANYTHING,
            "budget_id": budget_id,
            "cost_centre": facts.budgets[budget_id]["cost_centre"],
            "amount": is_near(amount, TOLERANCE),
        }
        yield Allowance(SHARES, columns, created=1)


def _sign_offs(facts: Facts, ending: Ending) -> Iterator[Allowance]:
    """Yield the signatures for the budgets, of the officers, and of the lead, whom the service asks."""
    signers = [{"stage": 1, "budget_id": one, "approver": facts.signers[one]} for one in ending.shares]
    officers = [{"stage": 2, "approver": one_of(*each)} for each in facts.officers_for(ending)]
    for signature in (*signers, *officers, {"stage": 3, "approver": ANYTHING}):
        columns = {"purchase_id": ANYTHING, "status": _UNSIGNED, **signature}
        yield Allowance(SIGN_OFFS, columns, created=1)


def _order(facts: Facts) -> Iterator[Allowance]:
    if facts.ending.lot is not None:
        columns = {"purchase_id": ANYTHING, "amount": is_near(facts.ending.lot.price, TOLERANCE)}
        yield Allowance(ORDERS, columns, created=1)


def _runs(facts: Facts) -> Iterator[Allowance]:
    metrics = [*facts.ledgers, *(row for one in facts.departments for row in one.metrics.values())]
    for metric in metrics:
        yield allowances.refreshes(
            metric["id"], at_most=_RUNS, harmless="a further run of a ledger or metric of the departments"
        )


def _messages(facts: Facts) -> Iterator[Allowance]:
    """Yield the messages to those who asked for the purchase, need it, agree on it or sign it."""
    heads = (one.head.id for one in facts.departments)
    needy = (row["sender"] for row in facts.needs)
    officers = (person for ending in facts.endings for each in facts.officers_for(ending) for person in each)
    for person in dict.fromkeys([facts.reporter.id, *heads, *needy, *facts.signers.values(), *officers]):
        yield allowances.messages(
            person,
            [facts.item["id"], facts.offer["id"], *facts.budgets],
            at_most=_MESSAGES,
            harmless="a message about the purchase to somebody who asked for it, needs it or signs it",
        )


def _names_item(facts: Facts) -> Callable[[str], bool]:
    names = (str(facts.item["name"]).lower(), str(facts.item["id"]).lower())
    return lambda text: any(name in text.lower() for name in names)
