"""Committed states that tests alter row by row."""

from collections.abc import Mapping
from typing import Any

from companyos.sdk.company import Company
from companyos.sdk.scenario import CompanyState, Instance, View


class Committed:
    """A state in which a test writes rows, beginning with the rows of a company or of an instance."""

    def __init__(self, company: Company | Instance) -> None:
        self._state = CompanyState(company.rows)

    @property
    def view(self) -> View:
        """What a predicate is given."""
        return self._state.view()

    def write(self, service: str, table: str, row_id: str, **columns: Any) -> None:
        """Write columns of a new or of an existing row."""
        before = self.view.row(service, table, row_id) or {}
        self._apply(service, table, row_id, {**before, "id": row_id, **columns})

    def remove(self, service: str, table: str, row_id: str) -> None:
        """Remove a row."""
        self._apply(service, table, row_id, None)

    def _apply(self, service: str, table: str, row_id: str, row: Mapping[str, Any] | None) -> None:
        self._state.apply(service, [{"table": table, "id": row_id, "row": row}])
