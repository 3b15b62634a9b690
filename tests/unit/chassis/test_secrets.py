"""Secrets in the settings of a process."""

from __future__ import annotations

import pytest

from companyos.chassis import ProcessSettings

SECRET = "a-secret-of-16-characters"


def test_a_secret_is_read_without_the_end_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "CONTEXT_KEY", "ADMIN_TOKEN", "OPERATOR_TOKEN"):
        monkeypatch.setenv(f"COMPANYOS_{name}", f"{SECRET}\n")

    settings = ProcessSettings()  # type: ignore[call-arg]

    assert settings.operator_token is not None
    assert settings.operator_token.get_secret_value() == SECRET
    assert settings.admin_token.get_secret_value() == SECRET
