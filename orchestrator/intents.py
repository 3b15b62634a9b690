"""What an action amounts to, decided before anything is done: a call, time passing, an end, or a mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from companyos.simtime import DAY, MINUTE, from_iso, to_iso

from .actions import Action, CallTool, ListTools
from .tools import FINISH, REFUSE, WAIT, Tool

LONGEST_WAIT_S = 7 * DAY


@dataclass(frozen=True)
class Calls:
    """A call of a service's tool, with arguments that fit its schema."""

    tool: Tool
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Asks:
    """A call of a tool of the orchestrator's own, about the object of this name."""

    tool: Tool
    subject: str


@dataclass(frozen=True)
class Waits:
    """Let time pass until an instant."""

    until: int


@dataclass(frozen=True)
class Finishes:
    """The agent says it is done."""


@dataclass(frozen=True)
class Refuses:
    """The agent says the task cannot be done."""

    reason_code: str
    evidence: Sequence[str]


@dataclass(frozen=True)
class Lists:
    """The agent asks which tools there are."""


@dataclass(frozen=True)
class NoSuchTool:
    """The tool does not exist."""

    name: str


@dataclass(frozen=True)
class BadArguments:
    """The tool exists and cannot take these arguments."""

    name: str
    flaw: str


Intent = Calls | Asks | Waits | Finishes | Refuses | Lists | NoSuchTool | BadArguments


def intent_of(action: Action, tools: Mapping[str, Tool], now: int) -> Intent:
    """Return what an action amounts to at a simulated time."""
    match action:
        case ListTools():
            return Lists()
        case CallTool(name, arguments):
            return _call(name, arguments, tools, now)
        case _:
            assert_never(action)


def _call(name: str, arguments: Mapping[str, Any], tools: Mapping[str, Tool], now: int) -> Intent:
    tool = tools.get(name)
    if tool is None:
        return NoSuchTool(name)
    if flaw := tool.flaw(arguments):
        return BadArguments(name, flaw)
    if tool is WAIT:
        return _wait(arguments, now)
    if tool is FINISH:
        return Finishes()
    if tool is REFUSE:
        return Refuses(arguments["reason_code"], arguments.get("evidence", ()))
    if not tool.service:
        return Asks(tool, tool.subject(arguments))
    return Calls(tool, arguments)


def _wait(arguments: Mapping[str, Any], now: int) -> Intent:
    if ("seconds" in arguments) == ("until" in arguments):
        return BadArguments(WAIT.name, "seconds: give either seconds or until, not both and not neither.")
    if "seconds" in arguments:
        return Waits(now + int(arguments["seconds"]))
    try:
        until = from_iso(arguments["until"])
    except (ValueError, OverflowError):
        return BadArguments(WAIT.name, "until: is no instant; write it like 2030-03-04T09:00:00Z.")
    if not MINUTE <= until - now <= LONGEST_WAIT_S:
        return BadArguments(WAIT.name, f"until: it is {to_iso(now)} now; wait between a minute and a week.")
    return Waits(until)
