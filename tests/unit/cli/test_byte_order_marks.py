"""Files that an editor began with a byte-order mark are read as if they had none."""

import codecs
from pathlib import Path

import pytest

from companyos.chassis.settings import ProcessSettings
from companyos.cli.chaos import read_profile
from companyos.cli.process import secret
from companyos.training.config import CloningConfig, load_config

TOKEN = "the-token-of-the-operators"


def marked(path: Path, text: str) -> Path:
    """Write a file that begins with the mark."""
    path.write_bytes(codecs.BOM_UTF8 + text.encode())
    return path


def test_a_profile_is_read(tmp_path: Path) -> None:
    file = marked(tmp_path / "profile.json", '{"level": 3}')

    assert read_profile(f"@{file}") == {"level": 3}


def test_a_configuration_of_training_is_read(tmp_path: Path) -> None:
    file = marked(tmp_path / "train.toml", 'out = "run"')

    assert load_config(CloningConfig, file).out == Path("run")


def test_a_secret_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_FILE", str(marked(tmp_path / "token", f"{TOKEN}\n")))

    assert secret("TOKEN") == TOKEN


def test_the_secrets_of_a_process_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_OPERATOR_TOKEN_FILE", str(marked(tmp_path / "token", f"{TOKEN}\n")))

    settings = ProcessSettings(
        database_url="postgresql://", redis_url="redis://", context_key="-" * 16, admin_token="-" * 16
    )

    assert settings.operator_token is not None
    assert settings.operator_token.get_secret_value() == TOKEN
