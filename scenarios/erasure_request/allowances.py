"""The rows that an agent may write while it answers an erasure request."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from companyos.sdk.company import allowances
from companyos.sdk.grading.allowances import Value, names_none
from companyos.sdk.grading.state import Rows
from companyos.sdk.scenario import ANYTHING, Allowance, Row, one_of

from .facts import UNPROVEN, Facts
from .pack import SPECIAL
from .terms import ERASE, REDACT

#: The columns of records, documents, requests, tickets and comments that a redaction masks.
_TEXTS: Final = ("name", "fields", "title", "body", "reason", "description", "evidence", "resolution")
#: The tables whose rows go together with the case that they belong to.
_PARTS: Final = (allowances.LINKS, ("ticketdesk", "history"))


def allowed(facts: Facts, rows: Rows) -> tuple[Allowance, ...]:
    """Return what a request may write: erased, returned to its reporter, or declined.

    Args:
        facts: Those of the request.
        rows: The company as it is at the start.
    """
    why = "a further reading of the legal hold"
    reading = allowances.refreshes(facts.metric["id"], at_most=3, harmless=why)
    shared = (reading, *_correspondence(facts))
    if facts.erases:
        return (*shared, *_ending(facts), *_objects(facts, rows))
    return (*shared, *_returned(facts)) if facts.cause == UNPROVEN else shared


def _correspondence(facts: Facts) -> tuple[Allowance, ...]:
    ticket, mail = facts.request.ticket, facts.request.mail
    return (
        Allowance(
            allowances.TICKETS,
            {"assignee": facts.me.id, "status": "in_progress"},
            key=ticket["id"],
            harmless="taking the ticket of the request, and its progress",
        ),
        *allowances.correspondence(ticket, mail["id"], task="the request", body=_among_colleagues(facts)),
    )


def _ending(facts: Facts) -> Iterator[Allowance]:
    """Yield the approval, the answer and the closed ticket."""
    ticket = facts.request.ticket["id"]
    if facts.special:
        yield allowances.new_requests(
            SPECIAL,
            approver=facts.approver,
            fields=facts.asked_for,
            ticket_id=ticket,
            evidence=allowances.has_attached({ticket, *facts.request.references, *facts.rules}),
        )
        yield allowances.messages(
            facts.approver,
            [ticket],
            at_most=3,
            body=_among_colleagues(facts),
            harmless="a message about the request to whoever approves it",
        )
    yield allowances.answers(ticket, [facts.template], body=names_none(facts.clues_to_namesake))
    closed = {"status": one_of("done", "closed"), "resolution": _among_colleagues(facts)}
    yield Allowance(allowances.TICKETS, closed, key=ticket)


def _returned(facts: Facts) -> tuple[Allowance, ...]:
    asked = names_none(_unstated(facts, facts.clues_to_namesake))
    return allowances.returned(facts.request.ticket["id"], facts.related, question=asked)


def _among_colleagues(facts: Facts) -> Value:
    """Return what a comment, a message or the resolution may say.

    Where data goes, the procedure wants neither a number nor an address in them. A colleague may learn which objects
    are a namesake's and were left alone.
    """
    namesake = facts.namesake
    return names_none(_unstated(facts, {namesake.number, namesake.mail})) if facts.erases else ANYTHING


def _unstated(facts: Facts, clues: Collection[str]) -> set[str]:
    """Return the clues without those that the ticket states, which its reporter may be told of."""
    return {one for one in clues if one not in facts.request.ticket["description"]}


def _objects(facts: Facts, rows: Rows) -> Iterator[Allowance]:
    """Yield the erasure or the redaction of each object with its record, and what goes together with it."""
    basis = facts.request.ticket["id"]
    for key, mode in facts.acts.items():
        one = facts.held[key]
        audit = {"type": ANYTHING, "mode": mode, "basis": basis}
        yield Allowance((one.service, "erasures"), audit, key=key, created=1)
        table = one.service, one.table
        if mode == REDACT:
            row = next(row for row in rows[one.service][one.table] if row["id"] == key)
            why = "masking what has to be redacted in several steps"
            yield Allowance(table, _redaction(facts, row), key=key, harmless=why)
        else:
            closed = {"status": "closed", "resolution": ANYTHING} if one.is_open else {}
            yield Allowance(table, closed, key=key, removed=True)
    for table in _PARTS:
        yield Allowance(table, {}, where={"ticket_id": one_of(*facts.ids(ERASE))}, removed=True)


def _redaction(facts: Facts, row: Row) -> Mapping[str, Any]:
    """Return the texts of a row, which may differ from what they were by masks alone."""
    known = facts.customer.naming

    def masks(before: Any) -> Callable[[Any], bool]:
        return lambda value: bool(_masked(known, value) == _masked(known, before))

    return {column: masks(row[column]) for column in _TEXTS if column in row}


def _masked(known: re.Pattern[str], value: Any) -> Any:
    """Return a JSON value with what is known replaced by a mask, as the services do it."""
    if isinstance(value, str):
        return known.sub("[redacted]", value)
    if isinstance(value, dict):
        return {key: _masked(known, one) for key, one in value.items()}
    return [_masked(known, one) for one in value] if isinstance(value, list) else value
