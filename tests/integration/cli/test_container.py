"""The whole stack as the main program of a container: where it listens, whom it lets in, and how it ends."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from companyos.embedded.server import ORCHESTRATOR
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S

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


def output_at_end(companyos: CommandLine, program: "subprocess.Popen[str]", number: signal.Signals) -> str:
    """Ask a container to end, see that it does and leaves no process, and return what it said."""
    pids = companyos.all_pids()
    program.send_signal(number)
    said, _ = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0
    assert all_dead(pids)
    return said


def test_it_listens_on_every_address_and_is_open_unless_told_otherwise(
    companyos: CommandLine, unused_tcp_port: int
) -> None:
    with contained(companyos, COMPANYOS_PORT=str(unused_tcp_port)) as program:
        answer = httpx.get(f"http://127.0.0.2:{unused_tcp_port}/scenarios")
        said = output_at_end(companyos, program, signal.SIGINT)

    assert answer.status_code == 200
    assert OPEN in said


def test_a_token_closes_it_and_its_processes_are_as_many_as_were_asked_for(
    companyos: CommandLine, unused_tcp_port: int
) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/scenarios"
    settings = {"COMPANYOS_PORT": str(unused_tcp_port), "COMPANYOS_REPLICAS": "2"}
    with contained(companyos, **settings, COMPANYOS_TRAINER_TOKEN=TOKEN) as program:
        serving = [each for each in companyos.status.processes if each.name.startswith(ORCHESTRATOR)]
        stranger = httpx.get(url)
        trainer = httpx.get(url, headers={"Authorization": f"Bearer {TOKEN}"})
        said = output_at_end(companyos, program, signal.SIGTERM)

    assert len(serving) == 2
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


def test_a_folder_is_prepared_once(companyos: CommandLine) -> None:
    folder = companyos.home.path / "prepared"

    assert companyos("container", "prepare", str(folder)).returncode == 0
    again = companyos("container", "prepare", str(folder))

    assert again.returncode == 2
    assert "exists" in again.stderr
