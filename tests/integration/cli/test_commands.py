"""The commands that need no running stack."""

import json
import subprocess
import sys
from pathlib import Path

from companyos.sdk import stackpath

from .conftest import CommandLine

HEAVY = {
    "fastapi",
    "httpx",
    "orchestrator",
    "psycopg",
    "pydantic",
    "redis",
    "scenarios",
    "sqlalchemy",
    "uvicorn",
}


def test_help_names_every_command_and_loads_nothing_that_takes_long(companyos: CommandLine) -> None:
    program = "import sys; sys.argv = ['companyos', '--help']\nfrom companyos.cli import main\ntry: main()\nfinally: "
    program += f"print('loaded:', sorted({HEAVY} & sys.modules.keys()))"
    shown = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=stackpath.environment(),
        check=True,
    ).stdout

    assert "loaded: []" in shown
    for command in (
        "up",
        "down",
        "status",
        "logs",
        "doctor",
        "demo",
        "serve",
        "migrate",
        "certify",
        "attack",
        "chaos",
        "verify",
        "regrade",
    ):
        assert f"\n  {command} " in shown


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


def test_the_doctor_says_which_setting_cannot_be_used(companyos: CommandLine) -> None:
    examined = companyos("doctor", "--json", COMPANYOS_MAX_EPISODES="abc")

    [finding] = [one for one in json.loads(examined.stdout) if one["name"] == "settings"]
    assert examined.returncode == 1
    assert finding["verdict"] == "fail"
    assert finding["found"] == "COMPANYOS_MAX_EPISODES is abc"
    assert finding["fix"].startswith("Allowed: a whole number")


def test_a_home_that_cannot_be_is_refused_with_the_way_out(companyos: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    refused = companyos("up", "--home", str(tmp_path / "file" / "home"))

    assert refused.returncode == 2
    assert "Choose another --home" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_stack_is_found_from_any_folder(tmp_path: Path) -> None:
    program = (
        "from companyos.sdk import stackpath; stackpath.enter(); import services, orchestrator, scenarios"
    )

    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=stackpath.environment(),
        capture_output=True,
        text=True,
    )

    assert found.returncode == 0, found.stderr
