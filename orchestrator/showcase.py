"""The company as a person would look at it: the clock, each service's tables, and what was done last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companyos.scenario import Row, View

from .catalog import Catalog
from .effects import Place
from .grading import Progress
from .records import Episode
from .replies import state_of

MOST_ROWS = 50
LAST_STEPS = 20


def showcase(
    episode: Episode, progress: Progress, catalog: Catalog, records: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return an episode's company: only what agents could see too, with rows of this episode first."""
    instance = progress.instance
    return {
        **state_of(episode),
        "persona": {
            "id": instance.persona.id,
            "name": instance.persona.name,
            "role": instance.persona.role,
        },
        "brief": instance.brief,
        "services": [_service(service, progress, catalog) for service in catalog.services],
        "steps": [_step(record) for record in records[-LAST_STEPS:]],
    }


def _service(service: str, progress: Progress, catalog: Catalog) -> dict[str, Any]:
    manifest = catalog.manifests[service]
    tables = [_table(service, table, progress.view, progress.changed) for table in catalog.tables(service)]
    return {
        "name": service,
        "title": manifest["title"],
        "summary": manifest["summary"],
        "tables": [table for table in tables if table["total"]],
    }


def _table(service: str, table: str, view: View, changed: set[Place]) -> dict[str, Any]:
    rows = view.rows(service, table)
    marked = [(Place(service, table, row["id"]) in changed, row) for row in rows]
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
