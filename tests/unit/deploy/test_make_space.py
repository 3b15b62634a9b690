"""The folder of a Hugging Face Space: complete, told to the Hub, and free of what belongs to a checkout only."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from deploy.make_space import CONTENT, ROOT, make_space


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub") / "space"
    make_space(folder)
    return folder


def test_the_hub_is_told_how_to_run_it(space: Path) -> None:
    facts = yaml.safe_load((space / "README.md").read_text().split("---\n")[1])

    assert (facts["sdk"], facts["app_port"], facts["base_path"]) == ("docker", 8000, "/")
    assert "openenv" in facts["tags"]
    # More is refused by the Hub.
    assert len(facts["short_description"]) <= 60


def test_everything_that_the_image_is_built_from_is_there(space: Path) -> None:
    dockerfile = (space / "Dockerfile").read_text()
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", dockerfile, re.MULTILINE)
        for source in line.split()[:-1]
    ]

    assert "requirements.lock" in copied
    assert [source for source in copied if not list(space.glob(source))] == []


def test_the_manifest_names_files_that_are_there(space: Path) -> None:
    validation = yaml.safe_load((space / "openenv.yaml").read_text())["validation"]

    named = [validation["execution"][key] for key in ("dockerfile", "probe_path")]
    named.append(validation["capabilities"]["oracle"]["location"])
    assert [name for name in named if not (space / name).is_file()] == []


def test_space_contains_neither_caches_nor_hidden_files(space: Path) -> None:
    files = [path.relative_to(space) for path in space.rglob("*")]

    assert [path for path in files if path.name.startswith(".") or "__pycache__" in path.parts] == []
    assert {path.parts[0] for path in files} == {*CONTENT, "README.md", "__init__.py", "client.py"}


def test_a_folder_that_exists_is_refused(tmp_path: Path) -> None:
    refused = subprocess.run(
        [sys.executable, ROOT / "deploy" / "make_space.py", tmp_path], capture_output=True, text=True
    )

    assert refused.returncode == 1
    assert refused.stderr.strip() == f"{tmp_path} exists. Name a folder that does not."


def test_the_folder_installs_as_a_package_that_brings_the_client(space: Path, tmp_path: Path) -> None:
    """AutoEnv installs an environment from the folder of its Space."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, space]
    built = subprocess.run(build, capture_output=True, text=True)

    assert built.returncode == 0, built.stderr
    [wheel] = tmp_path.glob("*.whl")
    assert wheel.name.startswith("openenv_companyos-")
