"""What is in the image: a default command, a health check, both ports; no volume, no secret, no trace of its build."""

import json
import re
from functools import cache
from typing import Any

import pytest

from companyos.version import __version__

from ..compose import docker, docker_json
from .container import IMAGE

SECRETS = """
import re
from pathlib import Path
told = re.compile(rb"SCRAM-SHA-256\\$[0-9]|-----BEGIN [A-Z ]*PRIVATE KEY-----|cosagent_[A-Za-z0-9_-]{20,}")
named = re.compile(r"secrets\\.json|\\.env|\\.netrc|pip\\.conf|id_rsa.*|\\.git")
files = [path for top in ("/opt/companyos", "/secrets", "/tmp", "/etc/pip.conf") for path in Path(top).rglob("*")]
print([str(path) for path in files if path.is_file()
       and (named.fullmatch(path.name) or told.search(path.read_bytes()) and "site-packages" not in path.parts)])
"""
WRITABLE = """
import os
from pathlib import Path
ours = [path for path in Path("/opt/companyos").rglob("*") if not path.is_symlink()]
print([str(path) for path in ours if os.access(path, os.W_OK)][:5])
"""

#: 1980-01-01, which every file has that the build made.
SINCE_1980_S = 315532800.0
UNCHECKED_HASH = 1
INSTALLED = """
import json, re
from importlib.metadata import distributions
print(json.dumps({re.sub("[-_.]+", "-", each.name).lower(): each.version for each in distributions()}))
"""
SBOM = "print(open('/opt/companyos/sbom.cdx.json').read())"

#: Of everything that the build made: its date, and of compiled code, the flags that say what it is checked against.
TRACES = """
from pathlib import Path
made = [path for top in ("/opt", "/secrets") for path in (Path(top), *Path(top).rglob("*"))]
compiled = [path for path in made if path.suffix == ".pyc"]
print({path.lstat().st_mtime for path in made}, {path.read_bytes()[4] for path in compiled})
"""


@cache
def config() -> dict[str, Any]:
    found: dict[str, Any] = docker_json("image", "inspect", IMAGE)[0]["Config"]
    return found


def in_the_image(program: str, *options: str) -> str:
    done = docker("run", "--rm", "--network=none", "--entrypoint=python", *options, IMAGE, "-c", program)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_it_says_what_it_runs_where_it_listens_and_how_it_is() -> None:
    assert config()["Entrypoint"] == ["companyos"]
    assert config()["Cmd"] == ["container", "run"]
    assert set(config()["ExposedPorts"]) == {"8000/tcp", "8080/tcp"}
    assert config()["Healthcheck"]["Test"][-1] == "http://127.0.0.1:8000/ready"


def test_its_labels_say_what_it_is_and_a_build_that_was_told_nothing_makes_nothing_up() -> None:
    labels = {
        name.removeprefix("org.opencontainers.image."): told for name, told in config()["Labels"].items()
    }

    assert (labels["title"], labels["version"], labels["licenses"]) == (
        "CompanyOS",
        __version__,
        "Apache-2.0 AND OFL-1.1",
    )
    assert (labels["revision"], labels["source"]) == ("", "")
    assert labels["created"] == "1970-01-01T00:00:00Z"


def test_its_user_is_a_number_and_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", config()["User"])


def test_it_declares_no_volume() -> None:
    assert not config().get("Volumes")


def test_its_environment_holds_no_secret_and_leaves_access_closed() -> None:
    names = [variable.partition("=")[0] for variable in config()["Env"]]

    assert [name for name in names if re.search("TOKEN|KEY|PASSWORD|SECRET|OPEN|INDEX|PROXY", name)] == []


def test_its_history_names_no_package_mirror() -> None:
    history = docker("history", "--no-trunc", "--format", "{{.CreatedBy}}", IMAGE).stdout

    assert not re.search(r"https?://(?!127\.0\.0\.1)\S*|index-url", history)


def test_image_contains_no_secret_file() -> None:
    assert in_the_image(SECRETS, "--user=0") == "[]"


def test_its_user_can_change_nothing_of_ours() -> None:
    assert in_the_image(WRITABLE) == "[]"


@pytest.mark.parametrize("name", ["companyos", "orchestrator", "services", "scenarios"])
def test_it_runs_compiled_code(name: str) -> None:
    program = f"import pathlib; from companyos.sdk import stackpath; stackpath.enter(); import {name}; "

    assert in_the_image(program + f"print(pathlib.Path({name}.__cached__).is_file())") == "True"


def test_its_bill_of_materials_names_everything_that_is_installed_and_no_other_version() -> None:
    sbom = json.loads(in_the_image(SBOM))

    installed = json.loads(in_the_image(INSTALLED))
    ours = sbom["metadata"]["component"]
    named = {each["name"]: each["version"] for each in [ours, *sbom["components"]]}
    assert installed.items() <= named.items()
    assert all("properties" in each for each in sbom["components"] if each["name"] not in installed)


def test_it_does_not_tell_when_or_where_it_was_built() -> None:
    created = docker_json("image", "inspect", IMAGE)[0]["Created"]

    dates, checks = f"{{{SINCE_1980_S}}}", f"{{{UNCHECKED_HASH}}}"
    assert in_the_image(TRACES, "--user=0") == f"{dates} {checks}"
    assert created == "1970-01-01T00:00:00Z"
