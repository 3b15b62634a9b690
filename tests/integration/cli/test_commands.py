"""The commands that need no running stack."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companyos import stackpath

from .conftest import CommandLine

HELP_S = 0.3


def test_help_is_quick_and_names_every_command(companyos: CommandLine) -> None:
    durations = []
    for _ in range(5):
        began = time.monotonic()
        shown = companyos("--help").stdout
        durations.append(time.monotonic() - began)

    assert min(durations) < HELP_S
    for command in ("up", "down", "status", "logs", "doctor", "demo", "serve", "migrate", "certify", "chaos"):
        assert f"\n  {command} " in shown


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("up", "--nonsense"), ("up", "--port", "many"), ("serve",)]
)
def test_a_misuse_exits_with_2(companyos: CommandLine, arguments: tuple[str, ...]) -> None:
    assert companyos(*arguments).returncode == 2


def test_serve_names_what_there_is(companyos: CommandLine) -> None:
    refused = companyos("serve", "nobody")

    assert refused.returncode == 1
    assert "ticketdesk, datahub, approvalflow, orchestrator" in refused.stderr


def test_migrate_says_which_setting_is_missing(companyos: CommandLine) -> None:
    refused = companyos("migrate")

    assert refused.returncode == 1
    assert "TICKETDESK_DATABASE_PASSWORD" in refused.stderr


def test_logs_without_a_stack_say_how_to_start_one(companyos: CommandLine) -> None:
    refused = companyos("logs")

    assert refused.returncode == 1
    assert "companyos up" in refused.stderr


def test_the_doctor_finds_this_machine_fit(companyos: CommandLine) -> None:
    examined = companyos("doctor", "--json")

    findings = {finding["name"]: finding for finding in json.loads(examined.stdout)}
    assert examined.returncode == 0, examined.stdout
    assert {"python", "ports", "disk", "PostgreSQL", "Valkey", "user namespaces", "sockets"} <= set(findings)
    assert not [name for name, finding in findings.items() if finding["verdict"] == "fail"]


def test_the_doctor_says_how_to_fix_what_is_missing(companyos: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    examined = companyos("doctor", "--home", str(tmp_path / "file" / "home"), COMPANYOS_PG_BIN="/nowhere")

    assert examined.returncode == 1
    assert "Choose another --home" in examined.stdout


def test_a_home_that_cannot_be_is_refused_with_the_way_out(companyos: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    refused = companyos("up", "--home", str(tmp_path / "file" / "home"))

    assert refused.returncode == 1
    assert "Choose another --home" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_stack_is_found_from_any_folder(tmp_path: Path) -> None:
    program = "from companyos import stackpath; stackpath.enter(); import services, orchestrator, scenarios"

    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=stackpath.environment(),
        capture_output=True,
        text=True,
    )

    assert found.returncode == 0, found.stderr
