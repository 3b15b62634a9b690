"""Models of an archive's lines: the snapshot's facts, and the records of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...protocol.options import (
    MAX_SEED,
    CompanySize,
    GuidanceLevel,
    ObservationFormat,
    RewardMode,
    RewardProfile,
    ToolName,
    ToolsFormat,
)

FORMAT = "companyos.snapshot"
VERSION = 2

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
#: PostgreSQL stores no U+0000.
Label = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[^\x00]+$")]
Instant = Annotated[int, Field(ge=0, lt=2**62)]
Amount = Annotated[str, Field(pattern=r"^-?[0-9]{1,8}\.[0-9]{2}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class ChaosFacts(_Strict):
    """A chaos setting, as in `companyos.sdk.chaos.Chaos`."""

    level: int
    name: str
    profile: dict[str, Any]


class PutFacts(ChaosFacts):
    """A chaos put in force after a step."""

    step: Annotated[int, Field(ge=0, le=1000)]


class PartFacts(_Strict):
    """An earlier part of the episode, played under other options."""

    until: Annotated[int, Field(ge=1, le=1000)]
    by: Literal["agent", "oracle"]
    rewards: RewardProfile
    reward_mode: RewardMode
    max_steps: Annotated[int, Field(ge=1, le=1000)]
    tools: Literal["scenario", "all"] | list[ToolName]
    guidance: GuidanceLevel
    tools_format: ToolsFormat
    observation_format: ObservationFormat
    first_hash: Digest
    last_hash: Digest


class SnapshotFacts(_Strict):
    """A snapshot without stack-specific numbers: the origin of its base, and its episode's state."""

    name: Label | None
    episode_id: Label
    scenario: Label
    version: Annotated[int, Field(ge=0, lt=2**31)]
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)]
    chaos: ChaosFacts
    chaos_now: PutFacts | None = None
    size: Annotated[int, Field(ge=1, le=200_000)] | CompanySize
    rewards: RewardProfile
    reward_mode: RewardMode
    max_steps: Annotated[int, Field(ge=1, le=1000)]
    tools: Literal["scenario", "all"] | list[ToolName] = "all"
    guidance: GuidanceLevel = GuidanceLevel.NONE
    tools_format: ToolsFormat = ToolsFormat.SCHEMAS
    observation_format: ObservationFormat = ObservationFormat.FULL
    earlier: list[PartFacts] = []
    base: Digest
    step: Annotated[int, Field(ge=0, le=1000)]
    sim_now: Instant
    due: dict[str, Instant | None]
    total: Amount
    hash: Digest


class Header(_Strict):
    """The first line.

    Attributes:
        services: The schema version of each service's rows.
    """

    format: Literal["companyos.snapshot"]
    version: Literal[2]
    services: dict[str, int]
    snapshot: SnapshotFacts


class RowLine(_Strict):
    """The final state of a row over all layers above the base; `row` has all its columns and `deleted`."""

    service: str
    table: str
    row: dict[str, Any]

    @property
    def row_key(self) -> tuple[str, str, str]:
        """The row's key; lines are sorted by it."""
        return self.service, self.table, str(self.row.get("id"))


class _Loose(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


class SeenInRecord(_Loose):
    """The observation of a step."""

    text: str
    tool_name: str | None
    result: Any
    error: dict[str, Any] | None
    step: int
    steps_remaining: int
    sim_now: str
    elapsed_s: int


class ChangeInRecord(_Loose):
    """A row after a step."""

    causes: list[str]
    service: str
    table: str
    id: str
    row: dict[str, Any] | None


class LedgerInRecord(_Loose):
    """A ledger line of a step."""

    name: str
    amount: int | float


class StepRecord(_Loose):
    """The record of a step of an open episode, with the fields that are read later."""

    step: int
    action: dict[str, Any]
    observation: SeenInRecord
    reward: int | float
    done: Literal[False]
    sim_now: Instant
    events: list[dict[str, Any]]
    changes: list[ChangeInRecord]
    faults: list[dict[str, Any]]
    ledger: list[LedgerInRecord]
    outside: list[Annotated[list[str], Field(min_length=3, max_length=3)]]
    violation: str | None
    call: Annotated[list[str], Field(min_length=3, max_length=3)] | None
    took_ms: int | float
    success: None
    terminated: Literal[False]
    truncated: Literal[False]
    invalid: None
    previous: Digest
    hash: Digest


class RecordLine(_Strict):
    """A record in the form of the trace."""

    record: dict[str, Any]


def earned(record: Mapping[str, Any]) -> Decimal:
    """Return a step's contribution to the ledger's total."""
    return sum((Decimal(str(line["amount"])) for line in record["ledger"]), Decimal(0))
