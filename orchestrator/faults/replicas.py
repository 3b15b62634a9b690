"""Replicas that lag: what reads of an object show right after it was changed is kept for those that are to be misled.

Where the plan has an older state shown, nobody can make one up afterwards. So after a change, what the reads of its
object show then is noted in the step's record, and a later read may be answered with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from companyos.chaos import FaultId, FaultPlan, Reach

from ..calls import Done, Scene
from ..intents import Calls
from ..records import Fault
from ..tools import Tool
from ..turn import Turn

_SHOWING_OLDER: Final = frozenset({FaultId.STALE_REPLICA, FaultId.WRONG_CONTENT})


async def filled(intent: Calls, done: Done, turn: Turn, scene: Scene, plan: FaultPlan) -> tuple[Fault, ...]:
    """Return what replicas keep of the objects of a change; nothing of a read, or where none is to lag."""
    if intent.tool.reads or not _SHOWING_OLDER & plan.chaos.settings.keys():
        return ()
    kept = []
    for tool, subject in _reads_of(intent, done.said.result, scene.catalog.tools.values()):
        where = (tool.service, tool.operation, subject)
        faults = [incident.fault for incident in plan.incidents(where, [Reach.ANY, Reach.READS])]
        lagging = next((fault for fault in faults if fault in _SHOWING_OLDER), None)
        if lagging is not None:
            label = f"look.{tool.operation}.{subject}"
            shown = await turn.peek(tool, {_only(tool): subject}, label=label)
            kept += [Fault(lagging, where, 0, {"kept": shown}, state="armed")] if shown else []
    return tuple(kept)


def _reads_of(intent: Calls, result: Any, tools: Iterable[Tool]) -> list[tuple[Tool, str]]:
    """Return the reads that show an object which a call was about or made, with its id."""
    made = result.get("id") if isinstance(result, Mapping) else None
    about = {name: str(value) for name, value in intent.arguments.items() if name in intent.tool.places}
    own = [tool for tool in tools if tool.service == intent.tool.service and tool.reads and _only(tool)]
    subjects = [(tool, {about.get(_only(tool)), made}) for tool in own]
    return [(tool, subject) for tool, ids in subjects for subject in sorted(filter(None, ids))]


def _only(tool: Tool) -> str:
    """Return the argument of a read that takes an id and nothing else; empty where it takes more."""
    names = [name for name in tool.places if name != "min_version"]
    return names[0] if len(names) == 1 and tool.places[names[0]] == "path" else ""
