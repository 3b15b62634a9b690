"""Whether the owners of a close's lines were asked about what the memo leaves open, and heard."""

from companyos.scenario import Check, Order, Predicate, Row, View

from . import texts
from .facts import Facts


def musts(facts: Facts) -> tuple[Check, ...]:
    """Return that the owners must be heard, if any has to be asked."""
    why = (
        "The owner of every line that the memo does not explain was asked about it, and the answer was read."
    )
    return (Check("owners_heard", are_heard(facts), why),) if facts.owners_to_ask else ()


def orders(facts: Facts, filed: Predicate, submitted: Predicate) -> tuple[Order, ...]:
    """Return that the owners are heard before anything is filed or submitted."""
    if not facts.owners_to_ask:
        return ()
    return (
        Order("heard_before_tickets", are_heard(facts), filed),
        Order("heard_before_submission", are_heard(facts), submitted),
    )


def are_heard(facts: Facts) -> Predicate:
    """Return whether every owner was asked about the current metric, and the answer to that was read."""
    return lambda view: all(
        _is_heard(facts, view, metric_id, owner) for metric_id, owner in facts.owners_to_ask.items()
    )


def _is_heard(facts: Facts, view: View, metric_id: str, owner: str) -> bool:
    current_at = max(
        (row["at"] for row in view.changed("datahub", "changes") if row["object_id"] == metric_id), default=0
    )
    questions = _letters(view, facts.me.id, owner, since=current_at)
    asked_at = min((row["sent_at"] for row in questions if row["about"] == metric_id), default=None)
    if asked_at is None:
        return False
    # An owner who asks for the quarter first answers the message about the period.
    about = (metric_id, facts.books.period["id"])
    answers = [row for row in _letters(view, owner, facts.me.id, since=asked_at) if row["about"] in about]
    return any(row["body"] != texts.WHICH and _is_read(facts, view, row) for row in answers)


def _letters(view: View, sender: str, recipient: str, *, since: int) -> list[Row]:
    sent = view.rows("datahub", "messages", sender=sender)
    return [row for row in sent if row["recipient"] == recipient and row["sent_at"] >= since]


def _is_read(facts: Facts, view: View, letter: Row) -> bool:
    receipts = view.rows("datahub", "receipts", object_id=letter["id"])
    return any(receipt["reader"] == facts.me.id for receipt in receipts)
