"""Responses of the agent API: the services' results, refusals as problem documents, outages in a few words.

Agents get nothing that is meant for trainers. A reply is reduced to its observation. A failure of the stack
is reduced to one of a few sentences, because its details may name hosts, databases or other episodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from ...agent.observations import NOT_OFFERED
from ...agent.tools import Tool
from ...protocol.failures import Failure
from ...protocol.problems import Refusal
from ...protocol.replies import Reply
from ..messages.answers import PROBLEM_JSON, Json, document_of, problem_document, refused

#: HTTP statuses of errors that occur on the way to a service or before one is called.
_STATUSES: Final[Mapping[str, int]] = {
    "invalid_arguments": 422,
    "tool_not_found": 404,
    "operation_unknown": 404,
    "service_unknown": 404,
    NOT_OFFERED: 403,
    "service_error": 422,
    "internal_error": 500,
    "answer_lost": 502,
    "database_unavailable": 503,
    "answer_late": 504,
    str(Failure.REFUSED): 503,
    str(Failure.TIMEOUT): 504,
    str(Failure.RESET): 502,
    str(Failure.CLOSED): 502,
    str(Failure.INCOMPLETE): 502,
}
#: The status of a refusal that has none of its own.
CONFLICT: Final = 409
ACCEPTED: Final = 202

_BUSY = Refusal(
    409,
    "call_in_progress",
    "Another call of yours is being carried out. Wait for its answer, then repeat this one.",
    retryable=True,
)
_TOO_BUSY = Refusal(
    429, "too_busy", "Too many calls are in progress. Repeat this one in a moment.", retryable=True
)
_AWAY = Refusal(
    503,
    "temporarily_unavailable",
    "The company's systems are unavailable for a moment. Repeat exactly this call; it is carried out only once.",
    retryable=True,
)
_BROKEN = Refusal(
    503,
    "systems_failed",
    "The company's systems failed, and your work on this task has ended. You are not to blame.",
)
_NEUTRAL: Final[Mapping[str, Refusal]] = {
    "step_in_progress": _BUSY,
    "episode_replaced": _BUSY,
    "too_busy": _TOO_BUSY,
}
#: Refusals whose text is meant for agents.
_OWN_WORDS: Final = frozenset(
    {
        "agent_token_expired",
        "agent_token_invalid",
        "fetched_ahead",
        "form_encoding",
        "form_not_utf8",
        "invalid_action",
        "parameter_repeated",
    }
)
CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}


@dataclass(frozen=True)
class AgentResult:
    """The result of a call as the agent gets it.

    Attributes:
        observation: The agent's view of the step.
        is_over: Whether the agent's work has ended.
    """

    observation: Mapping[str, Any]
    is_over: bool

    @property
    def standing(self) -> dict[str, Any]:
        """Where the agent stands after the call."""
        names = ("step", "steps_remaining", "sim_now", "elapsed_s")
        return {**{name: self.observation[name] for name in names}, "done": self.is_over}


def result_of(reply: Reply) -> AgentResult:
    """Return the part of a reply that the agent gets.

    Raises:
        Refusal: 503 systems_failed; the stack failed, which ended the episode.
    """
    if reply.metadata.get("invalid"):
        raise _BROKEN
    return AgentResult(reply.observation, reply.done)


def neutral(refusal: Refusal) -> Refusal:
    """Return a refusal in words for agents, without details of the stack."""
    if refusal.code in _OWN_WORDS or refusal is _BROKEN:
        return refusal
    if refusal.code in _NEUTRAL:
        return _NEUTRAL[refusal.code]
    return _AWAY if refusal.retryable else _BROKEN


def refusal_response(refusal: Refusal) -> Response:
    """Return the response to a call that was not carried out and does not count as a step."""
    answer = neutral(refusal)
    if answer.status == 401:
        return Json(document_of(answer), answer.status, CHALLENGE, PROBLEM_JSON)
    return refused(answer)


def tool_response(result: AgentResult, tool: Tool, statuses: Mapping[str, int]) -> Response:
    """Return the response to a call as its service would give it.

    Args:
        result: The result of the call.
        tool: The tool called.
        statuses: The status of each refusal of the services, by its code.
    """
    headers = {
        f"Companyos-{name.replace('_', '-')}": _header(value) for name, value in result.standing.items()
    }
    error = result.observation["error"]
    if error is None:
        found = result.observation["result"]
        return Json(found, _accepted_status(found) or tool.status, headers)
    code, status = error["code"], error_status(error, statuses)
    facts = {name: value for name, value in error.items() if name not in ("error_type", "code", "message")}
    return Json(problem_document(status, code, error["message"], **facts), status, headers, PROBLEM_JSON)


def error_status(error: Mapping[str, Any], statuses: Mapping[str, int]) -> int:
    """Return the HTTP status of a call's error, given that of each refusal of the services by its code."""
    return _STATUSES.get(error["code"]) or statuses.get(error["code"], CONFLICT)


def _accepted_status(result: Any) -> int | None:
    """Return the status of a call that completes later, as an operation, or None."""
    is_operation = isinstance(result, Mapping) and result.keys() == {"status", "operation_id", "detail"}
    return ACCEPTED if is_operation else None


def _header(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
