"""The state of each fault of an episode: armed, landed, detected, overcome, or expired without having landed.

A fault that never landed is not evidence, so reports compute rates over those that did. Everything here is
derived from the step records, so it is the same after a restart, in a fork and after a restore. Agents never
see any of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from companyos.sdk.chaos import CATALOG, FaultId, Layer
from companyos.sdk.scenario import InjectedFault, View

from ..protocol.trace import canonical

Document = Mapping[str, Any]
#: The recorded state of an event that was eventually delivered.
DELIVERED = "delivered"
#: Tools that show how an operation ended, so that the call need not be repeated.
_ENDS = frozenset({"get_operation", "resume_operation"})
#: Values of `status` in results of operations that have not completed.
_UNFINISHED = frozenset({"accepted", "incomplete", "running", "pending"})


class FaultState(StrEnum):
    """The states of a fault, in order."""

    ARMED = "armed"
    LANDED = "landed"
    DETECTED = "detected"
    OVERCOME = "overcome"
    EXPIRED = "expired"


@dataclass
class AccountedFault:
    """One fault at one place; each `…_at` is the number of a step, or None if the fault has not reached that state."""

    fault: FaultId
    where: tuple[str, ...]
    armed_at: int
    landed_at: int | None = None
    detected_at: int | None = None
    overcome_at: int | None = None

    def state(self, *, done: bool) -> FaultState:
        """Return its state; a fault that had not landed when the episode ended has expired."""
        if self.landed_at is None:
            return FaultState.EXPIRED if done else FaultState.ARMED
        if self.overcome_at is not None:
            return FaultState.OVERCOME
        return FaultState.LANDED if self.detected_at is None else FaultState.DETECTED

    def document(self, *, done: bool) -> dict[str, Any]:
        """Return the fault as JSON."""
        return {
            "fault": str(self.fault),
            "where": list(self.where),
            "state": str(self.state(done=done)),
            "armed_at": self.armed_at,
            "landed_at": self.landed_at,
            "detected_at": self.detected_at,
            "overcome_at": self.overcome_at,
        }


class FaultAccount:
    """The faults of one episode, updated step by step.

    Args:
        injected_faults: The business faults of the company.
    """

    def __init__(self, injected_faults: Iterable[InjectedFault] = ()) -> None:
        self._injected = tuple(injected_faults)
        self._company = [AccountedFault(FaultId(one.fault), one.shown_by, 0) for one in self._injected]
        self._on_the_way: dict[tuple[str, tuple[str, ...]], AccountedFault] = {}
        self._since = 0

    @property
    def lines(self) -> list[AccountedFault]:
        """Every fault: the company's own, then the others in the order in which they landed."""
        return [*self._company, *self._on_the_way.values()]

    def copy(self) -> FaultAccount:
        """Return an independent copy."""
        other = FaultAccount(self._injected)
        other._company = [replace(line) for line in self._company]
        other._on_the_way = {key: replace(line) for key, line in self._on_the_way.items()}
        other._since = self._since
        return other

    def note(self, record: Document, view: View) -> None:
        """Apply a step's record; `view` shows the company after it."""
        step: int = record["step"]
        if "chaos" in record:
            self._since = step - 1
        observed = _text_of(record) if any(line.landed_at is None for line in self._company) else ""
        for injected, line in zip(self._injected, self._company, strict=True):
            _follow_injected(injected, line, record, observed, view)
        for line in self._on_the_way.values():
            _follow_incident(line, record)
        for fault in record["faults"]:
            self._land(step, fault)

    def landed_at(self, step: int) -> list[FaultId]:
        """Return the faults that landed at a step, one entry per place."""
        return [line.fault for line in self.lines if line.landed_at == step]

    def documents(self, *, done: bool) -> list[dict[str, Any]]:
        """Return every fault as JSON; `done` says whether the episode is over."""
        return [line.document(done=done) for line in self.lines]

    def reached(self, *, done: bool) -> list[tuple[FaultId, FaultState]]:
        """Return every state that each fault reached: an overcome fault had landed, and a landed one was armed."""
        return [(line.fault, state) for line in self.lines for state in _states_reached(line, done=done)]

    def counts(self, *, done: bool) -> dict[str, int]:
        """Return how many faults reached each state."""
        states = [state for _, state in self.reached(done=done)]
        return {str(state): states.count(state) for state in FaultState}

    def _land(self, step: int, fault: Document) -> None:
        known, where = FaultId(fault["fault"]), tuple(fault["where"])
        line = self._on_the_way.setdefault((known, where), AccountedFault(known, where, self._since))
        if fault.get("state") == FaultState.ARMED:
            return
        if line.landed_at is None:
            line.landed_at = step
        harmless = CATALOG[known].cost == 0
        if line.overcome_at is None and (harmless or fault.get("state") == DELIVERED):
            line.overcome_at = step


def _states_reached(line: AccountedFault, *, done: bool) -> Iterable[FaultState]:
    yield FaultState.ARMED
    if line.landed_at is None:
        if done:
            yield FaultState.EXPIRED
        return
    yield FaultState.LANDED
    if line.detected_at is not None:
        yield FaultState.DETECTED
    if line.overcome_at is not None:
        yield FaultState.OVERCOME


def _follow_injected(
    injected: InjectedFault, line: AccountedFault, record: Document, observed: str, view: View
) -> None:
    step = record["step"]
    if line.landed_at is None:
        if not _shows(injected, record, observed):
            return
        line.landed_at = step
    elif line.detected_at is None and record["action"].get("tool_name") in injected.repairs:
        line.detected_at = step
    if record["changes"] or line.landed_at == step:
        # A repair may be undone, so only the step since which it has held counts.
        holds = injected.overcome(view)
        line.overcome_at = (line.overcome_at or step) if holds else None


def _text_of(record: Document) -> str:
    """Return the arguments and the result of a step, as text to search for ids."""
    return canonical([record["action"].get("arguments"), record["observation"]["result"]]).decode()


def _shows(injected: InjectedFault, record: Document, observed: str) -> bool:
    error = record["observation"]["error"]
    if error is not None and error["code"] in injected.codes:
        return True
    return bool(injected.shown_by) and _naming(injected.shown_by).search(observed) is not None


@cache
def _naming(ids: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, ids))})(?![\w-])")


def _follow_incident(line: AccountedFault, record: Document) -> None:
    """Note, at a step after it landed, whether a fault in a call or event was detected and overcome."""
    if line.overcome_at is not None and line.detected_at is not None:
        return
    step, copes = record["step"], _copes(line.fault, record)
    if line.detected_at is None and (copes or _is_about(line, record)):
        line.detected_at = step
    if line.overcome_at is None and CATALOG[line.fault].layer is Layer.SERVICE:
        ends = copes and _tool(record) in _ENDS
        if _is_through(record) and (ends or _repeats(line, record)):
            line.overcome_at = step


def _copes(fault: FaultId, record: Document) -> bool:
    """Whether the step called one of the fault's coping tools in the catalog."""
    return _tool(record) in CATALOG[fault].coping_tools


def _tool(record: Document) -> str:
    """Return the name of the called tool without its service."""
    call, name = record["call"], record["action"].get("tool_name") or ""
    return str(name) if call is None else str(call[1])


def _is_about(line: AccountedFault, record: Document) -> bool:
    """Whether the step called the same operation, or one on the same object.

    For an event fault, that is any operation on the object; for others, one of the same service.
    """
    call = record["call"]
    if call is None:
        return False
    if CATALOG[line.fault].layer is Layer.EVENT:
        return bool(line.where[1:2]) and call[2] == line.where[1]
    return tuple(call) == line.where or (
        call[0] == line.where[0] and call[2] != "" and call[2] == line.where[2]
    )


def _repeats(line: AccountedFault, record: Document) -> bool:
    return record["call"] is not None and tuple(record["call"]) == line.where


def _is_through(record: Document) -> bool:
    """Whether the step's call returned a completed result without a fault."""
    observation = record["observation"]
    if observation["error"] is not None or _spoilt(record):
        return False
    result = observation["result"]
    return not (isinstance(result, Mapping) and result.get("status") in _UNFINISHED)


def _spoilt(record: Document) -> bool:
    landed = (fault["fault"] for fault in record["faults"] if fault.get("state") != FaultState.ARMED)
    specs = (CATALOG[FaultId(fault)] for fault in landed)
    return any(spec.layer is Layer.SERVICE and spec.cost > 0 for spec in specs)
