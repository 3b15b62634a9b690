"""Faults of what a read shows: an older state, the first part of a list, some fields of an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ..calls import Done, operation_of
from .meeting import Meeting
from .memory import LONGEST_LAG

#: What an answer about an object shows in any case.
_ALWAYS_SHOWN: Final = frozenset({"id", "version", "status", "kind", "type", "role", "name"})


async def show_older(meeting: Meeting) -> Done | None:
    """Show the state of some steps ago, unless the call says how new it must be, until the lag is over."""
    lag = meeting.params["lag_steps"]
    if "min_version" in meeting.intent.arguments or meeting.turn.number > meeting.began_at + lag:
        return None
    return await _older(meeting, lag)


async def show_older_once(meeting: Meeting) -> Done:
    """Show an older state, as a cache on the way does that was not told of a change."""
    return await _older(meeting, LONGEST_LAG)


async def cut_short(meeting: Meeting) -> Done:
    """End a list early, or leave fields of an object out, and say so."""
    done = await meeting.carried_out()
    part = _part_of(done.said.result, meeting)
    return done if part is None else _showing(part, done, meeting)


async def _older(meeting: Meeting, lag: int) -> Done:
    done = await meeting.carried_out()
    fresh, since = done.said.result, meeting.turn.number - lag
    if fresh is None:
        return done
    older = meeting.memory.older(operation_of(meeting.intent), meeting.intent, fresh, since=since)
    return done if older is None else _showing(older, done, meeting)


def _showing(result: Any, done: Done, meeting: Meeting) -> Done:
    return replace(done, said=replace(done.said, result=result), fault=meeting.fault())


def _part_of(result: Any, meeting: Meeting) -> Any | None:
    if not isinstance(result, Mapping):
        return None
    items = result.get("items")
    return _object_part(result, meeting) if items is None else _page_part(result, items)


def _page_part(page: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Any | None:
    kept = items[: (len(items) + 1) // 2]
    if len(kept) == len(items):
        return None
    return {**page, "items": kept, "next_cursor": kept[-1]["id"], "partial": True}


def _object_part(shown: Mapping[str, Any], meeting: Meeting) -> Any | None:
    optional = [name for name in shown if name not in _ALWAYS_SHOWN]
    if len(optional) < 2:
        return None
    first = meeting.drawn("omitted", range(len(optional)))
    turned = [*optional[first:], *optional[:first]]
    omitted = sorted(turned[: (len(turned) + 1) // 2])
    kept = {name: value for name, value in shown.items() if name not in omitted}
    return {**kept, "partial": True, "omitted": omitted}
