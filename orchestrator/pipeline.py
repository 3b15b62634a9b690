"""What a step does: the clock first, then the call, unless the action comes to something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from companyos.chaos import Incident, Reach
from companyos.simtime import to_iso

from .beginnings import Beginning
from .catalog import Catalog
from .companies import Company
from .intents import BadArguments, Calls, Finishes, Intent, Lists, NoSuchTool, Refuses, Waits
from .observations import Said, invalid_arguments, refused, tool_not_found, unavailable
from .records import Episode, Fault, Operation
from .render import tools_text
from .rewards import Call
from .tools import FINISH, REFUSE, WAIT, Tool
from .turn import Turn

#: The refusal by which a service says what our own check of the schema says.
ARGUMENTS_REFUSED = "invalid_request"


@dataclass(frozen=True)
class Scene:
    """Where a step is played: the episode before it, what it began with, its company, and the tools there are."""

    episode: Episode
    beginning: Beginning
    company: Company
    catalog: Catalog


@dataclass(frozen=True)
class Done:
    """What was done in a step.

    Attributes:
        said: What the agent is told.
        call: How the call went.
        operation: The operation called, or None.
        fault: The fault that hit it, or None.
        violation: Code of the policy the agent tried to break, or None.
        ends: How the agent ended the episode, or None.
    """

    said: Said
    call: Call = Call.DONE
    operation: Operation | None = None
    fault: Fault | None = None
    violation: str | None = None
    ends: Finishes | Refuses | None = None


async def play(intent: Intent, turn: Turn, scene: Scene) -> Done:
    """Do what an action amounts to, and everything that falls due on the way.

    Raises:
        Outage: A service did not do its part. Nothing is graded; the step may be sent again.
    """
    match intent:
        case Calls():
            return await _call(intent, turn, scene)
        case Waits(until):
            await turn.advance(until)
            return Done(_waited(turn))
        case Lists():
            cards = scene.catalog.cards
            return Done(Said(text=tools_text(cards), tools=cards))
        case Finishes():
            return Done(_over(FINISH.name), ends=intent)
        case Refuses():
            return Done(_over(REFUSE.name), ends=intent)
        case NoSuchTool(name):
            return Done(tool_not_found(name, list(scene.catalog.tools)), Call.UNKNOWN_TOOL)
        case BadArguments(name, flaw):
            return Done(invalid_arguments(name, flaw), Call.BAD_ARGUMENTS)
        case _:
            assert_never(intent)


async def _call(intent: Calls, turn: Turn, scene: Scene) -> Done:
    tool = intent.tool
    operation = (tool.service, tool.operation, tool.subject(intent.arguments))
    await turn.advance(turn.agenda.now + tool.tick)
    incident = _incident(tool, operation, turn, scene)
    if incident is not None:
        fault = Fault(incident, scene.company.history.attempts.get(operation, 0))
        return Done(unavailable(tool.name, tool.service), Call.FAILED, operation, fault)
    answer = await turn.call(tool.service, tool.request(intent.arguments))
    if answer.problem is not None:
        return _refused(tool.name, operation, answer.problem)
    return Done(Said(tool.name, answer.result), operation=operation)


def _incident(tool: Tool, operation: Operation, turn: Turn, scene: Scene) -> Incident | None:
    plan = scene.beginning.plan
    if plan is None:
        return None
    reaches = [Reach.ANY, Reach.READS if tool.reads else Reach.WRITES]
    return plan.decide(operation, reaches, scene.company.history, step=turn.number)


def _refused(tool_name: str, operation: Operation, problem: Mapping[str, Any]) -> Done:
    code, detail = str(problem["type"]), str(problem["detail"])
    if code == ARGUMENTS_REFUSED:
        return Done(invalid_arguments(tool_name, detail), Call.BAD_ARGUMENTS, operation)
    said = refused(tool_name, code, detail)
    if problem.get("violation"):
        return Done(said, Call.VIOLATION, operation, violation=code)
    return Done(said, Call.REFUSED, operation)


def _waited(turn: Turn) -> Said:
    now = to_iso(turn.agenda.now)
    result = {"sim_now": now, "waited_s": turn.elapsed_s}
    return Said(WAIT.name, result, text=f"You waited. It is {now} now.")


def _over(tool_name: str) -> Said:
    return Said(tool_name, {"ended": True}, text="The episode is over.")
