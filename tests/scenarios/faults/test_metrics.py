"""Metrics whose refresh is slow or fails, or that expire soon: an agent that does not check fails."""

import pytest

from companyos.sdk.scenario import call
from tests.families import SOME_APPROVAL_TASKS

from .faulty import failed, with_faults

pytestmark = pytest.mark.proof

REFRESH = "datahub_refresh_data"
USUAL_S = 900


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_waiting_the_usual_time_leads_to_a_stale_metric(url, name):
    faulty = with_faults(
        name,
        "biz.stale_metric",
        outcome=["slow"],
        accepts=lambda it: it.facts.metric["refresh_s"] > 2 * USUAL_S,
    )
    hasty = [
        call("wait", seconds=USUAL_S) if action["tool_name"] == "wait" else action
        for action in faulty.plan(url)
    ]

    episode = faulty.play(url, hasty)

    assert not episode.success
    assert "approved" in failed(episode)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_treating_a_failed_refresh_as_done_prevents_approval(url, name):
    faulty = with_faults(name, "biz.stale_metric", outcome=["fail_once"])
    once = faulty.plan(url)[faulty.plan(url).index(call(REFRESH, metric_id=faulty.facts.metric["id"])) + 2 :]

    episode = faulty.play(url, once)

    assert not episode.success
    assert {"data_refreshed", "approved"} <= failed(episode)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_request_held_for_a_metric_that_expired_goes_on_with_the_next_refresh(url, name):
    faulty = with_faults(name, "biz.expiring_value")
    at = next(
        place
        for place, action in enumerate(faulty.plan(url))
        if action["tool_name"] == "approvalflow_submit_approval"
    )
    dawdles = [*faulty.plan(url)[:at], call("wait", seconds=1200), faulty.plan(url)[at]]
    again = [
        call(REFRESH, metric_id=faulty.facts.metric["id"]),
        call("wait", seconds=faulty.facts.metric["refresh_s"]),
    ]

    assert not faulty.play(url, [*dawdles, *faulty.plan(url)[at + 1 :]]).success
    assert faulty.play(url, [*dawdles, *again, call("wait", seconds=7200)]).success
