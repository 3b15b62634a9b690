"""What happens to somebody new on an ordinary machine: each thing is told as what it is, with the way out."""

import errno
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companyos import __version__
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S
from tests.sizes import whole_proof

from .conftest import CommandLine, all_dead, closing_home, kill, wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be somebody else")


def test_the_version_is_the_one_of_the_package(companyos: CommandLine) -> None:
    assert companyos("--version").stdout == f"companyos {__version__}\n"


def test_a_shell_can_complete_commands(companyos: CommandLine) -> None:
    asked = {"_COMPANYOS_COMPLETE": "complete_bash", "COMP_WORDS": "companyos sta", "COMP_CWORD": "1"}

    assert companyos(**asked).stdout.split() == ["status"]


def test_up_says_which_ports_are_taken_and_what_it_took_instead(new_home: CommandLine) -> None:
    with taken_for_sure(8000), taken_for_sure(8001), taken_for_sure(8080):
        started = new_home("up", "--detach")

    status = new_home.status
    for taken, name, url in (
        (8000, "trainer API", status.url),
        (8001, "ticketdesk", status.addresses["ticketdesk"]),
        (8080, "agent API", status.agent_url),
    ):
        port = url.rpartition(":")[2]
        assert port != str(taken)
        told = f"Port {taken} is taken by another program; the {name} listens on {port} instead."
        assert told in started.stdout
    assert re.search(rf"agent API +{re.escape(status.agent_url)}$", started.stdout, re.MULTILINE)


@whole_proof
def test_an_agent_port_that_was_taken_instead_is_kept_at_the_next_start(new_home: CommandLine) -> None:
    with taken_for_sure(8080):
        new_home("up", "--detach")
    before = new_home.status.agent_url
    new_home("down")

    started = new_home("up", "--detach")

    assert new_home.status.agent_url == before
    assert "the agent API listens on" not in started.stdout


def test_a_failed_start_shows_what_this_run_said_and_nothing_of_the_runs_before(
    companyos: CommandLine,
) -> None:
    companyos.home.supervisor_log.write_text("companyos: what went wrong yesterday\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = companyos("up", "--detach", "--port", str(taken.getsockname()[1]))

    assert refused.returncode == 1
    assert "yesterday" not in refused.stderr
    assert refused.stderr.startswith("companyos: 127.0.0.1:")


def test_a_stack_whose_home_is_removed_stops_and_says_why(companyos: CommandLine) -> None:
    with subprocess.Popen(
        stackpath.program("up", "--home", str(companyos.home.path)),
        env=stackpath.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as foreground:
        wait_until(lambda: companyos.home.status() is not None)
        pids = companyos.all_pids()

        shutil.rmtree(companyos.home.path)

        _, said = foreground.communicate(timeout=PATIENCE_S)
    companyos.home.create()
    assert foreground.returncode == 1
    assert f"{companyos.home.path} was removed, so its stack has stopped" in said
    assert "Traceback" not in said
    assert all_dead(pids)


@needs_root
@pytest.mark.parametrize("megabytes", [1, 56])
def test_a_full_disk_is_told_as_one(tmp_path: Path, megabytes: int) -> None:
    home = tmp_path / "home"
    mount = f'mount -t tmpfs -o size={megabytes}m none {tmp_path} && exec "$@"'
    wrapper = ["unshare", "--mount", "sh", "-c", mount, "sh"]

    refused = subprocess.run(
        [*wrapper, *stackpath.program("up", "--detach", "--home", str(home))],
        env=stackpath.environment(COMPANYOS_PREPARED=""),
        capture_output=True,
        text=True,
    )

    assert refused.returncode == 1
    assert f"The disk of {home} is full" in refused.stderr
    assert "Traceback" not in refused.stderr


@needs_root
def test_a_user_without_a_name_can_start_a_stack(tmp_path: Path) -> None:
    wrapper = ["unshare", "--user", "--map-user=54321", "--map-group=54321", "--"]

    with closing_home(tmp_path / "home", *wrapper) as companyos:
        started = companyos("up", "--detach")
        assert started.returncode == 0, started.stderr
        assert companyos.json("status")["healthy"] is True
        kill(companyos.pid("PostgreSQL"))
        wait_until(lambda: companyos.json("status")["healthy"])
        assert companyos("down").returncode == 0


@contextmanager
def taken_for_sure(port: int) -> Iterator[None]:
    """Have a port be taken while the body runs, by us unless it is by others."""
    try:
        with socket.create_server(("127.0.0.1", port)):
            yield
    except OSError as failure:
        if failure.errno != errno.EADDRINUSE:
            raise
        yield
