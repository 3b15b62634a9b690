"""The orchestrator's refusals, each with a stable code, and the outages behind some of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from .failures import Failure

#: The prefix of the reason when an episode was ended because it was idle.
EXPIRED = "expired"


class Refusal(Exception):
    """A request that the orchestrator does not carry out; the episode is unchanged.

    Attributes:
        status: HTTP status of the answer.
        code: Stable machine-readable code, the `type` of the problem document.
        detail: What is wrong and how to fix it, for people and models.
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
    """A part of the stack does not answer as it should; the agent is never the cause.

    Attributes:
        part: The part: a service's name, `database` or `bus`.
        failure: How the exchange with it failed, if it got no answer.
        code: Stable code of the resulting refusal.
        hopeless: Whether a retry cannot help.
        status: HTTP status of the refusal of a hopeless outage.
    """

    code: ClassVar[str] = "service_unavailable"
    hopeless: ClassVar[bool] = False
    status: ClassVar[int] = 500

    def __init__(self, part: str, why: str, failure: Failure | None = None) -> None:
        super().__init__(f"{part}: {why}")
        self.part = part
        self.failure = failure

    def refusal(self) -> Refusal:
        """Return the refusal for trainers, which says whether the same request may succeed later."""
        if self.hopeless:
            return Refusal(self.status, self.code, f"{self}. Sending the same request again cannot help.")
        return Refusal(503, self.code, f"{self}. Send the same request again.", retryable=True)


class ServiceFailed(Outage):
    """A service that was reached fails on a request, or its answer cannot be read.

    Attributes:
        reason: What came instead of an answer, the same whenever the same comes.
        is_unreadable: Whether the answer was malformed, rather than a report of the failure.
        excerpt: The beginning of the answer, for the log.
    """

    def __init__(
        self,
        part: str,
        reason: str,
        failure: Failure | None = None,
        *,
        is_unreadable: bool = False,
        excerpt: str = "",
    ) -> None:
        super().__init__(part, reason, failure)
        self.reason = reason
        self.is_unreadable = is_unreadable
        self.excerpt = excerpt


class ServiceDefect(Outage):
    """A healthy service fails on a request, and again when it is repeated: a defect of the stack.

    Attributes:
        reason: How it fails, the same whenever it fails so.
        excerpt: The beginning of its answer, for the log.
    """

    code = "service_error"
    hopeless = True

    def __init__(self, part: str, reason: str, excerpt: str = "") -> None:
        super().__init__(part, reason)
        self.reason = reason
        self.excerpt = excerpt

    @property
    def document(self) -> dict[str, str]:
        """The defect as a step's record shows it."""
        return {"service": self.part, "reason": self.reason}


class CallRejected(Outage):
    """A service refuses a call that the orchestrator may not make, or made wrongly."""

    code = "service_rejected_call"
    hopeless = True


class Unsettled(Outage):
    """Some services did not acknowledge a step's events in time."""

    code = "step_unsettled"


class GraderFailed(Outage):
    """A predicate of the scenario raised; its value for this episode is unknown."""

    code = "grader_failed"
    hopeless = True


class ScenarioFailed(Outage):
    """A scenario's code raised while it generated a company, or did not end in time."""

    code = "scenario_failed"
    hopeless = True


class StepCrashed(Outage):
    """The orchestrator itself failed while it played a step."""

    code = "orchestrator_error"
    hopeless = True


class ScenarioChanged(Outage):
    """The scenario's code no longer generates the company the episode started from."""

    code = "scenario_changed"
    hopeless = True
    # Nothing failed: the episode and the scenario of this release contradict each other.
    status = 409


class StepsForgotten(Outage):
    """The database lost answered steps: it crashed, and its commits do not wait for the disk."""

    code = "steps_lost"
    hopeless = True


class WorldAhead(Outage):
    """A service remembers another call of an uncommitted step."""

    code = "world_ahead"
    hopeless = True


@contextmanager
def refusing_outages() -> Iterator[None]:
    """Turn an outage in the block into a refusal for trainers."""
    try:
        yield
    except Outage as outage:
        raise outage.refusal() from outage


def server_stopping() -> Refusal:
    """Return the refusal of what a process that stops could not finish."""
    detail = "The server is stopping and did not finish this. Send the same request again in a moment."
    return Refusal(503, "server_stopping", detail, retryable=True)


def episode_unknown(episode_id: str) -> Refusal:
    """Return the refusal of a request about an unknown episode."""
    return Refusal(
        404,
        "episode_unknown",
        f"There is no episode {episode_id!r}. Send reset to start one.",
        field="episode_id",
    )
