"""Who never looks fails because of what happens to events; the oracle copes; three kinds do no harm at all."""

from typing import Any

import pytest

from companyos.evaluation.agents import OpenLoopPlan, Oracle
from companyos.sdk.chaos import CATALOG, FaultId, Layer
from companyos.sdk.scenario import call
from companyos.sdk.simtime import DAY
from tests.scenarios.play import solution

from .events import HARMLESS, SCENARIO, SEEDS, WORST, Episode, blind, one

seeds = pytest.mark.parametrize("seed", SEEDS)
harmful = pytest.mark.parametrize("fault", WORST)
OVERCOME_BY = {
    FaultId.DELAY: ("waiting", "replay"),
    FaultId.REORDER: ("waiting", "replay"),
    FaultId.DROP: ("replay",),
    FaultId.POISON: ("redrive",),
    FaultId.CONSUMER_DOWN: ("waiting",),
}
harmless = pytest.mark.parametrize("fault", HARMLESS)


def test_every_fault_of_events_is_looked_at_here() -> None:
    assert {*WORST, *HARMLESS} == {one for one in CATALOG if CATALOG[one].layer is Layer.EVENT}


@seeds
@harmful
def test_open_loop_agent_fails_under_a_harmful_event_fault(url: str, fault: FaultId, seed: int) -> None:
    in_peace = Episode(url, seed, blind(url, seed))
    hit = Episode(url, seed, blind(url, seed), one(fault))

    assert in_peace.success
    assert not hit.success
    assert (fault, "landed") in hit.states()


@seeds
@harmful
def test_the_oracle_overcomes_it(url: str, fault: FaultId, seed: int) -> None:
    played = Episode(url, seed, Oracle(SCENARIO), one(fault))

    assert played.success
    assert (fault, "landed") in played.states()
    assert {(fault, way) for way in OVERCOME_BY[fault]} & played.states()


@seeds
@harmless
def test_it_changes_nothing_that_anybody_sees_or_that_is_kept(url: str, fault: FaultId, seed: int) -> None:
    in_peace = Episode(url, seed, Oracle(SCENARIO))
    hit = Episode(url, seed, Oracle(SCENARIO), one(fault, F=CATALOG[fault].most_incidents))

    assert in_peace.success
    assert hit.states() == {(fault, "landed"), (fault, "itself")}
    seen = ("action", "observation", "reward", "events")
    assert hit.told(*seen) == in_peace.told(*seen)
    kept = [_without_times(record["changes"]) for record in hit.trace]
    assert kept == [_without_times(record["changes"]) for record in in_peace.trace]


@seeds
@pytest.mark.parametrize("fault", [FaultId.DELAY, FaultId.REORDER, FaultId.DROP])
def test_late_event_is_applied_once_without_intervention(url: str, fault: FaultId, seed: int) -> None:
    plan = solution(url, SCENARIO, seed)
    refreshes = next(one for one in plan if one["tool_name"] == "datahub_refresh_data")
    agent = OpenLoopPlan([refreshes, call("wait", seconds=DAY)])

    played = Episode(url, seed, agent, one(fault, params={}, match={"event": ["metric.refreshed"]}))

    assert played.states() == {(fault, "landed"), (fault, "waiting")}
    metrics = [
        change
        for record in played.trace
        for change in record["changes"]
        if change["table"] == "metrics" and change["service"] == "approvalflow"
    ]
    assert len(metrics) == 1


def _without_times(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out when a metric is said to be taken, the one thing that a wrong clock moves."""
    return [{**change, "row": {**(change["row"] or {}), "as_of": None}} for change in changes]
