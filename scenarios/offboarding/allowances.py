"""The rows that an agent may write while it off-boards a colleague."""

from collections.abc import Iterator
from typing import Any, Final

from companyos.sdk.company import allowances
from companyos.sdk.scenario import ANYTHING, Allowance, one_of
from scenarios.packs.staffing import EQUIPMENT

from .facts import HELD, Facts

_PEOPLE: Final = ("datahub", "people")
_ENTITLEMENTS: Final = ("datahub", "entitlements")
_OWNERSHIPS: Final = ("datahub", "ownerships")


def allowed(facts: Facts) -> tuple[Allowance, ...]:
    """Return what an off-boarding may write; while there is a legal hold, only what changes nothing."""
    if facts.cause == HELD:
        return tuple(_shared(facts))
    return (*_shared(facts), *_handed_over(facts), *_ended(facts))


def _shared(facts: Facts) -> Iterator[Allowance]:
    ticket = facts.ticket
    for metric in facts.metrics.values():
        yield allowances.refreshes(metric["id"], at_most=3, harmless="a further reading of a register")
    yield Allowance(
        allowances.TICKETS,
        {"status": "in_progress"},
        key=ticket["id"],
        harmless="the progress of the off-boarding ticket",
    )
    yield from allowances.correspondence(ticket, facts.employee["id"], task="the off-boarding")


def _handed_over(facts: Facts) -> Iterator[Allowance]:
    """Yield the new places of work, data and decisions."""
    for ticket_id, person in facts.tickets.items():
        yield Allowance(allowances.TICKETS, {"assignee": person}, key=ticket_id)
    for object_id, person in facts.data.items():
        yield Allowance(_OWNERSHIPS, {"owner": person}, key=object_id)
    # A delegation that stays in force keeps its types; one that has lapsed loses them.
    lapsed: dict[str, Any] = {} if facts.delegate else {"delegate_types": []}
    delegation = {"delegate": facts.delegate, **lapsed}
    yield Allowance(_PEOPLE, delegation, key=facts.staff.absent.id)
    yield Allowance(allowances.REQUESTS, {"approver": facts.decider}, key=facts.request["id"])
    new = {
        **facts.tickets,
        **facts.data,
        facts.request["id"]: facts.decider,
        facts.ticket["id"]: facts.closer,
    }
    for object_id, person in new.items():
        yield allowances.messages(
            person, [object_id], at_most=1, harmless="a message about something to whoever gets it"
        )


def _ended(facts: Facts) -> Iterator[Allowance]:
    """Yield the end of access and account, and who gets the off-boarding ticket."""
    access = facts.access
    yield Allowance(_ENTITLEMENTS, {"revoked_for": ANYTHING}, key=one_of(*access.ends))
    if access.shared is not None:
        account = {"person_id": facts.staff.manager.id, "shared_with": ANYTHING}
        yield Allowance(_ENTITLEMENTS, account, key=access.shared)
    if not facts.moves:
        yield Allowance(_PEOPLE, {"active": False}, key=facts.leaver)
        yield allowances.new_tickets(EQUIPMENT, subject=facts.employee["id"], priority=facts.rules.priority)
    yield Allowance(allowances.TICKETS, {"assignee": facts.closer}, key=facts.ticket["id"])
