"""The result folder: written as episodes end, resumed by its own request alone, and never half read."""

from dataclasses import replace
from pathlib import Path

import pytest

from companyos.evaluation.runs import (
    AgentSpec,
    Budgets,
    EpisodeRecord,
    FolderUnusable,
    OtherRun,
    RunFolder,
    RunRequest,
    read_run,
)

from .samples import REQUEST, WON, record

ABOUT = {"name": "first", "companyos_version": "0.1.0"}
TRAJECTORY = {"schema_version": "ATIF-v1.8", "steps": []}


def folder_of(path: Path, request: RunRequest = REQUEST) -> RunFolder:
    return RunFolder.open(path, request, ABOUT)


def test_a_record_is_the_same_after_a_line_of_the_file() -> None:
    assert EpisodeRecord.of_line(WON.line()) == WON
    assert b'"return":15.3' in WON.line()


def test_a_field_of_a_later_release_is_ignored() -> None:
    assert EpisodeRecord.of_line(WON.line().replace(b'{"key"', b'{"mood":"good","key"')) == WON


@pytest.mark.parametrize(
    "request_",
    [
        REQUEST,
        replace(REQUEST, agent=AgentSpec("openai", "m", {"model": "m"}), chaos=("storm", {"preset": "calm"})),
        replace(
            REQUEST, tools=("wait", "finish"), budgets=Budgets(3, 4, 5.0, 6.0), split="test", oracle=True
        ),
    ],
)
def test_a_request_is_the_same_after_the_folder(request_: RunRequest, tmp_path: Path) -> None:
    with folder_of(tmp_path / "run", request_):
        pass

    assert read_run(tmp_path / "run").request == request_


def test_kept_episode_reads_back_equal(tmp_path: Path) -> None:
    with folder_of(tmp_path / "run") as folder:
        folder.keep(WON, TRAJECTORY, '{"step":0}\n{"step":1}\n')
        run = read_run(tmp_path / "run")

    assert (run.name, run.episodes) == ("first", (WON,))
    assert run.trajectory(WON.key) == TRAJECTORY
    assert run.trace(WON.key) == [{"step": 0}, {"step": 1}]
    with pytest.raises(FolderUnusable, match="cannot be read"):
        run.trace("another")


def test_a_line_that_a_kill_cut_off_is_not_read_and_goes_when_the_run_resumes(tmp_path: Path) -> None:
    with folder_of(tmp_path / "run") as folder:
        folder.keep(WON, None, None)
    lines = tmp_path / "run" / "episodes.jsonl"
    lines.write_bytes(lines.read_bytes() + record(1).line()[:40])

    assert read_run(tmp_path / "run").episodes == (WON,)
    with folder_of(tmp_path / "run") as folder:
        assert set(folder.records) == {WON.key}
        folder.keep(record(2), None, None)
    assert [one.key for one in read_run(tmp_path / "run").episodes] == [WON.key, record(2).key]


def test_of_an_episode_played_again_the_latest_record_counts(tmp_path: Path) -> None:
    with folder_of(tmp_path / "run") as folder:
        folder.keep(replace(WON, success=False), None, None)
        folder.keep(WON, None, None)

    assert read_run(tmp_path / "run").episodes == (WON,)


def test_another_request_is_refused_and_says_in_what_it_differs(tmp_path: Path) -> None:
    with folder_of(tmp_path / "run"):
        pass

    with pytest.raises(OtherRun, match="another value of repeats, seeds"):
        folder_of(tmp_path / "run", replace(REQUEST, seeds=(0,), repeats=2))


def test_a_run_may_resume_with_more_seats_and_more_money(tmp_path: Path) -> None:
    with folder_of(tmp_path / "run"):
        pass

    richer = replace(REQUEST, concurrency=64, budgets=Budgets(usd=9.0, minutes=1.0))
    with folder_of(tmp_path / "run", richer) as resumed:
        assert resumed.path == tmp_path / "run"


def test_two_processes_do_not_write_one_folder(tmp_path: Path) -> None:
    with folder_of(tmp_path / "run"), pytest.raises(FolderUnusable, match="being written by another"):
        folder_of(tmp_path / "run")


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("important")

    with pytest.raises(FolderUnusable, match="not empty and holds no run"):
        folder_of(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2}', '{"format": 1}', '{"format": 1, "agent": 3}']
)
def test_a_file_that_describes_no_run_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text)
    (tmp_path / "episodes.jsonl").touch()

    with pytest.raises(FolderUnusable):
        read_run(tmp_path)


DAMAGE = [
    (b'{"key": "x"}', "lacks the field 'predicates'"),
    (WON.line().replace(b'"return"', b'"profit"').strip(), "lacks the field 'return'"),
    (WON.line().replace(b'"episode_id"', b'"id"').strip(), "lacks the field 'episode_id'"),
    (WON.line()[:40], "is not JSON: "),
    (b"[]", "is no JSON object but []"),
    (WON.line().replace(b'"steps":', b'"steps":"many","old":').strip(), "has a wrong 'steps': "),
    (
        WON.line().replace(b'"ended":', b'"ended":"eaten","old":').strip(),
        "'eaten' is not a valid EpisodeEnding",
    ),
    (b"\xff", "is not JSON: "),
]


@pytest.mark.parametrize(("line", "flaw"), DAMAGE)
def test_a_damaged_line_is_named_with_its_file_its_number_its_flaw_and_a_remedy(
    line: bytes, flaw: str, tmp_path: Path
) -> None:
    with folder_of(tmp_path / "run") as folder:
        folder.keep(WON, None, None)
    with (tmp_path / "run" / "episodes.jsonl").open("ab") as file:
        file.write(line + b"\n")

    with pytest.raises(FolderUnusable) as caught:
        read_run(tmp_path / "run")

    told = str(caught.value)
    assert told.startswith(f"{tmp_path / 'run' / 'episodes.jsonl'}, line 2 ")
    assert flaw in told
    assert "Restore the file, or delete the line and repeat the command of the run" in told


@pytest.mark.parametrize("text", ["{", "[]", '{"step": 0}\n{"step":\n'])
def test_a_damaged_trace_or_trajectory_is_named_with_its_file_and_a_remedy(text: str, tmp_path: Path) -> None:
    with folder_of(tmp_path / "run") as folder:
        folder.keep(WON, TRAJECTORY, "")
    run = read_run(tmp_path / "run")
    trace, trajectory = (
        run.path / "traces" / f"{WON.key}.jsonl",
        run.path / "trajectories" / f"{WON.key}.json",
    )
    trace.write_text(text)
    trajectory.write_text(text)

    with pytest.raises(
        FolderUnusable, match=f"line {text.count(chr(10)) or 1} .* delete the line of {WON.key}"
    ):
        run.trace(WON.key)
    with pytest.raises(FolderUnusable, match=r"trajectories.* is no.* delete the line of"):
        run.trajectory(WON.key)


def test_a_place_where_nothing_can_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(FolderUnusable, match="cannot be written"):
        folder_of(tmp_path / "file" / "run")


def test_there_is_no_run_where_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(FolderUnusable, match="cannot be read"):
        read_run(tmp_path / "nothing")
