"""Reads the services' answers strictly: a result with its effects, a refusal, or no answer at all.

Everything that a service sends passes here, so nothing malformed reaches a grade, a record or an agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from companyos.chassis.world import causes

from ..protocol.effects import MalformedEffects, UnitOutcome, read_outcome
from ..protocol.problems import CallRejected, Outage, ServiceFailed
from .connections import Response

EFFECTS: Final = "application/vnd.companyos.effects+json"
PROBLEM: Final = "application/problem+json"
JSON: Final = "application/json"

M = TypeVar("M", bound=BaseModel)

#: Statuses of a result; a tool always returns one.
_RESULTS: Final = frozenset({200, 201, 202})
#: Statuses with which a proxy, or the service itself, says that it cannot answer at the moment.
_AWAY: Final = frozenset({502, 503, 504})
#: Statuses that concern the stack, not the call.
_NO_REFUSALS: Final = frozenset({401, 408, 429})
#: Statuses of a server without such a route, if it sends no problem document: it is not the service.
_ELSEWHERE: Final = frozenset({404, 405})
#: Statuses with which a server refuses arguments that are too large, before the service sees the call.
_TOO_MUCH: Final = frozenset({400, 413, 414, 431})
_UNREADABLE: Final = {
    "type": "invalid_request",
    "detail": "The service cannot read a call with these arguments. Shorten them, and call again.",
}


@dataclass(frozen=True)
class ServiceAnswer:
    """A service's answer to a tool call: its result and effects, or the problem it refused with."""

    result: Any = None
    outcome: UnitOutcome = field(default_factory=UnitOutcome)
    problem: Mapping[str, Any] | None = None

    @property
    def code(self) -> str | None:
        """The refusal's code, or None if there is a result."""
        return None if self.problem is None else str(self.problem["type"])


class _Problem(BaseModel):
    """The members of a problem document that are used; others are passed on as they are."""

    model_config = ConfigDict(strict=True)

    type: str = Field(pattern=r"^[a-z][a-z0-9_]{0,99}$")
    detail: str = Field(min_length=1)
    field: str | None = None
    required_field: str | None = None
    allowed_values: list[str] | None = None
    permission: str | None = None
    remedy: str | None = None
    retry_after_s: int | None = Field(None, ge=0)
    violation: bool = False


def answer_of(service: str, response: Response, cause: str) -> ServiceAnswer:
    """Return a service's answer to a tool call under a cause.

    Raises:
        Outage: It is neither a result nor a refusal.
    """
    if not response.is_success:
        return ServiceAnswer(problem=refusal_of(service, response))
    if response.status not in _RESULTS or response.media_type not in (EFFECTS, JSON):
        raise _unreadable(service, response, f"status {response.status} without a result")
    document = _object(service, response)
    result = document.get("result")
    if not isinstance(result, dict | list):
        raise _unreadable(service, response, "a result that is no object and no list")
    return ServiceAnswer(result, effects_of(service, response, document.get("effects"), cause))


def injected_answer_of(service: str, response: Response, injected_response: str) -> ServiceAnswer:
    """Return the injected response to a call, or a refusal that precedes it.

    Raises:
        Outage: It is neither.
    """
    if response.media_type == PROBLEM and not response.is_success:
        problem = _problem(service, response)
        if problem["type"] == injected_response.partition(" ")[0]:
            return ServiceAnswer(problem=problem)
    # A malformed request is refused before any injected response applies.
    return ServiceAnswer(problem=refusal_of(service, response))


def refusal_of(service: str, response: Response) -> Mapping[str, Any]:
    """Return the problem document of a refused call.

    Raises:
        Outage: The call was not refused.
    """
    if response.status // 100 != 4:
        raise _no_answer(service, response)
    if response.status in _NO_REFUSALS:
        raise CallRejected(service, response.description)
    if response.media_type == PROBLEM:
        return _problem(service, response)
    if response.status in _ELSEWHERE:
        raise CallRejected(service, response.description)
    if response.status in _TOO_MUCH:
        return _UNREADABLE
    raise _unreadable(service, response, f"status {response.status} without a problem document")


def expected(service: str, response: Response) -> dict[str, Any]:
    """Return the object that an admin route returns.

    Raises:
        CallRejected: The service refuses the call.
        Outage: It did not answer it.
    """
    if not response.is_success:
        refusal_of(service, response)
        raise CallRejected(service, response.description)
    if response.status == 204:
        return {}
    if response.media_type != JSON:
        raise _unreadable(service, response, "an answer that is not JSON")
    return _object(service, response)


def part_of(service: str, response: Response, name: str, kind: type) -> Any:
    """Return a part of the object that an admin route returns.

    Raises:
        Outage: There is no such part, or it is of another type.
    """
    part = expected(service, response).get(name)
    if not isinstance(part, kind):
        raise _unreadable(service, response, f"an answer without {name!r}")
    return part


def read_as(service: str, response: Response, model: type[M]) -> M:
    """Return the object that an admin route returns, as a model has it.

    Raises:
        Outage: It is of another shape.
    """
    document = expected(service, response)
    try:
        return model.model_validate(document)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise _unreadable(service, response, f"an answer with a malformed {where!r}") from error


def effects_of(service: str, response: Response, effects: Any, cause: str) -> UnitOutcome:
    """Return the outcome in an effects document; its events must be those of its cause.

    Raises:
        Outage: The document is malformed.
    """
    try:
        outcome = read_outcome(effects)
    except MalformedEffects as error:
        raise _unreadable(service, response, f"malformed effects ({error})") from error
    own = [causes.event_id(cause, service, number + 1) for number in range(len(outcome.events))]
    if [event_id for event_id, _ in outcome.events] != own:
        raise _unreadable(service, response, "events that are not its own")
    return outcome


def applied_of(service: str, response: Response, asked: Sequence[str]) -> dict[str, UnitOutcome]:
    """Return what a service reports to have done for some of the causes that it was asked about.

    Raises:
        Outage: The report is malformed.
    """
    found = part_of(service, response, "applied", dict)
    if not found.keys() <= set(asked):
        raise _unreadable(service, response, "causes that it was not asked about")
    return {cause: effects_of(service, response, effects, cause) for cause, effects in found.items()}


def _no_answer(service: str, response: Response) -> Outage:
    """Return the failure for a status that is no answer."""
    if response.status in _AWAY:
        return Outage(service, response.description)
    failed = response.status // 100 == 5
    return ServiceFailed(
        service, f"status {response.status}", is_unreadable=not failed, excerpt=response.description
    )


def _unreadable(service: str, response: Response, reason: str) -> ServiceFailed:
    return ServiceFailed(service, reason, is_unreadable=True, excerpt=response.description)


def _object(service: str, response: Response) -> dict[str, Any]:
    try:
        body = orjson.loads(response.body)
    except orjson.JSONDecodeError as error:
        raise _unreadable(service, response, "an answer that is not JSON") from error
    if not isinstance(body, dict):
        raise _unreadable(service, response, "an answer that is no JSON object")
    return body


def _problem(service: str, response: Response) -> Mapping[str, Any]:
    problem = _object(service, response)
    try:
        _Problem.model_validate(problem)
    except ValidationError as error:
        raise _unreadable(service, response, "a malformed problem document") from error
    return problem
