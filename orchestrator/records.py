"""What the orchestrator keeps of an episode: its row, as of its last step, and one record per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from companyos.chaos import Chaos, FaultId, Layer
from companyos.chaos import Operation as Operation

from .effects import Change, EventFault, Place, Row
from .options import Latency, RewardMode, RewardProfile
from .rewards import Entry, paid


@dataclass(frozen=True)
class Start:
    """What an episode starts from: the coordinates that determine it, and its limits."""

    scenario: str
    version: int
    seed: int
    chaos: Chaos
    size: str | int
    profile: RewardProfile
    mode: RewardMode
    max_steps: int
    latency: Latency = Latency.VIRTUAL


@dataclass(frozen=True)
class Put:
    """A chaos that a trainer put in force in a running episode, from the step after `step` on."""

    step: int
    chaos: Chaos


@dataclass(frozen=True)
class Episode:
    """One episode as committed.

    Attributes:
        id: What clients call it.
        world: Number of its world.
        chain: Layers of its world, the base first.
        base: Digest of the base.
        start: What it starts from.
        step: Steps played.
        now: Simulated time.
        due: Each service's next due instant, None where nothing is.
        total: The ledger's total.
        hash: Hash of its last record.
        success: None until it is done, and where it is invalid.
        invalid: Why it must not be scored, None where it may.
        lineage: Worlds played before this one, oldest first.
        origin: What it was begun from or last put back to, where that is not a reset of its own.
        put: The chaos in force, where that is not the one of the start.
        faults: How many faults reached each state; empty where there is no chaos.
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

    @property
    def chaos(self) -> Chaos:
        """The chaos in force."""
        return self.start.chaos if self.put is None else self.put.chaos

    @property
    def is_eventful(self) -> bool:
        """Whether anything can have gone wrong in it, or still can."""
        return bool(self.put or self.start.chaos.profile)

    @property
    def has_event_faults(self) -> bool:
        """Whether something can have gone wrong with events of it, or still can."""
        chaoses = (self.start.chaos, self.chaos)
        return any(chaos.of(Layer.EVENT) and chaos.limits.event for chaos in chaoses)

    @property
    def put_since(self) -> Put | None:
        """The chaos put in force since the last step, None where nothing was."""
        return self.put if self.put is not None and self.put.step == self.step else None

    @property
    def worlds(self) -> tuple[int, ...]:
        """The worlds under whose numbers the records of its steps are."""
        return (*self.lineage, self.world)

    @property
    def paid(self) -> Decimal:
        """The sum of the rewards paid so far."""
        return paid(self.start.mode, ledger=self.total, done=self.done and self.invalid is None)


@dataclass(frozen=True)
class Snapshot:
    """A world between two steps, kept: everything an episode needs to go on from there.

    Attributes:
        number: What its id is made of.
        name: What its owner calls it, or None.
        pinned: Whether it stays however long nobody uses it.
        episode: Id of the episode it was taken of.
        layers: Number of layers it is made of, the base included.
    """

    number: int
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

    @property
    def id(self) -> str:
        """What clients call it."""
        return f"snap-{self.number}"


@dataclass(frozen=True)
class Claim:
    """A step taken on: the episode before it, and what lets its outcome be committed.

    Attributes:
        token: Lost to whoever takes the step over.
        life: Life of the database, which a crash ends.
    """

    episode: Episode
    token: str
    life: str


@dataclass(frozen=True)
class Fault:
    """An incident of the fault plan that a step met.

    Attributes:
        where: Where it began, which may be at another operation of the service.
        attempt: How many attempts at that operation were spoilt before.
        memo: What later steps must know of it.
        state: `landed`, or `armed` where it is only prepared.
    """

    fault: FaultId
    where: tuple[str, ...]
    attempt: int
    memo: Mapping[str, Any] = field(default_factory=dict)
    state: str = "landed"

    @property
    def document(self) -> dict[str, Any]:
        """The fault as the record holds it."""
        return {
            "fault": str(self.fault),
            "where": list(self.where),
            "attempt": self.attempt,
            "state": self.state,
            **self.memo,
        }


@dataclass(frozen=True)
class Record:
    """One step, as it is kept and shown in the trace.

    Attributes:
        reward: What the step paid.
        ledger: What it earned, line by line; in outcome mode this is paid at the end only.
        outside: Rows the agent's call wrote outside the footprint.
        violation: Code of the policy it broke, or None.
        call: The operation it called, or None.
        took_ms: Real time it took; no part of the hash.
        put: The chaos that was put in force before it.
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
    outside: Sequence[Place]
    violation: str | None
    call: Operation | None
    took_ms: float
    put: Put | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The record as JSON, without its hashes."""
        put = {} if self.put is None else {"chaos": told_of(self.put.chaos)}
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
            "outside": [list(place) for place in self.outside],
            "violation": self.violation,
            "call": self.call,
            "took_ms": self.took_ms,
        }


def told_of(chaos: Chaos) -> dict[str, Any]:
    """Return a chaos setting as trainers see it."""
    return {
        "level": chaos.level,
        "name": chaos.name,
        "profile": dict(chaos.profile),
        "digest": chaos.digest,
    }


def changes_of(record: Mapping[str, Any]) -> list[tuple[Place, Row | None]]:
    """Return the rows that a stored record says the step left."""
    return [
        (Place(change["service"], change["table"], change["id"]), change["row"])
        for change in record["changes"]
    ]


def outside_of(record: Mapping[str, Any]) -> list[Place]:
    """Return the rows that a stored record says were written outside the footprint."""
    return [Place(*place) for place in record["outside"]]
