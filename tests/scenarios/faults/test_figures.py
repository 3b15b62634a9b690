"""Figures whose refresh is slow or fails, and figures that do not keep: who does not look fails."""

import pytest

from companyos.agents import Naive
from companyos.scenario import call

from ..play import changed, play
from .cases import SCENARIOS, befallen, failed

REFRESH = "datahub_refresh_data"
USUAL_S = 900


@pytest.mark.parametrize("name", SCENARIOS)
def test_who_waits_as_long_as_usual_asks_with_a_stale_figure(door, name):
    case = befallen(
        name, "biz.stale_metric", outcome=["slow"], accepts=lambda it: it.goal["refresh_s"] > 2 * USUAL_S
    )
    begun = case.plan.index(call(REFRESH, metric_id=case.goal["metric_id"]))
    hasty = [*case.plan[: begun + 1], call("wait", seconds=USUAL_S), *case.plan[begun + 2 :]]

    episode = case.play(door, changed(hasty, "wait", seconds=USUAL_S))

    assert not episode.success
    assert "approved" in failed(episode)


@pytest.mark.parametrize("name", SCENARIOS)
def test_who_takes_a_failed_refresh_for_a_refresh_is_never_approved(door, name):
    case = befallen(name, "biz.stale_metric", outcome=["fail_once"])
    once = case.plan[case.plan.index(call(REFRESH, metric_id=case.goal["metric_id"])) + 2 :]

    episode = case.play(door, once)

    assert not episode.success
    assert {"data_refreshed", "approved"} <= failed(episode)


@pytest.mark.parametrize("name", SCENARIOS)
def test_who_refreshes_first_and_looks_no_more_asks_with_a_stale_figure(door, name):
    case = befallen(name, "biz.expiring_value")

    episode = play(door, case.scenario, case.seed, Naive(case.scenario.outline), chaos=case.chaos)

    assert not episode.success
    assert failed(episode) == {"approved", "ticket_approved"}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_request_held_for_a_figure_that_expired_goes_on_with_the_next_refresh(door, name):
    case = befallen(name, "biz.expiring_value")
    at = next(
        place
        for place, action in enumerate(case.plan)
        if action["tool_name"] == "approvalflow_submit_approval"
    )
    dawdles = [*case.plan[:at], call("wait", seconds=1200), case.plan[at]]
    again = [call(REFRESH, metric_id=case.goal["metric_id"]), call("wait", seconds=case.goal["refresh_s"])]

    assert not case.play(door, [*dawdles, *case.plan[at + 1 :]]).success
    assert case.play(door, [*dawdles, *again, *case.plan[at + 1 :]]).success
