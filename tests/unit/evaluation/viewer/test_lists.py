"""Lists of episodes: filters, pages, and the order of live ones."""

from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.runs import FolderUnusable
from companyos.evaluation.viewer import RunShelf
from companyos.evaluation.viewer.lists import EpisodeFilter, episode_rows, live_rows, run_rows
from tests.unit.evaluation.report.samples import UNMET, mixed, written
from tests.unit.evaluation.runs.samples import record


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, EpisodeFilter()),
        ({"scenario": "one", "chaos": "3", "outcome": "failed"}, EpisodeFilter("one", "3", "failed")),
        ({"page": "2"}, EpisodeFilter(page=2)),
        ({"page": "x", "colour": "red"}, EpisodeFilter(page=1)),
    ],
)
def test_a_filter_takes_what_it_understands(query: dict[str, str], expected: EpisodeFilter) -> None:
    assert EpisodeFilter.of(query) == expected


def test_episodes_are_listed_by_scenario_chaos_and_seed(tmp_path: Path) -> None:
    run = written(tmp_path / "run", mixed()[::-1])

    listed = episode_rows("a run", run, EpisodeFilter())

    assert [row.name for row in listed.rows] == sorted(row.name for row in listed.rows)
    assert listed.rows[0].link == "/runs/a%20run/one-c0-s0-r0"
    assert (listed.total, listed.pages) == (8, 1)
    assert (listed.scenarios, listed.chaos) == (["one", "two"], ["0", "3"])


def test_a_failed_episode_is_listed_with_its_reason(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [record(0, predicates=(UNMET,)), record(1, success=True)])

    rows = episode_rows("run", run, EpisodeFilter()).rows

    assert [(row.outcome.word, row.reason) for row in rows] == [("not solved", "approved"), ("solved", "")]


def summary(episode_id: str, **parts: Any) -> dict[str, Any]:
    blank = {
        "episode_id": episode_id,
        "scenario": "one",
        "chaos": 1,
        "chaos_name": "breeze",
        "seed": 0,
        "step_count": 3,
        "max_steps": 9,
        "episode_return": 0.0,
        "done": True,
        "success": False,
        "truncated": False,
        "invalid": False,
    }
    return blank | parts


def test_live_episodes_in_progress_come_first_and_open_at_their_latest_step() -> None:
    rows = live_rows(
        [summary("old"), summary("a/b&c", done=False, success=None), summary("late", truncated=True)]
    )

    assert [(row.name, row.outcome.word) for row in rows] == [
        ("a/b&c", "in progress"),
        ("old", "not solved"),
        ("late", "out of steps"),
    ]
    assert rows[0].link == "/live/episode?id=a%2Fb%26c&step=last"


def test_a_shelf_holds_runs_and_folders_of_runs(tmp_path: Path) -> None:
    written(tmp_path / "all" / "first", mixed())
    written(tmp_path / "all" / "second", mixed())
    written(tmp_path / "first", mixed(), name="the other")

    shelf = RunShelf([tmp_path / "all", tmp_path / "first"])

    assert list(shelf.runs()) == ["first", "second", "first-2"]
    assert [row.link for row in run_rows(shelf.runs())] == ["/runs/first", "/runs/second", "/runs/first-2"]


def test_a_folder_without_a_run_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(FolderUnusable, match="holds no run"):
        RunShelf([tmp_path])


def test_a_run_that_grows_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    written(folder, [record(0)])
    shelf = RunShelf([folder])
    assert [len(run.episodes) for run in shelf.runs().values()] == [1]

    written(folder, [record(1)])

    assert [len(run.episodes) for run in shelf.runs().values()] == [2]


def test_an_episode_whose_files_are_missing_is_still_shown(tmp_path: Path) -> None:
    written(tmp_path / "run", [record(0, predicates=(UNMET,), agent_error="it broke")])

    episode = RunShelf([tmp_path / "run"]).episode("run", "one-c0-s0-r0")

    assert episode is not None
    assert (episode.steps, episode.brief, episode.note) == ([], "", "it broke")
    assert RunShelf([tmp_path / "run"]).episode("run", "../../etc/passwd") is None
