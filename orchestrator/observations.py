"""Observations: what an agent is told after each step, and nothing that gives the grade away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from companyos.simtime import to_iso

from .failures import Failure
from .render import failure_text, refusal_text, result_text

#: What came of a call of which no answer came.
UNKNOWN = "unknown"

_NO_ANSWER: Final[Mapping[Failure, str]] = {
    Failure.TIMEOUT: "{service} did not answer in time.",
    Failure.RESET: "The connection to {service} broke off.",
    Failure.CLOSED: "{service} closed the connection before it had answered.",
    Failure.INCOMPLETE: "The answer of {service} broke off in the middle.",
}
_AGAIN_READ: Final = "Call again."
_AGAIN_WRITE: Final = (
    "The call may have been carried out or not. Repeat it exactly, with the same idempotency_key if you gave one, "
    "which does it once; or read first what came of it."
)
#: Answers of a service that works, and declines the call for now.
_REFUSALS: Final = frozenset({"rate_limited", "session_expired"})
#: The same call fails until something else is done.
_FOR_GOOD: Final = frozenset({"session_expired"})
#: The call may have been carried out.
_UNHEARD: Final = frozenset({"answer_lost", "answer_late"})


class ErrorType(StrEnum):
    """OpenEnv's kinds of tool errors, those of them that happen here."""

    EXECUTION = "execution_error"
    ARGUMENTS = "invalid_args"
    TRANSPORT = "transport_error"
    TIMEOUT = "timeout"
    NOT_FOUND = "tool_not_found"


_REFUSING: Final = frozenset({ErrorType.EXECUTION, ErrorType.ARGUMENTS, ErrorType.NOT_FOUND})


@dataclass(frozen=True)
class ToolError:
    """Why a call gave no result, as the agent is told.

    Attributes:
        outcome: `unknown` where nobody can say whether the call was carried out; else nothing is said.
        retry_after_s: After how many simulated seconds the same call may succeed, where that is known.
    """

    error_type: ErrorType
    code: str
    message: str
    retryable: bool = False
    outcome: str | None = None
    retry_after_s: int | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The error as JSON; what is not known is left out."""
        told: dict[str, Any] = {
            "error_type": str(self.error_type),
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.outcome is not None:
            told["outcome"] = self.outcome
        if self.retry_after_s is not None:
            told["retry_after_s"] = self.retry_after_s
        return told


@dataclass(frozen=True)
class Said:
    """What a step has to say: the tool's result or error, and its text where that is not the result's."""

    tool_name: str | None = None
    result: Any = None
    error: ToolError | None = None
    text: str | None = None
    tools: Sequence[Mapping[str, Any]] | None = None


def observation(said: Said, *, step: int, max_steps: int, now: int, elapsed_s: int) -> dict[str, Any]:
    """Return the observation of a step."""
    told = {
        "text": _text(said),
        "tool_name": said.tool_name,
        "result": said.result,
        "error": said.error.document if said.error else None,
        "step": step,
        "steps_remaining": max_steps - step,
        "sim_now": to_iso(now),
        "elapsed_s": elapsed_s,
    }
    return told if said.tools is None else {**told, "tools": list(said.tools)}


def tool_not_found(name: str, known: Sequence[str]) -> Said:
    """Return what is said of a tool that does not exist."""
    listed = ", ".join(known)
    return _failed(
        name, ErrorType.NOT_FOUND, "tool_not_found", f"There is no tool {name!r}. There are: {listed}."
    )


def invalid_arguments(name: str, flaw: str) -> Said:
    """Return what is said of arguments the tool cannot take."""
    return _failed(name, ErrorType.ARGUMENTS, "invalid_arguments", flaw)


def refused(name: str, code: str, detail: str) -> Said:
    """Return what is said of a call that the service refused."""
    return _failed(name, ErrorType.EXECUTION, code, detail)


def unanswered(name: str, service: str, failure: Failure, *, reads: bool) -> Said:
    """Return what is said of a call that brought no answer, whether it was carried out or not."""
    if failure is Failure.REFUSED:
        return _came_to_nothing(
            name, failure, f"{service} refused the connection; nothing was done. Call again."
        )
    advice = _AGAIN_READ if reads else _AGAIN_WRITE
    return _came_to_nothing(name, failure, f"{_NO_ANSWER[failure].format(service=service)} {advice}", UNKNOWN)


def answered_badly(name: str, problem: Mapping[str, Any]) -> Said:
    """Return what is said of a call that a service, or a door before it, answered with a failure that passes."""
    code = str(problem["type"])
    error = ToolError(
        ErrorType.EXECUTION if code in _REFUSALS else ErrorType.TRANSPORT,
        code,
        str(problem["detail"]),
        retryable=code not in _FOR_GOOD,
        outcome=UNKNOWN if code in _UNHEARD else None,
        retry_after_s=problem.get("retry_after_s"),
    )
    return Said(name, error=error)


def _came_to_nothing(name: str, failure: Failure, message: str, outcome: str | None = None) -> Said:
    kind = ErrorType.TIMEOUT if failure is Failure.TIMEOUT else ErrorType.TRANSPORT
    return Said(name, error=ToolError(kind, str(failure), message, retryable=True, outcome=outcome))


def _failed(name: str, error_type: ErrorType, code: str, message: str) -> Said:
    return Said(name, error=ToolError(error_type, code, message))


def _text(said: Said) -> str:
    if said.text is not None:
        return said.text
    if said.error is not None:
        told = refusal_text if said.error.error_type in _REFUSING else failure_text
        return told(said.error.code, said.error.message)
    return result_text(said.result)
