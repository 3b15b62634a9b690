"""`companyos run` on a real stack: whole result folders, and nothing half done."""

import asyncio
import json
from pathlib import Path

import pytest

from companyos.client import CompanyosEnv
from companyos.evaluation.runs import EpisodeEnding, read_run
from companyos.sdk.scenario import load_scenarios
from tests.scripted_endpoint import completion, function_call, scripted_endpoint

from .conftest import OF_TWO, CommandLine

PAIR = ("expense_report", "--seeds", "2", "--chaos", "0")


def test_a_run_leaves_a_line_a_trajectory_and_a_trace_of_every_episode(oracle_run: Path) -> None:
    run = read_run(oracle_run)

    assert {record.key for record in run.episodes} == {task.key for task in run.request.tasks()}
    assert len(run.episodes) == 8
    for record in run.episodes:
        assert (record.ended, record.success, record.terminated) == (EpisodeEnding.FINISHED, True, True)
        trace, trajectory = run.trace(record.key), run.trajectory(record.key)
        assert trace[-1]["hash"] == record.trace_hash
        assert len(trace) == record.steps + 1
        assert len([step for step in trajectory["steps"] if step["source"] == "agent"]) == record.steps
        assert record.episode_return == trace[-1]["return"]


def test_a_run_starts_in_the_middle_of_the_solution_or_at_a_snapshot(
    running: CommandLine, tmp_path: Path
) -> None:
    tasks = ("vendor_onboarding", "--seeds", "1", "--chaos", "0")
    with CompanyosEnv(running.status.url) as env:
        env.reset(scenario="vendor_onboarding", seed=0, chaos=0, start={"calls_left": 2})
        kept = env.snapshot()
    started, resumed = tmp_path / "started", tmp_path / "resumed"

    running("run", "--agent", "oracle", *tasks, "--start", "calls_left=3", "--out", str(started))
    running("run", "--agent", "oracle", "--snapshot", kept, "-k", "2", "--out", str(resumed))

    assert [(record.success, record.steps) for record in read_run(started).episodes] == [(True, 3)]
    assert [(record.success, record.steps) for record in read_run(resumed).episodes] == [(True, 2)] * 2
    assert [(record.scenario, record.seed) for record in read_run(resumed).episodes] == [
        ("vendor_onboarding", 0)
    ] * 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("--agent", "believes_claims", "--start", "calls=3"),
            "believes_claims plays a script from the brief on",
        ),
        (("--agent", "do_nothing", "--snapshot", "snp", "--chaos", "3"), "a snapshot decides --chaos"),
        (("--agent", "do_nothing", "--snapshot", "snp_unknown"), "snp_unknown"),
    ],
)
def test_a_start_that_cannot_be_is_refused(
    running: CommandLine, arguments: tuple[str, ...], told: str
) -> None:
    refused = running("run", *arguments)

    assert refused.returncode == 2
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_ladder_lists_the_places_of_a_solution_and_the_success_of_an_agent_from_there(
    running: CommandLine,
) -> None:
    of_one = ("ladder", "vendor_onboarding", "--seed", "1", "--chaos", "0")
    listed = running.json(*of_one)
    measured = running.json(*of_one, "--calls-left", "1", "--agent", "oracle", "--episodes", "2")
    shown = running(*of_one, "--calls-left", "2", "--agent", "do_nothing", "--episodes", "1")

    lefts = [rung["calls_left"] for rung in listed]
    assert [rung["calls"] for rung in listed] == list(range(len(listed)))
    assert lefts == list(range(len(listed), 0, -1))
    assert listed[-1]["call"]["tool_name"] == "finish"
    assert listed[0]["milestones"] == []
    assert listed[-1]["milestones"]
    assert {rung["success"] for rung in listed} == {None}
    assert [(rung["calls_left"], rung["success"]["value"]) for rung in measured] == [(1, 1.0)]
    assert measured[0]["success"]["count"] == 2
    assert "out of reach" in shown.stdout


def test_a_whole_run_is_shown_without_a_stack(companyos: CommandLine, oracle_run: Path) -> None:
    shown = companyos("run", "--agent", "oracle", *OF_TWO, "--out", str(oracle_run))

    assert shown.returncode == 0
    assert "100.0%" in shown.stdout
    assert not companyos.home.supervisor_log.exists()


def test_a_run_without_a_folder_finds_its_own_again(running: CommandLine) -> None:
    command = ("run", "--agent", "do_nothing", "expense_report", "--seeds", "1", "--max-steps", "2")

    first, second = running.json(*command), running.json(*command)
    other = running.json(*command, "--chaos", "0")

    assert first == second
    assert first["folder"].startswith("runs/do_nothing-")
    assert other["folder"] != first["folder"]
    assert (running.home.path / first["folder"] / "run.json").is_file()


def test_another_stack_is_played_at_its_address(
    running: CommandLine, companyos: CommandLine, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    command = ("run", "--agent", "command", "--program", "cat", "--seeds", "1", "--max-steps", "1")

    played = companyos(*command, "--url", running.status.url, "--out", str(out))

    assert played.returncode == 0, played.stderr
    assert companyos.home.status() is None
    run = read_run(out)
    assert set(run.request.scenarios) == set(load_scenarios())
    assert {record.ended for record in run.episodes} == {EpisodeEnding.BUDGET}
    unknown = companyos(*command, "--url", running.status.url, "nothing_like_it")
    assert unknown.returncode == 2
    assert f"has no scenario 'nothing_like_it'; it has {min(load_scenarios())}" in " ".join(
        unknown.stderr.split()
    )


def test_python_code_of_the_current_folder_plays(running: CommandLine, tmp_path: Path) -> None:
    (running.home.path / "my_agents.py").write_text(
        "def act(observation):\n    return {'tool_name': 'finish', 'arguments': {}}\n"
    )
    out = tmp_path / "run"

    played = running("run", "--agent", "python", "--target", "my_agents:act", *PAIR, "--out", str(out))

    assert played.returncode == 0, played.stderr
    assert {record.ended for record in read_run(out).episodes} == {EpisodeEnding.FINISHED}


async def test_a_model_plays_through_an_endpoint_of_ones_own(running: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "run"
    async with scripted_endpoint() as endpoint:
        endpoint.will_answer(completion("I am done.", function_call("finish")))
        told = (
            "--base-url",
            f"{endpoint.url}/v1",
            "--model",
            "scripted",
            "--prices",
            "2,8",
            "--model-seed",
            "5",
        )
        command = ("run", "--agent", "openai", *told, *PAIR, "-k", "2", "--out", str(out))
        played = await asyncio.to_thread(running, *command, OPENAI_API_KEY="sk-hush")
        seeds = {request["seed"] for request in endpoint.requests}

    assert played.returncode == 0, played.stderr
    run = read_run(out)
    assert len(run.episodes) == 4
    assert {record.ended for record in run.episodes} == {EpisodeEnding.FINISHED}
    assert run.request.agent.settings["model"] == "scripted"
    assert seeds == {5, 6}
    step = next(s for s in run.trajectory(run.episodes[0].key)["steps"] if s["source"] == "agent")
    assert step["message"] == "I am done."
    assert step["metrics"]["prompt_tokens"] == 1000
    assert "$0.01" in played.stdout
    assert all(b"sk-hush" not in path.read_bytes() for path in out.rglob("*.*"))


def test_run_folder_does_not_contain_the_token(running: CommandLine, tmp_path: Path) -> None:
    told = ("expense_report", "--agent", "oracle", "--seeds", "1", "--chaos", "0")
    running("run", *told, "--token", "hush-hush", "--out", str(tmp_path / "one"))
    running("run", *told, "--token=hush-hush", "--out", str(tmp_path / "two"))

    for name in ("one", "two"):
        assert json.loads((tmp_path / name / "run.json").read_text())["agent"]["kind"] == "oracle"
        assert all(b"hush" not in path.read_bytes() for path in (tmp_path / name).rglob("*.*"))
