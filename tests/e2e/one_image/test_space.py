"""The folder of a Hugging Face Space builds the image, as the Hub builds it."""

from pathlib import Path

from deploy.make_space import make_space

from ..compose import docker
from .container import build

IMAGE = "companyos-one:space"


def test_the_folder_builds_the_image(tmp_path: Path) -> None:
    make_space(tmp_path / "space")
    build(str(tmp_path / "space"), IMAGE)

    said = docker("run", "--rm", "--network=none", IMAGE, "--version").stdout

    docker("image", "rm", IMAGE)
    assert said.startswith("companyos ")
