"""Tools: the operations that agents can call, the checks of their arguments, and the resulting HTTP requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from companyos.sdk.simtime import DAY, MINUTE

from ..protocol.trace import canonical
from .agent_schemas import shown
from .arguments import Arguments, Flaw


@dataclass(frozen=True)
class ToolRequest:
    """An HTTP request for a service: path and query as in the URL, canonical body, extra headers."""

    method: str
    target: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Tool:
    """A tool of a service or (without `service`) of the orchestrator itself.

    Attributes:
        name: The tool's name.
        description: Its description for agents.
        parameters: JSON Schema of its arguments, an object.
        tick: Simulated seconds that a call takes.
        service: Name of the service that provides it; empty for the orchestrator's own.
        places: The location of each argument: path, query, body or header.
        instead: Other tools that show the same facts, in words; empty if there are none.
        status: HTTP status of a successful call.
        returns: JSON Schema of the result as its service documents it.
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
    status: int = 200
    returns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reads(self) -> bool:
        """Whether the tool only reads."""
        return self.method == "GET"

    @property
    def is_idempotent(self) -> bool:
        """Whether repeating a call of a service does no more than making it once, so that it takes no key for that."""
        return self.reads or (bool(self.service) and "idempotency_key" not in self.places)

    @cached_property
    def card(self) -> dict[str, Any]:
        """The tool as OpenEnv lists it."""
        return {"name": self.name, "description": self.description, "input_schema": self._shown_schema}

    @cached_property
    def function(self) -> dict[str, Any]:
        """The tool in OpenAI function format, for chat models."""
        inner = {"name": self.name, "description": self.description, "parameters": self._shown_schema}
        return {"type": "function", "function": inner}

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the normalized arguments: without nulls for optional ones, and in the schema's case."""
        return self._arguments.read(arguments)

    def flaw(self, arguments: Mapping[str, Any], others: Iterable[Tool] = ()) -> Flaw | None:
        """Return what is wrong with the arguments, naming each, or None.

        Args:
            arguments: The arguments from `read`.
            others: Other tools that may have an argument unknown to this one.
        """

        def taken_by(argument: str) -> Sequence[str]:
            return [tool.name for tool in others if self._is_like(tool) and argument in tool.requires]

        return self._arguments.flaw(arguments, self._unsendable, taken_by)

    @property
    def requires(self) -> Sequence[str]:
        """Names of the required arguments."""
        required: Sequence[str] = self.parameters.get("required", ())
        return required

    def subject(self, arguments: Mapping[str, Any]) -> str:
        """Return the id of the object of a call, or "" if there is none."""
        of_path = [arguments[name] for name in self._in("path") if name in arguments]
        of_body = [arguments[name] for name in self._in("body") if name.endswith("_id") and name in arguments]
        return "/".join(str(value) for value in of_path or of_body[:1])

    def request(self, arguments: Mapping[str, Any]) -> ToolRequest:
        """Return the call with these arguments as an HTTP request; equal arguments give equal bytes."""
        given = {name: value for name, value in arguments.items() if value is not None}
        path = self.path
        for name in self._in("path"):
            path = path.replace("{" + name + "}", quote(str(arguments[name]), safe=""))
        query = "&".join(f"{name}={_query_text(given[name])}" for name in self._in("query") if name in given)
        body = {name: arguments[name] for name in self._in("body") if name in arguments}
        key = given.get("idempotency_key")
        headers = {} if key is None else {"Idempotency-Key": _quote_text(str(key))}
        return ToolRequest(
            self.method,
            f"{path}?{query}" if query else path,
            canonical(body) if self._in("body") else None,
            headers,
        )

    @cached_property
    def _arguments(self) -> Arguments:
        return Arguments(self.parameters, self.places if self.service else {})

    @cached_property
    def _shown_schema(self) -> dict[str, Any]:
        return shown(self._arguments.schema)

    def _is_like(self, other: Tool) -> bool:
        """Whether another tool of the same service does something else with the same kind of object."""
        objects = self._in("path")
        return self.service == other.service and bool(objects) and objects == other._in("path")

    def _in(self, location: str) -> list[str]:
        return sorted(name for name, where in self.places.items() if where == location)

    def _unsendable(self, arguments: Mapping[str, Any]) -> Iterable[str]:
        """Yield violations that a schema cannot express: U+0000, ids that change the path, unprintable headers."""
        for name, value in arguments.items():
            if _holds_nul(value):
                yield f"{name}: contains the character U+0000"
            elif self.places.get(name) == "path" and not _is_segment(str(value)):
                yield f"{name}: is not an id"
            elif self.places.get(name) == "header" and not (
                str(value).isascii() and str(value).isprintable()
            ):
                yield f"{name}: has other characters than printable ASCII"


def _text(description: str, longest: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, **more, "description": description}


def _own(name: str, description: str, *required: str, **properties: dict[str, Any]) -> Tool:
    """Return one of the orchestrator's own tools."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(name, description, parameters)


def _about(name: str, description: str, argument: str, meaning: str, *, required: bool = True) -> Tool:
    """Return one of the orchestrator's own tools that is about a named object."""
    properties = {argument: _text(meaning, 100, minLength=1)}
    tool = _own(name, description, *([argument] if required else []), **properties)
    return replace(tool, tick=MINUTE, operation=name, places={argument: "path"})


WAIT = _own(
    "wait",
    "Let time pass, so that jobs finish, absent people return and decisions are made. Give `seconds` or `until`.",
    seconds={"type": "integer", "minimum": MINUTE, "maximum": 7 * DAY},
    until=_text("At most a week ahead, such as 2030-03-04T09:00:00Z.", 40, format="date-time"),
)
FINISH = _own(
    "finish",
    "Report that the task is done. This ends your work on it: call it once everything asked for is in place.",
    answer={
        "anyOf": [
            {"type": "string", "maxLength": 4000},
            {"type": "number"},
            {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 1000},
            {"type": "object", "maxProperties": 50, "propertyNames": {"maxLength": 100}},
        ],
        "description": "What you did; or, where the task asks for one, the answer itself.",
    },
)
REFUSE = _own(
    "refuse",
    "Report that the task cannot be done as asked. This ends your work on it, and is right only if the evidence shows "
    "that the task is impossible.",
    "reason_code",
    reason_code=_text("Short code, such as `policy_forbids` or `role_vacant`.", 100, minLength=1),
    evidence={
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": 200},
        "maxItems": 50,
        "description": "Ids of the objects that show it.",
    },
    explanation=_text("The reason in words.", 4000),
)
_OPERATION = "Id from the answer to the call."

GET_OPERATION = _about(
    "get_operation",
    "Get the state of an operation, which a call began that was answered with `accepted` or `incomplete`. Returns the "
    "call's result once it is complete.",
    "operation_id",
    _OPERATION,
)
RESUME_OPERATION = _about(
    "resume_operation",
    "Complete an `incomplete` operation: what other services still had to do is done now.",
    "operation_id",
    _OPERATION,
)
RENEW_SESSION = _about(
    "renew_session",
    "Renew your session with a service, after a call was refused with `session_expired`.",
    "service",
    "The prefix of its tools.",
)
SERVICE_HEALTH = _about(
    "service_health",
    "Get the health of services: which take no changes or have failing operations, until when, and which other tools "
    "show the same facts.",
    "service",
    "The prefix of its tools; left out, all services.",
    required=False,
)
OWN_TOOLS = (WAIT, GET_OPERATION, RESUME_OPERATION, RENEW_SESSION, SERVICE_HEALTH, FINISH, REFUSE)


def _quote_text(text: str) -> str:
    """Return text as a quoted string (RFC 8941), which keeps spaces at its ends."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _query_text(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quote(text, safe="")


def _is_segment(text: str) -> bool:
    return text.isprintable() and text not in ("", ".", "..") and not set("/\\") & set(text)


def _holds_nul(value: Any) -> bool:
    return b"\\u0000" in canonical(value).replace(b"\\\\", b"")
