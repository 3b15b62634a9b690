"""Two of every process behind the door: the same episodes as of one, and the death of one replica is not noticed."""

import time
from collections.abc import Iterator

import pytest

from tests.crowd import crowd, undisturbed

from .compose import PROCESSES, Stack, docker, is_healthy, new_stack, running
from .test_episodes import hashes_of
from .test_survival import RECOVERY_S, play

TRAINERS = 6
METRICS = (
    "import urllib.request as web; print(web.urlopen('http://127.0.0.1:{port}/metrics').read().decode())"
)
PORTS = {"orchestrator": 8000, "ticketdesk": 8001, "datahub": 8002, "approvalflow": 8003}

every_process = pytest.mark.parametrize("process", PROCESSES)


@pytest.fixture(scope="module")
def pairs(engine: None) -> Iterator[Stack]:
    """A stack of two of each process."""
    stack = new_stack("replicas", replicas=2)
    with running(stack):
        yield stack


def test_the_oracles_leave_the_traces_of_a_single_stack(stack: Stack, pairs: Stack) -> None:
    assert hashes_of(pairs.url) == hashes_of(stack.url)


@every_process
def test_both_replicas_serve(pairs: Stack, process: str) -> None:
    with crowd(pairs.url, TRAINERS):
        pass

    served = [requests_of(container, PORTS[process]) for container in pairs.containers(process)]
    assert len(served) == 2
    assert min(served) > 0


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


def test_a_rolling_restart_of_every_container_is_noticed_by_no_trainer(pairs: Stack) -> None:
    expected = undisturbed(pairs.url, TRAINERS)

    with crowd(pairs.url, TRAINERS) as trainers:
        for process in PROCESSES:
            for container in pairs.containers(process):
                docker("restart", container)
                wait_until_healthy(container)

    assert trainers.hashes == expected


def requests_of(container: str, port: int) -> float:
    """Return how many steps an orchestrator played, or how many calls of tools a service answered."""
    page = docker("exec", container, "python", "-c", METRICS.format(port=port)).stdout
    counted = ("companyos_steps_total", "companyos_requests_total")
    lines = [line for line in page.splitlines() if line.startswith(counted) and 'operation="/' not in line]
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines)


def wait_until_healthy(container: str) -> None:
    deadline = time.monotonic() + RECOVERY_S
    while not is_healthy(container):
        assert time.monotonic() < deadline, f"{container} did not come back"
        time.sleep(0.1)
