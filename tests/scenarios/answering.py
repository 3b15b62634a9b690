"""Answers a scripted agent's calls from facts that a test sets, so that its decisions can be tried one by one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.scenario import Observation, Script
from companyos.sdk.simtime import from_iso, to_iso

Row = dict[str, Any]
Call = tuple[str, dict[str, Any]]
Agent = Callable[[Observation], Script]


@dataclass
class Answering:
    """The part of a company that an agent meets: a method named like a tool returns that tool's result.

    A tool without a method succeeds and returns nothing.

    Attributes:
        now: The simulated second.
        text: The brief.
        refused: Codes of the tools that refuse.
    """

    now: int = 0
    text: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def tools(self) -> Sequence[str]:
        """The tools that the agent is offered by name."""
        return ()

    def wait(self, until: str) -> Row:
        self.now = from_iso(until)
        return {}

    def seen(self, *, result: Any = None, error: Row | None = None) -> Observation:
        """Return what the agent sees at this moment."""
        shown = [{"name": name, "input_schema": {"properties": {}}} for name in self.tools]
        now = to_iso(self.now)
        return {"sim_now": now, "text": self.text, "tools": shown, "result": result, "error": error}

    def answer(self, tool: str, arguments: Row) -> Observation:
        """Return what a call shows."""
        if code := self.refused.get(tool):
            return self.seen(error={"code": code, "message": "No.", "retryable": False})
        answering: Callable[..., Row] = getattr(self, tool, lambda **_: {})
        return self.seen(result=answering(**arguments))


def work(agent: Agent, company: Answering) -> list[Call]:
    """Return every call that an agent makes until its script ends."""
    script = agent(company.seen())
    calls, action = list[Call](), next(script)
    while True:
        calls.append((action["tool_name"], action["arguments"]))
        try:
            action = script.send(company.answer(*calls[-1]))
        except StopIteration:
            return calls


def made(calls: Sequence[Call], tool: str) -> list[Row]:
    """Return the arguments of the calls of a tool."""
    return [arguments for name, arguments in calls if name == tool]


def items(*found: Row) -> Row:
    """Return a page with everything that was found."""
    return {"items": list(found), "next_cursor": None}
