"""Starting and stopping: nothing is left behind, whatever ended the stack, and the next start works."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import httpx
import psycopg
import pytest

from companyos import CompanyosEnv
from companyos.embedded.home import Process, Status
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S

from .conftest import CommandLine, all_dead, kill, wait_until

KILLS = 2


def test_down_leaves_no_process_and_keeps_the_data(companyos: CommandLine, unused_tcp_port: int) -> None:
    companyos("up", "--detach", "--port", str(unused_tcp_port))
    assert companyos.status.url == f"http://127.0.0.1:{unused_tcp_port}"
    pids = companyos.all_pids()
    with psycopg.connect(companyos.status.addresses["postgres"]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1")

    stopped = companyos("down")

    assert stopped.returncode == 0, stopped.stderr
    assert all_dead(pids)
    assert companyos.home.recorded() is None
    companyos("up", "--detach")
    with psycopg.connect(companyos.status.addresses["postgres"]) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1,)


def test_a_killed_supervisor_leaves_no_process_and_the_next_up_works(companyos: CommandLine) -> None:
    for _ in range(KILLS):
        assert companyos("up", "--detach").returncode == 0
        pids = companyos.all_pids()

        kill(companyos.status.supervisor.pid)

        wait_until(lambda pids=pids: all_dead(pids))
        assert companyos("status").returncode == 1


def test_a_generated_token_is_for_the_owner_and_is_found_by_our_programs(
    companyos: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = companyos("up", "--detach", "--token")

    file = companyos.home.path / "trainer_token"
    assert str(file) in started.stdout
    assert file.stat().st_mode & 0o777 == 0o600
    token = file.read_text().strip()
    assert token not in started.stdout
    url = f"{companyos.status.url}/scenarios"
    assert httpx.get(url).status_code == 401
    assert httpx.get(url, headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert companyos.status.trainer_token == token
    monkeypatch.setenv("COMPANYOS_HOME", str(companyos.home.path))
    with CompanyosEnv.local() as env:
        assert not env.reset(seed=1).done


def test_down_without_a_stack_says_so(companyos: CommandLine) -> None:
    stopped = companyos("down")

    assert (stopped.returncode, stopped.stderr) == (0, "")
    assert "No stack runs" in stopped.stdout


def test_status_without_a_stack_says_how_to_start_one(companyos: CommandLine) -> None:
    shown = companyos("status")

    assert shown.returncode == 1
    assert "companyos up" in shown.stdout
    assert companyos.json("status")["running"] is False


def test_a_stale_status_file_hurts_nobody(companyos: CommandLine) -> None:
    stranger = Process("supervisor", os.getpid(), "the mark of an earlier life")
    stale = Status(
        supervisor=stranger, addresses={"orchestrator": "http://127.0.0.1:1"}, processes=[stranger]
    )
    companyos.home.publish(stale)

    assert companyos("status").returncode == 1
    assert companyos("down", "--force").returncode == 0
    assert companyos.home.recorded() is None


def test_force_ends_what_a_dead_supervisor_left(companyos: CommandLine) -> None:
    with subprocess.Popen(["sleep", "600"]) as left:
        dead = Process("supervisor", left.pid, "the mark of an earlier life")
        status = Status(
            supervisor=dead, addresses={"orchestrator": ""}, processes=[Process.of("left", left.pid)]
        )
        companyos.home.publish(status)

        refused = companyos("down")
        assert refused.returncode == 1
        assert "down --force" in refused.stderr
        assert left.poll() is None

        assert companyos("down", "--force").returncode == 0
        assert left.wait(10) == -signal.SIGKILL


def test_few_files_that_may_be_open_are_told_at_a_start(companyos: CommandLine) -> None:
    limited = ["/bin/sh", "-c", 'ulimit -n 1000 && exec "$@"', "sh"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        command = stackpath.program(
            "up", "--home", str(companyos.home.path), "--port", str(taken.getsockname()[1])
        )

        started = subprocess.run(
            [*limited, *command], env=stackpath.environment(), capture_output=True, text=True, timeout=170
        )

    said = " ".join((started.stdout + started.stderr).split())
    assert "Only 1000 files may be open (`ulimit -n`), which limits the connections of clients." in said
    assert "Raise the limit to 10240 or more." in said
    assert started.returncode == 1


def test_ctrl_c_stops_a_stack_in_the_foreground_and_the_next_start_waits_for_it(
    companyos: CommandLine,
) -> None:
    with subprocess.Popen(
        stackpath.program("up", "--home", str(companyos.home.path)),
        env=stackpath.environment(),
        stdout=subprocess.PIPE,
        text=True,
    ) as foreground:
        wait_until(lambda: companyos.home.status() is not None)
        pids = companyos.all_pids()

        foreground.send_signal(signal.SIGINT)
        wait_until(lambda: companyos.home.lasting() is None)
        started = companyos("up", "--detach")

        said, _ = foreground.communicate(timeout=PATIENCE_S)
    assert foreground.returncode == 0
    assert all_dead(pids)
    assert (started.returncode, started.stderr) == (0, "")
    assert "Already running" not in started.stdout
    assert companyos.status.supervisor.runs()
    entries = [json.loads(line) for line in said.splitlines()]
    assert all({"event", "level", "timestamp", "process"} <= entry.keys() for entry in entries)
    assert any(entry["event"].startswith("Ready in") for entry in entries)


def test_a_trainer_api_open_to_the_world_without_a_token_is_refused(companyos: CommandLine) -> None:
    refused = companyos("up", "--detach", COMPANYOS_HOST="0.0.0.0", COMPANYOS_TRAINER_TOKEN="")

    assert refused.returncode == 2
    assert "COMPANYOS_TRAINER_TOKEN" in refused.stderr


def test_a_stack_whose_token_is_in_a_file_drains_when_it_is_asked_to(
    companyos: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "token"
    file.write_text("a-token-that-a-platform-mounts\n")
    monkeypatch.setenv("COMPANYOS_TRAINER_TOKEN_FILE", str(file))
    assert companyos("up", "--detach").returncode == 0

    drained = companyos("drain", "--seconds", "60", "--wait")

    assert (drained.returncode, drained.stderr) == (0, "")
    assert "0 episodes are left open" in drained.stdout
