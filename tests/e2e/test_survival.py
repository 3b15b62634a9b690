"""Processes of the Compose stack are killed in the middle of an episode, and the episode does not notice."""

import time
from collections.abc import Callable

import pytest

from companyos.agents import Oracle
from companyos.client import CompanyosEnv, CompanyosError, Result
from companyos.scenario import load_scenarios

from .compose import Stack

SCENARIO = "vendor_onboarding"
RECOVERY_S = 60.0
# Everything this user may kill but the init process above it: what SIGKILL from outside would do, except that
# the engine then takes it for a wish and does not start the container again.
KILL = "kill -KILL -1"


def play(stack: Stack, disturb: Callable[[], None]) -> Result:
    """Play an oracle's episode, disturbed once after its third step, and return the last result."""
    with CompanyosEnv(stack.url) as env:
        oracle = Oracle(load_scenarios()[SCENARIO])
        result = env.reset(scenario=SCENARIO, seed=3)
        oracle.start(result.observation)
        for number in range(1, 200):
            action = oracle.act(result.observation)
            result = answered(lambda action=action: env.step(action))  # type: ignore[misc]
            if result.done:
                break
            if number == 3:
                disturb()
    return result


def answered(step: Callable[[], Result]) -> Result:
    """Send a step until it is answered: the server completes it once, however often it is sent."""
    deadline = time.monotonic() + RECOVERY_S
    while True:
        try:
            return step()
        except CompanyosError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="module")
def undisturbed(stack: Stack) -> Result:
    return play(stack, disturb=lambda: None)


@pytest.mark.parametrize("victim", ["ticketdesk", "datahub", "approvalflow", "orchestrator", "redis"])
def test_an_episode_goes_on_after_the_death_of_a_process(
    stack: Stack, undisturbed: Result, victim: str
) -> None:
    before = restarts(stack, victim)

    ended = play(stack, disturb=lambda: kill(stack, victim))

    assert restarts(stack, victim) == before + 1
    assert ended.metadata["success"] is True
    assert ended.metadata["trace_hash"] == undisturbed.metadata["trace_hash"]


def kill(stack: Stack, service: str) -> None:
    stack.execute(service, "sh", "-c", KILL, check=False)


def restarts(stack: Stack, service: str) -> int:
    count: int = stack.inspect(service)["RestartCount"]
    return count
