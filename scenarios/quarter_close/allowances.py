"""The rows that an agent may write while it closes a quarter."""

from collections.abc import Iterator

from companyos.sdk.company import allowances
from companyos.sdk.scenario import Allowance

from .facts import Facts
from .pack import CLOSE_APPROVAL, VARIANCE_TICKET

#: The most messages to the owner of a line about one of its metrics, and to the approver.
_MESSAGES = 3


def allowed(facts: Facts) -> Iterator[Allowance]:
    """Yield what a close may write, and what a close that is postponed may."""
    # While an earlier quarter is reopened, nothing is taken anew.
    if facts.is_feasible or facts.down is not None:
        yield from _runs(facts)
    if facts.is_feasible:
        yield from _questions(facts)
        yield from _settlement(facts)
    work = "taking the ticket of the close, and its progress"
    yield allowances.progress(facts.ticket["id"], facts.me.id, ends=facts.is_feasible, harmless=work)
    yield from allowances.correspondence(facts.ticket, facts.books.period["id"], task="the close")


def _runs(facts: Facts) -> Iterator[Allowance]:
    again = "a further run of a figure that has to be taken"
    for figure in facts.needed:
        at_most = 1 + min(facts.failures.get(figure.id, 0) + 1, facts.rules["runs"])
        yield allowances.refreshes(figure.id, at_most=at_most, harmless=again)


def _questions(facts: Facts) -> Iterator[Allowance]:
    more = "a further message to the owner of a line about it or the period"
    for owner, metrics in facts.metrics_by_owner.items():
        about, at_most = [*metrics, facts.books.period["id"]], _MESSAGES * len(metrics)
        yield allowances.messages(owner, about, at_most=at_most, harmless=more)


def _settlement(facts: Facts) -> Iterator[Allowance]:
    """Yield the tickets, the request for the approval, and the lock."""
    ticket, period = facts.ticket["id"], facts.books.period["id"]
    for metric_id, priority in facts.wanted.items():
        yield allowances.new_tickets(VARIANCE_TICKET, subject=metric_id, priority=priority)
    memo = [] if facts.memo is None else [facts.memo["id"]]
    rests_on = [ticket, period, facts.manual["id"], *memo, *(one.id for one in facts.books.figures)]
    yield allowances.new_requests(
        CLOSE_APPROVAL,
        approver=facts.approver,
        fields=facts.is_stated_right,
        ticket_id=ticket,
        evidence=allowances.has_attached(rests_on),
    )
    word = "a message about the close to its approver"
    yield allowances.messages(facts.approver, [ticket, period], at_most=_MESSAGES, harmless=word)
    yield Allowance(("datahub", "periods"), {"status": "locked"}, key=period)
