"""What came of each fault of an episode: armed, landed, detected, overcome, or expired without having landed.

A fault that never landed is no evidence of anything, so reports divide by those that did. Everything here follows from
the records of the steps, so it is the same after a restart, in a fork and after a restore. Agents never see any of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from companyos.chaos import CATALOGUE, FaultId, Layer
from companyos.scenario import Trouble, View

from ..trace import canonical

Document = Mapping[str, Any]
#: What a record says of an event that arrived in the end.
DELIVERED = "delivered"
#: Tools that show how an operation ended, so that it need not be called again.
_ENDS = frozenset({"get_operation", "resume_operation"})
#: Results of operations that are not through yet, whatever else they say.
_UNFINISHED = frozenset({"accepted", "incomplete", "running", "pending"})


class State(StrEnum):
    """How far a fault has come."""

    ARMED = "armed"
    LANDED = "landed"
    DETECTED = "detected"
    OVERCOME = "overcome"
    EXPIRED = "expired"


@dataclass
class Line:
    """One fault at one place; each `…_at` is the number of a step, None where it has not come to that."""

    fault: FaultId
    where: tuple[str, ...]
    armed_at: int
    landed_at: int | None = None
    detected_at: int | None = None
    overcome_at: int | None = None

    def state(self, *, done: bool) -> State:
        """Return how far it has come; one that had not landed when the episode ended never will."""
        if self.landed_at is None:
            return State.EXPIRED if done else State.ARMED
        if self.overcome_at is not None:
            return State.OVERCOME
        return State.LANDED if self.detected_at is None else State.DETECTED

    def document(self, *, done: bool) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "fault": str(self.fault),
            "where": list(self.where),
            "state": str(self.state(done=done)),
            "armed_at": self.armed_at,
            "landed_at": self.landed_at,
            "detected_at": self.detected_at,
            "overcome_at": self.overcome_at,
        }


class Account:
    """The faults of one episode, kept step by step.

    Args:
        troubles: What befell the company.
    """

    def __init__(self, troubles: Iterable[Trouble] = ()) -> None:
        self._troubles = tuple(troubles)
        self._company = [Line(FaultId(one.fault), one.shown_by, 0) for one in self._troubles]
        self._on_the_way: dict[tuple[str, tuple[str, ...]], Line] = {}
        self._since = 0

    @property
    def lines(self) -> list[Line]:
        """Every fault: those of the company, then those met on the way in the order in which they landed."""
        return [*self._company, *self._on_the_way.values()]

    def copy(self) -> Account:
        """Return an account of its own that says the same."""
        other = Account(self._troubles)
        other._company = [replace(line) for line in self._company]
        other._on_the_way = {key: replace(line) for key, line in self._on_the_way.items()}
        other._since = self._since
        return other

    def note(self, record: Document, view: View) -> None:
        """Take in a step from its record; `view` shows the company after it."""
        step: int = record["step"]
        if "chaos" in record:
            self._since = step - 1
        told = _told(record) if any(line.landed_at is None for line in self._company) else ""
        for trouble, line in zip(self._troubles, self._company, strict=True):
            _follow_trouble(trouble, line, record, told, view)
        for line in self._on_the_way.values():
            _follow(line, record)
        for fault in record["faults"]:
            self._land(step, fault)

    def landed_at(self, step: int) -> list[FaultId]:
        """Return the faults that landed at a step, one entry for each place."""
        return [line.fault for line in self.lines if line.landed_at == step]

    def documents(self, *, done: bool) -> list[dict[str, Any]]:
        """Return every fault as JSON; `done`: the episode is over."""
        return [line.document(done=done) for line in self.lines]

    def reached(self, *, done: bool) -> list[tuple[FaultId, State]]:
        """Return every state that each fault reached: what was overcome had landed, and what landed was armed."""
        return [(line.fault, state) for line in self.lines for state in _reached(line, done=done)]

    def counts(self, *, done: bool) -> dict[str, int]:
        """Return how many faults reached each state."""
        states = [state for _, state in self.reached(done=done)]
        return {str(state): states.count(state) for state in State}

    def _land(self, step: int, fault: Document) -> None:
        known, where = FaultId(fault["fault"]), tuple(fault["where"])
        line = self._on_the_way.setdefault((known, where), Line(known, where, self._since))
        if fault.get("state") == State.ARMED:
            return
        if line.landed_at is None:
            line.landed_at = step
        harmless = CATALOGUE[known].cost == 0
        if line.overcome_at is None and (harmless or fault.get("state") == DELIVERED):
            line.overcome_at = step


def _reached(line: Line, *, done: bool) -> Iterable[State]:
    yield State.ARMED
    if line.landed_at is None:
        if done:
            yield State.EXPIRED
        return
    yield State.LANDED
    if line.detected_at is not None:
        yield State.DETECTED
    if line.overcome_at is not None:
        yield State.OVERCOME


def _follow_trouble(trouble: Trouble, line: Line, record: Document, told: str, view: View) -> None:
    step = record["step"]
    if line.landed_at is None:
        if not _shows(trouble, record, told):
            return
        line.landed_at = step
    elif line.detected_at is None and record["action"].get("tool_name") in trouble.repairs:
        line.detected_at = step
    if record["changes"] or line.landed_at == step:
        # A repair may come undone again: what counts is since when it has held.
        holds = trouble.overcome(view)
        line.overcome_at = (line.overcome_at or step) if holds else None


def _told(record: Document) -> str:
    """Return what a step was about and what the agent was told of it."""
    return canonical([record["action"].get("arguments"), record["observation"]["result"]]).decode()


def _shows(trouble: Trouble, record: Document, told: str) -> bool:
    error = record["observation"]["error"]
    if error is not None and error["code"] in trouble.codes:
        return True
    return bool(trouble.shown_by) and _naming(trouble.shown_by).search(told) is not None


@cache
def _naming(ids: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, ids))})(?![\w-])")


def _follow(line: Line, record: Document) -> None:
    """Note at a later step than the one it landed at whether a fault met on the way was noticed and overcome."""
    if line.overcome_at is not None and line.detected_at is not None:
        return
    step, copes = record["step"], _copes(line.fault, record)
    if line.detected_at is None and (copes or _is_about(line, record)):
        line.detected_at = step
    if line.overcome_at is None and CATALOGUE[line.fault].layer is Layer.SERVICE:
        ends = copes and _tool(record) in _ENDS
        if _is_through(record) and (ends or _repeats(line, record)):
            line.overcome_at = step


def _copes(fault: FaultId, record: Document) -> bool:
    """Whether the step called a tool that the catalogue names as what copes with the fault."""
    return _tool(record) in _tools(fault)


def _tool(record: Document) -> str:
    """Return the tool that was called, without the name of its service."""
    call, name = record["call"], record["action"].get("tool_name") or ""
    return str(name) if call is None else str(call[1])


@cache
def _tools(fault: FaultId) -> frozenset[str]:
    spec = CATALOGUE[fault]
    named = set(re.findall(r"`(\w+)`", f"{spec.detect} {spec.repair}"))
    return frozenset(named | ({"wait"} if re.search(r"\bwait\b", spec.repair) else set()))


def _is_about(line: Line, record: Document) -> bool:
    """Whether the step called the operation again, or another one of the service, or any, on the same object."""
    call = record["call"]
    if call is None:
        return False
    if CATALOGUE[line.fault].layer is Layer.EVENT:
        return bool(line.where[1:2]) and call[2] == line.where[1]
    return tuple(call) == line.where or (
        call[0] == line.where[0] and call[2] != "" and call[2] == line.where[2]
    )


def _repeats(line: Line, record: Document) -> bool:
    return record["call"] is not None and tuple(record["call"]) == line.where


def _is_through(record: Document) -> bool:
    """Whether the step's call was answered, without a fault, with something that is over."""
    observation = record["observation"]
    if observation["error"] is not None or _spoilt(record):
        return False
    result = observation["result"]
    return not (isinstance(result, Mapping) and result.get("status") in _UNFINISHED)


def _spoilt(record: Document) -> bool:
    landed = (fault["fault"] for fault in record["faults"] if fault.get("state") != State.ARMED)
    specs = (CATALOGUE[FaultId(fault)] for fault in landed)
    return any(spec.layer is Layer.SERVICE and spec.cost > 0 for spec in specs)
