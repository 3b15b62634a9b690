"""Settings are checked by name before anything starts, and a running stack says which ones came too late."""

import pytest

from .conftest import CommandLine

REFUSED = [
    ({"COMPANYOS_DURABILITY": "medium"}, "COMPANYOS_DURABILITY is medium. Allowed: fast, full."),
    ({"COMPANYOS_PG_BIN": "/nonexistent"}, "COMPANYOS_PG_BIN is /nonexistent. Allowed: a folder that holds"),
    ({"COMPANYOS_TRAINER_TOKEN_FILE": "/nonexistent"}, "COMPANYOS_TRAINER_TOKEN_FILE is /nonexistent"),
    (
        {"COMPANYOS_HOST": "192.0.2.1", "COMPANYOS_TRAINER_TOKEN": "a token"},
        "COMPANYOS_HOST is 192.0.2.1. Allowed: an address of this machine.",
    ),
    (
        {"COMPANYOS_MAX_EPISODE": "7"},
        "COMPANYOS_MAX_EPISODE is not a setting. Did you mean COMPANYOS_MAX_EPISODES?",
    ),
    ({"COMPANYOS_REPLICAS": "17"}, "COMPANYOS_REPLICAS"),
]


@pytest.mark.parametrize(("setting", "told"), REFUSED, ids=[next(iter(one)) for one, _ in REFUSED])
def test_up_refuses_a_setting_by_name_with_what_is_allowed(
    companyos: CommandLine, setting: dict[str, str], told: str
) -> None:
    refused = companyos("up", **setting)

    assert refused.returncode == 2
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr + refused.stdout
    assert not (companyos.home.path / "logs" / "postgres.log").exists()


def test_a_wrong_setting_is_refused_before_a_stack_goes_to_the_background(companyos: CommandLine) -> None:
    refused = companyos("up", "--detach", COMPANYOS_DURABILITY="medium")

    assert refused.returncode == 2
    assert "COMPANYOS_DURABILITY is medium. Allowed: fast, full." in refused.stderr
    assert not (companyos.home.path / "logs" / "postgres.log").exists()


def test_a_running_stack_says_which_new_settings_it_ignores(running: CommandLine) -> None:
    told = running("up", COMPANYOS_MAX_EPISODES="7", COMPANYOS_SALT="hush", COMPANYOS_DURABILITY="fast")

    assert told.returncode == 0
    assert (
        "Ignored, because the stack already runs: COMPANYOS_MAX_EPISODES=7, COMPANYOS_SALT=(secret"
        in told.stdout
    )
    assert "COMPANYOS_DURABILITY" not in told.stdout
    assert "hush" not in told.stdout


def test_a_running_stack_is_silent_about_settings_that_it_has(running: CommandLine) -> None:
    assert "Ignored" not in running("up").stdout


def test_a_setting_that_is_wrong_is_refused_beside_a_running_stack_too(running: CommandLine) -> None:
    refused = running("up", COMPANYOS_MAX_EPISODES="abc")

    assert refused.returncode == 2
    assert "COMPANYOS_MAX_EPISODES is abc" in refused.stderr


@pytest.mark.parametrize("name", ["ticketdesk", "orchestrator"])
def test_serve_names_every_setting_that_is_missing(companyos: CommandLine, name: str) -> None:
    refused = companyos("serve", name)

    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr
    for variable in ("DATABASE_URL", "REDIS_URL", "CONTEXT_KEY", "ADMIN_TOKEN"):
        assert f"COMPANYOS_{variable} is not set." in refused.stderr


def test_a_secret_is_not_repeated_in_what_is_said_of_it(companyos: CommandLine) -> None:
    refused = companyos("serve", "ticketdesk", COMPANYOS_CONTEXT_KEY="tooshort")

    assert "COMPANYOS_CONTEXT_KEY is (secret " in refused.stderr
    assert "at least 16 characters" in refused.stderr
    assert "tooshort" not in refused.stderr
