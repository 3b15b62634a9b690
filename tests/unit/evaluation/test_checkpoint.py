"""The checkpoint of a certification: what was played stays played, as long as it is about the same thing."""

from dataclasses import replace
from pathlib import Path

import pytest

from companyos.evaluation.baselines import Play, Player
from companyos.evaluation.checkpoint import Checkpoint, CheckpointUnreadable

VERSIONS = {"vendor_onboarding": 3}
PLAY = Play(
    scenario="vendor_onboarding",
    level=2,
    seed=7,
    player=Player.CAREFUL,
    success=True,
    episode_return=20.5,
    steps=31,
    invalid=False,
    trace_hash="abc",
    met=(("biz.missing_field", "overcome"), ("svc.http_5xx", "landed")),
)


def found(checkpoint: Checkpoint, *, alone: bool = False) -> Play | None:
    return checkpoint.find("vendor_onboarding", 2, 7, Player.CAREFUL, alone=alone)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plays.jsonl"


def test_a_play_is_found_again_as_it_was(path: Path) -> None:
    Checkpoint(path, VERSIONS).keep(PLAY, alone=False)

    again = Checkpoint(path, VERSIONS)

    assert found(again) == PLAY
    assert found(again, alone=True) is None


def test_without_a_file_nothing_is_kept() -> None:
    checkpoint = Checkpoint(None, VERSIONS)

    checkpoint.keep(PLAY, alone=False)

    assert found(checkpoint) is None


def test_a_play_of_another_version_of_its_scenario_does_not_count(path: Path) -> None:
    Checkpoint(path, {"vendor_onboarding": 2}).keep(PLAY, alone=False)

    assert found(Checkpoint(path, VERSIONS)) is None


def test_a_line_that_was_cut_off_is_played_again_and_spoils_no_other(path: Path) -> None:
    Checkpoint(path, VERSIONS).keep(PLAY, alone=False)
    with path.open("ab") as file:
        file.write(b'{"scenario": "vend')

    mended = Checkpoint(path, VERSIONS)
    mended.keep(replace(PLAY, seed=8), alone=False)

    assert found(mended) == PLAY
    assert Checkpoint(path, VERSIONS).find("vendor_onboarding", 2, 8, Player.CAREFUL, alone=False) is not None


@pytest.mark.parametrize("content", ["no json\n", "[]\n", '{"scenario": "vendor_onboarding"}\n'])
def test_another_file_is_refused_by_name(path: Path, content: str) -> None:
    path.write_text(content)

    with pytest.raises(CheckpointUnreadable, match=r"plays\.jsonl is no checkpoint"):
        Checkpoint(path, VERSIONS)
