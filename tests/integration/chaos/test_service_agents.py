"""Service faults in real tasks: an agent that does not cope fails because of each, and the oracle overcomes it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any

import httpx
import pytest

from companyos.evaluation.agents import Agent, Omitting, Oracle
from companyos.sdk.chaos import CATALOG, FaultId, Layer
from companyos.sdk.scenario import Action, Observation, Scenario, call, load_scenarios
from companyos.sdk.simtime import from_iso
from tests.patience import PATIENCE_S
from tests.scenarios.play import Episode, play, solve

from .conftest import one_fault, worst

#: Tasks that end with an approval, so that every kind of call is made.
TASKS = ("expense_report", "license_renewal")
SEEDS = (10,)
#: Seeds of which one at least has what a fault needs to harm somebody who lets it pass.
MORE_SEEDS = range(4, 12)
_OPEN = ("held", "pending", "escalated")

SERVICE = [fault for fault, spec in CATALOG.items() if spec.layer is Layer.SERVICE]
#: These need something other than a retry, so they are harmless to an agent that gives up where one is needed.
HARMLESS_WITHOUT_RETRIES = {
    FaultId.AUTH_EXPIRY,
    FaultId.LATENCY,
    FaultId.PARTIAL_RESPONSE,
    FaultId.PARTIAL_WRITE,
    FaultId.SLOW_ENDPOINT,
    FaultId.STALE_REPLICA,
    FaultId.WRONG_CONTENT,
}


@pytest.fixture(params=TASKS)
def scenario(request: pytest.FixtureRequest) -> Scenario:
    return load_scenarios()[request.param]


class Hasty(Oracle):
    """The oracle, but for this: it looks once what came of its request, and gives up where that is nothing yet."""

    def act(self, observation: Observation) -> Action:
        """Believe the first answer that is late."""
        result, tool = observation["result"], observation["tool_name"]
        if tool == "approvalflow_check_status" and result and result["status"] in _OPEN:
            due = result["decision_due_at"]
            if due and from_iso(due) <= from_iso(observation["sim_now"]):
                return call("refuse", reason_code="nobody_decides")
        return super().act(observation)


class OneTry(Omitting):
    """The oracle without retries, which finishes once it is stuck."""

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario, "retries_nothing")

    def act(self, observation: Observation) -> Action:
        """Go on, or finish."""
        try:
            return super().act(observation)
        except LookupError:
            return call("finish")


def landed(episode: Episode) -> list[str]:
    """Return the faults that landed, one entry for each call."""
    faults = [fault for record in episode.trace[1:] for fault in record["faults"]]
    return [fault["fault"] for fault in faults if fault["state"] == "landed"]


def plays(
    url: str, scenario: Scenario, agent: Callable[[Scenario], Agent], chaos: Any, seeds: Sequence[int] = SEEDS
) -> Iterator[Episode]:
    for seed in seeds:
        yield play(url, scenario, seed, agent(scenario), chaos=chaos)


@pytest.mark.parametrize(("task", "fault"), [*zip(cycle(TASKS), SERVICE)])
def test_the_oracle_overcomes_it(url: str, task: str, fault: FaultId) -> None:
    scenario = load_scenarios()[task]

    episodes = list(plays(url, scenario, Oracle, worst(fault)))

    assert [episode.success for episode in episodes] == [True] * len(SEEDS)
    assert {one for episode in episodes for one in landed(episode)} == {str(fault)}


def test_without_faults_those_who_do_not_cope_succeed(url: str, scenario: Scenario) -> None:
    once, hasty = plays(url, scenario, OneTry, 0), plays(url, scenario, Hasty, 0)

    assert all(episode.success for episode in (*once, *hasty))


@pytest.mark.parametrize("fault", sorted(set(SERVICE) - HARMLESS_WITHOUT_RETRIES))
def test_agent_without_retries_fails_under_a_harmful_service_fault(
    url: str, scenario: Scenario, fault: FaultId
) -> None:
    episodes = plays(url, scenario, OneTry, worst(fault), MORE_SEEDS)

    assert not all(episode.success for episode in episodes)


@pytest.mark.parametrize("fault", [FaultId.STALE_REPLICA, FaultId.WRONG_CONTENT])
def test_agent_that_trusts_stale_responses_fails(url: str, scenario: Scenario, fault: FaultId) -> None:
    setting = one_fault(fault, match={"operation": "check_status"})

    episodes = list(plays(url, scenario, Hasty, setting))

    assert [episode.success for episode in episodes] == [False] * len(SEEDS)


def test_fixed_schedule_fails_when_calls_take_longer(url: str, scenario: Scenario) -> None:
    slow = one_fault(FaultId.LATENCY, F=20, params={"base_s": 600, "jitter_s": 0, "distribution": "fixed"})
    actions = [record["action"] for record in solve(url, scenario, SEEDS[0]).trace[1:]]

    with httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
        begun = client.post("/reset", json={"scenario": scenario.name, "seed": SEEDS[0], "chaos": 0}).json()
        episode_id = begun["metadata"]["episode_id"]
        client.put(f"/episodes/{episode_id}/chaos", json=slow).raise_for_status()
        for action in actions:
            client.post("/step", json={"episode_id": episode_id, "action": action}).raise_for_status()
        grade = client.get(f"/episodes/{episode_id}/grade").json()

    assert grade["success"] is False
