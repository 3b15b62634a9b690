"""Whatever ends or stops a part of the stack, the supervisor survives it and brings the part back."""

import json
import os
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from companyos.embedded.programs.probes import is_ready
from tests.disks import NoDisk, fill, small_disk
from tests.patience import PATIENCE_S

from .conftest import CommandLine, kill, started_home, wait_until

#: A process on a machine with few cores and many users takes its time.
BACK_S = 90.0
HTTP = ("ticketdesk", "datahub", "approvalflow", "orchestrator")
#: Each kind of way in which a part halts or ends unasked: stopped, half shut with connections open, and ended well
#: as a database or as one of ours. A part that a signal kills is told below.
SIGNALED = (
    ("PostgreSQL", signal.SIGSTOP),
    ("PostgreSQL", signal.SIGTERM),
    ("Valkey", signal.SIGTERM),
    ("orchestrator", signal.SIGINT),
)


def is_whole(companyos: CommandLine) -> bool:
    """Tell whether every process answers and is ready, and the supervisor knows of no trouble."""
    status = companyos.status
    return not status.trouble and all(is_ready(status.addresses[name]) for name in HTTP)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """A command line whose stack runs, and whose parts may be killed."""
    with started_home(tmp_path_factory.mktemp("killed")) as command_line:
        yield command_line


@pytest.mark.parametrize(
    ("name", "number"), SIGNALED, ids=[f"{name}-{number.name}" for name, number in SIGNALED]
)
def test_a_part_that_others_signal_is_brought_back(
    running: CommandLine, name: str, number: signal.Signals
) -> None:
    before = running.pid(name)
    running.home.supervisor_log.write_text("")

    os.kill(before, number)

    if number is signal.SIGSTOP:
        wait_until(lambda: f"{name} is stopped, unasked" in running.home.supervisor_log.read_text(), BACK_S)
    else:
        wait_until(lambda: running.pid(name) != before, BACK_S)
    wait_until(lambda: is_whole(running), BACK_S)
    assert f"{name} " in running.home.supervisor_log.read_text()


@pytest.mark.parametrize("name", ["ticketdesk", "orchestrator"])
def test_a_killed_process_is_back_at_the_same_address(running: CommandLine, name: str) -> None:
    killed, address = running.pid(name), running.status.addresses[name]

    kill(killed)

    wait_until(lambda: running.pid(name) != killed)
    wait_until(lambda: is_ready(address))
    assert running.status.addresses[name] == address
    assert f"{name} was killed by SIGKILL" in running.home.supervisor_log.read_text()


@pytest.mark.parametrize("name", ["PostgreSQL", "Valkey"])
def test_killed_databases_come_back_and_so_does_readiness(running: CommandLine, name: str) -> None:
    killed = running.pid(name)

    kill(killed)

    wait_until(lambda: running.pid(name) != killed)
    wait_until(lambda: is_whole(running))
    assert all(running.json("status")["ready"].values())


def test_a_crash_within_postgresql_starts_it_anew(running: CommandLine) -> None:
    """One that starts itself anew on a full disk may wait for ever for a process that it does not have."""
    before = running.pid("PostgreSQL")
    children = subprocess.run(
        ["pgrep", "-P", str(before), "-f", "walwriter"], capture_output=True, text=True, check=True
    )

    kill(int(children.stdout))

    wait_until(lambda: running.pid("PostgreSQL") != before and is_whole(running), BACK_S)
    assert running.pid("PostgreSQL") != before


def test_a_request_that_is_under_way_when_a_process_restarts_waits_for_it(running: CommandLine) -> None:
    kill(running.pid("ticketdesk"))

    with urllib.request.urlopen(
        f"{running.status.addresses['ticketdesk']}/health", timeout=PATIENCE_S
    ) as answer:
        assert answer.status == 200


def test_status_fails_where_postgresql_is_down(running: CommandLine) -> None:
    wait_until(lambda: is_whole(running), BACK_S)
    assert running("status").returncode == 0

    # The supervisor too, which would let PostgreSQL go on after a while.
    stopped = [running.status.supervisor.pid, running.pid("PostgreSQL")]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        shown, document = running("status"), running.json("status")
    finally:
        for pid in reversed(stopped):
            os.kill(pid, signal.SIGCONT)

    assert shown.returncode == 1
    assert "is not ready" in shown.stdout
    assert document["healthy"] is False
    wait_until(lambda: is_whole(running), BACK_S)


def test_the_line_of_a_failed_step_names_episode_step_and_request(running: CommandLine) -> None:
    url, action = running.status.url, {"tool_name": "ticketdesk_list_tickets", "arguments": {}}
    httpx.post(
        f"{url}/reset", json={"seed": 1, "episode_id": "traced"}, timeout=PATIENCE_S
    ).raise_for_status()
    os.kill(running.pid("ticketdesk"), signal.SIGSTOP)

    step = {"action": action, "episode_id": "traced"}
    httpx.post(f"{url}/step", json=step, headers={"X-Request-Id": "train-7"}, timeout=PATIENCE_S)

    wait_until(lambda: is_whole(running), BACK_S)
    lines = [json.loads(line) for line in running.home.log("orchestrator").read_text().splitlines()]
    [failed, *_] = [line for line in lines if line["event"] == "step_failed"]
    assert (failed["episode"], failed["step"], failed["request"]) == ("traced", 1, "train-7")
    assert failed["process"] == "orchestrator"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 260 MB."""
    with ExitStack() as mounted:
        try:
            yield mounted.enter_context(small_disk(tmp_path / "disk", megabytes=260))
        except NoDisk as reason:
            pytest.skip(str(reason))


def test_a_stack_outlives_a_full_disk(disk: Path) -> None:
    with started_home(disk / "home") as companyos:
        supervisor, url = companyos.status.supervisor.pid, companyos.status.url
        filler = disk / "filler"
        fill(filler)
        os.kill(companyos.pid("PostgreSQL"), signal.SIGKILL)

        assert f"The disk of {companyos.home.path} is full" in companyos("status").stdout
        refused = httpx.post(
            f"{url}/reset", json={"scenario": "vendor_onboarding", "seed": 1}, timeout=PATIENCE_S
        )
        filler.unlink()
        wait_until(lambda: is_whole(companyos), BACK_S, companyos.home.supervisor_log)
        played = httpx.post(
            f"{url}/reset", json={"scenario": "vendor_onboarding", "seed": 1}, timeout=PATIENCE_S
        )

        assert refused.status_code == 503, refused.text
        assert played.status_code == 200, played.text
        assert companyos.status.supervisor.pid == supervisor
        log = companyos.home.supervisor_log
        wait_until(lambda: "has room again" in log.read_text(), BACK_S, log)
