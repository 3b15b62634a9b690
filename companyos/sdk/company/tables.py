"""The rows of every service, as the company builder collects them."""

from collections.abc import Mapping
from typing import Final

from companyos.sdk.draws import Draws

from .numbers import Numbers
from .packs.content import Content
from .rows import Row

#: Tables that do not count toward a company's size: dataset rows and past metric values, of which one object
#: has dozens, texts about objects, and hidden data about the future.
_UNCOUNTED = frozenset(
    {"dataset_rows", "changes", "documents", "messages", "knowledge", "remedies", "intentions"}
)
#: The tables of the automations that each service runs.
_AUTOMATIONS: Final = ("automations", "automation_changes")

#: The tables of each service that have rows from the start.
_TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "ticketdesk": (
        "people",
        "tickets",
        "external_blockers",
        "comments",
        "links",
        "history",
        "ticket_kinds",
        "permissions",
        "returns",
        "queues",
        "placements",
        "arrivals",
        "intentions",
        "calendars",
        "service_levels",
        "answer_clocks",
        "answers",
        "merges",
        "changes",
        "erasures",
        *_AUTOMATIONS,
    ),
    "datahub": (
        "people",
        "absences",
        "metrics",
        "sources",
        "remedies",
        "records",
        "permissions",
        "documents",
        "changes",
        "quarantines",
        "datasets",
        "dataset_rows",
        "budgets",
        "commitments",
        "entitlements",
        "ownerships",
        "assets",
        "clearances",
        "messages",
        "knowledge",
        "purchase_orders",
        "goods_receipts",
        "expected_receipts",
        "invoices",
        "periods",
        "period_lines",
        "erasures",
        *_AUTOMATIONS,
    ),
    "approvalflow": (
        "people",
        "tickets",
        "metrics",
        "requests",
        "audit",
        "rejections",
        "policy_changes",
        "approval_types",
        "permissions",
        "line_items",
        "questions",
        "answers",
        "quarantined_metrics",
        "erasures",
        "known_budgets",
        "purchase_stages",
        "purchases",
        "purchase_shares",
        "sign_offs",
        "purchase_orders",
        "planned_orders",
        *_AUTOMATIONS,
    ),
}


class Tables:
    """The rows so far, by service and table.

    Args:
        draws: The draws that decide everything not given.
        start: The simulated second at which the episode starts.
        content: The company's content.
        spread: The approximate number of objects of a kind.
    """

    def __init__(self, draws: Draws, start: int, content: Content, *, spread: int) -> None:
        self.draws = draws
        self.start = start
        self.content = content
        self.numbers = Numbers(draws, spread)
        self.rows: dict[str, dict[str, list[Row]]] = {
            service: {table: [] for table in tables} for service, tables in _TABLES.items()
        }
        self._counted = [
            listed
            for tables in self.rows.values()
            for name, listed in tables.items()
            if name not in _UNCOUNTED
        ]

    def count(self) -> int:
        """Return the number of rows that count toward the company's size."""
        return sum(map(len, self._counted))

    def add_row(self, service: str, table: str, row: Row) -> Row:
        """Add a row and return it."""
        self.rows[service][table].append(row)
        return row

    def row(self, service: str, table: str, row_id: str) -> Row:
        """Return the row of this id."""
        return next(row for row in self.rows[service][table] if row["id"] == row_id)
