"""The agent's call of a service's tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..agent.intents import Calls
from ..agent.observations import StepResult, invalid_arguments, refused
from ..protocol.trace_records import CallOutcome, Operation
from ..services.answers import ServiceAnswer
from .defects import SERVICE_ERROR
from .step_execution import StepExecution

#: A service's own refusal of arguments, equivalent to a failed schema check here.
ARGUMENTS_REFUSED = "invalid_request"


class ClaimNeeded(Exception):
    """A step that was not claimed turns out to do more than read. It has done nothing yet."""


def operation_of(intent: Calls) -> Operation:
    """Return the operation that a call attempts, which depends only on the tool and its object."""
    tool = intent.tool
    return (tool.service, tool.operation, tool.subject(intent.arguments))


async def carry_out(intent: Calls, execution: StepExecution, *, hold: bool = False) -> StepResult:
    """Make a call and wait until everything it causes is done.

    Args:
        intent: The call.
        execution: The step.
        hold: Whether consumers defer its events.
    """
    tool = intent.tool
    answer = await execution.call(tool.service, tool.request(intent.arguments), hold=hold)
    return call_result(intent, answer)


def call_result(intent: Calls, answer: ServiceAnswer) -> StepResult:
    """Return the result for a service's answer to a call."""
    if answer.problem is None:
        return StepResult(intent.tool.name, answer.result, operation=operation_of(intent))
    return _refusal_result(intent.tool.name, operation_of(intent), answer.problem)


def _refusal_result(tool_name: str, operation: Operation, problem: Mapping[str, Any]) -> StepResult:
    code, detail = problem["type"], problem["detail"]
    if code == ARGUMENTS_REFUSED:
        return replace(invalid_arguments(tool_name, detail, problem), operation=operation)
    result = replace(refused(tool_name, code, detail, problem), operation=operation)
    if code == SERVICE_ERROR:
        return replace(result, call=CallOutcome.FAILED)
    if problem.get("violation"):
        return replace(result, call=CallOutcome.VIOLATION, violation=code)
    return result
