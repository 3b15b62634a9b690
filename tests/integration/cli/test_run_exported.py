"""`companyos export` of a real run, and `companyos dataset`: rows that trainers load as they were written."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from companyos.client import CompanyosEnv
from tests.contracts.client_venvs import DATASETS, made_once
from tests.patience import PATIENCE_S
from tests.sizes import size

from .conftest import CommandLine

ROOT = Path(__file__).parents[3]


def test_a_run_becomes_training_data(running: CommandLine, oracle_run: Path, tmp_path: Path) -> None:
    printed = running("export", str(oracle_run), "--format", "sft")
    written = running("export", str(oracle_run), "--format", "hf", "--out", str(tmp_path / "set"))

    rows = [json.loads(line) for line in printed.stdout.splitlines()]
    assert len(rows) == 8
    assert all(row["messages"][-1]["tool_calls"][0]["function"]["name"] == "finish" for row in rows)
    assert "8 conversations" in written.stdout
    assert len((tmp_path / "set" / "data" / "train.jsonl").read_text().splitlines()) == 8


def test_a_data_set_is_played_once_and_written_with_any_rows(running: CommandLine) -> None:
    tasks = (
        "vendor_onboarding",
        "--hold-out",
        "expense_report",
        "--seeds",
        "2",
        "--chaos",
        "0",
    )
    command = ("dataset", *tasks, "--validation", "0")

    runs = running.home.path / "runs"
    before = set(runs.glob("*"))
    played = running(*command, "--out", "whole")
    again = running.json(*command, "--rows", "calls", "--last", "2", "--out", "calls")

    assert played.returncode == 0, played.stderr
    assert "4/4 done" in played.stderr
    assert [path.name for path in set(runs.iterdir()) - before] == [Path(again["run"]).name]
    whole, calls = (rows_by_split(running.home.path / name) for name in ("whole", "calls"))
    seeds = {split: [(row["scenario"], row["seed"]) for row in rows] for split, rows in whole.items()}
    assert seeds == {
        "train": [("vendor_onboarding", 0), ("vendor_onboarding", 1)],
        "test": [("expense_report", 0), ("expense_report", 1)],
    }
    assert {split: len(rows) for split, rows in calls.items()} == {
        split: sum(row["steps"] for row in rows) for split, rows in whole.items()
    }
    assert all(len(row["prompt"]) <= 1 + 2 * 2 and len(row["completion"]) == 1 for row in calls["train"])
    assert again["splits"]["train"]["rows"] == len(calls["train"])


def test_preferences_are_calls_and_mistakes_after_which_the_task_is_lost(running: CommandLine) -> None:
    made = running(
        "dataset", "vendor_onboarding", "--seeds", "2", "--chaos", "0", "--validation", "0",
        "--rows", "preferences", "--last", "3", "--out", "preferences",
    )  # fmt: skip

    assert made.returncode == 0, made.stderr
    rows = rows_by_split(running.home.path / "preferences")["train"]
    assert {row["seed"] for row in rows} == {0, 1}
    with CompanyosEnv(running.status.url) as env:
        for row in rows:
            assert len(row["prompt"]) <= 1 + 2 * 3
            assert is_solvable_after(env, row, "chosen")
            assert not is_solvable_after(env, row, "rejected")


def test_a_data_set_of_some_tools_offers_these_alone(running: CommandLine) -> None:
    command = (
        "dataset",
        "vendor_onboarding",
        "--seeds",
        "2",
        "--chaos",
        "0",
        "--validation",
        "0",
    )

    made = running(*command, "--tools", "finish", "--tools", "refuse", "--rows", "calls", "--out", "ends")
    none = running(*command, "--tools", "finish", "--out", "whole ends")
    unknown = running(*command, "--tools", "finnish", "--out", "unknown")

    assert made.returncode == 0, made.stderr
    rows = rows_by_split(running.home.path / "ends")["train"]
    assert [row["seed"] for row in rows] == [0, 1]
    for row in rows:
        assert [tool["function"]["name"] for tool in json.loads(row["tools"])] == ["finish", "refuse"]
        assert len(row["prompt"]) > 2, "the exchanges before it have calls of other tools"
    assert "no row of the oracles has calls of these tools alone" in none.stderr
    assert "there is no tool 'finnish'" in unknown.stderr
    assert not any((running.home.path / name).exists() for name in ("whole ends", "unknown"))


def is_solvable_after(env: CompanyosEnv, row: dict[str, Any], name: str) -> bool:
    """Return whether the task is solved or solvable after a call in the place of the row's."""
    [message] = row[name]
    [call] = message["tool_calls"]
    env.reset(scenario=row["scenario"], seed=row["seed"], chaos=0, start={"calls": row["call"] - 1})
    function = call["function"]
    result = env.step({"tool_name": function["name"], "arguments": json.loads(function["arguments"])})
    return bool(result.metadata["success"]) if result.done else bool(env.value()["solvable"])


def rows_by_split(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows in the files of a data set."""
    files = (folder / "data").iterdir()
    return {path.stem: [json.loads(line) for line in path.read_text().splitlines()] for path in files}


@pytest.mark.proof
@pytest.mark.parametrize("release", size([DATASETS], ["datasets==4.6.*", DATASETS]))
def test_every_release_of_datasets_loads_training_data_as_it_was_written(
    running: CommandLine, oracle_run: Path, tmp_path: Path, release: str
) -> None:
    running("export", str(oracle_run), "--format", "sft", "--out", str(tmp_path / "train.jsonl"))
    written = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]

    loaded = loaded_by(release, tmp_path)

    assert len(written) == len(loaded["rows"]) == 8
    assert [calls_of(row) for row in loaded["rows"]] == [calls_of(row) for row in written]
    assert [row["tools"] for row in loaded["rows"]] == [row["tools"] for row in written]
    if release == DATASETS:
        parsed = [[json.loads(arguments) for arguments in calls_of(row)] for row in written]
        assert [calls_of(row) for row in loaded["parsed"]] == parsed


def calls_of(row: dict[str, Any]) -> list[Any]:
    """Return the arguments of the calls of a conversation."""
    calls = [call for message in row["messages"] for call in message.get("tool_calls") or ()]
    return [call["function"]["arguments"] for call in calls]


def loaded_by(release: str, folder: Path) -> dict[str, Any]:
    """Return the rows of `train.jsonl` in a folder as a release loads them, and as the page's code parses them."""
    page = ROOT / "docs" / "how-to" / "run-an-evaluation.md"
    ran = subprocess.run(
        [made_once(release), ROOT / "tests" / "adapters" / "programs" / "training_data.py", page],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=PATIENCE_S,
        env={**os.environ, "HF_HOME": str(folder), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)},
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_a_row_of_the_data_set_is_a_reset_whatever_fills_the_columns_it_lacks(
    running: CommandLine, oracle_run: Path, tmp_path: Path
) -> None:
    running("export", str(oracle_run), "--format", "hf", "--out", str(tmp_path))
    rows = [json.loads(line) for line in (tmp_path / "data" / "train.jsonl").read_text().splitlines()]
    other = ("snapshot", "episode_id", "max_steps", "size", "rewards", "reward_mode", "guidance", "latency")

    with CompanyosEnv(running.status.url) as env:
        for row, blank in zip(rows[::3], (None, "", float("nan")), strict=True):
            first = env.reset(**{**dict.fromkeys(other, blank), **row})
            task = next(message for message in row["messages"] if message["role"] == "user")
            assert first.observation.text == task["content"]
            named = [tool["name"] for tool in first.observation["tools"]]
            assert named == [tool["function"]["name"] for tool in json.loads(row["tools"])]


def test_an_empty_export_says_why_it_is_empty(running: CommandLine, oracle_run: Path, tmp_path: Path) -> None:
    printed = running("export", str(oracle_run), "--format", "preferences")
    written = running("export", str(oracle_run), "--format", "preferences", "--out", str(tmp_path / "out"))

    assert (printed.returncode, printed.stdout) == (0, "")
    assert "no task has both a successful and a failed episode" in printed.stderr
    assert printed.stderr == written.stderr
    assert written.stdout.endswith(": 0 pairs\n")
