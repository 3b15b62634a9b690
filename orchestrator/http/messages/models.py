"""Pydantic models of the trainer API: they validate requests and document responses.

`/schema` and the OpenAPI document are generated from these models. Responses are not validated.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr
from pydantic.config import JsonDict

EpisodeId = Annotated[StrictStr, Field(min_length=1, max_length=255)]
Number = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]


class Strict(BaseModel):
    """A request whose unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ActionType(StrEnum):
    """What an action asks for."""

    CALL_TOOL = "call_tool"
    LIST_TOOLS = "list_tools"
    INVALID = "invalid"


ONE_SPELLING: JsonDict = {
    "anyOf": [
        {"required": ["tool_name"]},
        {"required": ["app", "method"]},
        {"required": ["type"], "properties": {"type": {"const": "list_tools"}}},
        {"required": ["type", "raw"], "properties": {"type": {"const": "invalid"}}},
    ]
}


class Action(Strict):
    """One call of a tool, as `tool_name` and `arguments` or as `app`, `method` and `params`; or `list_tools`.

    Whatever names a tool is a step, even where it is misspelled. `invalid` reports what a model said that is no call.
    """

    model_config = ConfigDict(title="Action", json_schema_extra=ONE_SPELLING)

    type: ActionType = Field(ActionType.CALL_TOOL, description="May be left out when a tool is named.")
    tool_name: str = Field("", description="Name of the tool, for example `ticketdesk_get_ticket`.")
    arguments: dict[str, Any] | str = Field(
        default_factory=dict, description="Arguments of the tool, an object or its JSON."
    )
    app: str = Field("", description="Service of the tool, in the spelling of the original environment.")
    method: str = Field("", description="Name of the tool within that service.")
    params: dict[str, Any] | str = Field(
        default_factory=dict, description="Arguments of the tool, an object or its JSON."
    )
    raw: str = Field("", description="With the type `invalid`: what the model said.")
    metadata: dict[str, Any] = Field(
        default_factory=dict,
        description="Not part of the action. `step` is the number this action is to be, so that a repeat "
        "returns the stored reply; `timeout_s` is how long the call may take.",
    )


class ToolCard(BaseModel):
    """A tool as an observation lists it."""

    model_config = ConfigDict(extra="forbid")

    name: str
    description: str
    input_schema: dict[str, Any] = Field(description="JSON Schema of the arguments.")


class ToolErrorDocument(BaseModel):
    """Why a call came to nothing, and whether the same call may work later."""

    model_config = ConfigDict(extra="forbid")

    error_type: Literal["execution_error", "invalid_args", "transport_error", "tool_not_found", "timeout"]
    code: str = Field(description="Stable code, for example `ticket_incomplete`.")
    message: str = Field(description="What is wrong and what would make it right.")
    retryable: bool
    outcome: Literal["unknown"] | None = Field(
        None, description="`unknown` where nobody can say whether the call was carried out; else left out."
    )
    field: str | None = Field(None, description="The argument at fault; left out where none is.")
    required_field: str | None = Field(
        None, description="The field to supply or to set first; left out where none is."
    )
    allowed_values: list[str] | None = Field(
        None, description="Every value that would have been accepted, where that is known."
    )
    permission: str | None = Field(
        None, description="The permission that is missing; left out where none is."
    )
    remedy: str | None = Field(
        None, description="Name of the tool whose call makes it right, where there is one."
    )
    retry_after_s: int | None = Field(
        None, description="Simulated seconds after which the same call may succeed, where that is known."
    )


class ObservationDocument(BaseModel):
    """What the agent sees after a step."""

    model_config = ConfigDict(extra="forbid", title="Observation")

    text: str = Field(description="For a language model to read.")
    tool_name: str | None = None
    result: Any = None
    error: ToolErrorDocument | None = None
    step: int = Field(ge=0, description="Steps taken.")
    steps_remaining: int = Field(ge=0)
    sim_now: str = Field(description="The simulated clock, ISO 8601.")
    elapsed_s: int = Field(ge=0, description="Simulated seconds that the step took.")
    tools: list[ToolCard] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict, description="Empty; trainers' is beside it.")
    reward: float | None = Field(
        None, description="Beside the observation on the wire, never null after a step."
    )
    done: bool = Field(False, description="Beside the observation on the wire.")


class EpisodeState(BaseModel):
    """OpenEnv's state: where the episode stands, and nothing that gives the answer away."""

    model_config = ConfigDict(extra="allow", title="State")

    episode_id: str | None = None
    step_count: int = Field(0, ge=0)
    scenario: str | None = None
    chaos: Any = None
    max_steps: int | None = None
    done: bool = False
    sim_now: str | None = None


NO_EPISODE = EpisodeState().model_dump()


class StepResponse(BaseModel):
    """The answer to a reset or a step."""

    observation: dict[str, Any] = Field(description="What the agent sees; see `/schema`.")
    reward: float | None = Field(description="Null at reset, a finite number after every step.")
    done: bool
    metadata: dict[str, Any] = Field(description="For the trainer only: return, success, reward breakdown.")


class StepRequest(Strict):
    """One action of an episode."""

    action: dict[str, Any] = Field(description="The action; see `/schema`.")
    episode_id: EpisodeId | None = Field(None, description="The episode, as its reset answered it.")
    step: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = Field(
        None, description="The 1-based number this action is to be; repeated, it returns the stored reply."
    )
    timeout_s: Number | None = Field(None, description="How long the call may take, in seconds.")
    request_id: Annotated[StrictStr, Field(max_length=255)] | None = Field(None, description="Not used.")


class StepHints(BaseModel):
    """What `action.metadata` may say, for transports that carry nothing beside the action."""

    model_config = ConfigDict(extra="ignore")

    step: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = None
    timeout_s: Number | None = None


class Health(BaseModel):
    """Whether the process lives."""

    status: Literal["healthy"] = "healthy"


class Readiness(BaseModel):
    """Whether the process and everything it needs can serve."""

    ready: bool


class About(BaseModel):
    """What this environment is."""

    name: str
    description: str
    readme_content: str | None = None
    version: str | None = None
    author: str | None = None
    documentation_url: str | None = None


class Schemas(BaseModel):
    """JSON Schemas of what goes in and comes out."""

    action: dict[str, Any]
    observation: dict[str, Any]
    reset_observation: dict[str, Any]
    state: dict[str, Any]


class Problem(BaseModel):
    """A problem document (RFC 9457): what is wrong, and what would make it right."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="The stable code.")
    title: str
    status: int
    detail: str


class Flaws(BaseModel):
    """What is wrong with a request, as OpenEnv lists it."""

    detail: list[dict[str, Any]] = Field(description="One entry each: type, loc, msg.")
