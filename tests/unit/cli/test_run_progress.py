"""What a run shows on standard error while it plays, and at its end on standard output."""

import sys
from io import StringIO

import pytest

from companyos.cli.run import progress as shown
from companyos.cli.run.command import without_token
from companyos.cli.run.tables import show_summary
from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.runs import EpisodeEnding, FaultResult
from companyos.evaluation.runs.metrics import summary_of
from companyos.evaluation.runs.progress import RunProgress
from tests.unit.evaluation.runs.samples import record


class Terminal(StringIO):
    """A screen that remembers everything drawn on it."""

    def isatty(self) -> bool:
        return True


def test_elsewhere_than_on_a_terminal_the_end_is_a_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    with shown.progress_shown(RunProgress.of(2, [], 2)) as run:
        run.watch(record(0, success=True, steps=4))
        run.watch(record(1, steps=4))

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("2/2 done, success 50.0% (9.5%-90.5%), return +0.00, ")
    assert printed.err.count("\n") == 1


def test_the_first_line_comes_soon_and_the_next_only_later(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "FIRST_S", 0.0)

    with shown.progress_shown(RunProgress.of(4, [], 4)) as run:
        run.watch(record(0))
        run.watch(record(1))

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("1/4 done")
    assert line.endswith("left")


def test_each_reason_for_agent_errors_is_told_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown, "EVERY_S", 0.0)

    with shown.progress_shown(RunProgress.of(4, [], 4)) as run:
        for seed, told in enumerate(("gone: req_1a2b3c4d", "gone: req_5e6f7a8b", "said nothing")):
            run.watch(record(seed, ended=EpisodeEnding.AGENT_ERROR, agent_error=told))

    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("agent error:")]
    assert told == ["agent error: gone: req_1a2b3c4d", "agent error: said nothing"]


def test_on_a_terminal_a_bar_moves_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")

    with shown.progress_shown(RunProgress.of(4, [], 4)) as run:
        run.watch(record(0, success=True, steps=4, usage=Usage(900, 100)))

    drawn = screen.getvalue()
    assert "1/4 done · success 100.0%" in drawn
    assert "1,000 tokens" in drawn


def test_the_summary_has_a_line_for_each_cell_and_remarks_below(capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        record(0, success=True, steps=10, oracle_steps=8, faults=(FaultResult("svc.http_429", "overcome"),)),
        record(
            1,
            violations={"self_approval": 2},
            collateral_rows=1,
            faults=(FaultResult("svc.http_429", "landed"),),
        ),
        record(
            0,
            chaos=3,
            ended=EpisodeEnding.AGENT_ERROR,
            agent_error="gone: req_011CSHoEeqs5",
            usage=Usage(900, 100, 0, 1.5),
        ),
        record(1, chaos=3, ended=EpisodeEnding.ENVIRONMENT_FAILURE),
    ]

    show_summary(summary_of("test", found))

    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1] == ["one", "0", "2", "50.0%", "9.5%-90.5%", "0.0%", "+0.00", "5.0", "1.25", "40.0%"]
    assert lines[2][:4] == ["one", "3", "2", "0.0%"]
    assert lines[3][:3] == ["all", "all", "4"]
    remarks = [" ".join(line) for line in lines[5:]]
    assert remarks == [
        (
            "pattern gap 50.0%: success minus pair accuracy, "
            "what was solved without telling the two tasks of a pair apart"
        ),
        "ended: agent error 1, environment failure 1, finished 2",
        "agent error: 1 x gone: req_011CSHoEeqs5",
        "faults overcome: svc.http_429 50% of 2",
        "violations per 100 episodes: self_approval 66.7",
        "episodes with changes outside the task: 33.3%",
        "tokens: 1,000, $1.50",
    ]


def test_a_run_of_agent_errors_alone_has_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    failed = [record(seed, ended=EpisodeEnding.AGENT_ERROR, agent_error="gone") for seed in (0, 1)]

    show_summary(summary_of("test", failed))
    with shown.progress_shown(RunProgress.of(2, failed[:1], 1)) as run:
        run.watch(failed[1])

    printed = capsys.readouterr()
    assert printed.out.splitlines()[1].split() == ["one", "0", "2", "-", "-", "-", "-"]
    assert "success" not in printed.err
    assert summary_of("test", failed).document()["overall"]["success"]["value"] == 0.0


def test_a_run_of_nothing_has_a_summary_too(capsys: pytest.CaptureFixture[str]) -> None:
    show_summary(summary_of("test", []))

    assert capsys.readouterr().out.splitlines()[0].split()[:2] == ["scenario", "chaos"]


def test_the_token_of_a_command_is_not_kept() -> None:
    assert without_token(["run", "--token", "hush", "--url", "u"]) == ["run", "--token", "…", "--url", "u"]
    assert without_token(["run", "--token=hush"]) == ["run", "--token=…"]
