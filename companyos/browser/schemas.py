"""What an action of the browser and an observation with a picture are, for OpenEnv's `/schema`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from companyos.client.pages.pixel_door import PixelDoor
from orchestrator.http.messages.models import Strict, ToolCard, ToolErrorDocument


class BrowserCall(Strict):
    """One action of the browser: as text in `action_str`, or as `tool_name` and `arguments`."""

    model_config = ConfigDict(title="Action")

    action_str: str | None = Field(
        None, description="Such as `mouse_click(640, 300)`, alone or in the last line."
    )
    tool_name: str = Field("", description=f"One of {', '.join(PixelDoor.ACTIONS)}.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Its arguments by name.")
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="Not part of the action: `timeout_s`, `episode_uid`."
    )


class Screen(BaseModel):
    """A picture of the browser's window."""

    model_config = ConfigDict(extra="forbid")

    media_type: str = Field(description="`image/jpeg`.")
    data: str = Field(description="The file in Base64.")
    width: int
    height: int
    top: int = Field(ge=0, description="How far the page is scrolled, in pixels.")
    page_height: int = Field(ge=0, description="The height of the whole page, in pixels.")
    sha256: str = Field(description="The digest of the file; one page gives one, in one release of Chromium.")
    browser: str = Field(description="The browser that drew it, with its version.")


class PageObservation(BaseModel):
    """What the agent sees after an action."""

    model_config = ConfigDict(extra="forbid", title="Observation")

    text: str = Field(
        description="Which part of the page the picture shows, what went wrong, and what is left."
    )
    screen: Screen
    url: str = Field(description="The address of the page, below that of the pages.")
    title: str
    last_action_error: str = Field(description="Why the action could not be carried out; empty if it was.")
    actions_left: int = Field(ge=0, description="Actions of the browser left.")
    step: int = Field(ge=0, description="Steps taken: pages opened and forms sent.")
    steps_remaining: int = Field(ge=0)
    sim_now: str = Field(description="The simulated clock, ISO 8601.")
    elapsed_s: int = Field(ge=0, description="Simulated seconds that the step took.")
    tool_name: str | None = Field(None, description="The call that the page made, if the action was a step.")
    result: None = None
    error: ToolErrorDocument | None = Field(
        None, description="Why the action, or the call of the page, failed."
    )
    tools: list[ToolCard] | None = Field(None, description="At a reset, the actions.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Empty.")
    reward: float | None = Field(None, description="Sent next to the observation.")
    done: bool = Field(False, description="Sent next to the observation.")
