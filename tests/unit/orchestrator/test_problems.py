"""What trainers are told of outages: whether sending the same request again can help."""

import pytest

from orchestrator.protocol.problems import (
    CallRejected,
    GraderFailed,
    Outage,
    ScenarioChanged,
    StepsForgotten,
    Unsettled,
    WorldAhead,
)


@pytest.mark.parametrize("kind", [Outage, Unsettled])
def test_an_outage_that_may_pass_asks_for_the_same_request_again(kind: type[Outage]) -> None:
    refusal = kind("ticketdesk", "no answer").refusal()

    assert (refusal.status, refusal.code, refusal.retryable) == (503, kind.code, True)
    assert "Send the same request again" in refusal.detail


@pytest.mark.parametrize("kind", [CallRejected, GraderFailed, ScenarioChanged, StepsForgotten, WorldAhead])
def test_an_outage_that_stays_is_final(kind: type[Outage]) -> None:
    refusal = kind("orchestrator", "a predicate raised").refusal()

    status = 409 if kind is ScenarioChanged else 500
    assert (refusal.status, refusal.code, refusal.retryable) == (status, kind.code, False)
    assert "cannot help" in refusal.detail
