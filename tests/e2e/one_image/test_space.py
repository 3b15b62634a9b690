"""The folder of a Hugging Face Space: what the Hub reads, what `openenv push` asks for, and an image that works."""

import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.make_space import make_space

from ..compose import docker
from .container import build

IMAGE = "companyos-one:space"
CHECK = """
import sys
from pathlib import Path
from openenv.cli._cli_utils import validate_env_structure
print([each for each in validate_env_structure(Path(sys.argv[1])) if "outputs/" not in each])
"""


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub") / "space"
    make_space(folder)
    return folder


def test_the_hub_is_told_how_to_run_it(space: Path) -> None:
    facts = yaml.safe_load((space / "README.md").read_text().split("---\n")[1])

    assert (facts["sdk"], facts["app_port"], facts["base_path"]) == ("docker", 8000, "/")
    assert "openenv" in facts["tags"]
    assert len(facts["short_description"]) <= 60


def test_openenv_push_finds_all_it_asks_for(space: Path, openenv_python: Path) -> None:
    checked = subprocess.run([openenv_python, "-c", CHECK, space], capture_output=True, text=True)

    assert (checked.returncode, checked.stdout.strip()) == (0, "[]"), checked.stderr


def test_the_folder_builds_the_image(space: Path) -> None:
    build(str(space), IMAGE)

    said = docker("run", "--rm", "--network=none", IMAGE, "--version").stdout

    docker("image", "rm", IMAGE)
    assert said.startswith("companyos ")
