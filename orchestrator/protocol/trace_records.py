"""The record of a step, and the head of a trace, as they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from companyos.chaos import FaultId
from companyos.chaos import Operation as Operation

from .effects import Change, EventFault, OverwrittenOwn, Row, RowKey, Written
from .options import chaos_summary
from .records import Put, Start
from .trace import FORMAT


class CallOutcome(StrEnum):
    """The outcome of a step's call."""

    DONE = "done"
    REFUSED = "refused"
    VIOLATION = "violation"
    BAD_ARGUMENTS = "bad_arguments"
    UNKNOWN_TOOL = "unknown_tool"
    NO_CALL = "no_call"
    FAILED = "failed"


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: its name, its amount and the rows that prove it."""

    name: str
    amount: Decimal
    evidence: tuple[RowKey, ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The entry as JSON."""
        return {
            "name": self.name,
            "amount": float(self.amount),
            "evidence": [str(row_key) for row_key in self.evidence],
        }


@dataclass(frozen=True)
class Fault:
    """An incident of the fault plan that hit a step.

    Attributes:
        where: Where it began, possibly at another operation of the service.
        attempt: How many earlier attempts at that operation were spoiled.
        memo: The state that later steps need.
        state: `landed`, or `armed` if it is only prepared.
    """

    fault: FaultId
    where: tuple[str, ...]
    attempt: int
    memo: Mapping[str, Any] = field(default_factory=dict)
    state: str = "landed"

    @property
    def document(self) -> dict[str, Any]:
        """The fault in the form of the record."""
        return {
            "fault": str(self.fault),
            "where": list(self.where),
            "attempt": self.attempt,
            "state": self.state,
            **self.memo,
        }


@dataclass(frozen=True)
class TraceRecord:
    """One step, as stored and as shown in the trace.

    Attributes:
        reward: The reward paid.
        ledger: The lines earned; in outcome mode they are paid only at the end.
        outside: Rows that the agent's call wrote and nothing explains.
        violation: Code of the violated policy, or None.
        call: The operation it called, or None.
        outcome: The outcome of the call, which decides its cost.
        took_ms: Real time it took; not covered by the hash.
        put: The chaos put in force before it.
        defects: The service and the reason of each call on which a healthy service failed.
        own: Writes of the agent's call to rows that others wrote in the same step, too.
    """

    step: int
    action: Mapping[str, Any]
    observation: Mapping[str, Any]
    reward: Decimal
    done: bool
    now: int
    events: Sequence[Mapping[str, Any]]
    changes: Sequence[Change]
    faults: Sequence[Fault | EventFault]
    ledger: Sequence[Entry]
    outside: Sequence[RowKey]
    violation: str | None
    call: Operation | None
    outcome: CallOutcome
    took_ms: float
    put: Put | None = None
    defects: Sequence[Mapping[str, str]] = ()
    own: Sequence[OverwrittenOwn] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The record as JSON, without its hashes."""
        put = {} if self.put is None else {"chaos": chaos_summary(self.put.chaos)}
        defects = {"defects": list(self.defects)} if self.defects else {}
        own = {"own": [write.document for write in self.own]} if self.own else {}
        return {
            **put,
            **defects,
            **own,
            "step": self.step,
            "action": self.action,
            "observation": self.observation,
            "reward": float(self.reward),
            "done": self.done,
            "sim_now": self.now,
            "events": self.events,
            "changes": [change.document for change in self.changes],
            "faults": [fault.document for fault in self.faults],
            "ledger": [entry.document for entry in self.ledger],
            "outside": [list(row_key) for row_key in self.outside],
            "violation": self.violation,
            "call": self.call,
            "outcome": str(self.outcome),
            "took_ms": self.took_ms,
        }


def start_document(start: Start, base: str, observation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an episode's start for the head of its trace: everything that determines it, and its first observation."""
    earlier = {"earlier": [part.document for part in start.earlier]} if start.earlier else {}
    return {
        **earlier,
        "format": FORMAT,
        "step": 0,
        "base": base,
        "scenario": start.scenario,
        "version": start.version,
        "seed": start.seed,
        "chaos": chaos_summary(start.chaos),
        "size": start.size,
        "rewards": str(start.profile),
        "reward_mode": str(start.mode),
        "max_steps": start.max_steps,
        "tools": start.tools if isinstance(start.tools, str) else list(start.tools),
        "guidance": str(start.guidance),
        **start.formats,
        "observation": observation,
    }


def changes_of(record: Mapping[str, Any]) -> list[tuple[RowKey, Row | None]]:
    """Return the rows after a step, from its stored record."""
    return [
        (RowKey(change["service"], change["table"], change["id"]), change["row"])
        for change in record["changes"]
    ]


def written_of(record: Mapping[str, Any]) -> list[Written]:
    """Return what a step wrote, from its stored record, in the form that grading uses.

    Its own rows are as the call left them. What ticks wrote to them before the call comes first.
    """
    changes, call = changes_of(record), f"s{record['step']}"
    own = {
        row_key: row
        for (row_key, row), change in zip(changes, record["changes"], strict=True)
        if call in change["causes"]
    }
    earlier: list[tuple[RowKey, Row | None]] = []
    for write in record.get("own", ()):
        row_key = RowKey(write["service"], write["table"], write["id"])
        own[row_key] = write["row"]
        earlier.append((row_key, write["before"]))
    return [Written((), earlier), Written(list(own.items()), changes)]
