"""`companyos train` names the extra that is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from companyos.cli.train import command
from companyos.embedded.errors import StackError


@pytest.mark.parametrize(
    ("missing", "settings", "extra"),
    [("torch", "", "train"), ("transformers", 'model = "small"\n', "language")],
)
def test_a_training_whose_libraries_are_missing_names_their_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str, settings: str, extra: str
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None if name == missing else name)
    file = tmp_path / "sft.toml"
    file.write_text(f'out = "run"\n{settings}')

    with pytest.raises(StackError, match=rf"openenv-companyos\[{extra}\]"):
        command.run("sft", file, None, url=None, token=None)
