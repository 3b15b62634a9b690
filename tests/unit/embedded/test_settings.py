"""What a setting may be is said in words, and what is set is compared with what is in force."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from companyos.embedded.errors import Misuse
from companyos.embedded.settings import (
    StackSettings,
    allowed_values,
    check_given_settings,
    check_settings,
    given_trainer_token,
    ignored_settings,
    settings_in_force,
    stack_settings,
)
from orchestrator.runtime.settings import Settings


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("durability", "fast, full"),
        ("calm_s", "a number from 0"),
        ("port", "a whole number from 0 to 65535"),
        ("pg_bin", ""),
    ],
)
def test_allowed_values_of_a_stack_setting_are_described(name: str, words: str) -> None:
    assert allowed_values(StackSettings.model_fields[name]).replace(".0", "") == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("open_access", "true, false"),
        ("queue_s", "a number above 0"),
        ("context_key", "at least 16 characters"),
        ("salt", "at most 64 characters"),
        ("log_level", "debug, info, warning, error"),
    ],
)
def test_allowed_values_of_a_process_setting_are_described(name: str, words: str) -> None:
    assert allowed_values(Settings.model_fields[name]) == words


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_DURABILITY", "")

    assert stack_settings().durability == "fast"
    assert "COMPANYOS_DURABILITY" not in settings_in_force()


def test_every_wrong_setting_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_DURABILITY", "medium")
    monkeypatch.setenv("COMPANYOS_CALM_S", "long")

    with pytest.raises(Misuse) as refused:
        stack_settings()

    assert "COMPANYOS_DURABILITY is medium" in str(refused.value)
    assert "COMPANYOS_CALM_S is long" in str(refused.value)


def test_a_list_of_services_that_cannot_be_read_is_refused_with_its_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COMPANYOS_SERVICES", "ticketdesk")

    with pytest.raises(Misuse, match="write services as name=http://host:port"):
        check_settings("orchestrator")


def test_a_setting_is_ignored_where_the_running_stack_has_another_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COMPANYOS_MAX_EPISODES", "7")
    running = {**settings_in_force(), "COMPANYOS_MAX_EPISODES": "8"}

    assert ignored_settings(running) == ["COMPANYOS_MAX_EPISODES=7"]
    assert ignored_settings(settings_in_force()) == []


def test_a_default_that_is_spelt_out_is_not_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    running = settings_in_force()
    monkeypatch.setenv("COMPANYOS_MAX_EPISODES", "20000")

    assert ignored_settings(running) == []


def test_a_variable_that_is_like_no_setting_is_somebody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    before = stack_settings()
    for name in (
        "COMPANYOS_IMAGE",
        "COMPANYOS_DATABASE_CPUS",
        "COMPANYOS_E2E",
        "COMPANYOS_TRAINER_TOKEN_FILE",
    ):
        monkeypatch.setenv(name, "/dev/null")

    check_given_settings()

    assert stack_settings() == before


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENENV_VALIDATION_TOKEN", "secret-of-mine"),
        ("COMPANYOS_VALIDATION_TOKEN", "secret-of-mine"),
        ("COMPANYOS_GRADER_TOKEN", "secret-of-mine"),
        ("COMPANYOS_CELL", "My Cell"),
        ("COMPANYOS_AGENT_URL", "agents.example"),
        ("COMPANYOS_QUEUE_S", "nan"),
    ],
)
def test_a_wrong_setting_is_named_before_a_start_and_no_secret_shown(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(Misuse, match=f"^{variable} is ") as refused:
        stack_settings()
        check_given_settings()

    assert "secret-of-mine" not in str(refused.value)


def test_an_error_of_a_process_shows_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPANYOS_ADMIN_TOKEN", "too-short")

    with pytest.raises(ValidationError) as failure:
        Settings()

    assert "admin_token" in str(failure.value)
    assert "too-short" not in str(failure.value)


def test_a_file_of_a_secret_that_is_no_text_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_bytes(b"\xff\xfe\x00")
    monkeypatch.setenv("COMPANYOS_TRAINER_TOKEN_FILE", str(path))

    assert given_trainer_token() is None
    with pytest.raises(Misuse, match=f"COMPANYOS_TRAINER_TOKEN_FILE is {path}, which is no text"):
        check_given_settings()
