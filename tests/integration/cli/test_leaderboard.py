"""`companyos leaderboard` on real runs: honest ones are entered, and each way to embellish one has its refusal."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from companyos.cli.results.leaderboard import ReplayOptions, add
from companyos.cli.results.verification import StackOptions
from companyos.evaluation.leaderboard.board import Verification, enter, read_entered_run
from companyos.evaluation.runs import read_run

from .conftest import CommandLine
from .test_replay import Trace, with_new_hashes

TASKS = ("expense_report", "--split", "test", "--seeds", "2", "--chaos", "0")
IDLE = ("--agent", "do_nothing", *TASKS, "-k", "2", "--max-steps", "2")
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e'


@pytest.fixture(scope="module")
def oracle_run(running: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the oracle: a pair."""
    return play(running, tmp_path_factory.mktemp("board") / "oracle", "--agent", "oracle", *TASKS)


@pytest.fixture(scope="module")
def idle_run(running: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that solves nothing: a pair, two attempts at each."""
    return play(running, tmp_path_factory.mktemp("board") / "idle", *IDLE)


def play(command_line: CommandLine, out: Path, *options: str, **environment: str) -> Path:
    """Play a run, and return its folder."""
    played = command_line("run", *options, "--out", str(out), **environment)
    assert played.returncode == 0, played.stderr
    return out


def forge(run: Path, into: Path, change: Callable[[Path], None]) -> Path:
    """Return a copy of a run, changed."""
    shutil.copytree(run, into)
    change(into)
    return into


def entry_of(run: Path, board: Path) -> Path:
    """Enter a run in a leaderboard as one that was verified, and return the folder of the entry."""
    return enter(board, read_entered_run(run), Verification("public", (), "a key"))


def first_key(run: Path) -> str:
    """Return the key of the first episode of a run."""
    return read_run(run).episodes[0].key


def edit_record(**changes: Any) -> Callable[[Path], None]:
    """Return a change of the first record."""

    def change(run: Path) -> None:
        first, *others = (run / "episodes.jsonl").read_text().splitlines()
        (run / "episodes.jsonl").write_text(
            "\n".join([json.dumps({**json.loads(first), **changes}), *others, ""])
        )

    return change


def edit_request(**changes: Any) -> Callable[[Path], None]:
    """Return a change of what was asked for."""

    def change(run: Path) -> None:
        about = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps({**about, **changes}))

    return change


def edit_trace(edit: Callable[[Trace], None]) -> Callable[[Path], None]:
    """Return a change of the first trace by a forger, who computes every hash anew, in the record as well."""

    def change(run: Path) -> None:
        file = run / "traces" / f"{first_key(run)}.jsonl"
        trace = [json.loads(line) for line in file.read_text().splitlines()]
        edit(trace)
        forged = with_new_hashes(trace)
        file.write_text("".join(f"{json.dumps(record)}\n" for record in forged))
        edit_record(trace_hash=forged[-1]["hash"])(run)

    return change


def alter_a_byte(run: Path) -> None:
    """Change a letter that the agent read."""
    file = run / "traces" / f"{first_key(run)}.jsonl"
    file.write_bytes(file.read_bytes().replace(b"medium", b"mediun", 1))


def leave_an_attempt_out(run: Path) -> None:
    """Remove the record and the trace of the last episode."""
    (run / "traces" / f"{read_run(run).episodes[-1].key}.jsonl").unlink()
    lines = (run / "episodes.jsonl").read_text().splitlines()
    (run / "episodes.jsonl").write_text("\n".join([*lines[:-1], ""]))


def pay_a_step(trace: Trace) -> None:
    """Give the first step a reward that it did not earn."""
    trace[1]["reward"] += 5.0
    trace[1]["ledger"][0]["amount"] += 5.0


def invent_a_reply(trace: Trace) -> None:
    """Let the agent have read something else."""
    trace[1]["observation"]["text"] = "The answer is 42."


def raise_the_version(trace: Trace) -> None:
    """Claim another version of the family."""
    trace[0]["version"] += 1


def test_an_honest_run_is_entered_in_a_home_that_did_not_play_it(
    companyos: CommandLine, oracle_run: Path, tmp_path: Path
) -> None:
    entered = companyos("leaderboard", "add", str(oracle_run), "--board", str(tmp_path / "board"))
    again = companyos("leaderboard", "verify", str(tmp_path / "board"), "--replays", "0", "--json")

    assert (entered.returncode, entered.stdout.split(",")[1]) == (0, " 2 episodes played again\n")
    assert "episodes played again 0/2" in entered.stderr
    assert [one["accepted"] for one in json.loads(again.stdout)["entries"]] == [True]
    (entry,) = (tmp_path / "board").iterdir()
    assert {path.name for path in entry.iterdir()} == {"entry.json", "episodes.jsonl", "run.json", "traces"}


def test_attempts_that_were_cut_short_are_entered_once_as_the_failures_that_they_are(
    running: CommandLine, idle_run: Path, tmp_path: Path
) -> None:
    command = ("leaderboard", "add", str(idle_run), "--board", str(tmp_path / "board"))
    added, again = running(*command, "--json"), running(*command, "--replays", "0")

    told = json.loads(added.stdout)
    about = json.loads((Path(told["folder"]) / "entry.json").read_text())
    assert (added.returncode, told["accepted"], told["replayed"]) == (0, True, 4)
    assert about["metrics"]["pass_hat_k"]["2"]["value"] == 0.0
    assert about["settings"]["budgets"]["steps"] == 2
    assert again.returncode == 1
    assert "entry_exists" in again.stdout


def test_a_run_with_other_settings_is_entered(running: CommandLine, tmp_path: Path) -> None:
    settings = ("--max-steps-over-oracle", "1.5", "--door", "text", "--tools", "all")
    run = play(running, tmp_path / "run", "--agent", "oracle", *TASKS, *settings)

    added = running("leaderboard", "add", str(run), "--board", str(tmp_path / "board"))

    assert added.returncode == 0, added.stdout


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("trace_altered", alter_a_byte),
        ("episode_missing", leave_an_attempt_out),
        ("version_differs", edit_record(version=1)),
        ("version_differs", edit_request(scenarios={"expense_report": 1})),
        ("version_differs", edit_trace(raise_the_version)),
        ("reward_differs", edit_record(**{"return": 99.0})),
        ("trace_misgraded", edit_trace(pay_a_step)),
        ("grade_differs", edit_record(success=True)),
        ("grade_differs", edit_record(steps=1)),
        ("grade_differs", edit_record(ended="finished")),
        ("seeds_outside_split", edit_request(seeds=[200_000, 200_002])),
        ("episode_missing", edit_request(seeds=[200_000, 200_001, 200_002, 200_003])),
        ("part_of_a_task", edit_request(start={"calls_left": 1})),
        ("trace_of_another_task", edit_request(guidance="full")),
        ("scenario_unknown", edit_request(scenarios={"../../etc": 1})),
        ("run_unreadable", edit_record(usage={"prompt_tokens": "<b>"})),
        ("run_unreadable", edit_request(repeats=10**12)),
        ("run_unreadable", lambda run: (run / "traces" / "more").symlink_to("/etc/passwd")),
        ("episode_invalid", edit_record(ended="environment_failure")),
    ],
)
def test_an_embellished_run_is_refused_by_a_code(
    capsys: pytest.CaptureFixture[str],
    idle_run: Path,
    tmp_path: Path,
    code: str,
    change: Callable[[Path], None],
) -> None:
    forged = forge(idle_run, tmp_path / "forged", change)
    no_stack = StackOptions(tmp_path / "home", None, None)

    with pytest.raises(typer.Exit) as refused:
        add(forged, tmp_path / "board", ReplayOptions(most=4, draw_key=None, stack=no_stack), as_json=True)

    assert refused.value.exit_code == 1
    assert {problem["code"] for problem in json.loads(capsys.readouterr().out)["problems"]} == {code}
    assert not (tmp_path / "home").exists()
    assert not (tmp_path / "board").exists()


@pytest.mark.parametrize(
    ("codes", "change"),
    [
        (("replay_differs",), edit_trace(invent_a_reply)),
        (("grade_differs", "oracle_differs"), edit_record(collateral_rows=7, oracle_steps=500)),
    ],
)
def test_a_run_that_only_a_replay_can_refute_is_refused(
    running: CommandLine,
    oracle_run: Path,
    tmp_path: Path,
    codes: tuple[str, ...],
    change: Callable[[Path], None],
) -> None:
    forged = forge(oracle_run, tmp_path / "forged", change)

    refused = running("leaderboard", "add", str(forged), "--board", str(tmp_path / "board"))

    assert refused.returncode == 1
    assert all(f"  {code} in {first_key(oracle_run)}: " in refused.stdout for code in codes)


def test_seeds_of_ones_own_choice_are_refused(running: CommandLine, tmp_path: Path) -> None:
    options = ("--agent", "do_nothing", "expense_report", "--seeds", "4-5", "--max-steps", "1")
    run = play(running, tmp_path / "run", *options)

    refused = running("leaderboard", "add", str(run), "--board", str(tmp_path / "board"))

    assert refused.returncode == 1
    assert "seeds_outside_split: its seeds are not whole pairs, counted from 200000" in refused.stdout
    assert "--split test" in refused.stdout


def edit_metrics(entry: Path) -> None:
    """Raise the success of an entry."""
    about = json.loads((entry / "entry.json").read_text())
    about["metrics"]["success"]["value"] = 1.0
    (entry / "entry.json").write_text(json.dumps(about))


@pytest.mark.parametrize(
    ("code", "change"), [("metrics_altered", edit_metrics), ("files_altered", alter_a_byte)]
)
def test_an_entry_that_was_altered_later_is_refused_and_on_no_page(
    companyos: CommandLine, idle_run: Path, tmp_path: Path, code: str, change: Callable[[Path], None]
) -> None:
    board = tmp_path / "board"
    change(entry_of(idle_run, board))

    checked = companyos("leaderboard", "verify", str(board), "--replays", "0")
    page = companyos("leaderboard", "page", str(board))

    assert (checked.returncode, page.returncode) == (1, 1)
    assert f"  {code}: " in checked.stdout
    assert f"  {code}: " in page.stdout
    assert not (tmp_path / "board" / "index.html").exists()


def test_a_held_out_salt_counts_once_its_hash_was_published_before(
    companyos: CommandLine, tmp_path: Path
) -> None:
    salt, board = {"COMPANYOS_SALT": "kept-until-the-end"}, tmp_path / "board"
    run = play(companyos, tmp_path / "run", *IDLE, **salt)
    command = ("leaderboard", "add", str(run), "--board", str(board), "--replays", "0")

    unpublished = companyos(*command, **salt)
    digest = re.findall(r"[0-9a-f]{64}", unpublished.stdout)[0]
    board.mkdir()
    (board / "salts.json").write_text(json.dumps([{"sha256": digest, "published": "2999-01-01"}]))
    too_late = companyos(*command, **salt)
    (board / "salts.json").write_text(json.dumps([{"sha256": digest, "published": "2026-01-01"}]))
    under_the_public_salt = companyos(*command)
    entered = companyos(*command, **salt)

    assert "salt_uncommitted" in unpublished.stdout
    assert "salt_uncommitted" in too_late.stdout
    assert "trace_of_another_task" in under_the_public_salt.stdout
    assert entered.returncode == 0, entered.stdout


def test_a_page_tells_entries_with_other_settings_apart_and_runs_nothing_that_a_name_says(
    companyos: CommandLine, oracle_run: Path, idle_run: Path, tmp_path: Path
) -> None:
    board = tmp_path / "board"
    forged = forge(idle_run, tmp_path / "forged", edit_request(name=HOSTILE))
    for run in (oracle_run, idle_run, forged):
        entry_of(run, board)

    written = companyos("leaderboard", "page", str(board))

    html = (board / "index.html").read_text()
    assert written.returncode == 0, written.stderr
    assert (html.count("<table>"), html.count('<th scope="row">')) == (2, 3)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert not re.search(r"<(script|img|link|iframe)|<[^>]*\s(on\w+|src|href)=|url\(", html)
    assert "default-src 'none'" in html
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", path.name) for path in board.iterdir() if path.is_dir())
