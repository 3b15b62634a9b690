"""What can be known without a stack is refused before one is started: places where no results can be written."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from companyos.cli import certify
from companyos.cli.app import app
from companyos.cli.attack import command as attack
from companyos.cli.results import leaderboard
from companyos.cli.run import command
from companyos.cli.train import command as train
from companyos.evaluation.runs import RunFolder
from tests.unit.evaluation.runs.samples import REQUEST

RUN = ["run", "vendor_onboarding", "--agent", "oracle", "--seeds", "2"]


@pytest.fixture(autouse=True)
def no_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> None:
        raise AssertionError("a stack was started")

    monkeypatch.setattr(command, "stack_for", start)
    monkeypatch.setattr(certify, "trainer_stack", start)
    monkeypatch.setattr(leaderboard, "replay_stack", start)
    monkeypatch.setattr(attack, "trainer_stack", start)
    monkeypatch.setattr(train, "trainer_stack", start)
    monkeypatch.setattr(train, "find_spec", lambda name: name)


def refusal(arguments: Sequence[str]) -> str:
    """Return what a command that is used wrongly says, on one line."""
    result = CliRunner().invoke(app, list(arguments))
    told = result.output if result.exit_code == 2 else f"{result.exit_code}: {result.exception}"
    return " ".join(told.replace("│", " ").split())


@pytest.mark.parametrize(
    "arguments",
    [
        RUN,
        ["certify", "vendor_onboarding", "--seeds", "2"],
        ["dataset", "vendor_onboarding", "--seeds", "2"],
        ["export", "run", "--format", "hf"],
    ],
    ids=lambda arguments: arguments[0],
)
@pytest.mark.parametrize("place", ["file", "file/below"])
def test_an_out_that_cannot_be_a_folder_is_refused_before_a_stack_starts(
    arguments: list[str], place: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")

    told = refusal([*arguments, "--out", str(tmp_path / place)])

    assert "no folder" in told or "holds something else" in told, told
    assert "--out" in told
    assert (tmp_path / "file").read_text() == "mine"


def test_an_out_with_something_else_or_another_run_is_refused_before_a_stack_starts(tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "notes.txt").write_text("mine")
    with RunFolder.open(tmp_path / "other", REQUEST, {"name": "first"}):
        pass

    something_else = refusal([*RUN, "--out", str(tmp_path / "else")])
    another_run = refusal([*RUN, "--out", str(tmp_path / "other")])

    assert "is not empty and holds no run" in something_else
    assert "holds a run with another value of" in another_run


def test_an_export_to_a_folder_where_a_file_is_to_be_is_refused(tmp_path: Path) -> None:
    told = refusal(["export", "run", "--format", "sft", "--out", str(tmp_path)])

    assert "is a folder. Choose another --out" in told
    assert "there is no folder" in refusal(
        ["export", "run", "--format", "sft", "--out", str(tmp_path / "no" / "file")]
    )


@pytest.mark.parametrize("place", ["file", "file/below", "locked", "locked/below"])
def test_a_training_whose_out_cannot_be_a_folder_is_refused_before_a_stack_starts(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "locked").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: "locked" not in str(path))
    config = tmp_path / "sft.toml"
    config.write_text(f'out = "{tmp_path / place}"\n')

    told = refusal(["train", "sft", "--config", str(config)])

    assert "no folder" in told or "cannot be written: Permission denied" in told, told
    assert "Choose another `out`" in told


@pytest.mark.parametrize("arguments", [["leaderboard", "page"], ["report"]], ids=" ".join)
@pytest.mark.parametrize("place", ["", "file/below", "missing/page.html"])
def test_an_out_that_cannot_be_a_file_is_refused_before_anything_is_read(
    arguments: list[str], place: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "results").mkdir()

    told = refusal([*arguments, str(tmp_path / "results"), "--out", str(tmp_path / place)])

    assert "cannot be written" in told or "is a folder" in told, told
    assert "Choose another --out" in told


@pytest.mark.parametrize(
    "arguments", [["attack"], ["certify", "--seeds", "2"]], ids=lambda arguments: arguments[0]
)
def test_cards_that_cannot_be_written_are_refused_before_a_stack_starts(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("README.md"))

    told = refusal([*arguments, "vendor_onboarding", "--cards"])

    assert "README.md cannot be written: Permission denied" in told
    assert "--cards" in told
