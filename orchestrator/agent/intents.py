"""Intents: the meaning of an action, decided before its execution: a call, a wait, an ending, or a mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from companyos.sdk.simtime import DAY, MINUTE, from_iso, to_iso

from .actions import Abandon, Action, CallTool, ListTools, MalformedCall, NoCall
from .arguments import Flaw
from .tools import FINISH, REFUSE, WAIT, Tool
from .toolsets import Toolset

LONGEST_WAIT_S = 7 * DAY


@dataclass(frozen=True)
class Calls:
    """A call of a service's tool, with arguments that match its schema."""

    tool: Tool
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Asks:
    """A call of one of the orchestrator's own tools, about the named object."""

    tool: Tool
    subject: str


@dataclass(frozen=True)
class Waits:
    """The agent waits until an instant."""

    until: int


@dataclass(frozen=True)
class Finishes:
    """The agent finishes, with a sentence or with a typed answer."""

    answer: Any = None


@dataclass(frozen=True)
class Refuses:
    """The agent refuses the task."""

    reason_code: str
    evidence: Sequence[str]


@dataclass(frozen=True)
class Abandons:
    """The agent will not act again."""


@dataclass(frozen=True)
class Lists:
    """The agent asks for the list of tools."""


@dataclass(frozen=True)
class NoSuchTool:
    """The agent has no such tool.

    Attributes:
        exists: Whether the company has the tool, but this agent was not given it.
    """

    name: str
    exists: bool = False


@dataclass(frozen=True)
class BadArguments:
    """The tool exists but cannot accept these arguments, or the call is malformed."""

    name: str
    flaw: Flaw


@dataclass(frozen=True)
class SaysNothing:
    """The model's output is not a call."""


Intent = (
    Calls | Asks | Waits | Finishes | Refuses | Abandons | Lists | NoSuchTool | BadArguments | SaysNothing
)


def intent_of(action: Action, tools: Toolset, now: int) -> Intent:
    """Return the intent of an action at a simulated time, for an agent with these tools."""
    match action:
        case ListTools():
            return Lists()
        case CallTool(name, arguments):
            return _call(name, arguments, tools, now)
        case MalformedCall(name, flaw):
            return BadArguments(name, Flaw(flaw))
        case NoCall():
            return SaysNothing()
        case Abandon():
            return Abandons()
        case _:
            assert_never(action)


def _call(name: str, sent: Mapping[str, Any], tools: Toolset, now: int) -> Intent:
    tool = tools.get(name)
    if tool is None:
        return NoSuchTool(name, exists=name in tools.catalog)
    arguments = tool.read(sent)
    if flaw := tool.flaw(arguments, tools.offered.values()):
        return BadArguments(name, flaw)
    if tool is WAIT:
        return _wait(arguments, now)
    if tool is FINISH:
        return Finishes(arguments.get("answer"))
    if tool is REFUSE:
        return Refuses(arguments["reason_code"], arguments.get("evidence", ()))
    if not tool.service:
        return Asks(tool, tool.subject(arguments))
    return Calls(tool, arguments)


def _wait(arguments: Mapping[str, Any], now: int) -> Intent:
    if ("seconds" in arguments) == ("until" in arguments):
        return _bad_wait("seconds", "give either seconds or until, not both and not neither")
    if "seconds" in arguments:
        return Waits(now + int(arguments["seconds"]))
    try:
        until = from_iso(arguments["until"])
    except ValueError:
        return _bad_wait("until", "is not an instant; write it like 2030-03-04T09:00:00Z")
    if not MINUTE <= until - now <= LONGEST_WAIT_S:
        return _bad_wait("until", f"it is {to_iso(now)} now; wait between a minute and a week")
    return Waits(until)


def _bad_wait(argument: str, flaw: str) -> BadArguments:
    return BadArguments(WAIT.name, Flaw(f"{argument}: {flaw}.", {"field": argument}))
