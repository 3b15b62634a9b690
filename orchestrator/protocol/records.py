"""The stored state of an episode: its row, as of its last step, and what a step needs to change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from companyos.sdk.chaos import Chaos, Layer

from .options import (
    GuidanceLevel,
    Latency,
    ObservationFormat,
    RewardMode,
    RewardProfile,
    ToolChoice,
    ToolsFormat,
)

NOTHING = Decimal("0.00")


@dataclass(frozen=True)
class Part:
    """An earlier part of an episode, played under other options before a reset continued from a snapshot of it.

    Attributes:
        until: Number of its last step.
        by: Who played it: `oracle`, or `agent`.
        first_hash: Hash of its own start, to which the record of its first step is chained.
        last_hash: Hash of the record of its last step.
    """

    until: int
    by: str
    profile: RewardProfile
    mode: RewardMode
    max_steps: int
    tools: ToolChoice
    guidance: GuidanceLevel
    tools_format: ToolsFormat
    observation_format: ObservationFormat
    first_hash: str
    last_hash: str

    @property
    def document(self) -> dict[str, Any]:
        """The part as JSON; `of` reads it."""
        return {
            "until": self.until,
            "by": self.by,
            "rewards": str(self.profile),
            "reward_mode": str(self.mode),
            "max_steps": self.max_steps,
            "tools": self.tools if isinstance(self.tools, str) else list(self.tools),
            "guidance": str(self.guidance),
            "tools_format": str(self.tools_format),
            "observation_format": str(self.observation_format),
            "first_hash": self.first_hash,
            "last_hash": self.last_hash,
        }

    @classmethod
    def ending(cls, start: Start, until: int, by: str, first_hash: str, last_hash: str) -> Part:
        """Return the part that was played under the options of a start."""
        return cls(
            until=until,
            by=by,
            profile=start.profile,
            mode=start.mode,
            max_steps=start.max_steps,
            tools=start.tools,
            guidance=start.guidance,
            tools_format=start.tools_format,
            observation_format=start.observation_format,
            first_hash=first_hash,
            last_hash=last_hash,
        )

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Part:
        """Return the part that a document describes."""
        tools: ToolChoice = document["tools"]
        return cls(
            until=document["until"],
            by=document["by"],
            profile=RewardProfile(document["rewards"]),
            mode=RewardMode(document["reward_mode"]),
            max_steps=document["max_steps"],
            tools=tools if isinstance(tools, str) else tuple(tools),
            guidance=GuidanceLevel(document["guidance"]),
            tools_format=ToolsFormat(document["tools_format"]),
            observation_format=ObservationFormat(document["observation_format"]),
            first_hash=document["first_hash"],
            last_hash=document["last_hash"],
        )


@dataclass(frozen=True)
class Start:
    """The start of an episode: the coordinates that determine it, and its limits.

    Attributes:
        earlier: The parts played under other options before it, oldest first; its returns count from after them.
    """

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
    tools_format: ToolsFormat = ToolsFormat.SCHEMAS
    observation_format: ObservationFormat = ObservationFormat.FULL
    earlier: tuple[Part, ...] = ()

    @property
    def formats(self) -> dict[str, str]:
        """The formats in which the episode is shown, by option, without those that are the default."""
        chosen = {
            "tools_format": (self.tools_format, ToolsFormat.SCHEMAS),
            "observation_format": (self.observation_format, ObservationFormat.FULL),
        }
        return {name: str(form) for name, (form, default) in chosen.items() if form != default}

    @property
    def begins(self) -> frozenset[int]:
        """The numbers of the steps that are chained to a start and not to the step before."""
        return frozenset(part.until + 1 for part in self.earlier)

    @property
    def played(self) -> int:
        """The steps played before it."""
        return self.earlier[-1].until if self.earlier else 0


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
            step=outcome.record["step"],
            now=outcome.record["sim_now"],
            due=outcome.due,
            total=outcome.total,
            hash=outcome.record["hash"],
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
    """A step to be played: the episode before it, and the data that its commit needs.

    Attributes:
        epoch: Epoch of the database, which ends with a crash.
        token: Identifies the claim, invalid once another process claims the step; None without a claim, which a step
            that only reads does not need.
        has_failed: Whether the step was sent before and failed.
    """

    episode: Episode
    epoch: str
    token: str | None = None
    has_failed: bool = False


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of a step: its record with its hashes, as JSON, and the columns of its episode that are not in it.

    Attributes:
        due: Each service's next due instant.
        total: The ledger's total.
        faults: How many faults reached each state; None if that has not changed.
    """

    record: Mapping[str, Any]
    due: Mapping[str, int | None]
    total: Decimal
    faults: Mapping[str, int] | None = None


def paid(mode: RewardMode, *, ledger: Decimal, done: bool) -> Decimal:
    """Return the sum of the rewards paid so far, given the ledger's total `ledger`."""
    return ledger if mode is RewardMode.DENSE or done else NOTHING
