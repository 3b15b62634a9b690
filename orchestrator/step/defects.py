"""What went wrong in a step and is nobody's outage: a defect of a service, or of the orchestrator itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from ..agent.actions import Action
from ..execution.tool_calls import ClaimNeeded
from ..protocol.problems import Outage, Refusal, ServiceDefect, StepCrashed
from ..protocol.records import Episode
from ..runtime.metrics import OrchestratorMetrics

log = structlog.get_logger(__name__)


def note_defect(
    defect: ServiceDefect, episode: Episode, action: Action, metrics: OrchestratorMetrics
) -> None:
    """Count a service's defect, and log it with the input that shows it."""
    metrics.defects.labels(defect.part).inc()
    log.error(
        "service_defect",
        episode=episode.id,
        step=episode.step + 1,
        service=defect.part,
        reason=defect.reason,
        answer=defect.excerpt,
        action=action.canonical,
    )


@contextmanager
def crashes_named() -> Iterator[None]:
    """Turn an unexpected exception in the block into an outage; its step would stay open otherwise.

    Raises:
        StepCrashed: It was one.
    """
    try:
        yield
    except (Outage, Refusal, ClaimNeeded):
        raise
    except Exception as error:
        # Boundary of a step: whatever fails in it, the episode must not wait for it.
        log.exception("step_crashed")
        raise StepCrashed("orchestrator", repr(error)) from error
