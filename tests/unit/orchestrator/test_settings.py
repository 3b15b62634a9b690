"""Settings of the orchestrator that are refused together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from companyos.embedded.settings import GIVEN
from orchestrator.runtime.settings import Settings

TRAINER_TOKEN = "the-token-of-the-trainer"
GRADER_TOKEN = "the-token-of-graders"


def settings(**given: Any) -> Settings:
    return Settings(**{**GIVEN, **given})


def test_a_grader_has_a_token_beside_the_trainers() -> None:
    assert settings(trainer_token=TRAINER_TOKEN, grader_token=GRADER_TOKEN).grader_token is not None


def test_a_grader_token_without_a_trainer_token_is_refused() -> None:
    with pytest.raises(ValidationError, match="Set COMPANYOS_TRAINER_TOKEN"):
        settings(grader_token=GRADER_TOKEN)


def test_a_grader_token_that_is_the_trainers_is_refused() -> None:
    with pytest.raises(ValidationError, match="are the same"):
        settings(trainer_token=GRADER_TOKEN, grader_token=GRADER_TOKEN)


def test_an_empty_file_holds_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "grader_token").write_text("\n")
    monkeypatch.setenv("COMPANYOS_GRADER_TOKEN_FILE", str(tmp_path / "grader_token"))

    assert settings().grader_token is None
