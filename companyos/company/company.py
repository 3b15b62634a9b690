"""A company in the making: each fact is told once here, and lands in every service that keeps it.

DataHub's people, TicketDesk's tickets and DataHub's figures are known to other services by their events only. A
company that is older than the first event carries those services' own copies, and this module is the one place
that keeps the copies consistent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from companyos.draws import Draws
from companyos.simtime import DAY, HOUR

from . import policy, rows
from .numbers import Numbers
from .rows import Row

SIZES: Final[Mapping[str, int]] = {"small": 60, "default": 400, "large": 5000, "huge": 100_000}
MAX_ROWS: Final = 200_000

_AGE_S: Final = 50 * DAY


@dataclass(frozen=True)
class Person:
    """Somebody of the company; `id` is how every service names them."""

    id: str
    name: str
    role: str
    team: str


class Company:
    """The rows of all services so far.

    Args:
        draws: What decides everything that is left open.
        start: The simulated second at which the episode starts.
        size: How many rows there are to be: small, default, large, huge, or about this many.

    Raises:
        ValueError: The size is no known name and no number from 1 to 200,000.
    """

    def __init__(self, draws: Draws, start: int, size: str | int = "default") -> None:
        self.draws = draws
        self.start = start
        self.size = _rows_asked(size)
        self.numbers = Numbers(draws, spread=max(12, self.size // 11))
        self.people: list[Person] = []
        self.record_names: set[str] = set()
        self.rows: dict[str, dict[str, list[Row]]] = {
            "ticketdesk": {
                **_empty("people", "tickets", "awaited", "comments", "links", "history"),
                "priority_rules": policy.rules(),
                "permissions": [rows.known_permission(policy.VERIFY_TICKETS)],
            },
            "datahub": {
                **_empty("people", "absences", "metrics", "sources", "records"),
                "permissions": policy.permissions(),
            },
            "approvalflow": {
                **_empty("people", "tickets", "figures", "requests", "audit", "rejections", "policy_changes"),
                "approval_types": policy.approval_types(),
                "permissions": [rows.known_permission(policy.SUBMIT_REQUESTS)],
            },
        }

    def count(self) -> int:
        """Return how many rows there are."""
        return sum(len(listed) for tables in self.rows.values() for listed in tables.values())

    def adopt(self, approval_type: Row) -> None:
        """Put an approval type in the place of the one of the same id."""
        types = self.rows["approvalflow"]["approval_types"]
        types[:] = [approval_type if row["id"] == approval_type["id"] else row for row in types]

    def introduce(self, approval_type: Row) -> None:
        """Add an approval type that the company has besides the usual ones."""
        self._add("approvalflow", "approval_types", approval_type)

    def announce(self, type_id: str, at: int, notice: str, **changes: Any) -> Row:
        """Announce that columns of an approval type get other values at a time to come."""
        change = {
            "id": self.numbers.next("PC"),
            "type_id": type_id,
            "at": at,
            "changes": changes,
            "notice": notice,
        }
        return self._add("approvalflow", "policy_changes", change)

    def restrict(self, permission: str, roles: Sequence[str], *, grant_s: int) -> Row:
        """Leave a permission to some roles, wherever it is known of; who asks for it has it after so long."""
        known = [
            row for tables in self.rows.values() for row in tables["permissions"] if row["id"] == permission
        ]
        for row in known:
            row["roles"] = list(roles)
        owned = next(row for row in self.rows["datahub"]["permissions"] if row["id"] == permission)
        owned["grant_s"] = grant_s
        return owned

    def offer(self, type_id: str, fields: Sequence[Row]) -> None:
        """Let requests of a type carry further fields, whatever else changes about them."""
        types = (row for row in self.rows["approvalflow"]["approval_types"] if row["id"] == type_id)
        announced = (
            change["changes"]
            for change in self.rows["approvalflow"]["policy_changes"]
            if change["type_id"] == type_id and "fields" in change["changes"]
        )
        for terms in (*types, *announced):
            terms["fields"] = [*terms["fields"], *fields]

    def hire(self, name: str, role: str, team: str) -> Person:
        """Add a person to the directory and to the services that know people."""
        person = Person(".".join(name.lower().split()), name, role, team)
        entry = rows.directory_entry(person.id, name, role, team)
        self._add("datahub", "people", entry)
        self._add("ticketdesk", "people", rows.colleague(entry))
        self._add("approvalflow", "people", rows.approver(entry))
        self.people.append(person)
        return person

    def delegate(self, person: Person, to: Person, types: Sequence[str], limit: float | None = None) -> None:
        """Say who stands in for somebody, for which approval types and up to which amount (None: any)."""
        for service in ("datahub", "approvalflow"):
            self._entry(service, person).update(
                delegate=to.id, delegate_types=list(types), delegate_limit=limit
            )

    def send_away(self, person: Person, starts_at: int, ends_at: int, reason: str) -> None:
        """Add an absence; somebody away at the start is so for every service."""
        self._add(
            "datahub", "absences", rows.absence(self.numbers.next("A"), person.id, starts_at, ends_at, reason)
        )
        if starts_at <= self.start < ends_at:
            self._entry("approvalflow", person).update(away=True, away_until=ends_at)

    def recall(self, person: Person) -> None:
        """Take back the absences of a person."""
        absences = self.rows["datahub"]["absences"]
        absences[:] = [row for row in absences if row["person_id"] != person.id]
        self._entry("approvalflow", person).update(away=False, away_until=None)

    def keep(self, record_id: str, kind: str, name: str, fields: Mapping[str, Any], status: str) -> Row:
        """Add a record: what the company knows of a vendor, contract, service …"""
        self.record_names.add(name)
        return self._add("datahub", "records", rows.record(record_id, kind, name, fields, status))

    def measure(
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
        """Add a figure and what refreshes of it will bring: `values`, or without any the present value again."""
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
        self._add("datahub", "metrics", metric)
        self._add("approvalflow", "figures", rows.figure(metric))
        if values:
            self._add("datahub", "sources", rows.source(metric["id"], values, failures))
        return metric

    def outlive(self, metric: Row, ttl_s: int) -> None:
        """Give a figure another lifetime, for every service that knows of it."""
        metric["ttl_s"] = ttl_s
        figures = self.rows["approvalflow"]["figures"]
        copy = next(row for row in figures if row["id"] == metric["id"])
        copy["expires_at"] = metric["as_of"] + ttl_s

    def about(self, subject: str) -> list[Row]:
        """Return the figures about a record."""
        return [row for row in self.rows["datahub"]["metrics"] if row["subject"] == subject]

    def source(self, metric_id: str) -> Row:
        """Return what refreshes of a figure will bring."""
        return next(row for row in self.rows["datahub"]["sources"] if row["id"] == metric_id)

    def open(
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
        """Add a ticket, as old as its number says; `columns` say what is not usual for a new one.

        `acts` are what has been done to it since, a line of history and a version each.
        """
        created_at = self.start - max(3 * HOUR, int(self.numbers.age(ticket_id) * _AGE_S))
        columns |= {"reporter": reporter.id, "created_at": created_at, "version": 1 + len(acts)}
        columns["updated_at"] = created_at + len(acts) * HOUR // 2
        if columns.get("verified_by"):
            columns["verified_at"] = columns["updated_at"]
        ticket = rows.ticket(ticket_id, kind, title, description, **columns)
        self._add("ticketdesk", "tickets", ticket)
        self._add("approvalflow", "tickets", rows.known_ticket(ticket))
        for number, act in enumerate(("created", *acts), start=1):
            actor = reporter.id if act == "created" else ticket["assignee"] or reporter.id
            line = rows.history_line(ticket, number, created_at + (number - 1) * HOUR // 2, actor, act)
            self._add("ticketdesk", "history", line)
        return ticket

    def amend(self, ticket: Row, **columns: Any) -> None:
        """Give columns of a ticket other values than it was opened with, for every service that knows of them."""
        ticket.update(columns)
        copies = self.rows["approvalflow"]["tickets"]
        copy = next(row for row in copies if row["id"] == ticket["id"])
        copy.update({name: value for name, value in columns.items() if name in copy})

    def report(self, ticket: Row, reporter: Person) -> None:
        """Have somebody else be who reported a ticket."""
        before = ticket["reporter"]
        self.amend(ticket, reporter=reporter.id)
        for line in self.rows["ticketdesk"]["history"]:
            if line["ticket_id"] == ticket["id"] and line["actor"] == before:
                line["actor"] = reporter.id

    def say(self, ticket: Row, author: Person, body: str, *, number: int = 1) -> Row:
        """Add a ticket's comment of this number, one hour after the one before."""
        at = min(ticket["created_at"] + number * HOUR, self.start)
        return self._add(
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
        decided_at = submitted_at + policy.DECISION_S
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
        """Add a request about a ticket that lies with its approver, who decides when it is `due`."""
        submitted_at = due - policy.DECISION_S
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
        """Have a ticket wait for another one."""
        ticket.update(status="blocked", blocked_by=[*ticket["blocked_by"], blocker["id"]])
        link_id = f"{blocker['id']}-L1"
        self._add(
            "ticketdesk",
            "links",
            rows.link(link_id, blocker["id"], "blocks", ticket["id"], self.start - HOUR),
        )

    def hold_up(self, ticket: Row, awaited: Row, kind: str) -> None:
        """Have a ticket wait for a figure to be refreshed, or for a request to be approved."""
        ticket.update(status="blocked", blocked_by=[*ticket["blocked_by"], awaited["id"]])
        since = awaited["version"] if kind == "figure" else 0
        self._add("ticketdesk", "awaited", rows.awaited(awaited["id"], kind, since))

    def object(
        self,
        type_id: str,
        about: str,
        attempt: int,
        reason_code: str,
        remedy: str,
        states: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Add an approver's own objection, which this attempt at an approval will meet."""
        objection = rows.rejection(type_id, about, attempt, reason_code, remedy, states)
        self._add("approvalflow", "rejections", objection)

    def _add(self, service: str, table: str, row: Row) -> Row:
        self.rows[service][table].append(row)
        return row

    def _entry(self, service: str, person: Person) -> Row:
        return next(row for row in self.rows[service]["people"] if row["id"] == person.id)

    def _ask(self, request: Row, ticket: Row) -> Row:
        """Add a request, the first line of its audit, and what its ticket shows of it."""
        at, asked = request["submitted_at"], f"Submitted to {request['approver']}."
        request["evidence"] = {"ticket_version": ticket["version"]}
        ticket["approval"] = request["status"]
        self._add("approvalflow", "requests", request)
        self._tell(request, 1, at, request["requester"], "submitted", asked)
        link_id = f"{ticket['id']}-L-{request['id']}"
        self._add("ticketdesk", "links", rows.link(link_id, ticket["id"], "approval", request["id"], at))
        return request

    def _tell(self, request: Row, number: int, at: int, actor: str, action: str, detail: str) -> None:
        line = rows.audit_entry(request["id"], number, at, actor, action, detail)
        self._add("approvalflow", "audit", line)


def _empty(*tables: str) -> dict[str, list[Row]]:
    return {table: [] for table in tables}


def _rows_asked(size: str | int) -> int:
    asked = SIZES.get(size) if isinstance(size, str) else size
    if asked is None or isinstance(asked, bool) or not 1 <= asked <= MAX_ROWS:
        raise ValueError(f"size is one of {', '.join(SIZES)} or a number of rows from 1 to {MAX_ROWS}")
    return asked
