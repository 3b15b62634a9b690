"""The image, built once, and a container of it that tests share which leave it as it is."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.client_venvs import made_once

from ..compose import ROOT
from .container import IMAGE, Container, build, healthy


@pytest.fixture(scope="session", autouse=True)
def image(engine: None) -> str:
    """The name of the image, built from this tree."""
    build(str(ROOT), IMAGE)
    return IMAGE


@pytest.fixture(scope="package")
def container(image: str) -> Iterator[Container]:
    """A container that was told nothing."""
    with healthy() as running:
        yield running


@pytest.fixture(scope="session")
def openenv_python() -> Path:
    """The interpreter of a virtual environment that has OpenEnv, and nothing of ours."""
    return made_once()


@pytest.fixture
def docker_front(tmp_path: Path) -> str:
    """A folder to put first in PATH, whose `docker` does without buildx and without a registry."""
    real, python = shutil.which("docker"), ROOT / ".venv" / "bin" / "python"
    front = tmp_path / "bin" / "docker"
    front.parent.mkdir()
    front.write_text(f'#!/bin/sh\nexec {python} {Path(__file__).with_name("docker_front.py")} {real} "$@"\n')
    front.chmod(0o755)
    return str(front.parent)
