"""The rows that an agent may write while it closes a quarter."""

from collections.abc import Iterator

from companyos.sdk.company import allowances
from companyos.sdk.scenario import Allowance

from . import plan
from .facts import Facts
from .pack import CLOSE_APPROVAL, VARIANCE_TICKET

#: The most messages to the owner of a line about one of its metrics.
_MESSAGES = 3


def allowed(facts: Facts) -> tuple[Allowance, ...]:
    """Return what a close may write, and what a close that is postponed may."""
    ticket = (
        allowances.progress(
            facts.ticket["id"],
            facts.me.id,
            ends=facts.is_feasible,
            harmless="taking the ticket of the close, and its progress",
        ),
        *allowances.correspondence(facts.ticket, facts.books.period["id"], task="the close"),
    )
    if facts.is_feasible:
        return (*_runs(facts), *_messages(facts), *_settlement(facts), *ticket)
    # While an earlier quarter is reopened, nothing is taken anew.
    return (*(_runs(facts) if facts.down is not None else ()), *ticket)


def _runs(facts: Facts) -> Iterator[Allowance]:
    for name in facts.needed:
        fails = facts.failures.get(name, 0)
        runs = facts.rules["runs"] if fails == plan.NEVER else fails + 1
        again = "a further run of a figure that has to be taken"
        yield allowances.refreshes(facts.metric(name), at_most=runs + 1, harmless=again)


def _messages(facts: Facts) -> Iterator[Allowance]:
    for owner, metrics in facts.metrics_by_owner.items():
        yield allowances.messages(
            owner,
            [*metrics, facts.books.period["id"]],
            at_most=_MESSAGES * len(metrics),
            harmless="a further message to the owner of a line about it or the period",
        )


def _papers(facts: Facts) -> list[str]:
    """Return what a close rests on: its ticket and period, the manual, the memo and the figures."""
    memo = [] if facts.memo is None else [facts.memo["id"]]
    figures = [facts.metric(one.name) for one in facts.figures]
    return [facts.ticket["id"], facts.books.period["id"], facts.manual["id"], *memo, *figures]


def _settlement(facts: Facts) -> Iterator[Allowance]:
    """Yield the tickets, the request for the approval, and the lock."""
    for metric_id, priority in facts.wanted.items():
        yield allowances.new_tickets(VARIANCE_TICKET, subject=metric_id, priority=priority)
    yield allowances.new_requests(
        CLOSE_APPROVAL,
        approver=facts.approver,
        fields=facts.is_stated_right,
        ticket_id=facts.ticket["id"],
        evidence=allowances.has_attached(_papers(facts)),
    )
    yield allowances.messages(
        facts.approver,
        [facts.ticket["id"], facts.books.period["id"]],
        at_most=_MESSAGES,
        harmless="a message about the close to its approver",
    )
    yield Allowance(("datahub", "periods"), {"status": "locked"}, key=facts.books.period["id"])
