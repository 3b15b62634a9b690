"""The rows of every service, as the company builder collects them."""

from companyos.sdk.draws import Draws

from .content import Content
from .numbers import Numbers
from .rows import Row


class Tables:
    """The rows so far, by service and table.

    Args:
        draws: The draws that decide everything left open.
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
            "ticketdesk": _empty(
                "people",
                "tickets",
                "external_blockers",
                "comments",
                "links",
                "history",
                "ticket_kinds",
                "permissions",
            ),
            "datahub": _empty(
                "people",
                "absences",
                "metrics",
                "sources",
                "records",
                "permissions",
                "documents",
                "messages",
                "knowledge",
            ),
            "approvalflow": _empty(
                "people",
                "tickets",
                "metrics",
                "requests",
                "audit",
                "rejections",
                "policy_changes",
                "approval_types",
                "permissions",
            ),
        }

    def count(self) -> int:
        """Return how many rows there are."""
        return sum(len(listed) for tables in self.rows.values() for listed in tables.values())

    def add_row(self, service: str, table: str, row: Row) -> Row:
        """Add a row and return it."""
        self.rows[service][table].append(row)
        return row

    def row(self, service: str, table: str, row_id: str) -> Row:
        """Return the row of this id."""
        return next(row for row in self.rows[service][table] if row["id"] == row_id)


def _empty(*tables: str) -> dict[str, list[Row]]:
    return {table: [] for table in tables}
