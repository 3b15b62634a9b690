"""The bill of materials of the image: complete, hashed, and the same bytes for the same lock file."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from companyos.version import __version__
from deploy.make_sbom import make_sbom
from deploy.make_space import ROOT

LOCK = ROOT / "requirements.lock"
FIRST, SECOND, THIRD = "a" * 64, "b" * 64, "c" * 64
SMALL = f"""\
Two_Files.Here==1.0rc1 ; sys_platform != 'win32' \\
    --hash=sha256:{FIRST} \\
    --hash=sha256:{SECOND}
    # via something
plain==2 \\
    --hash=sha256:{THIRD}
"""


@pytest.fixture(scope="module")
def sbom() -> dict[str, Any]:
    return make_sbom(LOCK.read_text(), __version__)


def test_every_line_of_the_lock_becomes_a_component_with_its_hashes() -> None:
    first, second = make_sbom(SMALL, "3")["components"]

    assert (first["name"], first["version"], first["purl"]) == (
        "Two_Files.Here",
        "1.0rc1",
        "pkg:pypi/two-files-here@1.0rc1",
    )
    assert [each["content"] for each in first["hashes"]] == [FIRST, SECOND]
    assert first["properties"] == [{"name": "companyos:marker", "value": "sys_platform != 'win32'"}]
    assert (second["purl"], second["hashes"]) == ("pkg:pypi/plain@2", [{"alg": "SHA-256", "content": THIRD}])
    assert "properties" not in second


def test_every_locked_dependency_and_every_hash_is_in_it(sbom: dict[str, Any]) -> None:
    lock = LOCK.read_text()

    components = sbom["components"]

    pinned = re.findall(r"^([^\s=]+)==(\S+)", lock, re.MULTILINE)
    assert [(each["name"], each["version"]) for each in components] == pinned
    hashes = [found["content"] for each in components for found in each["hashes"]]
    assert hashes == re.findall("sha256:([0-9a-f]+)", lock)


def test_it_is_about_this_version_of_ours_which_depends_on_all_of_them(sbom: dict[str, Any]) -> None:
    ours = sbom["metadata"]["component"]

    assert ours["purl"] == f"pkg:pypi/openenv-companyos@{__version__}"
    [uses] = sbom["dependencies"]
    assert uses == {"ref": ours["bom-ref"], "dependsOn": [each["bom-ref"] for each in sbom["components"]]}


def test_the_same_lock_gives_the_same_bytes_and_another_lock_another_serial_number() -> None:
    command = [sys.executable, str(ROOT / "deploy" / "make_sbom.py")]
    runs = [subprocess.check_output(command, input=LOCK.read_bytes()) for _ in range(2)]

    assert runs[0] == runs[1]
    written = json.loads(runs[0])
    assert (written["bomFormat"], written["specVersion"]) == ("CycloneDX", "1.6")
    assert "timestamp" not in written["metadata"]
    assert written["serialNumber"] != make_sbom(SMALL, __version__)["serialNumber"]
