"""Drives a script of an agent with replies that a test writes by hand."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from companyos.sdk.actions import Action, Observation
from companyos.sdk.asking import Asker
from companyos.sdk.simtime import from_iso, to_iso

T = TypeVar("T")
Arguments = Mapping[str, Any]
#: What the tool that is asked replies: a value for every call, or a function of the arguments.
Replies = Mapping[str, Any]
#: Tools that need no reply.
_SILENT = ("finish", "refuse", "wait")


@dataclass(frozen=True)
class Refusal:
    """The reply of a tool that refuses."""

    code: str


@dataclass
class Conversation:
    """The calls of a script and the replies to them. Time passes only while the script waits.

    A call of a tool without a reply fails the test.
    """

    replies: Replies
    now: int
    text: str = "You are Ann Lee (ann.lee)."
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def first(self) -> dict[str, Any]:
        """The observation with which the agent starts."""
        return {"sim_now": to_iso(self.now), "text": self.text, "result": None, "error": None}

    def asker(self) -> Asker:
        """Return an agent that has seen only the brief."""
        return Asker(self.first)

    def run(self, script: Generator[Action, Observation, T]) -> T:
        """Reply to a script until it ends, and return its result."""
        try:
            action = next(script)
            while True:
                action = script.send(self._reply(action["tool_name"], action["arguments"]))
        except StopIteration as ended:
            result: T = ended.value
            return result

    def calls_of(self, tool: str) -> list[dict[str, Any]]:
        """Return the arguments of every call of a tool, in order."""
        return [arguments for name, arguments in self.calls if name == tool]

    def _reply(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((tool, arguments))
        if tool == "wait":
            self.now = from_iso(arguments["until"])
        reply = {} if tool in _SILENT else self.replies[tool]
        result = reply(arguments) if callable(reply) else reply
        if isinstance(result, Refusal):
            error = {"code": result.code, "message": "No.", "retryable": False}
            return {"sim_now": to_iso(self.now), "text": "", "result": None, "error": error}
        return {"sim_now": to_iso(self.now), "text": "", "result": result, "error": None}


def listed(*items: Mapping[str, Any]) -> dict[str, Any]:
    """Return a complete page."""
    return {"items": list(items), "next_cursor": None}


def in_turn(*replies: Any) -> Callable[[Arguments], Any]:
    """Return a reply for each call of a tool; the last one is repeated."""
    rest = list(replies)
    return lambda arguments: rest.pop(0) if len(rest) > 1 else rest[0]


def by(argument: str, replies: Mapping[str, Any]) -> Callable[[Arguments], Any]:
    """Return what is known of the object that an argument names."""
    return lambda arguments: replies[arguments[argument]]
