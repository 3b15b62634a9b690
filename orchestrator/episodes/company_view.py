"""A company prepared for display: the clock, each service's tables, and the last steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companyos.sdk.scenario import Row, View

from ..grading.grader import Grader
from ..protocol.effects import RowKey
from ..protocol.records import Episode
from ..protocol.replies import state_of
from ..services.catalog import Catalog

MOST_ROWS = 50
LAST_STEPS = 20


def showcase(
    episode: Episode, grader: Grader, catalog: Catalog, records: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return an episode's company as agents could see it, with rows changed in this episode first."""
    instance = grader.instance
    return {
        **state_of(episode),
        "persona": {
            "id": instance.persona.id,
            "name": instance.persona.name,
            "role": instance.persona.role,
        },
        "brief": instance.brief,
        "services": [_service(service, grader, catalog) for service in catalog.services],
        "steps": [_step(record) for record in records[-LAST_STEPS:]],
    }


def _service(service: str, grader: Grader, catalog: Catalog) -> dict[str, Any]:
    manifest = catalog.manifests[service]
    tables = [_table(service, table, grader.view, grader.changed) for table in catalog.tables(service)]
    return {
        "name": service,
        "title": manifest["title"],
        "summary": manifest["summary"],
        "tables": [table for table in tables if table["total"]],
    }


def _table(service: str, table: str, view: View, changed: set[RowKey]) -> dict[str, Any]:
    rows = view.rows(service, table)
    marked = [(RowKey(service, table, row["id"]) in changed, row) for row in rows]
    first = [*(pair for pair in marked if pair[0]), *(pair for pair in marked if not pair[0])][:MOST_ROWS]
    return {
        "name": table,
        "total": len(rows),
        "columns": list(rows[0]) if rows else [],
        "rows": [_row(row, is_changed=is_changed) for is_changed, row in first],
    }


def _row(row: Row, *, is_changed: bool) -> dict[str, Any]:
    return {**row, "changed": True} if is_changed else dict(row)


def _step(record: Mapping[str, Any]) -> dict[str, Any]:
    seen = record["observation"]
    return {
        "step": record["step"],
        "sim_now": seen["sim_now"],
        "tool_name": record["action"].get("tool_name"),
        "arguments": record["action"].get("arguments", {}),
        "error": seen["error"]["code"] if seen["error"] else None,
        "text": seen["text"],
    }
