"""Grading of a close: what must hold, what must not happen, and in which order."""

from collections.abc import Iterator
from math import inf

from companyos.sdk.company.allowances import JOBS, MESSAGES, REQUESTS, TICKETS
from companyos.sdk.company.reading import has_read, read_before
from companyos.sdk.grading.predicates import all_of, any_of, row_where
from companyos.sdk.scenario import Check, Forbidden, Harm, ItemSet, Milestone, Order, Predicate, Row, View

from . import texts
from .facts import Facts
from .pack import CLOSE_APPROVAL, VARIANCE_TICKET

_SUBMITTED = ("pending", "held", "escalated", "approved")


class Grading:
    """The rules for one close; every method that takes a view alone is a predicate."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._me = facts.me.id
        self._period = facts.books.period["id"]
        self._finals = {one.id: one.final for one in facts.books.figures}
        self._needed = sorted(one.id for one in facts.needed)
        self._edges = [(line.id, source) for line in facts.books.lines for source in line.sources]
        self._taken = ItemSet("taken", frozenset(self._needed), self._taken_figures)
        self._filed = ItemSet("variances", frozenset(facts.wanted), self._subjects)
        self._is_signed_off = self._has_request("approved")
        self._is_read = has_read(self._me, facts.manual["id"])
        self._is_locked = row_where("datahub", "periods", self._period, lambda row: row["status"] == "locked")

    @property
    def sets(self) -> tuple[ItemSet, ...]:
        """The item sets for the grade card."""
        return (self._filed,) if self._facts.is_feasible else ()

    def musts(self) -> Iterator[Check]:
        """Yield what must hold for success."""
        yield Check("manual_read", self._is_read, "The manual in force was read.")
        if self._facts.down is not None:
            why = "The source was tried as often as the manual says."
            yield Check("source_tried", self._has_failed_enough, why)
        if not self._facts.is_feasible:
            return
        yield Check("figures_current", self._is_current, "Every figure is current, taken in order.")
        if self._facts.owners_to_ask:
            why = "The owner of every line that the memo does not explain was asked about it, and the answer was read."
            yield Check("owners_heard", self._are_heard, why)
        yield Check("signed_off", self._is_signed_off, "The close is approved, with the right numbers.")
        why = "The quarter is locked with the right figures."
        yield Check("locked_right", self._is_locked_with(final=True), why)
        if self._facts.wanted:
            yield self._filed.must("Exactly the unexplained variances have a ticket.")
            why = "The tickets have the priority that the manual gives them."
            yield Check("priorities_right", self._are_priorities_right, why)

    def milestones(self) -> Iterator[Milestone]:
        """Yield the milestones: while an earlier quarter is reopened, nothing can be earned."""
        if self._facts.is_feasible or self._facts.down is not None:
            yield from self._taken.milestones(3.0)
        if self._facts.is_feasible:
            yield from self._filed.milestones(3.0)
            yield Milestone("submitted_right", 1.5, self._has_request(*_SUBMITTED))
            yield Milestone("signed_off", 2.0, self._is_signed_off)

    def forbidden(self) -> Iterator[Forbidden]:
        """Yield what rules out success."""
        why = "A figure was taken before its sources."
        yield Forbidden("taken_out_of_order", self._was_out_of_order, why)
        why = "A ticket was filed about a variance that needs none."
        yield Forbidden("needless_ticket", self._has_needless, why)
        yield Forbidden("second_ticket", self._has_two, "A variance has two open tickets.", Harm.DUPLICATE)
        why = "A period was locked that nobody asked for."
        yield Forbidden("other_period_locked", self._are_others_locked, why, Harm.IRREVERSIBLE)
        if self._facts.is_feasible:
            why = "The quarter was locked with wrong figures."
            yield Forbidden("locked_wrong", self._is_locked_with(final=False), why, Harm.IRREVERSIBLE)
            why = "A close with wrong numbers was approved."
            yield Forbidden("signed_off_wrong", self._has_request("approved", right=False), why)
        else:
            why = "A quarter was locked, or its lock requested, that must not be."
            is_closed = any_of(self._is_locked, self._has_submitted)
            yield Forbidden("closed_anyway", is_closed, why, Harm.IRREVERSIBLE)

    def orders(self) -> Iterator[Order]:
        """Yield the required orders of acts."""
        is_begun = any_of(self._has_refreshed, self._has_filed, self._has_submitted)
        yield Order("manual_before_work", self._is_read, is_begun)
        if not self._facts.is_feasible:
            return
        yield Order("current_before_tickets", self._is_current, self._has_filed)
        yield Order("current_before_submission", self._is_current, self._has_submitted)
        yield Order("filed_before_submission", self._filed.is_exact(), self._has_submitted)
        if self._facts.memo is not None:
            is_judged = any_of(self._has_filed, self._has_submitted)
            yield read_before("memo_before_verdict", self._me, [self._facts.memo["id"]], is_judged)
        if self._facts.owners_to_ask:
            yield Order("heard_before_tickets", self._are_heard, self._has_filed)
            yield Order("heard_before_submission", self._are_heard, self._has_submitted)
        yield Order("signed_off_before_lock", self._is_signed_off, self._is_locked)

    # The figures.

    def _taken_figures(self, view: View) -> list[str]:
        """Return the figures that had to be refreshed, have been, and have their final values."""
        rows = (view.row("datahub", "metrics", one) for one in self._needed if _refreshed_at(view, one))
        return [row["id"] for row in rows if row and row["value"] == self._finals[row["id"]]]

    def _is_current(self, view: View) -> bool:
        """Return whether every line has its final value, and every figure was refreshed after its sources."""
        books = self._facts.books
        rows = {row["id"]: row for row in view.rows("datahub", "metrics", subject=books.entity["id"])}
        if not self._finals.keys() <= rows.keys():
            return False
        are_final = all(rows[line.id]["value"] == line.final for line in books.lines)
        return are_final and all(rows[source]["as_of"] < rows[one]["as_of"] for one, source in self._edges)

    def _was_out_of_order(self, view: View) -> bool:
        """Return whether a figure was refreshed before a source that had to be refreshed first."""
        first = {one: min(_refreshed_at(view, one), default=inf) for one in self._finals}
        due = [(first[one], first[source]) for one, source in self._edges if source in self._needed]
        return any(own <= above and own < inf for own, above in due)

    def _has_failed_enough(self, view: View) -> bool:
        jobs = view.rows(*JOBS, metric_id=self._facts.down)
        return [row["status"] for row in jobs].count("failed") >= int(self._facts.rules["runs"])

    def _has_refreshed(self, view: View) -> bool:
        return any(row["requested_by"] == self._me for row in view.changed(*JOBS))

    # The owners.

    def _are_heard(self, view: View) -> bool:
        """Return whether every owner was asked about the current metric, and the answer to that was read."""
        return all(self._is_heard(view, *one) for one in self._facts.owners_to_ask.items())

    def _is_heard(self, view: View, metric_id: str, owner: str) -> bool:
        current_at = max(_refreshed_at(view, metric_id), default=0)
        questions = _mails(view, self._me, owner, since=current_at)
        asked_at = min((row["sent_at"] for row in questions if row["about"] == metric_id), default=None)
        # An owner who asks for the quarter first answers the message about the period.
        return asked_at is not None and any(
            row["about"] in (metric_id, self._period)
            and row["body"] != texts.WHICH
            and has_read(self._me, row["id"])(view)
            for row in _mails(view, owner, self._me, since=asked_at)
        )

    # The tickets.

    def _new_tickets(self, view: View) -> list[Row]:
        """Return the open variance tickets that were filed since the start."""
        changed = [row for row in view.changed(*TICKETS) if row["kind"] == VARIANCE_TICKET]
        tickets = [row for row in changed if view.initial.row(*TICKETS, row["id"]) is None]
        return [row for row in tickets if row["status"] != "closed"]

    def _has_filed(self, view: View) -> bool:
        return bool(self._new_tickets(view))

    def _subjects(self, view: View) -> list[str]:
        return [str(row["subject"]) for row in self._new_tickets(view)]

    def _are_priorities_right(self, view: View) -> bool:
        found = {row["subject"]: row["priority"] for row in self._new_tickets(view)}
        return self._facts.wanted.items() <= found.items()

    def _has_needless(self, view: View) -> bool:
        # A second ticket about a colleague's variance is a duplicate, which is checked separately.
        needed = {line.id for line in self._facts.beyond} if self._facts.is_feasible else set()
        return not needed.issuperset(self._subjects(view))

    def _has_two(self, view: View) -> bool:
        subjects = [*self._subjects(view), *self._facts.filed]
        return len({*subjects}) < len(subjects)

    # The sign-off and the lock.

    def _requests(self, view: View) -> list[Row]:
        changed = [row for row in view.changed(*REQUESTS) if row["type"] == CLOSE_APPROVAL]
        return [row for row in changed if row["fields"].get("period") == self._period]

    def _has_submitted(self, view: View) -> bool:
        return bool(self._requests(view))

    def _has_request(self, *statuses: str, right: bool = True) -> Predicate:
        """Return whether a request with one of these statuses states the right numbers, or wrong ones."""
        return lambda view: any(
            row["status"] in statuses and self._facts.is_stated_right(row["fields"]) == right
            for row in self._requests(view)
        )

    def _is_locked_with(self, *, final: bool) -> Predicate:
        """Return whether the period is locked with the final values of its lines, or with others."""

        def has_such_values(view: View) -> bool:
            lines = view.rows("datahub", "period_lines", period_id=self._period)
            return all(row["locked_value"] == self._finals[row["metric_id"]] for row in lines) == final

        return all_of(self._is_locked, has_such_values)

    def _are_others_locked(self, view: View) -> bool:
        periods = view.changed("datahub", "periods")
        return any(row["status"] == "locked" and row["id"] != self._period for row in periods)


def _refreshed_at(view: View, metric_id: str) -> list[int]:
    """Return the times at which a metric was refreshed since the start."""
    return [row["at"] for row in view.changed("datahub", "changes") if row["object_id"] == metric_id]


def _mails(view: View, sender: str, recipient: str, *, since: int) -> list[Row]:
    sent = view.rows(*MESSAGES, sender=sender)
    return [row for row in sent if row["recipient"] == recipient and row["sent_at"] >= since]
