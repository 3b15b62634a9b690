"""Processes of the Compose stack are killed in the middle of an episode, and the episode does not notice."""

import time
from collections.abc import Callable

import pytest

from companyos.client import CompanyosEnv, Result
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import load_scenarios
from tests.patience import PATIENCE_S

from .compose import Stack

SCENARIO = "vendor_onboarding"
# Everything this user may kill but the init process above it. A kill from outside would not do: the engine takes
# that for somebody's wish and leaves the container stopped.
KILL = "kill -KILL -1"


def play(stack: Stack, disturb: Callable[[], None]) -> Result:
    """Play an oracle's episode, disturbed once after its third step, and return the last result."""
    with CompanyosEnv(stack.url) as env:
        oracle = Oracle(load_scenarios()[SCENARIO])
        result = env.reset(scenario=SCENARIO, seed=3)
        oracle.start(result.observation)
        while not result.done:
            result = env.step(oracle.act(result.observation))
            if result.observation["step"] == 3:
                disturb()
    return result


@pytest.fixture(scope="module")
def undisturbed(stack: Stack) -> Result:
    return play(stack, disturb=lambda: None)


@pytest.mark.parametrize(
    "victim", ["ticketdesk", "datahub", "approvalflow", "orchestrator", "redis", "trainer-api", "agent-api"]
)
def test_an_episode_goes_on_after_the_death_of_a_process(
    stack: Stack, undisturbed: Result, victim: str
) -> None:
    ended = play(stack, disturb=lambda: kill(stack, victim))

    assert ended.metadata["success"] is True
    assert ended.metadata["trace_hash"] == undisturbed.metadata["trace_hash"]


def kill(stack: Stack, service: str) -> None:
    """Kill the process of a service and wait until the engine has it back."""
    deaths = stack.inspect(service)["RestartCount"] + 1
    stack.execute(service, "sh", "-c", KILL, check=False)
    deadline = time.monotonic() + PATIENCE_S
    while not is_back(stack, service, deaths):
        assert time.monotonic() < deadline, f"{service} did not come back"
        time.sleep(0.1)


def is_back(stack: Stack, service: str, deaths: int) -> bool:
    told = stack.inspect(service)
    healthy: bool = told["State"].get("Health", {}).get("Status") == "healthy"
    return healthy and told["RestartCount"] == deaths
