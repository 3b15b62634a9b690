"""Tools: the operations agents may call, how their arguments are checked, and the HTTP request each becomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote

import jsonschema_rs

from companyos.simtime import DAY, MINUTE

from .trace import canonical

_MAX_FLAWS_TOLD = 3
_MAX_FLAW_LENGTH = 300


@dataclass(frozen=True)
class ToolRequest:
    """What goes to the service: path and query as they stand in the URL, canonical body, extra headers."""

    method: str
    target: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tool:
    """One tool, of a service or (with no `service`) of the orchestrator itself.

    Attributes:
        name: What the agent calls.
        description: What the agent reads of it.
        parameters: JSON Schema of its arguments, an object.
        tick: Simulated seconds a call costs.
        service: Name of the service that carries it out; empty for the orchestrator's own.
        places: Where each argument goes: path, query, body or header.
        instead: By which other tools one gets to know the same, in words; empty where by none.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    tick: int = 0
    service: str = ""
    operation: str = ""
    method: str = "POST"
    path: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    instead: str = ""

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.method == "GET"

    @property
    def card(self) -> dict[str, Any]:
        """The tool as OpenEnv lists it."""
        return {"name": self.name, "description": self.description, "input_schema": self.parameters}

    @property
    def function(self) -> dict[str, Any]:
        """The tool in OpenAPI function format, as chat models take it."""
        inner = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": inner}

    def flaw(self, arguments: Mapping[str, Any]) -> str | None:
        """Return what is wrong with the arguments, each named, or None if nothing is."""
        given, found = dict(arguments), []
        if not self._validator.is_valid(given):
            found = sorted({_told(error) for error in self._validator.iter_errors(given)})
        found = found or sorted(self._unsendable(arguments))
        return "; ".join(found[:_MAX_FLAWS_TOLD]) + "." if found else None

    def subject(self, arguments: Mapping[str, Any]) -> str:
        """Return the id of the object a call is about, or "" where it is about none."""
        of_path = [arguments[name] for name in self._in("path") if name in arguments]
        of_body = [arguments[name] for name in self._in("body") if name.endswith("_id") and name in arguments]
        return "/".join(str(value) for value in of_path or of_body[:1])

    def request(self, arguments: Mapping[str, Any]) -> ToolRequest:
        """Return the call with these arguments as HTTP; equal arguments give equal bytes."""
        given = {name: value for name, value in arguments.items() if value is not None}
        path = self.path
        for name in self._in("path"):
            path = path.replace("{" + name + "}", quote(str(arguments[name]), safe=""))
        query = "&".join(f"{name}={_query_text(given[name])}" for name in self._in("query") if name in given)
        body = {name: arguments[name] for name in self._in("body") if name in arguments}
        key = given.get("idempotency_key")
        headers = {} if key is None else {"Idempotency-Key": str(key)}
        return ToolRequest(
            self.method,
            f"{path}?{query}" if query else path,
            canonical(body) if self._in("body") else None,
            headers,
        )

    @cached_property
    def _validator(self) -> Any:
        return jsonschema_rs.validator_for(dict(self.parameters))

    def _in(self, place: str) -> list[str]:
        return sorted(name for name, where in self.places.items() if where == place)

    def _unsendable(self, arguments: Mapping[str, Any]) -> Iterable[str]:
        """Yield what a schema cannot say: ids that would change the path, text a header or database cannot hold."""
        for name, value in arguments.items():
            if _holds_nul(value):
                yield f"{name}: contains the character U+0000"
            elif self.places.get(name) == "path" and not _is_segment(str(value)):
                yield f"{name}: is not an id"
            elif self.places.get(name) == "header" and not (
                str(value).isascii() and str(value).isprintable()
            ):
                yield f"{name}: has other characters than printable ASCII"


WAIT = Tool(
    "wait",
    "Let simulated time pass, in which running jobs finish, absent people return and decisions fall. "
    "Give either `seconds` or `until`.",
    {
        "type": "object",
        "properties": {
            "seconds": {
                "type": "integer",
                "minimum": MINUTE,
                "maximum": 7 * DAY,
                "description": "How long to wait, in simulated seconds: from a minute to a week.",
            },
            "until": {
                "type": "string",
                "format": "date-time",
                "maxLength": 40,
                "description": "Simulated instant to wait for, at most a week ahead, for example "
                "2030-03-04T09:00:00Z.",
            },
        },
        "required": [],
        "additionalProperties": False,
    },
)
FINISH = Tool(
    "finish",
    "Say that the task is done. This ends the episode; call it once, when everything asked for is in place.",
    {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "maxLength": 4000, "description": "What you did, in a few words."}
        },
        "required": [],
        "additionalProperties": False,
    },
)
REFUSE = Tool(
    "refuse",
    "Say that the task cannot be done as asked, and why. This ends the episode; a refusal counts only "
    "where the task really cannot be done and the evidence shows it.",
    {
        "type": "object",
        "properties": {
            "reason_code": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "description": "Short code of the reason, for example `policy_forbids` or `role_vacant`.",
            },
            "evidence": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 200},
                "maxItems": 50,
                "description": "Ids of the objects that show it.",
            },
            "explanation": {"type": "string", "maxLength": 4000, "description": "The reason in words."},
        },
        "required": ["reason_code"],
        "additionalProperties": False,
    },
)


def _about(name: str, description: str, argument: str, meaning: str, *, required: bool = True) -> Tool:
    """Return a tool of the orchestrator's own that is about one named thing."""
    told = {"type": "string", "minLength": 1, "maxLength": 100, "description": meaning}
    parameters = {
        "type": "object",
        "properties": {argument: told},
        "required": [argument] if required else [],
        "additionalProperties": False,
    }
    return Tool(name, description, parameters, tick=MINUTE, operation=name, places={argument: "path"})


_OPERATION = "Id of the operation, as the answer to the call named it, for example `op-7`."
_SERVICE = "Name of the service: what its tools' names begin with."

GET_OPERATION = _about(
    "get_operation",
    "See how far an operation has come: a call that was answered with `accepted` and an operation's id, or whose "
    "answer names an operation that is `incomplete`. Once it is through, this tells the result of the call.",
    "operation_id",
    _OPERATION,
)
RESUME_OPERATION = _about(
    "resume_operation",
    "Have an operation that is `incomplete` completed: what the other services were to do is done now.",
    "operation_id",
    _OPERATION,
)
RENEW_SESSION = _about(
    "renew_session",
    "Renew your session at a service, for calls that were refused with `session_expired`. A session that is still "
    "valid stays so.",
    "service",
    _SERVICE,
)
SERVICE_HEALTH = _about(
    "service_health",
    "See how services are: whether they work as usual, take no changes for now, or have operations that do not work "
    "at the moment, with until when and by which other tools one gets to know the same.",
    "service",
    f"{_SERVICE} Leave it out to see them all.",
    required=False,
)
OWN_TOOLS = (WAIT, GET_OPERATION, RESUME_OPERATION, RENEW_SESSION, SERVICE_HEALTH, FINISH, REFUSE)


def _told(error: Any) -> str:
    where = [str(part) for part in error.instance_path]
    match error.kind.name:
        case "required":
            where, said = [*where, error.kind.property], "is required"
        case "additionalProperties":
            where, said = [*where, min(error.kind.unexpected)], "there is no such argument"
        case _:
            said = error.message
    return f"{'.'.join(where) or 'arguments'}: {said}"[:_MAX_FLAW_LENGTH]


def _query_text(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quote(text, safe="")


def _is_segment(text: str) -> bool:
    return text.isprintable() and text not in ("", ".", "..") and not set("/\\") & set(text)


def _holds_nul(value: Any) -> bool:
    return b"\\u0000" in canonical(value).replace(b"\\\\", b"")
