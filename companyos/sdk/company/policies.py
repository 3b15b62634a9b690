"""The policies of a company under construction: approval types, announced policy changes, and permissions."""

from collections.abc import Sequence
from typing import Any, Final

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import HOUR

from . import rows
from .packs.content import Content
from .packs.pack import ApprovalType
from .rows import Row
from .tables import Tables

#: The actions that need a permission, by DataHub's names.
REFRESH_METRICS: Final = "refresh_metrics"
VERIFY_TICKETS: Final = "verify_tickets"
SUBMIT_REQUESTS: Final = "submit_requests"

_ALLOWS: Final = {
    REFRESH_METRICS: "Refresh metrics from their source, in DataHub.",
    VERIFY_TICKETS: "Verify tickets, in TicketDesk.",
    SUBMIT_REQUESTS: "Submit approval requests and make rejected ones again, in ApprovalFlow.",
}


class Policies(Tables):
    """A company's policies: ticket kinds, approval types, and permissions, which everybody has at first."""

    def __init__(self, draws: Draws, start: int, content: Content, *, spread: int) -> None:
        super().__init__(draws, start, content, spread=spread)
        self.approval_types = dict(content.approval_types)
        self.rows["ticketdesk"]["ticket_kinds"] += [kind.row for kind in content.ticket_kinds.values()]
        self.rows["approvalflow"]["approval_types"] += [one.row for one in content.approval_types.values()]
        for name, allows in _ALLOWS.items():
            self.add_row(
                "datahub",
                "permissions",
                {"id": name, "allows": allows, "grant_s": HOUR // 6, "roles": []},
            )
        self.add_row("ticketdesk", "permissions", rows.known_permission(VERIFY_TICKETS))
        self.add_row("approvalflow", "permissions", rows.known_permission(SUBMIT_REQUESTS))

    def let_verify(self, kind: str, role: str) -> None:
        """Allow another role to verify tickets of a kind."""
        row = self.row("ticketdesk", "ticket_kinds", kind)
        if role not in row["verifier_roles"]:
            row["verifier_roles"] = [*row["verifier_roles"], role]

    def set_approval_type(self, approval_type: ApprovalType) -> None:
        """Replace the approval type with the same id."""
        self.approval_types[approval_type.id] = approval_type
        self.row("approvalflow", "approval_types", approval_type.id).update(approval_type.row)

    def add_approval_type(self, approval_type: ApprovalType) -> None:
        """Add an approval type to those of the packs, unless the company already has it."""
        if approval_type.id not in self.approval_types:
            self.approval_types[approval_type.id] = approval_type
            self.add_row("approvalflow", "approval_types", approval_type.row)

    def announce(self, type_id: str, at: int, notice: str, **changes: Any) -> Row:
        """Announce that columns of an approval type change at a future time."""
        change = {
            "id": self.numbers.next("PC"),
            "type_id": type_id,
            "at": at,
            "changes": changes,
            "notice": notice,
        }
        return self.add_row("approvalflow", "policy_changes", change)

    def restrict(self, permission: str, roles: Sequence[str], *, grant_s: int) -> Row:
        """Restrict a permission to some roles in every service; a request for it takes `grant_s`."""
        known = [
            row for tables in self.rows.values() for row in tables["permissions"] if row["id"] == permission
        ]
        for row in known:
            row["roles"] = list(roles)
        owned = next(row for row in self.rows["datahub"]["permissions"] if row["id"] == permission)
        owned["grant_s"] = grant_s
        return owned

    def offer(self, type_id: str, fields: Sequence[Row]) -> None:
        """Add optional fields to the requests of a type, also after announced policy changes."""
        types = (row for row in self.rows["approvalflow"]["approval_types"] if row["id"] == type_id)
        announced = (
            change["changes"]
            for change in self.rows["approvalflow"]["policy_changes"]
            if change["type_id"] == type_id and "fields" in change["changes"]
        )
        for terms in (*types, *announced):
            terms["fields"] = [*terms["fields"], *fields]
