"""The checkpoint of a certification: what was played stays played, as long as it is about the same thing."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from companyos.evaluation.baselines import Play, Player
from companyos.evaluation.checkpoint import Checkpoint, CheckpointUnreadable

VERSIONS = {"vendor_onboarding": 3}
SOURCES = {"vendor_onboarding": "d1"}
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
    Checkpoint(path, VERSIONS, SOURCES).keep(PLAY, alone=False)

    again = Checkpoint(path, VERSIONS, SOURCES)

    assert found(again) == PLAY
    assert found(again, alone=True) is None


def test_without_a_file_nothing_is_kept() -> None:
    checkpoint = Checkpoint(None, VERSIONS, SOURCES)

    checkpoint.keep(PLAY, alone=False)

    assert found(checkpoint) is None


def test_a_play_of_another_version_of_its_scenario_does_not_count(path: Path) -> None:
    Checkpoint(path, {"vendor_onboarding": 2}, SOURCES).keep(PLAY, alone=False)

    assert found(Checkpoint(path, VERSIONS, SOURCES)) is None


def test_a_play_of_a_scenario_that_was_edited_since_does_not_count(path: Path) -> None:
    Checkpoint(path, VERSIONS, {"vendor_onboarding": "d0"}).keep(PLAY, alone=False)

    assert found(Checkpoint(path, VERSIONS, SOURCES)) is None


@pytest.mark.parametrize("missing", [("source",), ("source", "crashed")])
def test_a_line_of_an_earlier_release_does_not_count(path: Path, missing: tuple[str, ...]) -> None:
    Checkpoint(path, VERSIONS, SOURCES).keep(PLAY, alone=False)
    line = orjson.loads(path.read_bytes())
    path.write_bytes(orjson.dumps({name: line[name] for name in line if name not in missing}) + b"\n")

    assert found(Checkpoint(path, VERSIONS, SOURCES)) is None


def test_a_line_that_was_cut_off_is_played_again_and_spoils_no_other(path: Path) -> None:
    Checkpoint(path, VERSIONS, SOURCES).keep(PLAY, alone=False)
    with path.open("ab") as file:
        file.write(b'{"scenario": "vend')

    mended = Checkpoint(path, VERSIONS, SOURCES)
    mended.keep(replace(PLAY, seed=8), alone=False)

    assert found(mended) == PLAY
    assert (
        Checkpoint(path, VERSIONS, SOURCES).find("vendor_onboarding", 2, 8, Player.CAREFUL, alone=False)
        is not None
    )


@pytest.mark.parametrize("content", ["no json\n", "[]\n", '{"scenario": "vendor_onboarding"}\n'])
def test_another_file_is_refused_by_name(path: Path, content: str) -> None:
    path.write_text(content)

    with pytest.raises(CheckpointUnreadable, match=r"plays\.jsonl is no checkpoint"):
        Checkpoint(path, VERSIONS, SOURCES)
