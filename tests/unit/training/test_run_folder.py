"""The curve and the checkpoint of a training stay consistent, whoever reads them."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch comes with the extra `train`", exc_type=ImportError)

from companyos.training.run_folder import RunFolder


def interrupted(path: Path) -> RunFolder:
    """A run that was stopped between two checkpoints."""
    folder = RunFolder(path)
    folder.record(1, {"loss": 0.5})
    folder.save(update=1)
    folder.record(2, {"loss": 0.4})
    return folder


def test_an_interrupted_run_goes_on_where_its_checkpoint_was_saved(tmp_path: Path) -> None:
    interrupted(tmp_path)

    assert RunFolder(tmp_path).resume() == {"update": 1, "curve_bytes": 27}
    assert (tmp_path / "metrics.jsonl").read_text() == '{"update": 1, "loss": 0.5}\n'


def test_reading_the_checkpoint_of_a_run_leaves_its_curve_alone(tmp_path: Path) -> None:
    interrupted(tmp_path)

    assert RunFolder(tmp_path).load() == {"update": 1, "curve_bytes": 27}
    assert (tmp_path / "metrics.jsonl").read_text().count("\n") == 2
