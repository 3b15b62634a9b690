"""Settings of the orchestrator that are refused together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from companyos.chassis import settings as of_processes
from companyos.embedded.settings import GIVEN
from orchestrator.runtime import guarantees
from orchestrator.runtime.settings import Settings

TRAINER_TOKEN = "the-token-of-the-trainer"
GRADER_TOKEN = "the-token-of-graders"
NARROWER = pytest.mark.parametrize("narrower", ["grader_token", "rollout_token"])


def settings(**given: Any) -> Settings:
    return Settings(**{**GIVEN, **given})


@NARROWER
def test_a_narrower_token_without_a_trainer_token_is_refused(narrower: str) -> None:
    with pytest.raises(ValidationError, match="Set COMPANYOS_TRAINER_TOKEN"):
        settings(**{narrower: GRADER_TOKEN})


@NARROWER
def test_a_narrower_token_that_is_the_trainers_is_refused(narrower: str) -> None:
    with pytest.raises(ValidationError, match="and COMPANYOS_TRAINER_TOKEN are the same"):
        settings(trainer_token=GRADER_TOKEN, **{narrower: GRADER_TOKEN})


def test_a_grader_token_that_is_that_of_rollouts_is_refused() -> None:
    with pytest.raises(ValidationError, match="and COMPANYOS_ROLLOUT_TOKEN are the same"):
        settings(trainer_token=TRAINER_TOKEN, rollout_token=GRADER_TOKEN, grader_token=GRADER_TOKEN)


def test_tracing_without_opentelemetry_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_processes, "TRACING_PACKAGES", ("opentelemetry_that_is_nowhere.sdk",))

    with pytest.raises(ValidationError, match=r"pip install 'openenv-companyos\[tracing\]'"):
        settings(tracing=True)


@pytest.mark.parametrize("services", [",", "desk=http://one:1,desk=http://two:2", "a=http://one:1,b"])
def test_services_are_named_once_each(services: str) -> None:
    with pytest.raises(ValidationError, match="write services as name=http://host:port, each once"):
        settings(services=services)


@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"])
def test_a_collector_without_an_address_is_refused_where_traces_are_exported(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_processes, "TRACING_PACKAGES", ())
    monkeypatch.setenv(name, "http://collector:99999/v1/traces")

    assert not settings().tracing
    with pytest.raises(ValidationError, match=f"{name} has no host or port that can be read"):
        settings(tracing=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://host:99999",
        "http://host:port",
        "http://host:0",
        "http://[",
        "http://a..b",
        "http://over there",
        "http://host?to=x",
        "http:///path",
        "host:8443",
    ],
)
def test_an_address_to_which_no_connection_can_be_attempted_is_refused(url: str) -> None:
    with pytest.raises(ValidationError, match=r"a URL such as https://agents\.example:8443; this one "):
        settings(agent_url=url)
    with pytest.raises(ValidationError, match="write services as name=http://host:port"):
        settings(services=f"ticketdesk={url}")


def test_an_empty_file_holds_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "grader_token").write_text("\n")
    monkeypatch.setenv("COMPANYOS_GRADER_TOKEN_FILE", str(tmp_path / "grader_token"))

    assert settings().grader_token is None


@pytest.mark.parametrize(
    ("given", "lacks"),
    [
        ({"require": "asset_isolation"}, "set COMPANYOS_TRAINER_TOKEN"),
        ({"require": "asset_isolation", "trainer_token": TRAINER_TOKEN}, "set COMPANYOS_SALT to a secret"),
        (
            {"require": "control_plane_isolation", "trainer_token": TRAINER_TOKEN, "open_access": True},
            "not COMPANYOS_OPEN_ACCESS",
        ),
        (
            {"require": "control_plane_isolation,world_peace"},
            "no property 'world_peace'. Choose from asset_isol",
        ),
    ],
)
def test_a_required_property_that_does_not_hold_is_refused_with_what_is_missing(
    given: dict[str, Any], lacks: str
) -> None:
    with pytest.raises(ValidationError, match=lacks):
        settings(**given)


def test_required_properties_that_hold_are_accepted() -> None:
    required = "asset_isolation, control_plane_isolation"

    assert settings(require=required, trainer_token=TRAINER_TOKEN, salt="hush").require == required


#: `/proc` of a process in a container of ours, and of one that was given everything.
CONFINED = {
    "status": "CapEff:\t0000000000000000\nNoNewPrivs:\t1\n",
    "route": "Iface\neth0 000011AC 0 1 0 0 0 0000FFFF",
}
FREE = {
    "status": "CapEff:\t000001ffffffffff\nNoNewPrivs:\t0\n",
    "route": "Iface\neth0 00000000 1 3 0 0 0 00000000",
}


@pytest.mark.parametrize(
    ("proc", "user", "lacks"), [(CONFINED, 65532, []), (FREE, 0, ["root", "capab", "gain", "default"])]
)
def test_privileges_and_routes_are_read_off_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proc: dict[str, str], user: int, lacks: list[str]
) -> None:
    for name, text in (("self/status", proc["status"]), ("net/route", proc["route"])):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(guarantees, "_PROC", tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: user)

    try:
        settings(require="privilege_drop,egress_control")
        told = ""
    except ValidationError as refused:
        told = str(refused)

    assert all(lack in told for lack in lacks)
    assert bool(told) is bool(lacks)
