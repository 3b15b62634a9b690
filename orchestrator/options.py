"""What a trainer may ask of a reset, validated: scenario, seed, chaos level, rewards and limits, or a snapshot."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

MAX_SEED = 2**63 - 1

#: How large the company around the task is; a number asks for about so many rows.
CompanySize = Literal["small", "default", "large", "huge"]


class RewardProfile(StrEnum):
    """How the ledger pays; `potential` and `progress` are names kept for later versions."""

    SEED = "seed"
    SPARSE = "sparse"
    POTENTIAL = "potential"
    PROGRESS = "progress"


class RewardMode(StrEnum):
    """When the ledger is paid out: at every step, or the whole of it at the last one."""

    DENSE = "dense"
    OUTCOME = "outcome"


class Latency(StrEnum):
    """What becomes of the time that slow calls take: it passes on the simulated clock, or is slept besides."""

    VIRTUAL = "virtual"
    SLEPT = "slept"


class ResetOptions(BaseModel):
    """The body of a reset; every field is optional, unknown keys are kept aside and ignored."""

    model_config = ConfigDict(extra="allow", frozen=True)

    scenario: Annotated[StrictStr, Field(min_length=1, max_length=64)] = "vendor_onboarding"
    seed: Annotated[StrictInt, Field(ge=0, le=MAX_SEED)] = 0
    chaos: StrictInt | StrictStr | dict[str, Any] = 1
    rewards: RewardProfile = RewardProfile.SEED
    reward_mode: RewardMode = RewardMode.DENSE
    episode_id: Annotated[StrictStr, Field(min_length=1, max_length=255)] | None = None
    max_steps: Annotated[StrictInt, Field(ge=1, le=1000)] | None = None
    size: Annotated[StrictInt, Field(ge=1, le=200_000)] | CompanySize | None = None
    latency: Latency = Latency.VIRTUAL
    snapshot: Annotated[StrictStr, Field(min_length=1, max_length=64)] | None = None

    @property
    def ignored(self) -> list[str]:
        """Names of the keys that were sent and mean nothing here, in order."""
        return sorted(self.model_extra or {})
