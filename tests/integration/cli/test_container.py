"""The whole stack as the main program of a container: where it listens, whom it lets in, and how it ends."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from companyos.embedded.server import ORCHESTRATOR
from companyos.sdk import stackpath

from .conftest import CommandLine, all_dead, wait_until

TOKEN = "the-trainers-token-of-this-test"
OPEN = "Everyone who reaches this container's port can use the trainer API"


@contextmanager
def contained(companyos: CommandLine, **settings: str) -> Iterator["subprocess.Popen[str]"]:
    """A container's main program, which has begun to answer."""
    with subprocess.Popen(
        stackpath.program("container", "run"),
        stdout=subprocess.PIPE,
        text=True,
        env=stackpath.environment(COMPANYOS_HOME=str(companyos.home.path), **settings),
    ) as program:
        try:
            wait_until(lambda: program.poll() is not None or companyos.home.status() is not None)
            yield program
        finally:
            program.terminate()


def test_it_listens_on_every_address_and_is_open_unless_told_otherwise(
    companyos: CommandLine, unused_tcp_port: int
) -> None:
    with contained(companyos, COMPANYOS_PORT=str(unused_tcp_port)) as program:
        answer = httpx.get(f"http://127.0.0.2:{unused_tcp_port}/scenarios")
        program.terminate()
        said, _ = program.communicate(timeout=60)

    assert answer.status_code == 200
    assert OPEN in said


def test_a_token_closes_it(companyos: CommandLine, unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/scenarios"
    with contained(companyos, COMPANYOS_PORT=str(unused_tcp_port), COMPANYOS_TRAINER_TOKEN=TOKEN) as program:
        stranger = httpx.get(url)
        trainer = httpx.get(url, headers={"Authorization": f"Bearer {TOKEN}"})
        program.terminate()
        said, _ = program.communicate(timeout=60)

    assert (stranger.status_code, trainer.status_code) == (401, 200)
    assert OPEN not in said
    assert TOKEN not in said


def test_closed_access_without_a_token_starts_nothing(companyos: CommandLine, unused_tcp_port: int) -> None:
    refused = companyos(
        "container", "run", COMPANYOS_PORT=str(unused_tcp_port), COMPANYOS_OPEN_ACCESS="false"
    )

    assert refused.returncode == 2
    assert "COMPANYOS_TRAINER_TOKEN" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (companyos.home.path / "logs" / "postgres.log").exists()


def test_it_takes_no_other_port_than_the_one_that_is_published(
    companyos: CommandLine, running: CommandLine
) -> None:
    taken = running.status.url.rpartition(":")[2]

    refused = companyos("container", "run", COMPANYOS_PORT=taken)

    assert refused.returncode == 1
    assert f":{taken} is not available" in refused.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_finishes_what_is_under_way_and_ends_well(
    companyos: CommandLine, unused_tcp_port: int, number: signal.Signals
) -> None:
    settings = {"COMPANYOS_PORT": str(unused_tcp_port), "COMPANYOS_REPLICAS": "2"}
    with contained(companyos, **settings) as program:
        pids = companyos.all_pids()
        serving = [each for each in companyos.status.processes if each.name.startswith(ORCHESTRATOR)]
        program.send_signal(number)

        assert program.wait(60) == 0

    assert len(serving) == 2
    assert all_dead(pids)


def test_a_folder_is_prepared_once(companyos: CommandLine) -> None:
    folder = companyos.home.path / "prepared"

    assert companyos("container", "prepare", str(folder)).returncode == 0
    again = companyos("container", "prepare", str(folder))

    assert again.returncode == 2
    assert "exists" in again.stderr
