"""The parts of a step's record, and the head of a trace, as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from companyos.sdk.chaos import FaultId
from companyos.sdk.chaos import Operation as Operation

from .effects import Row, RowKey, Written
from .options import chaos_summary
from .records import Start
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
