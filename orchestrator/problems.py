"""How the orchestrator says no: refusals with a stable code, and the outages behind some of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from .failures import Failure

#: Begins the reason of an episode that was ended because nobody used it.
EXPIRED = "expired"


class Refusal(Exception):
    """A request the orchestrator does not carry out; the episode is as it was before.

    Attributes:
        status: HTTP status of the answer (404, 409, 422, 429 or 503).
        code: Stable machine-readable code, the `type` of the problem document.
        detail: What is wrong and what would make it right, for people and models.
        field: The part of the request at fault, or None.
        retryable: True when the same request, sent again unchanged, may succeed.
    """

    def __init__(
        self, status: int, code: str, detail: str, *, field: str | None = None, retryable: bool = False
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.retryable = retryable


class Outage(Exception):
    """A part of the stack does not answer as it should; never the agent's doing.

    Attributes:
        part: Which part: a service's name, `database` or `bus`.
        failure: What became of the exchange with it, where there was one and it brought no answer.
        code: Stable code of the refusal it becomes.
        hopeless: Whether trying again cannot help.
    """

    code: ClassVar[str] = "service_unavailable"
    hopeless: ClassVar[bool] = False

    def __init__(self, part: str, why: str, failure: Failure | None = None) -> None:
        super().__init__(f"{part}: {why}")
        self.part = part
        self.failure = failure

    def refusal(self) -> Refusal:
        """Return what the trainer is told: nothing is lost, the same request may be sent again."""
        return Refusal(503, self.code, f"{self}. Send the same request again.", retryable=True)


class Unsettled(Outage):
    """Events of a step were not acknowledged by every service in time."""

    code = "step_unsettled"


class GraderFailed(Outage):
    """A predicate of the scenario raised; what it says of this episode is unknown."""

    code = "grader_failed"
    hopeless = True


class ScenarioChanged(Outage):
    """The scenario's code no longer generates the company the episode started from."""

    code = "scenario_changed"
    hopeless = True


class StepsLost(Outage):
    """The database forgot steps that were answered: it crashed, and does not wait for its disk."""

    code = "steps_lost"
    hopeless = True


class WorldAhead(Outage):
    """A service remembers another call of a step that was not committed."""

    code = "world_ahead"
    hopeless = True


@contextmanager
def refusing_outages() -> Iterator[None]:
    """Tell a trainer of an outage in the block as a refusal."""
    try:
        yield
    except Outage as outage:
        raise outage.refusal() from outage


def episode_unknown(episode_id: str) -> Refusal:
    """Return the refusal of a request about an episode that is not there."""
    return Refusal(
        404,
        "episode_unknown",
        f"There is no episode {episode_id!r}. Send reset to start one.",
        field="episode_id",
    )
