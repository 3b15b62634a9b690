"""A run on two stacks that are used as one, of which one is killed in the middle, and the other drains at the end."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from companyos.cells.names import cell_of
from companyos.client import CompanyosEnv
from companyos.evaluation.runs import read_run

from .conftest import CommandLine, all_dead, closing_home, kill, wait_until
from .test_run_resumed import begun, command, outcome

NAMES = ("cell-a", "cell-b")
SEEDS, PLANNED = 4, 3 * 2 * 4


@pytest.fixture
def cells(tmp_path: Path) -> Iterator[tuple[CommandLine, CommandLine]]:
    """The command lines of two stacks with names."""
    with closing_home(tmp_path / "a") as one, closing_home(tmp_path / "b") as other:
        for companyos, name in zip((one, other), NAMES, strict=True):
            given = {"COMPANYOS_CELL": name, "COMPANYOS_DRAIN_S": "60", "COMPANYOS_AGENT_PORT": "0"}
            started = companyos("up", "--detach", "--port", "0", **given)
            assert started.returncode == 0, started.stderr
        yield one, other


def test_a_run_outlasts_the_loss_of_a_cell_and_a_cell_that_stops_finishes_its_episodes(
    cells: tuple[CommandLine, CommandLine], tmp_path: Path
) -> None:
    one, other = cells
    plain, killed = tmp_path / "plain" / "run", tmp_path / "killed" / "run"
    urls = ("--url", one.status.url, "--url", other.status.url)
    with begun(one, *command("ignores_messages", SEEDS, plain), *urls[:2]) as process:
        process.communicate(timeout=300)

    with begun(one, *command("ignores_messages", SEEDS, killed), *urls) as process:
        lines = killed / "episodes.jsonl"
        wait_until(lambda: lines.exists() and lines.read_bytes().count(b"\n") >= PLANNED // 4)
        pids = other.all_pids()
        kill(pids[0])
        wait_until(lambda: all_dead(pids[:1]))
        _, errors = process.communicate(timeout=300)

    assert process.returncode == 0, errors.decode()
    assert outcome(killed) == outcome(plain)
    assert len(outcome(plain)) == PLANNED
    cells_of = {cell_of(record.episode_id, NAMES) for record in read_run(killed).episodes}
    assert cells_of == set(NAMES)
    assert 0 < errors.decode().count("is played again") <= 8
    finish_while_stopping(one)


def finish_while_stopping(companyos: CommandLine) -> None:
    """Ask a stack to stop while an episode is open, and play it to its end."""
    with CompanyosEnv(companyos.status.url) as env:
        env.reset(scenario="vendor_onboarding", seed=1)
        pids = companyos.all_pids()
        os.kill(pids[0], signal.SIGTERM)
        wait_until(lambda: "no reset is taken" in companyos.home.supervisor_log.read_text())

        stepped = [env.call("ticketdesk_list_tickets") for _ in range(5)]
        done = env.abandon()

    wait_until(lambda: all_dead(pids))
    assert not any(result.done for result in stepped)
    assert done.done
    assert "0 episodes are left open" in companyos.home.supervisor_log.read_text()
