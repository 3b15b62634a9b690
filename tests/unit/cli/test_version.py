"""One version, wherever it is written."""

import re
import tomllib
from pathlib import Path

import companyos

ROOT = Path(__file__).parents[3]


def test_the_manifest_of_openenv_has_the_version_of_the_package() -> None:
    written = re.search(r'^version: "(.+)"$', (ROOT / "openenv.yaml").read_text(), re.MULTILINE)

    assert written
    assert written[1] == companyos.__version__


def test_the_build_reads_the_version_from_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())

    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "companyos/version.py"
