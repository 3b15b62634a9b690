"""The commands that need no running stack."""

import json
from pathlib import Path

from .conftest import CommandLine


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
