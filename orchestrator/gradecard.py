"""The grade card of an episode: every predicate with its verdict and the rows that prove it, and the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companyos.scenario import Harm, Never

from .grading import Progress, Verdict
from .records import Episode
from .replies import summary_of


def grade_card(episode: Episode, progress: Progress, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the grade card of an episode as it stands."""
    instance = progress.instance
    return {
        **summary_of(episode),
        "feasible": instance.feasible,
        "finished": episode.terminated,
        "musts": [
            {"name": must.name, "why": must.why, **_shown(progress.judge(must.holds))}
            for must in instance.musts
        ],
        "nevers": [_never(never, progress) for never in instance.nevers],
        "orders": [_order(order.name, progress) for order in instance.orders],
        "milestones": [
            {"name": one.name, "size": one.size, **_shown(progress.judge(one.holds))}
            for one in instance.milestones
        ],
        "collateral": [str(place) for place in progress.collateral()],
        "duplicates": [never.name for never in _broken(progress) if never.harm is Harm.DUPLICATE],
        "violations": [{"step": step, "code": code} for step, code in progress.violations],
        "ledger": [{"step": record["step"], **line} for record in records for line in record["ledger"]],
    }


def _never(never: Never, progress: Progress) -> dict[str, Any]:
    broken_at = progress.harm.get(never.name)
    verdict = progress.judge(never.holds)
    return {
        "name": never.name,
        "why": never.why,
        "harm": str(never.harm),
        "kept": broken_at is None,
        "broken_at": broken_at,
        "rows": [str(place) for place in verdict.evidence],
    }


def _order(name: str, progress: Progress) -> dict[str, Any]:
    broken_at = progress.broken_orders[name]
    return {"name": name, "kept": broken_at is None, "broken_at": broken_at}


def _broken(progress: Progress) -> Iterable[Never]:
    return (never for never in progress.instance.nevers if never.name in progress.harm)


def _shown(verdict: Verdict) -> dict[str, Any]:
    return {"holds": verdict.holds, "rows": [str(place) for place in verdict.evidence]}
