"""What a step is meant for: an episode, and a number in it."""

from dataclasses import dataclass

from ..protocol.problems import Refusal
from ..protocol.records import Episode


@dataclass(frozen=True)
class StepTarget:
    """The episode and the number that a step is meant for, and who sends it.

    Attributes:
        episode_id: The episode's id.
        step: The number that it is to have; None for the next one.
        uid: The `uid` of the episode; None for whichever has this id now.
        agent: Digest of the agent's token; None for the trainer.
    """

    episode_id: str
    step: int | None
    uid: str | None
    agent: str | None


def out_of_order(episode: Episode, step: int) -> Refusal:
    """Return the refusal of a step whose number is not the next one."""
    detail = f"Step {step} is out of order; the next step of this episode is {episode.step + 1}."
    return Refusal(409, "step_out_of_order", detail, field="step")
