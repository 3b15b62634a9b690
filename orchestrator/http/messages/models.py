"""Pydantic models of the trainer API: they validate requests and document responses.

`/schema` and the OpenAPI document are generated from these models. Responses are not validated.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, StrictStr
from pydantic.config import JsonDict

from companyos.sdk.plain_numbers import decimal

from ...protocol.numbers import WHOLE

EpisodeId = Annotated[StrictStr, Field(min_length=1, max_length=255)]
EpisodeUid = Annotated[StrictStr, Field(min_length=1, max_length=64)]
WHOSE_UID = "The `episode_uid` from the response to reset. An episode with another one is not touched."
EpisodeUidQuery = Annotated[str | None, Query(min_length=1, max_length=64, description=WHOSE_UID)]
PageLimit = Annotated[StrictInt, Field(ge=1, le=200), WHOLE]
Number = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False), BeforeValidator(decimal)]


class Strict(BaseModel):
    """A request whose unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ActionType(StrEnum):
    """What an action asks for."""

    CALL_TOOL = "call_tool"
    LIST_TOOLS = "list_tools"
    ABANDON = "abandon"
    INVALID = "invalid"


ONE_SPELLING: JsonDict = {
    "anyOf": [
        {"required": ["tool_name"]},
        {"required": ["app", "method"]},
        {"required": ["type"], "properties": {"type": {"enum": ["list_tools", "abandon"]}}},
        {"required": ["type", "raw"], "properties": {"type": {"const": "invalid"}}},
    ]
}


class Action(Strict):
    """One call of a tool, as `tool_name` and `arguments` or as `app`, `method` and `params`; or `list_tools`.

    Every action that names a tool is a step, even a misspelled one. `invalid` reports model output that is
    not a call, `abandon` that the agent will not act again: the episode ends as after a failed `finish`.
    """

    model_config = ConfigDict(title="Action", json_schema_extra=ONE_SPELLING)

    type: ActionType = Field(ActionType.CALL_TOOL, description="Optional if a tool is named.")
    tool_name: str = Field("", description="Name of the tool, for example `ticketdesk_get_ticket`.")
    arguments: dict[str, Any] | str = Field(
        default_factory=dict, description="Arguments of the tool, an object or its JSON."
    )
    app: str = Field(
        "", description="Service of the tool; `app`, `method` and `params` are another way to name a call."
    )
    method: str = Field("", description="Name of the tool within that service.")
    params: dict[str, Any] | str = Field(
        default_factory=dict, description="Arguments of the tool, an object or its JSON."
    )
    raw: str = Field("", description="For type `invalid`: the output of the model.")
    metadata: dict[str, Any] = Field(
        default_factory=dict,
        description="Not part of the action. `step` is the number of this step, so that a repeat returns the stored "
        "response; `timeout_s` is the time limit of the call; `episode_uid` is that of the response to reset.",
    )


class ToolCard(BaseModel):
    """A tool as an observation lists it."""

    model_config = ConfigDict(extra="forbid")

    name: str
    description: str
    input_schema: dict[str, Any] = Field(description="JSON Schema of the arguments.")


class ToolErrorDocument(BaseModel):
    """Why a call failed, and whether the same call may succeed later."""

    model_config = ConfigDict(extra="forbid")

    error_type: Literal["execution_error", "invalid_args", "transport_error", "tool_not_found", "timeout"]
    code: str = Field(description="Stable code, for example `ticket_incomplete`.")
    message: str = Field(description="What is wrong and how to correct it.")
    retryable: bool
    outcome: Literal["unknown"] | None = Field(
        None, description="`unknown` if the call may or may not have taken effect; otherwise absent."
    )
    field: str | None = Field(None, description="The argument at fault, if any.")
    required_field: str | None = Field(None, description="The field to supply, or to set first, if any.")
    allowed_values: list[str] | None = Field(None, description="The accepted values, if known.")
    permission: str | None = Field(None, description="The missing permission, if any.")
    remedy: str | None = Field(None, description="The tool whose call resolves the problem, if there is one.")
    retry_after_s: int | None = Field(
        None, description="Simulated seconds after which the same call may succeed, if known."
    )


class ObservationDocument(BaseModel):
    """What the agent sees after a step."""

    model_config = ConfigDict(extra="forbid", title="Observation")

    text: str = Field(description="The observation as text, for a language model.")
    tool_name: str | None = None
    result: Any = None
    error: ToolErrorDocument | None = None
    step: int = Field(ge=0, description="Steps taken.")
    steps_remaining: int = Field(ge=0)
    sim_now: str = Field(description="The simulated clock, ISO 8601.")
    elapsed_s: int = Field(ge=0, description="Simulated seconds that the step took.")
    tools: list[ToolCard] | None = None
    brief: str | None = Field(
        None, description="At a start after steps: the text without what has been done so far."
    )
    prefix: list[dict[str, Any]] | None = Field(
        None, description="At a start after steps: the `action` and the `observation` of each of them."
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="Empty; metadata for trainers is outside of the observation."
    )
    reward: float | None = Field(None, description="Sent next to the observation.")
    done: bool = Field(False, description="Sent next to the observation.")


class EpisodeState(BaseModel):
    """OpenEnv's state of an episode, without anything that reveals the solution."""

    model_config = ConfigDict(extra="allow", title="State")

    episode_id: str | None = None
    episode_uid: str | None = Field(None, description="Tells it from earlier and later episodes of its id.")
    step_count: int = Field(0, ge=0, description="Steps taken.")
    scenario: str | None = None
    chaos: Any = Field(None, description="Level of the chaos in force.")
    max_steps: int | None = Field(None, description="The step limit.")
    done: bool = Field(False, description="Whether the episode accepts no further step.")
    sim_now: str | None = Field(None, description="The simulated clock, ISO 8601.")


NO_EPISODE = EpisodeState().model_dump()


class StepResponse(BaseModel):
    """The response to a reset or a step."""

    observation: dict[str, Any] = Field(description="What the agent sees; see `/schema`.")
    reward: float | None = Field(description="A finite number; 0.0 at reset.")
    done: bool
    metadata: dict[str, Any] = Field(description="For the trainer only: return, success, reward breakdown.")


class StepRequest(Strict):
    """One action of an episode."""

    action: dict[str, Any] = Field(description="The action; see `/schema`.")
    episode_id: EpisodeId | None = Field(None, description="The `episode_id` from the response to reset.")
    episode_uid: EpisodeUid | None = Field(None, description=WHOSE_UID)
    step: Annotated[StrictInt, Field(ge=1, le=2**31 - 1), WHOLE] | None = Field(
        None, description="The 1-based number of this step. Sending it again returns the stored response."
    )
    timeout_s: Number | None = Field(None, description="Time limit of the call, in seconds.")
    request_id: Annotated[StrictStr, Field(max_length=255)] | None = Field(None, description="Not used.")


class StepHints(BaseModel):
    """The content of `action.metadata`, for transports that send nothing but the action."""

    model_config = ConfigDict(extra="ignore")

    step: Annotated[StrictInt, Field(ge=1, le=2**31 - 1), WHOLE] | None = None
    timeout_s: Number | None = None
    episode_uid: EpisodeUid | None = None


class Health(BaseModel):
    """Whether the process has started. An outage of what it needs later does not make it unhealthy."""

    status: Literal["healthy", "unhealthy"] = "healthy"


class Readiness(BaseModel):
    """Readiness of the process and of everything it needs."""

    ready: bool
    waiting_for: list[str] | None = Field(
        None,
        description="Where it is not ready, the parts that do not answer: `database`, `bus` or a service.",
    )


class About(BaseModel):
    """The description of this environment."""

    name: str
    description: str
    readme_content: str | None = None
    version: str | None = None
    author: str | None = None
    documentation_url: str | None = None


class Schemas(BaseModel):
    """JSON Schemas of actions, observations and states."""

    action: dict[str, Any]
    observation: dict[str, Any]
    reset_observation: dict[str, Any]
    state: dict[str, Any]


class Problem(BaseModel):
    """A problem document (RFC 9457): what is wrong and how to correct it."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="The stable code.")
    title: str
    status: int
    detail: str


class Flaws(BaseModel):
    """The errors of a request, in OpenEnv's form."""

    detail: list[dict[str, Any]] = Field(description="One entry per error: type, loc, msg.")
