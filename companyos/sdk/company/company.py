"""The company builder, which takes each fact once and writes it to every service that stores it.

Other services learn of DataHub's people and metrics and of TicketDesk's tickets only through events. A
company whose history begins before the first event needs those copies from the start, and only this package
keeps them consistent.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from . import rows
from .areas.automations import Automations
from .areas.documents import Documents
from .areas.messages import Messages
from .packs.content import Content
from .packs.pack import DECISION_S, Pack
from .policies import Policies
from .rows import Row
from .staff import Person, Staff

SIZES: Final[Mapping[str, int]] = {"small": 60, "default": 400, "large": 5000, "huge": 100_000}
MAX_ROWS: Final = 200_000

_AGE_S: Final = 50 * DAY


class Company(Staff, Policies, Automations, Documents, Messages):
    """The rows of all services so far.

    Args:
        draws: The draws that decide everything left open.
        start: The simulated second at which the episode starts.
        packs: The company's packs.
        size: How many rows to create: small, default, large, huge, or about this many.

    Raises:
        ValueError: The size is no known name and no number from 1 to 200,000.
        PacksDoNotFit: The packs do not form a company.
    """

    def __init__(self, draws: Draws, start: int, packs: Sequence[Pack], size: str | int = "default") -> None:
        self.size = _rows_asked(size)
        super().__init__(draws, start, Content(packs), spread=max(12, self.size // 11))
        self.record_names: set[str] = set()

    def add_record(self, record_id: str, kind: str, name: str, fields: Mapping[str, Any], status: str) -> Row:
        """Add a record: a vendor, a contract, a service …

        Raises:
            PacksDoNotFit: No pack has this kind of record.
        """
        self.content.check_record_kind(kind)
        self.record_names.add(name)
        return self.add_row("datahub", "records", rows.record(record_id, kind, name, fields, status))

    def add_metric(
        self,
        name: str,
        subject: str | None,
        value: float,
        unit: str,
        *,
        age_s: int,
        ttl_s: int,
        refresh_s: int = 600,
        values: Sequence[float] = (),
        failures: Sequence[int] = (),
        metric_id: str | None = None,
    ) -> Row:
        """Add a metric with its refresh results: `values`, or by default its current value."""
        metric = rows.metric(
            metric_id or self.numbers.next("MET"),
            name,
            subject,
            value=value,
            unit=unit,
            as_of=self.start - age_s,
            ttl_s=ttl_s,
            refresh_s=refresh_s,
        )
        self.add_row("datahub", "metrics", metric)
        self.add_row("approvalflow", "metrics", rows.known_metric(metric))
        if values:
            self.add_row("datahub", "sources", rows.source(metric["id"], values, failures))
        return metric

    def set_lifetime(self, metric: Row, ttl_s: int) -> None:
        """Change a metric's lifetime in every service that stores it."""
        metric["ttl_s"] = ttl_s
        metrics = self.rows["approvalflow"]["metrics"]
        copy = next(row for row in metrics if row["id"] == metric["id"])
        copy["expires_at"] = metric["as_of"] + ttl_s

    def about(self, subject: str) -> list[Row]:
        """Return the metrics about a record."""
        return [row for row in self.rows["datahub"]["metrics"] if row["subject"] == subject]

    def source(self, metric_id: str) -> Row:
        """Return the refresh results of a metric."""
        return next(row for row in self.rows["datahub"]["sources"] if row["id"] == metric_id)

    def add_ticket(
        self,
        ticket_id: str,
        kind: str,
        title: str,
        description: str,
        reporter: Person,
        *,
        acts: Sequence[str] = (),
        **columns: Any,
    ) -> Row:
        """Add a ticket whose age follows from its number; `columns` override those of a new ticket.

        `acts` are the changes since then; each adds a history line and a version.
        """
        created_at = self.start - max(3 * HOUR, int(self.numbers.age(ticket_id) * _AGE_S))
        columns |= {"reporter": reporter.id, "created_at": created_at, "version": 1 + len(acts)}
        columns["updated_at"] = created_at + len(acts) * HOUR // 2
        if columns.get("verified_by"):
            columns["verified_at"] = columns["updated_at"]
        needs_approval = self.content.ticket_kinds[kind].needs_approval
        columns = {"requires_approval": needs_approval, **columns}
        ticket = rows.ticket(ticket_id, kind, title, description, **columns)
        self.add_row("ticketdesk", "tickets", ticket)
        self.add_row("approvalflow", "tickets", rows.known_ticket(ticket))
        for number, act in enumerate(("created", *acts), start=1):
            actor = reporter.id if act == "created" else ticket["assignee"] or reporter.id
            line = rows.history_line(ticket, number, created_at + (number - 1) * HOUR // 2, actor, act)
            self.add_row("ticketdesk", "history", line)
        return ticket

    def describe(self, ticket_id: str, kind: str, reporter: Person, **facts: str | None) -> str:
        """Return a description of a ticket, worded like others of its kind.

        Args:
            ticket_id: The ticket, which decides the wording.
            kind: Its kind, which must have phrases.
            reporter: The person who wrote it.
            facts: The facts that its sentences may name: `name` (what it is about) and `value` (its metric).
        """
        phrases = self.content.ticket_kinds[kind].phrases
        assert phrases is not None, f"the ticket kind {kind} has no phrases"
        known = {name: value for name, value in facts.items() if value is not None}
        return phrases.describe(self.draws, ticket_id, {"team": reporter.team, **known})

    def amend(self, ticket: Row, **columns: Any) -> None:
        """Change columns of a ticket in every service that stores them."""
        ticket.update(columns)
        copies = self.rows["approvalflow"]["tickets"]
        copy = next(row for row in copies if row["id"] == ticket["id"])
        copy.update({name: value for name, value in columns.items() if name in copy})

    def report(self, ticket: Row, reporter: Person) -> None:
        """Change a ticket's reporter."""
        before = ticket["reporter"]
        self.amend(ticket, reporter=reporter.id)
        for line in self.rows["ticketdesk"]["history"]:
            if line["ticket_id"] == ticket["id"] and line["actor"] == before:
                line["actor"] = reporter.id

    def add_comment(self, ticket: Row, author: Person, body: str, *, number: int = 1) -> Row:
        """Add the comment with this number to a ticket, one hour after the previous one."""
        at = min(ticket["created_at"] + number * HOUR, self.start)
        return self.add_row(
            "ticketdesk",
            "comments",
            rows.comment(f"{ticket['id']}-C{number}", ticket["id"], author.id, body, at),
        )

    def decided(
        self,
        ticket: Row,
        type_id: str,
        fields: Mapping[str, Any],
        requester: Person,
        approver: Person,
        status: str,
    ) -> Row:
        """Add a request about a ticket that was decided long ago, with its audit and the ticket's link."""
        submitted_at = min(ticket["created_at"] + HOUR, self.start - 2 * HOUR)
        decided_at = submitted_at + DECISION_S
        request = self._ask(
            rows.request(
                self.numbers.next("APR"),
                type_id,
                ticket,
                fields=dict(fields),
                requester=requester.id,
                approver=approver.id,
                status=status,
                submitted_at=submitted_at,
                decided_at=decided_at,
                decided_by=approver.id,
            ),
            ticket,
        )
        self._tell(request, 2, decided_at, approver.id, status, f"Decided by {approver.id}.")
        return request

    def submitted(
        self,
        ticket: Row,
        type_id: str,
        fields: Mapping[str, Any],
        requester: Person,
        approver: Person,
        *,
        due: int,
    ) -> Row:
        """Add an open request about a ticket, which its approver decides when it is `due`."""
        submitted_at = due - DECISION_S
        # The approver of a request that is due in days has had it for an hour.
        if submitted_at > self.start:
            submitted_at = self.start - HOUR
        request = self._ask(
            rows.request(
                self.numbers.reserve("APR"),
                type_id,
                ticket,
                fields=dict(fields),
                requester=requester.id,
                approver=approver.id,
                status="pending",
                submitted_at=submitted_at,
                decision_due=due,
            ),
            ticket,
        )
        self._tell(request, 2, submitted_at, requester.id, "released", f"Handed to {approver.id}.")
        return request

    def block(self, ticket: Row, blocker: Row) -> None:
        """Block a ticket on another one."""
        ticket.update(status="blocked", blocked_by=[*ticket["blocked_by"], blocker["id"]])
        link_id = f"{blocker['id']}-L1"
        self.add_row(
            "ticketdesk",
            "links",
            rows.link(link_id, blocker["id"], "blocks", ticket["id"], self.start - HOUR),
        )

    def block_on(self, ticket: Row, awaited: Row, kind: str) -> None:
        """Block a ticket until a metric is refreshed or a request is approved."""
        ticket.update(status="blocked", blocked_by=[*ticket["blocked_by"], awaited["id"]])
        since = awaited["version"] if kind == "metric" else 0
        self.add_row("ticketdesk", "external_blockers", rows.external_blocker(awaited["id"], kind, since))

    def add_objection(
        self,
        type_id: str,
        about: str,
        attempt: int,
        reason_code: str,
        remedy: str,
        states: Mapping[str, Any] = MappingProxyType({}),
        evidence: str | None = None,
    ) -> None:
        """Add an approver's objection that rejects this attempt at an approval."""
        objection = rows.rejection(type_id, about, attempt, reason_code, remedy, states, evidence)
        self.add_row("approvalflow", "rejections", objection)

    def _ask(self, request: Row, ticket: Row) -> Row:
        """Add a request, the first line of its audit, and its link on the ticket."""
        at, asked = request["submitted_at"], f"Submitted to {request['approver']}."
        request["evidence"] = {"ticket_version": ticket["version"]}
        ticket["approval"] = request["status"]
        self.add_row("approvalflow", "requests", request)
        self._tell(request, 1, at, request["requester"], "submitted", asked)
        link_id = f"{ticket['id']}-L-{request['id']}"
        self.add_row("ticketdesk", "links", rows.link(link_id, ticket["id"], "approval", request["id"], at))
        return request

    def _tell(self, request: Row, number: int, at: int, actor: str, action: str, detail: str) -> None:
        line = rows.audit_entry(request["id"], number, at, actor, action, detail)
        self.add_row("approvalflow", "audit", line)


def _rows_asked(size: str | int) -> int:
    asked = SIZES.get(size) if isinstance(size, str) else size
    if asked is None or isinstance(asked, bool) or not 1 <= asked <= MAX_ROWS:
        raise ValueError(f"size is one of {', '.join(SIZES)} or a number of rows from 1 to {MAX_ROWS}")
    return asked
