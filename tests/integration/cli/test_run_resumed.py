"""A run that was killed, resumed by the same command, equals one that nothing disturbed."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.runs import read_run
from companyos.sdk import stackpath
from tests.patience import PATIENCE_S
from tests.scripted_endpoint import completion, function_call, scripted_endpoint
from tests.sizes import size, whole_proof

from .conftest import CommandLine, wait_until

THREE = ("vendor_onboarding", "expense_report", "license_renewal")
#: Longest wait for many episodes, in seconds.
LONG_S = 3600.0


def command(agent: str, seeds: int, out: Path) -> Sequence[str]:
    return ("run", "--agent", agent, *THREE, "--seeds", str(seeds), "--chaos", "0-1", "--out", str(out))


@contextmanager
def begun(companyos: CommandLine, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command and see that it has ended afterwards."""
    environment = stackpath.environment(COMPANYOS_HOME=str(companyos.home.path))
    process = subprocess.Popen(
        stackpath.program(*arguments),
        cwd=companyos.home.path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def whole(companyos: CommandLine, *arguments: str) -> int:
    """Play a run to its end and return the exit code."""
    with begun(companyos, *arguments) as process:
        process.communicate(timeout=LONG_S)
        return process.returncode


def stopped_after(
    companyos: CommandLine, count: int, out: Path, how: int, *arguments: str
) -> tuple[int, str]:
    """Stop a run after so many episodes; return its exit code and what it said on standard error."""
    with begun(companyos, *arguments) as process:
        lines = out / "episodes.jsonl"
        wait_until(lambda: lines.exists() and lines.read_bytes().count(b"\n") >= count, LONG_S)
        os.kill(process.pid, how)
        _, said = process.communicate(timeout=PATIENCE_S)
        return process.returncode, said.decode()


def outcome(out: Path) -> dict[str, Any]:
    """Return what two equal runs have in common: records, trajectories, and traces but for how long steps took."""
    run = read_run(out)
    return {
        record.key: (
            record.decisive(),
            run.trajectory(record.key),
            [line["hash"] for line in run.trace(record.key)],
        )
        for record in run.episodes
    }


def test_a_killed_run_of_an_agent_that_draws_resumes_to_what_an_undisturbed_one_comes_to(
    running: CommandLine, tmp_path: Path
) -> None:
    assert_equals_the_undisturbed(running, tmp_path, "random", seeds=4, kills=1)


@whole_proof
def test_five_hundred_episodes_killed_in_the_middle_equal_an_undisturbed_run(
    running: CommandLine, tmp_path: Path
) -> None:
    assert_equals_the_undisturbed(running, tmp_path, "ignores_messages", seeds=size(6, 84), kills=3)


def assert_equals_the_undisturbed(
    companyos: CommandLine, folder: Path, agent: str, *, seeds: int, kills: int
) -> None:
    plain, killed = folder / "plain" / "run", folder / "killed" / "run"
    planned = 3 * 2 * seeds
    assert whole(companyos, *command(agent, seeds, plain)) == 0

    for number in range(1, kills + 1):
        code, _ = stopped_after(
            companyos, planned * number // (kills + 1), killed, signal.SIGKILL, *command(agent, seeds, killed)
        )
        assert code == -signal.SIGKILL
        assert len(read_run(killed).episodes) < planned
    assert whole(companyos, *command(agent, seeds, killed)) == 0

    assert outcome(killed) == outcome(plain)
    assert len(outcome(plain)) == planned
    assert not list(killed.rglob("*.part"))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_so_and_keeps_what_was_played(
    running: CommandLine, tmp_path: Path, how: int
) -> None:
    out = tmp_path / "run"

    code, said = stopped_after(running, 4, out, how, *command("ignores_messages", 12, out))

    assert code == 130
    assert "were not played. The same command goes on with them." in said
    run = read_run(out)
    assert 4 <= len(run.episodes) < 72
    assert {record.key for record in run.episodes} == {path.stem for path in (out / "traces").iterdir()}


async def test_a_run_resumes_under_its_recorded_system_prompt_when_the_default_has_changed(
    running: CommandLine, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    chosen = ("expense_report", "--seeds", "2", "--chaos", "0", "--out", str(out))
    async with scripted_endpoint() as endpoint:
        endpoint.will_answer(completion(None, function_call("finish")))
        model = ("run", "--agent", "openai", "--model", "scripted", "--base-url", f"{endpoint.url}/v1")
        await asyncio.to_thread(running, *model, *chosen, "--max-usd", "0")
        about = json.loads((out / "run.json").read_text())
        about["agent"]["settings"]["system_prompt"] = "@ Work, as we said in an earlier release."
        (out / "run.json").write_text(json.dumps(about))

        resumed = await asyncio.to_thread(running, *model, *chosen)
        other = await asyncio.to_thread(running, *model, *chosen, "--system-prompt", "Work harder.")
        prompts = {request["messages"][0]["content"] for request in endpoint.requests}

    assert resumed.returncode == 0, resumed.stderr
    assert "the recorded system prompt" in resumed.stderr
    assert len(read_run(out).episodes) == 2
    assert prompts == {"@ Work, as we said in an earlier release."}
    assert other.returncode == 2
    assert "another value of agent (system_prompt)" in " ".join(other.stderr.replace("│", " ").split())


def test_a_run_without_a_stack_starts_one_and_stops_it(companyos: CommandLine, tmp_path: Path) -> None:
    played = companyos(
        "run", "--agent", "oracle", "expense_report", "--seeds", "1", "--out", str(tmp_path / "run")
    )

    assert played.returncode == 0, played.stderr
    assert companyos.home.status() is None
    assert {record.success for record in read_run(tmp_path / "run").episodes} == {True}
