"""Lagging replicas: the state for a later stale read, recorded while it is current.

An older state cannot be reconstructed later. Therefore, if the plan makes a read stale, the step that changes the
object also records what reads show at that time, and a later read may be answered with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from companyos.sdk.chaos import FaultId, FaultPlan, Reach

from ..agent.intents import Calls
from ..agent.observations import StepResult
from ..agent.tools import Tool
from ..execution.step_execution import StepExecution
from ..protocol.trace_records import Fault

_SHOWING_OLDER: Final = frozenset({FaultId.STALE_REPLICA, FaultId.WRONG_CONTENT})


async def fill_replicas(
    intent: Calls, done: StepResult, execution: StepExecution, plan: FaultPlan
) -> tuple[Fault, ...]:
    """Return the states that lagging replicas keep after a change; none after a read."""
    if intent.tool.reads or not _SHOWING_OLDER & plan.chaos.settings.keys():
        return ()
    kept = []
    for tool, subject in _reads_of(intent, done.result, execution.context.catalog.tools.values()):
        where = (tool.service, tool.operation, subject)
        faults = [incident.fault for incident in plan.incidents(where, [Reach.ANY, Reach.READS])]
        lagging = next((fault for fault in faults if fault in _SHOWING_OLDER), None)
        if lagging is not None:
            label = f"look.{tool.operation}.{subject}"
            shown = await execution.peek(tool, {_only(tool): subject}, label=label)
            kept += [Fault(lagging, where, 0, {"kept": shown}, state="armed")] if shown else []
    return tuple(kept)


def _reads_of(intent: Calls, result: Any, tools: Iterable[Tool]) -> list[tuple[Tool, str]]:
    """Return the reading tools for each object that a call concerned or created, with its id."""
    made = result.get("id") if isinstance(result, Mapping) else None
    about = {name: str(value) for name, value in intent.arguments.items() if name in intent.tool.places}
    own = [tool for tool in tools if tool.service == intent.tool.service and tool.reads and _only(tool)]
    subjects = [(tool, {about.get(_only(tool)), made}) for tool in own]
    return [(tool, subject) for tool, ids in subjects for subject in sorted(filter(None, ids))]


def _only(tool: Tool) -> str:
    """Return the argument of a read that takes only an id; empty if it takes more."""
    names = [name for name in tool.places if name != "min_version"]
    return names[0] if len(names) == 1 and tool.places[names[0]] == "path" else ""
