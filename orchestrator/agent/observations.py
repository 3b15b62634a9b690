"""Observations: the agent's view of each step, without anything that reveals the grade."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from companyos.sdk.simtime import to_iso

from ..protocol.failures import Failure
from ..protocol.trace_records import CallOutcome, Fault, Operation
from .intents import Abandons, Finishes, Refuses
from .observation_text import (
    BUDGET,
    conversation_text,
    failure_text,
    refusal_text,
    rest_text,
    result_text,
    within_budget,
)
from .suggestions import did_you_mean

#: The outcome of a call that may have been carried out.
UNKNOWN = "unknown"

#: The explanation of a call without an answer, by its failure.
_NO_ANSWER: Final[Mapping[Failure, str]] = {
    Failure.TIMEOUT: "{service} did not answer in time.",
    Failure.RESET: "The connection to {service} broke off.",
    Failure.CLOSED: "{service} closed the connection before it had answered.",
    Failure.INCOMPLETE: "The answer of {service} broke off in the middle.",
}
_AGAIN: Final = "Call again."
_AGAIN_WITH_KEY: Final = (
    "The call may have been carried out or not. Repeat it exactly, with the same idempotency_key, which does it once; "
    "or read first what came of it."
)
_AGAIN_WITHOUT_KEY: Final = (
    "The call may have been carried out or not. It had no idempotency_key, so read first what came of it, and repeat "
    "it only if it was not carried out."
)
#: The fields of a refusal, besides its reason, that an agent can act on.
GUIDANCE: Final = ("field", "required_field", "allowed_values", "permission", "remedy", "retry_after_s")
#: Codes with which a working service declines a call for now.
_REFUSALS: Final = frozenset({"rate_limited", "session_expired"})
#: Codes after which the same call fails until something else is done.
_FOR_GOOD: Final = frozenset({"session_expired"})
#: What happened to a call that may have been carried out, by the code of the failure.
_UNHEARD: Final[Mapping[str, str]] = {
    "answer_lost": "The response was lost.",
    "answer_late": "No response arrived in time.",
}


#: The code for an existing tool that the agent was not given.
NOT_OFFERED: Final = "tool_not_offered"
#: The code for output that is not a call.
INVALID_ACTION: Final = "invalid_action"
#: Most characters quoted of an unknown tool's name.
LONGEST_NAME: Final = 100
_NO_CALL: Final = "That is not a tool call. Call one tool, by its name and with a JSON object of arguments."


class ErrorType(StrEnum):
    """The kinds of OpenEnv's tool errors that occur here."""

    EXECUTION = "execution_error"
    ARGUMENTS = "invalid_args"
    TRANSPORT = "transport_error"
    TIMEOUT = "timeout"
    NOT_FOUND = "tool_not_found"


_REFUSING: Final = frozenset({ErrorType.EXECUTION, ErrorType.ARGUMENTS, ErrorType.NOT_FOUND})
_CALLS: Final[Mapping[ErrorType, CallOutcome]] = {
    ErrorType.EXECUTION: CallOutcome.REFUSED,
    ErrorType.ARGUMENTS: CallOutcome.BAD_ARGUMENTS,
    ErrorType.NOT_FOUND: CallOutcome.UNKNOWN_TOOL,
}


@dataclass(frozen=True)
class ToolError:
    """The error that tells the agent why a call has no result.

    Attributes:
        outcome: `unknown` if the call may have been carried out, otherwise empty.
        facts: Further facts that an agent can act on, with names from `GUIDANCE`.
    """

    error_type: ErrorType
    code: str
    message: str
    retryable: bool = False
    outcome: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """The error as JSON, without absent parts."""
        document: dict[str, Any] = {
            "error_type": str(self.error_type),
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.outcome is not None:
            document["outcome"] = self.outcome
        return {**document, **self.facts}


@dataclass(frozen=True)
class StepResult:
    """The result of a step: the agent's view, and the data that its grade and its record need.

    Attributes:
        text: The agent's text, if it is not derived from the result or the error.
        tools: The tools to list, or None.
        call: The outcome of the call.
        operation: The operation called, or None.
        fault: The fault that hit the call, or None.
        armed: Faults that may hit later calls because of this one.
        violation: Code of the policy that the agent tried to violate, or None.
        ends: How the agent ended the episode, or None.
    """

    tool_name: str | None = None
    result: Any = None
    error: ToolError | None = None
    text: str | None = None
    tools: Sequence[Mapping[str, Any]] | None = None
    call: CallOutcome = CallOutcome.DONE
    operation: Operation | None = None
    fault: Fault | None = None
    armed: tuple[Fault, ...] = ()
    violation: str | None = None
    ends: Finishes | Refuses | Abandons | None = None


def observation(
    result: StepResult,
    *,
    step: int,
    max_steps: int,
    now: int,
    elapsed_s: int,
    rendered: Callable[[Any], str] = result_text,
) -> dict[str, Any]:
    """Return the observation of a step. Its text and its `result` show the same, unless `rendered` shows less."""
    text, shown = _text(result, rendered), result.result
    if len(text) > BUDGET and (shown := within_budget(shown)) is not result.result:
        text = f"{_text(replace(result, result=shown), rendered)}\n{rest_text(str(result.tool_name), shown)}"
    document = {
        "text": text,
        "tool_name": result.tool_name,
        "result": shown,
        "error": result.error.document if result.error else None,
        "step": step,
        "steps_remaining": max_steps - step,
        "sim_now": to_iso(now),
        "elapsed_s": elapsed_s,
    }
    return document if result.tools is None else {**document, "tools": list(result.tools)}


def with_conversation(seen: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the first observation of an episode that starts after steps: its text tells them too.

    Its `brief` is the text without them, and its `prefix` their actions and observations.
    """
    if not records:
        return dict(seen)
    prefix = [{"action": record["action"], "observation": record["observation"]} for record in records]
    text = f"{seen['text']}\n\n{conversation_text(prefix)}"
    return {**seen, "text": text, "brief": seen["text"], "prefix": prefix}


def tool_not_found(name: str, offered: Iterable[str], *, exists: bool = False) -> StepResult:
    """Return the result for a tool that does not exist, or that the agent was not given."""
    shown, names = name[:LONGEST_NAME], list(offered)
    again = did_you_mean(name, names) or f" There are: {', '.join(names)}."
    if exists:
        return _failure_result(
            shown, ErrorType.NOT_FOUND, NOT_OFFERED, f"You do not have the tool {shown!r}.{again}"
        )
    return _failure_result(
        shown, ErrorType.NOT_FOUND, "tool_not_found", f"There is no tool {shown!r}.{again}"
    )


def no_call() -> StepResult:
    """Return the result for output that is not a call."""
    return replace(
        _failure_result(None, ErrorType.ARGUMENTS, INVALID_ACTION, _NO_CALL), call=CallOutcome.NO_CALL
    )


def invalid_arguments(name: str, flaw: str, facts: Mapping[str, Any] | None = None) -> StepResult:
    """Return the result for arguments that the tool cannot accept."""
    return _failure_result(name, ErrorType.ARGUMENTS, "invalid_arguments", flaw, guidance(facts or {}))


def refused(name: str, code: str, detail: str, facts: Mapping[str, Any] | None = None) -> StepResult:
    """Return the result for a refused call; facts that can guide the agent are included."""
    return _failure_result(name, ErrorType.EXECUTION, code, detail, guidance(facts or {}))


def within_reach(result: StepResult, offered: Collection[str], catalog: Collection[str]) -> StepResult:
    """Return a result without a remedy that the agent cannot call.

    Services do not know which tools an agent has. The message names a remedy that the agent lacks.
    """
    remedy = result.error.facts.get("remedy") if result.error else None
    if result.error is None or remedy not in catalog or remedy in offered:
        return result
    facts = {name: fact for name, fact in result.error.facts.items() if name != "remedy"}
    message = f"{result.error.message} (Not among your tools: {remedy}.)"
    return replace(result, error=replace(result.error, message=message, facts=facts))


def guidance(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about a refusal that an agent can act on."""
    return {name: facts[name] for name in GUIDANCE if facts.get(name) is not None}


def how_to_repeat(arguments: Mapping[str, Any], *, idempotent: bool) -> str:
    """Return what to do about a call that may have been carried out."""
    if idempotent:
        return _AGAIN
    return _AGAIN_WITH_KEY if arguments.get("idempotency_key") else _AGAIN_WITHOUT_KEY


def unanswered(name: str, service: str, failure: Failure, *, again: str) -> StepResult:
    """Return the result for a call without an answer, whether it was carried out or not.

    Args:
        name: The tool.
        service: The service that was called.
        failure: How the exchange failed.
        again: How to repeat the call if it may have been carried out.
    """
    if failure is Failure.REFUSED:
        return _came_to_nothing(
            name, failure, f"{service} refused the connection; nothing was done. Call again."
        )
    return _came_to_nothing(name, failure, f"{_NO_ANSWER[failure].format(service=service)} {again}", UNKNOWN)


def answered_badly(name: str, problem: Mapping[str, Any], *, again: str) -> StepResult:
    """Return the result for a call that a service, or a proxy before it, answered with a temporary failure.

    Args:
        name: The tool.
        problem: The answer.
        again: How to repeat the call if it may have been carried out, which the answer does not know.
    """
    code = str(problem["type"])
    error = ToolError(
        ErrorType.EXECUTION if code in _REFUSALS else ErrorType.TRANSPORT,
        code,
        f"{_UNHEARD[code]} {again}" if code in _UNHEARD else str(problem["detail"]),
        retryable=code not in _FOR_GOOD,
        outcome=UNKNOWN if code in _UNHEARD else None,
        facts=guidance(problem),
    )
    return StepResult(name, error=error, call=CallOutcome.FAILED)


def _came_to_nothing(name: str, failure: Failure, message: str, outcome: str | None = None) -> StepResult:
    kind = ErrorType.TIMEOUT if failure is Failure.TIMEOUT else ErrorType.TRANSPORT
    error = ToolError(kind, str(failure), message, retryable=True, outcome=outcome)
    return StepResult(name, error=error, call=CallOutcome.FAILED)


def _failure_result(
    name: str | None, error_type: ErrorType, code: str, message: str, facts: Mapping[str, Any] | None = None
) -> StepResult:
    error = ToolError(error_type, code, message, facts=facts or {})
    return StepResult(name, error=error, call=_CALLS[error_type])


def _text(result: StepResult, rendered: Callable[[Any], str]) -> str:
    if result.text is not None:
        return result.text
    if result.error is None:
        return rendered(result.result)
    if result.error.error_type in _REFUSING:
        return refusal_text(result.error.code, result.error.message, result.error.facts)
    return failure_text(result.error.code, result.error.message)
