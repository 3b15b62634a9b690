"""The rows that an agent may write while it closes a quarter."""

from companyos.company import allowances
from companyos.scenario import Allowance

from . import plan
from .facts import Facts
from .pack import CLOSE_APPROVAL, VARIANCE_TICKET

#: The most messages to the owner of a line about one of its metrics.
_MESSAGES = 3


def allowed(facts: Facts) -> tuple[Allowance, ...]:
    """Return what a close may write, and what a close that is postponed may."""
    if facts.is_feasible:
        return (*_runs(facts), *_correspondence(facts), *_tickets(facts), *_sign_off(facts), *_ticket(facts))
    # While an earlier quarter is reopened, nothing is taken anew.
    return (*(_runs(facts) if facts.down is not None else ()), *_ticket(facts))


def _runs(facts: Facts) -> tuple[Allowance, ...]:
    again = "a further run of a figure that has to be taken"
    return tuple(
        allowances.refreshes(facts.metric(name), at_most=_runs_needed(facts, name) + 1, harmless=again)
        for name in facts.needed
    )


def _runs_needed(facts: Facts, name: str) -> int:
    fails = facts.failures.get(name, 0)
    return facts.rules.runs if fails == plan.NEVER else fails + 1


def _correspondence(facts: Facts) -> tuple[Allowance, ...]:
    why = "a further message to the owner of a line about it or the period"
    return tuple(
        allowances.messages(
            owner,
            [*metrics, facts.books.period["id"]],
            at_most=_MESSAGES * len(metrics),
            harmless=why,
        )
        for owner, metrics in facts.metrics_by_owner.items()
    )


def _tickets(facts: Facts) -> tuple[Allowance, ...]:
    return tuple(
        allowances.new_tickets(VARIANCE_TICKET, subject=metric_id, priority=priority)
        for metric_id, priority in facts.wanted.items()
    )


def _sign_off(facts: Facts) -> tuple[Allowance, ...]:
    period = facts.books.period["id"]
    return (
        allowances.new_requests(
            CLOSE_APPROVAL,
            approver=facts.approver,
            fields=facts.is_stated_right,
            ticket_id=facts.ticket["id"],
        ),
        Allowance(("datahub", "periods"), {"status": "locked"}, key=period),
    )


def _ticket(facts: Facts) -> tuple[Allowance, ...]:
    return (
        allowances.progress(
            facts.ticket["id"],
            facts.me.id,
            ends=facts.is_feasible,
            harmless="taking the ticket of the close, and its progress",
        ),
        *allowances.correspondence(facts.ticket, facts.books.period["id"], task="the close"),
    )
