"""Observations: what an agent is told after each step, and nothing that gives the grade away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companyos.simtime import to_iso

from .render import refusal_text, result_text


class ErrorType(StrEnum):
    """OpenEnv's kinds of tool errors, those of them that happen here."""

    EXECUTION = "execution_error"
    ARGUMENTS = "invalid_args"
    TRANSPORT = "transport_error"
    NOT_FOUND = "tool_not_found"


@dataclass(frozen=True)
class ToolError:
    """Why a call gave no result, as the agent is told."""

    error_type: ErrorType
    code: str
    message: str
    retryable: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """The error as JSON."""
        return {
            "error_type": str(self.error_type),
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
        }


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


def unavailable(name: str, service: str) -> Said:
    """Return what is said of a call that did not get through."""
    message = f"{service} is not available at the moment; nothing was done. Call again."
    error = ToolError(ErrorType.TRANSPORT, "service_unavailable", message, retryable=True)
    return Said(name, error=error)


def _failed(name: str, error_type: ErrorType, code: str, message: str) -> Said:
    return Said(name, error=ToolError(error_type, code, message))


def _text(said: Said) -> str:
    if said.text is not None:
        return said.text
    if said.error is not None:
        return refusal_text(said.error.code, said.error.message)
    return result_text(said.result)
