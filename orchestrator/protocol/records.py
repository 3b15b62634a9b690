"""The stored state of an episode: its row, as of its last step, and one record per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any

from companyos.chaos import Chaos, FaultId, Layer
from companyos.chaos import Operation as Operation

from .effects import Change, EventFault, Row, RowKey
from .options import GuidanceLevel, Latency, RewardMode, RewardProfile, ToolChoice, chaos_summary
from .trace import FORMAT

NOTHING = Decimal("0.00")


@dataclass(frozen=True)
class Start:
    """The start of an episode: the coordinates that determine it, and its limits."""

    scenario: str
    version: int
    seed: int
    chaos: Chaos
    size: str | int
    profile: RewardProfile
    mode: RewardMode
    max_steps: int
    latency: Latency = Latency.VIRTUAL
    tools: ToolChoice = "all"
    guidance: GuidanceLevel = GuidanceLevel.NONE


@dataclass(frozen=True)
class Put:
    """A chaos that a trainer put in force in a running episode, from the step after `step` on."""

    step: int
    chaos: Chaos


@dataclass(frozen=True)
class Episode:
    """One episode as committed.

    Attributes:
        id: The episode's id for clients.
        world: Number of its world.
        chain: Layers of its world, the base first.
        base: Digest of the base.
        start: The episode's start.
        step: Steps played.
        now: Simulated time.
        due: Each service's next due instant, None if nothing is due.
        total: The ledger's total.
        hash: Hash of its last record.
        success: None until it is done, and if it is invalid.
        invalid: The reason why it must not be scored, or None.
        lineage: Worlds played before this one, oldest first.
        origin: The snapshot or episode it continues from, if it did not start with its own reset.
        put: The chaos in force, if it differs from that of the start.
        faults: How many faults reached each state; empty without chaos.
        uid: Tells it from every other episode of its id, earlier or later; None if an old version began it.
    """

    id: str
    world: int
    chain: tuple[int, ...]
    base: str
    start: Start
    step: int
    now: int
    due: Mapping[str, int | None]
    total: Decimal
    hash: str
    done: bool
    terminated: bool
    truncated: bool
    success: bool | None
    invalid: str | None
    lineage: tuple[int, ...] = ()
    origin: Mapping[str, Any] | None = None
    put: Put | None = None
    faults: Mapping[str, int] = field(default_factory=dict)
    uid: str | None = None

    def is_meant(self, uid: str | None) -> bool:
        """Return whether it is the episode of this `uid`; None means any."""
        return None in (uid, self.uid) or uid == self.uid

    def after(self, outcome: StepOutcome) -> Episode:
        """Return the open episode after a committed step that does not end it."""
        return replace(
            self,
            step=outcome.step,
            now=outcome.now,
            due=outcome.due,
            total=outcome.total,
            hash=outcome.hash,
            faults=self.faults if outcome.faults is None else outcome.faults,
        )

    @property
    def chaos(self) -> Chaos:
        """The chaos in force."""
        return self.start.chaos if self.put is None else self.put.chaos

    @property
    def chaoses(self) -> tuple[Chaos, ...]:
        """The chaos of the start, and the one in force if that differs."""
        return (self.start.chaos,) if self.put is None else (self.start.chaos, self.put.chaos)

    @property
    def is_eventful(self) -> bool:
        """Whether any fault may have occurred in it, or still can."""
        return bool(self.put or self.start.chaos.profile)

    @property
    def has_event_faults(self) -> bool:
        """Whether any event fault may have occurred in it, or still can."""
        chaoses = (self.start.chaos, self.chaos)
        return any(chaos.of(Layer.EVENT) and chaos.limits.event for chaos in chaoses)

    @property
    def put_since(self) -> Put | None:
        """The chaos put in force since the last step, or None."""
        return self.put if self.put is not None and self.put.step == self.step else None

    @property
    def worlds(self) -> tuple[int, ...]:
        """The worlds under whose numbers the records of its steps are stored."""
        return (*self.lineage, self.world)

    @property
    def paid(self) -> Decimal:
        """The sum of the rewards paid so far."""
        return paid(self.start.mode, ledger=self.total, done=self.done and self.invalid is None)


@dataclass(frozen=True)
class Snapshot:
    """A stored world between two steps: everything an episode needs to continue from there.

    Attributes:
        number: Its position in the order of snapshots.
        id: The snapshot's id for clients.
        name: The trainer's name for it, or None.
        pinned: Whether it is kept even if unused.
        episode: Id of its episode.
        layers: The number of its layers, including the base.
    """

    number: int
    id: str
    name: str | None
    pinned: bool
    episode: str
    layers: int
    base: str
    start: Start
    step: int
    now: int
    total: Decimal
    hash: str
    put: Put | None = None
    faults: Mapping[str, int] = field(default_factory=dict)

    @property
    def chaos(self) -> Chaos:
        """The chaos in force."""
        return self.start.chaos if self.put is None else self.put.chaos


@dataclass(frozen=True)
class Claim:
    """A claimed step: the episode before it, and the data that its commit needs.

    Attributes:
        token: Identifies the claim; invalid once another process claims the step.
        epoch: Epoch of the database, which ends with a crash.
    """

    episode: Episode
    token: str
    epoch: str


@dataclass(frozen=True)
class KnownEpisode:
    """An open episode after the last step that a process committed, and the epoch of the database at that time."""

    episode: Episode
    epoch: str


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of a step: the columns of its episode's row, and its record with its hashes, as JSON."""

    step: int
    now: int
    due: Mapping[str, int | None]
    total: Decimal
    hash: str
    record: Mapping[str, Any]
    done: bool = False
    terminated: bool = False
    truncated: bool = False
    success: bool | None = None
    invalid: str | None = None
    faults: Mapping[str, int] | None = None


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
        outside: Rows the agent's call wrote outside the footprint.
        violation: Code of the violated policy, or None.
        call: The operation it called, or None.
        outcome: The outcome of the call, which decides its cost.
        took_ms: Real time it took; not covered by the hash.
        put: The chaos put in force before it.
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

    @property
    def document(self) -> dict[str, Any]:
        """The record as JSON, without its hashes."""
        put = {} if self.put is None else {"chaos": chaos_summary(self.put.chaos)}
        return {
            **put,
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


def paid(mode: RewardMode, *, ledger: Decimal, done: bool) -> Decimal:
    """Return the sum of the rewards paid so far, given the ledger's total `ledger`."""
    return ledger if mode is RewardMode.DENSE or done else NOTHING


def start_document(start: Start, base: str, observation: Mapping[str, Any]) -> dict[str, Any]:
    """Return an episode's start for the head of its trace: everything that determines it, and its first observation."""
    return {
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
        "observation": observation,
    }


def changes_of(record: Mapping[str, Any]) -> list[tuple[RowKey, Row | None]]:
    """Return the rows after a step, from its stored record."""
    return [
        (RowKey(change["service"], change["table"], change["id"]), change["row"])
        for change in record["changes"]
    ]


def outside_of(record: Mapping[str, Any]) -> list[RowKey]:
    """Return the rows written outside the footprint, from a stored record."""
    return [RowKey(*row_key) for row_key in record["outside"]]
