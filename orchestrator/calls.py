"""The agent's call of a service's tool, and what a step amounts to once it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companyos.chaos import FaultPlan

from .beginnings import Beginning
from .catalog import Catalog
from .companies import Company
from .gateway import Answer
from .intents import Calls, Finishes, Refuses
from .observations import Said, invalid_arguments, refused
from .records import Episode, Fault, Operation
from .rewards import Call
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

    @property
    def plan(self) -> FaultPlan | None:
        """What goes wrong on the way; None where nothing can."""
        return self.beginning.plan


@dataclass(frozen=True)
class Done:
    """What was done in a step.

    Attributes:
        said: What the agent is told.
        call: How the call went.
        operation: The operation called, or None.
        fault: The fault that hit it, or None.
        armed: Faults that may hit later calls because of this one.
        violation: Code of the policy the agent tried to break, or None.
        ends: How the agent ended the episode, or None.
    """

    said: Said
    call: Call = Call.DONE
    operation: Operation | None = None
    fault: Fault | None = None
    armed: tuple[Fault, ...] = ()
    violation: str | None = None
    ends: Finishes | Refuses | None = None


def operation_of(intent: Calls) -> Operation:
    """Return the operation that a call is an attempt at: the same however its arguments are worded."""
    tool = intent.tool
    return (tool.service, tool.operation, tool.subject(intent.arguments))


async def carry_out(intent: Calls, turn: Turn, *, hold: bool = False) -> Done:
    """Make a call and wait until everything it set off is done.

    Args:
        intent: The call.
        turn: The step.
        hold: Whether those who react to its events keep them for later.
    """
    tool = intent.tool
    answer = await turn.call(tool.service, tool.request(intent.arguments), hold=hold)
    return answered(intent, answer)


def answered(intent: Calls, answer: Answer) -> Done:
    """Return what a service's answer to a call amounts to."""
    if answer.problem is None:
        return Done(Said(intent.tool.name, answer.result), operation=operation_of(intent))
    return _refused(intent.tool.name, operation_of(intent), answer.problem)


def _refused(tool_name: str, operation: Operation, problem: Mapping[str, Any]) -> Done:
    code, detail = str(problem["type"]), str(problem["detail"])
    if code == ARGUMENTS_REFUSED:
        return Done(invalid_arguments(tool_name, detail), Call.BAD_ARGUMENTS, operation)
    said = refused(tool_name, code, detail)
    if problem.get("violation"):
        return Done(said, Call.VIOLATION, operation, violation=code)
    return Done(said, Call.REFUSED, operation)
