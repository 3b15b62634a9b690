"""Two of every process: the same episodes as of one, and the death of one replica is not noticed."""

import asyncio
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.crowd import crowd, undisturbed
from tests.deployment_cases import *  # noqa: F403 - the tests
from tests.deployment_cases import Deployment
from tests.patience import PATIENCE_S
from tests.scenarios.logs import Log, carried_out
from tests.sizes import whole_proof

from .compose import PROCESSES, Stack, docker, is_healthy, new_stack, running
from .conftest import LEVELS
from .test_episodes import hashes_of
from .test_survival import play

TRAINERS = 6
AT_ONCE = 32
METRICS = "import urllib.request as web; print(web.urlopen('http://127.0.0.1:8000/metrics').read().decode())"
ESTABLISHED = "01"
PORTS = {"ticketdesk": 8001, "datahub": 8002, "approvalflow": 8003}

LOOKS = {
    "ticketdesk": {"tool_name": "ticketdesk_list_tickets", "arguments": {}},
    "datahub": {"tool_name": "datahub_list_metrics", "arguments": {}},
    "approvalflow": {"tool_name": "approvalflow_list_approvals", "arguments": {}},
    "orchestrator": {"tool_name": "wait", "arguments": {"seconds": 60}},
}

every_process = pytest.mark.parametrize("process", PROCESSES)


@pytest.fixture(scope="module")
def pairs(engine: None) -> Iterator[Stack]:
    """A stack of two of each process."""
    stack = new_stack("replicas", replicas=2)
    with running(stack):
        yield stack


@pytest.fixture
def deployment(pairs: Stack) -> Deployment:
    return Deployment(pairs.url)


def test_the_oracles_leave_the_traces_of_a_single_stack(stack: Stack, pairs: Stack) -> None:
    assert hashes_of(pairs.url) == hashes_of(stack.url)


async def test_the_worst_chaos_goes_as_on_a_single_stack(stormy: list[Log], pairs: Stack) -> None:
    worst = [log for log in stormy if log.chaos == max(LEVELS)]

    assert await carried_out(pairs.url, worst, at_once=len(worst)) == worst


@every_process
async def test_both_replicas_serve_when_there_is_much_to_do(pairs: Stack, process: str) -> None:
    async with httpx.AsyncClient(base_url=pairs.url, timeout=PATIENCE_S) as client:
        begun = [client.post("/reset", json={"scenario": "vendor_onboarding"}) for _ in range(AT_ONCE)]
        episodes = [answer.json()["metadata"]["episode_id"] for answer in await asyncio.gather(*begun)]
        looks = [
            client.post("/step", json={"episode_id": each, "action": LOOKS[process]}) for each in episodes
        ]
        assert {answer.status_code for answer in await asyncio.gather(*looks)} == {200}

    work = [work_of(container, process) for container in pairs.containers(process)]
    assert len(work) == 2
    assert min(work) > 0


async def test_either_orchestrator_answers_agents(pairs: Stack) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        begun = [client.post(f"{pairs.url}/reset", json={"chaos": 0}) for _ in range(AT_ONCE)]
        told = [answer.json()["metadata"] for answer in await asyncio.gather(*begun)]
        calls = [
            client.get(
                f"{about['agent_urls']['rest']}/ticketdesk/tickets?limit=1",
                headers={"Authorization": f"Bearer {about['agent_token']}"},
            )
            for about in told
        ]
        answers = await asyncio.gather(*calls)

    assert {answer.status_code for answer in answers} == {200}
    assert all(answer.headers["companyos-step"] == "1" for answer in answers)


@every_process
def test_the_death_of_a_replica_in_the_middle_of_an_episode_is_not_noticed(
    pairs: Stack, process: str
) -> None:
    expected = play(pairs, disturb=lambda: None).metadata["trace_hash"]
    victim = pairs.containers(process)[0]

    ended = play(pairs, disturb=lambda: docker("kill", victim))

    docker("start", victim)
    wait_until_healthy(victim)
    assert ended.metadata["success"] is True
    assert ended.metadata["trace_hash"] == expected


@whole_proof
def test_a_rolling_restart_of_every_container_is_noticed_by_no_trainer(pairs: Stack) -> None:
    expected = undisturbed(pairs.url, TRAINERS)

    with crowd(pairs.url, TRAINERS) as trainers:
        for process in PROCESSES:
            for container in pairs.containers(process):
                docker("restart", container)
                wait_until_healthy(container)

    assert trainers.hashes == expected


def work_of(container: str, process: str) -> float:
    """Return how many steps an orchestrator played, or how many connections a service has with its callers."""
    if process == "orchestrator":
        page = docker("exec", container, "python", "-c", METRICS)
        assert page.returncode == 0, page.stderr
        lines = page.stdout.splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("companyos_steps_total"))
    table = docker("exec", container, "cat", "/proc/net/tcp").stdout.splitlines()[1:]
    connections = [line.split()[1:4] for line in table]
    return sum(
        here.endswith(f":{PORTS[process]:04X}") and state == ESTABLISHED for here, _, state in connections
    )


def wait_until_healthy(container: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_healthy(container):
        assert time.monotonic() < deadline, f"{container} did not come back"
        time.sleep(0.1)
