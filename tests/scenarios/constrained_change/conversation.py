"""Lets a scripted agent talk to tools that are answered from memory, and collects what it calls."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

from companyos.scenario import Action, Observation
from companyos.sdk.simtime import from_iso, to_iso

T = TypeVar("T")
ENDS = ("finish", "refuse")
#: The most items that a list shows at once: few, so that agents have to go on.
PAGE = 4


class Refusal(Exception):
    """A tool's refusal, with its code."""


class Tools:
    """Tools by name, each a method or a list of results to give one after another; `wait` lets time pass."""

    def __init__(self, results: Mapping[str, Sequence[Any]] | None = None, *, now: int = 0) -> None:
        self.now = now
        self._results = {tool: list(given) for tool, given in (results or {}).items()}

    def observe(self, action: Action) -> Observation:
        """Return the observation after a call."""
        observed: dict[str, Any] = {"error": None, "result": None}
        try:
            observed["result"] = self._answer(action["tool_name"], action["arguments"])
        except Refusal as refusal:
            observed["error"] = {"code": str(refusal), "message": "No.", "retryable": False}
        return {**observed, "sim_now": to_iso(self.now)}

    def wait(self, *, until: str | None = None, seconds: int = 0) -> dict[str, str]:
        """Let time pass."""
        self.now = max(self.now + seconds, from_iso(until) if until else 0)
        return {"sim_now": to_iso(self.now)}

    def _answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        if tool not in self._results:
            return getattr(self, tool)(**arguments)
        given = self._results[tool].pop(0)
        if isinstance(given, Refusal):
            raise given
        return given


def page(items: Sequence[Any], cursor: str | None = None) -> dict[str, Any]:
    """Return a page of a list, as services do."""
    start = int(cursor or 0)
    rest = len(items) > start + PAGE
    return {
        "items": list(items[start : start + PAGE]),
        "total": len(items),
        "next_cursor": str(start + PAGE) if rest else None,
    }


def first_observation(text: str, now: int = 0) -> Observation:
    """Return what a reset shows."""
    return {"text": text, "sim_now": to_iso(now), "tools": [], "error": None, "result": None}


def answered(script: Generator[Action, Observation, T], tools: Tools) -> tuple[T | None, list[Action]]:
    """Let a script run until it returns or ends the task; return its result and its calls."""
    calls: list[Action] = []
    try:
        action = next(script)
        while action["tool_name"] not in ENDS:
            calls.append(action)
            action = script.send(tools.observe(action))
    except StopIteration as end:
        return end.value, calls
    script.close()
    return None, [*calls, action]


def called(calls: Sequence[Action], tool: str) -> list[dict[str, Any]]:
    """Return the arguments of each call of a tool."""
    return [dict(action["arguments"]) for action in calls if action["tool_name"] == tool]
