"""The grade card of an episode: every predicate with its verdict and the rows that prove it, and the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.sdk.scenario import Answer, Forbidden, Harm

from ..agent.tools import FINISH
from ..protocol.effects import RowKey
from ..protocol.records import Episode
from ..protocol.replies import summary_of
from .grader import Grader, Judgment


def grade_card(episode: Episode, grader: Grader, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the grade card of an episode as it stands."""
    instance = grader.instance
    return {
        **summary_of(episode),
        "feasible": instance.feasible,
        "finished": episode.terminated,
        "musts": [
            {"name": must.name, "why": must.why, **_judgment_document(grader.judge(must.holds))}
            for must in instance.musts
        ],
        "forbidden": [_never(never, grader) for never in instance.forbidden],
        "orders": [_order(order.name, grader) for order in instance.orders],
        "milestones": [
            {"name": one.name, "size": one.size, **_judgment_document(grader.judge(one.holds))}
            for one in instance.milestones
        ],
        "answer": _answer(grader.instance.answer, records),
        "sets": [one.card(grader.view) for one in instance.sets],
        "collateral": [_outside(row_key, columns) for row_key, columns in grader.collateral().items()],
        "allowances": grader.own_writes.card(),
        "duplicates": [never.name for never in _broken(grader) if never.harm is Harm.DUPLICATE],
        "violations": [{"step": step, "code": code} for step, code in grader.violations],
        "ledger": [{"step": record["step"], **line} for record in records for line in record["ledger"]],
    }


def _answer(wanted: Answer | None, records: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the answer asked for, the one given, and whether it is right; None if the task asks for none."""
    if wanted is None:
        return None
    action = records[-1]["action"] if records and records[-1]["done"] else {}
    ends = action.get("tool_name") == FINISH.name
    given = FINISH.read(action.get("arguments") or {}).get("answer") if ends else None
    return {
        "wanted": wanted.document,
        "given": given,
        "right": ends and wanted.is_right(given),
    }


def _never(never: Forbidden, grader: Grader) -> dict[str, Any]:
    broken_at = grader.harm.get(never.name)
    verdict = grader.judge(never.holds)
    return {
        "name": never.name,
        "why": never.why,
        "harm": str(never.harm),
        "kept": broken_at is None,
        "broken_at": broken_at,
        "rows": [str(row_key) for row_key in verdict.evidence],
    }


def _outside(row_key: RowKey, columns: frozenset[str]) -> str:
    """Return a row with the columns that nothing explains."""
    return f"{row_key} ({', '.join(sorted(columns))})" if columns else str(row_key)


def _order(name: str, grader: Grader) -> dict[str, Any]:
    broken_at = grader.broken_orders[name]
    return {"name": name, "kept": broken_at is None, "broken_at": broken_at}


def _broken(grader: Grader) -> Iterable[Forbidden]:
    return (never for never in grader.instance.forbidden if never.name in grader.harm)


def _judgment_document(verdict: Judgment) -> dict[str, Any]:
    return {"holds": verdict.holds, "rows": [str(row_key) for row_key in verdict.evidence]}
