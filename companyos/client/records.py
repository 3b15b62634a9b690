"""What the client returns: JSON objects with attributes, and the result of a step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class Record(dict[str, Any]):
    """A JSON object whose fields are also attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no field {name!r}; the fields are {', '.join(self)}") from None


class Observation(Record):
    """The agent's view of a step, as a dictionary with attributes.

    Attributes:
        text: The observation as text for a language model.
        tool_name: The tool that was called, or None.
        result: What it returned, or None.
        error: Why the call failed (`error_type`, `code`, `message`, `retryable`), or None.
        step: Steps taken.
        steps_remaining: Steps left.
        sim_now: The simulated time, ISO 8601.
        elapsed_s: Simulated seconds since the episode began.
    """

    text: str
    tool_name: str | None
    result: Any
    error: dict[str, Any] | None
    step: int
    steps_remaining: int
    sim_now: str
    elapsed_s: int


@dataclass(frozen=True)
class Result:
    """The result of a reset or a step.

    Attributes:
        observation: What the agent sees.
        reward: The reward of this step; 0.0 after a reset.
        done: Whether the episode is over.
        metadata: For the trainer only: `episode_id`, `episode_return`, `success`, `reward_breakdown`, …
    """

    observation: Observation
    reward: float | None
    done: bool
    metadata: Record = field(default_factory=Record)
