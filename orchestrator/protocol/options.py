"""A trainer's options for a reset, validated: scenario, seed, chaos level, rewards and limits, or a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)
from pydantic_core import PydanticCustomError

from companyos.sdk.chaos import Chaos, ChaosRefused, parse_chaos

from .numbers import WHOLE
from .problems import Refusal
from .strict_json import read_json

MAX_SEED = 2**63 - 1

ToolName = Annotated[StrictStr, Field(min_length=1, max_length=200)]
#: The tools of an episode's agent: those the scenario can need, all, or the given ones.
ToolChoice = Literal["scenario", "all"] | Annotated[tuple[ToolName, ...], Field(min_length=1)]


def _id_in_urls(episode_id: str) -> str:
    if episode_id in (".", "..") or any(letter < " " or "\x7f" <= letter <= "\x9f" for letter in episode_id):
        raise PydanticCustomError(
            "episode_id_unusable",
            "No URL can name this episode: use no control characters, and not '.' or '..'",
        )
    return episode_id


def _tool_names(value: Any) -> Any:
    """Return the names in a list of tools in OpenAI function format, as a data set has it, also as JSON text."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = read_json(value) or "all"
        except ValueError:
            return value
    if isinstance(value, list):
        return [_tool_name(each) for each in value]
    return value


def _tool_name(tool: Any) -> Any:
    function = tool.get("function", tool) if isinstance(tool, dict) else None
    return function.get("name", tool) if isinstance(function, dict) else tool


#: The size of the company around the task; a number requests about that many rows.
CompanySize = Literal["small", "default", "large", "huge"]
DEFAULT_SIZE: CompanySize = "default"
#: The approximate number of rows in a company of each named size.
ROWS_OF: Mapping[str, int] = {"small": 60, "default": 400, "large": 5_000, "huge": 100_000}
Seed = Annotated[StrictInt, Field(ge=0, le=MAX_SEED), WHOLE]
MOST_STEPS = 1000
#: A step limit: of the whole episode, or `+6` for six steps more than were played where it starts.
StepLimit = (
    Annotated[StrictStr, Field(pattern=r"^\+[1-9][0-9]{0,2}$")]
    | Annotated[StrictInt, Field(ge=1, le=MOST_STEPS), WHOLE]
)
Calls = Annotated[StrictInt, Field(ge=0, le=MOST_STEPS), WHOLE]


class StartPoint(BaseModel):
    """Where in the solution of a scenario's oracle an episode starts; exactly one of the places is given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: Literal["oracle"] = Field("oracle", description="Who plays up to the start.")
    calls: Calls | None = Field(None, description="Start after so many calls of the oracle.")
    calls_left: Annotated[StrictInt, Field(ge=1, le=MOST_STEPS), WHOLE] | None = Field(
        None, description="Start so many calls before the end of its solution."
    )
    until: Annotated[StrictStr, Field(pattern="^milestone:.", max_length=100)] | None = Field(
        None, description="Start when the oracle has reached this milestone: `milestone:NAME`."
    )

    @model_validator(mode="before")
    @classmethod
    def _as_given(cls, value: Any) -> Any:
        """Read JSON text as an object, and leave null out: tables hold a start as either."""
        if isinstance(value, str) and value.startswith("{"):
            try:
                value = read_json(value)
            except ValueError:
                return value
        if not isinstance(value, dict):
            return value
        return {name: inner for name, inner in value.items() if inner is not None}

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if len(self.model_fields_set & {"calls", "calls_left", "until"}) != 1:
            raise ValueError("give exactly one of calls, calls_left and until")
        return self


class RewardProfile(StrEnum):
    """Which lines the ledger has, and how it counts milestones.

    Attributes:
        SEED: Pays milestones when they begin to hold, and takes them back when the agent ends the episode wrongly.
        POTENTIAL: Pays milestones, and takes them back at every ending; this preserves optimal policies.
        PROGRESS: Pays six elevenths of the milestones, and takes them back only if the agent ended the episode.
        SPARSE: Pays 1.0 for success and nothing else: steps, mistakes, harm and a failed `finish` cost nothing.
        DRILL: Pays 1.0 for success and up to 0.5 for milestones; giving up is never better than harmless work.

    In all profiles but `sparse` and `drill`, a step costs 0.1, output that is not a call costs another 1.0, and a
    failed `finish` costs 2.0.
    """

    SEED = "seed"
    SPARSE = "sparse"
    POTENTIAL = "potential"
    PROGRESS = "progress"
    DRILL = "drill"


class RewardMode(StrEnum):
    """When the ledger is paid: at every step, or everything at the last one."""

    DENSE = "dense"
    OUTCOME = "outcome"


class Latency(StrEnum):
    """How the delays of slow calls pass: on the simulated clock, or also in real time."""

    VIRTUAL = "virtual"
    SLEPT = "slept"


class GuidanceLevel(StrEnum):
    """How much the first observation says in addition to the brief.

    Attributes:
        NONE: Nothing; the agent must find the rules of the task in the company's documents.
        POINTERS: The titles or ids of the documents that contain them.
        FULL: The rules themselves.
    """

    NONE = "none"
    POINTERS = "pointers"
    FULL = "full"


class ToolsFormat(StrEnum):
    """How an agent's tools are shown.

    Attributes:
        SCHEMAS: With their whole descriptions and the JSON Schemas of their arguments.
        SIGNATURES: With one sentence and the names of their arguments.
    """

    SCHEMAS = "schemas"
    SIGNATURES = "signatures"


class ObservationFormat(StrEnum):
    """How much of a result an observation's text shows.

    Attributes:
        FULL: All of it.
        COMPACT: Its values, and after a change those that the call changed.
    """

    FULL = "full"
    COMPACT = "compact"


class CompanyOptions(BaseModel):
    """The options of a reset that, with the seed, decide the starting company."""

    model_config = ConfigDict(extra="allow", frozen=True)

    scenario: Annotated[StrictStr, Field(min_length=1, max_length=64)] = Field(
        "vendor_onboarding", description="Name of the scenario."
    )
    chaos: Annotated[StrictInt, WHOLE] | StrictStr | dict[str, Any] = Field(
        1, description="A chaos level from 0 to 5, the name of a preset, or a profile."
    )
    size: Annotated[StrictInt, Field(ge=1, le=200_000), WHOLE] | CompanySize | None = Field(
        None, description="Size of the company: a name, or an approximate number of rows."
    )

    @property
    def company_size(self) -> int | CompanySize:
        """The size of the company, chosen or by default."""
        return DEFAULT_SIZE if self.size is None else self.size

    @property
    def company_rows(self) -> int:
        """The approximate number of rows in the company."""
        size = self.company_size
        return size if isinstance(size, int) else ROWS_OF[size]


class ResetOptions(CompanyOptions):
    """The body of a reset; every field is optional, and unknown keys are collected but ignored."""

    seed: Seed = Field(0, description="Seed of the instance.")
    rewards: RewardProfile = Field(RewardProfile.SEED, description="The reward profile.")
    reward_mode: RewardMode = Field(RewardMode.DENSE, description="When rewards are paid.")
    episode_id: (
        Annotated[StrictStr, Field(min_length=1, max_length=255), AfterValidator(_id_in_urls)] | None
    ) = Field(None, description="Your id for the episode; drawn if absent.")
    max_steps: StepLimit | None = Field(
        None, description="The step limit, or `+N` for N steps from the start; the scenario's own if absent."
    )
    latency: Latency = Field(Latency.VIRTUAL, description="How the delays of slow calls pass.")
    replace: StrictBool = Field(
        False, description="Whether to end an open episode that has this `episode_id`."
    )
    idempotency_key: Annotated[StrictStr, Field(min_length=16, max_length=128)] | None = Field(
        None,
        description="A random text, such as a UUID, that repeats of a reset with `episode_id` have in common: until "
        "the first step they begin the same episode again, with the same `agent_token`.",
    )
    snapshot: Annotated[StrictStr, Field(min_length=1, max_length=64)] | None = Field(
        None, description="Id of the snapshot to start from; it decides all options that shape the world."
    )
    start: StartPoint | None = Field(
        None, description="Start within the oracle's solution instead of at the brief."
    )
    tools: Annotated[ToolChoice, BeforeValidator(_tool_names)] = Field(
        "all", description="The agent's tools: those of the scenario, all, or exactly the named ones."
    )
    guidance: GuidanceLevel = Field(
        GuidanceLevel.NONE, description="How much of the rules the first observation contains."
    )
    tools_format: ToolsFormat = Field(
        ToolsFormat.SCHEMAS, description="How the agent's tools are shown; changes nothing else."
    )
    observation_format: ObservationFormat = Field(
        ObservationFormat.FULL, description="How much of a result the text shows; changes nothing else."
    )

    _ignored: tuple[str, ...] = PrivateAttr(())

    @property
    def ignored(self) -> list[str]:
        """Names of the keys that were sent and have no effect, in order."""
        return sorted({*(self.model_extra or {}), *self._ignored})

    def step_limit(self, played: int, default: int) -> int:
        """Return the step limit of the whole episode.

        Args:
            played: Steps played before its start.
            default: The limit if none was chosen.

        Raises:
            Refusal: 422 invalid_start; the limit leaves no step.
        """
        if self.max_steps is None:
            limit = default
        else:
            limit = self.max_steps if isinstance(self.max_steps, int) else played + int(self.max_steps)
        if played < limit <= MOST_STEPS:
            return limit
        detail = f"The episode starts after {played} steps, and its limit is {limit}. "
        raise Refusal(422, "invalid_start", detail + "Send a max_steps such as +10.", field="max_steps")

    def ignoring(self, *names: str) -> Self:
        """Return these options, noting that other values were sent for some and have no effect."""
        copy = self.model_copy()
        copy._ignored = names
        return copy


def requested_chaos(value: int | str | Mapping[str, Any]) -> Chaos:
    """Return the chaos that a trainer requests.

    Raises:
        Refusal: 422 invalid_chaos.
    """
    try:
        return parse_chaos(value)
    except ChaosRefused as refused:
        raise Refusal(422, "invalid_chaos", str(refused), field="chaos") from None


def chaos_summary(chaos: Chaos) -> dict[str, Any]:
    """Return a chaos setting as trainers see it."""
    return {
        "level": chaos.level,
        "name": chaos.name,
        "profile": dict(chaos.profile),
        "digest": chaos.digest,
    }
