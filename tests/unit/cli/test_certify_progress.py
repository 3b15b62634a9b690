"""A certification says on standard error which levels are finished, also without a terminal."""

from collections.abc import Sequence

import pytest

from companyos.cli.progress.certification import progress_shown
from companyos.evaluation.baselines import Play, Player
from companyos.evaluation.certify import Certification, Progress

PLAYERS = (Player.ORACLE, Player.DO_NOTHING)
WANTED = Certification(range(2), ["expense_report"], levels=(0, 1), players=PLAYERS)


def shown_lines(wanted: Certification, plays: Sequence[Play]) -> None:
    with progress_shown(wanted) as tell:
        for number, play in enumerate(plays, start=1):
            tell(Progress(number, len(plays), play))


def play(level: int, seed: int, player: Player, *, success: bool) -> Play:
    return Play("expense_report", level, seed, player, success, 0.0, 1, invalid=False, trace_hash="")


def plays_of(level: int, *, solved: int) -> list[Play]:
    oracle = [play(level, seed, Player.ORACLE, success=seed < solved) for seed in range(2)]
    return [*oracle, *(play(level, seed, Player.DO_NOTHING, success=False) for seed in range(2))]


def test_a_line_says_that_a_level_is_finished(capsys: pytest.CaptureFixture[str]) -> None:
    shown_lines(WANTED, [*plays_of(0, solved=2), *plays_of(1, solved=1)])

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "1 of 2: expense_report at chaos 0, 4 episodes, the oracle solved 2 of 2",
        "2 of 2: expense_report at chaos 1, 4 episodes, the oracle solved 1 of 2",
    ]


def test_a_level_with_a_play_left_and_replays_are_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    replay = play(0, 0, Player.ORACLE, success=True)

    shown_lines(WANTED, [*plays_of(0, solved=2), *plays_of(1, solved=2)[:-1], replay])

    assert len(capsys.readouterr().err.splitlines()) == 1
