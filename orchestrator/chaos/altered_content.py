"""Faults that alter the result of a read: an older state, part of a list, some fields of an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ..agent.observations import StepResult
from ..execution.tool_calls import operation_of
from ..progress.fault_memory import LONGEST_LAG
from .injection import Injection

#: Fields that objects always keep.
_ALWAYS_SHOWN: Final = frozenset({"id", "version", "status", "kind", "type", "role", "name"})


async def show_older(injection: Injection) -> StepResult | None:
    """Show the state of some steps ago until the lag is over, unless the call requires a version."""
    lag = injection.params["lag_steps"]
    if "min_version" in injection.intent.arguments or injection.execution.number > injection.began_at + lag:
        return None
    return await _older(injection, lag)


async def show_older_once(injection: Injection) -> StepResult:
    """Show an older state once, like a cache that missed an invalidation."""
    return await _older(injection, LONGEST_LAG)


async def cut_short(injection: Injection) -> StepResult:
    """Truncate a list or omit fields of an object, and say so."""
    done = await injection.carried_out()
    part = _part_of(done.result, injection)
    return done if part is None else _showing(part, done, injection)


async def _older(injection: Injection, lag: int) -> StepResult:
    done = await injection.carried_out()
    fresh, since = done.result, injection.execution.number - lag
    if fresh is None:
        return done
    older = injection.memory.older(operation_of(injection.intent), injection.intent, fresh, since=since)
    return done if older is None else _showing(older, done, injection)


def _showing(result: Any, done: StepResult, injection: Injection) -> StepResult:
    return replace(done, result=result, fault=injection.fault())


def _part_of(result: Any, injection: Injection) -> Any | None:
    if not isinstance(result, Mapping):
        return None
    items = result.get("items")
    return _object_part(result, injection) if items is None else first_half(result, items)


def first_half(page: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return a page with the first half of its items and the cursor to the rest.

    None if there is no second half, or if the items have no `id`: a cursor is the id of the last item shown.
    """
    kept = items[: (len(items) + 1) // 2]
    if len(kept) == len(items) or "id" not in kept[-1]:
        return None
    return {**page, "items": kept, "next_cursor": kept[-1]["id"], "partial": True}


def _object_part(shown: Mapping[str, Any], injection: Injection) -> Any | None:
    optional = [name for name in shown if name not in _ALWAYS_SHOWN]
    if len(optional) < 2:
        return None
    first = injection.drawn("omitted", range(len(optional)))
    turned = [*optional[first:], *optional[:first]]
    omitted = sorted(turned[: (len(turned) + 1) // 2])
    kept = {name: value for name, value in shown.items() if name not in omitted}
    return {**kept, "partial": True, "omitted": omitted}
