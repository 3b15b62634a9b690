"""A container of the image under test: run alone, told nothing but what a test tells it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..compose import ROOT, docker, docker_json, is_healthy

IMAGE = "companyos-one:e2e"
PROJECT = "one-e2e"
#: As Compose's file has it: not by the clock.
DATED = {"SOURCE_DATE_EPOCH": "0"}
#: For machines that do much else; no test asks how long a start takes.
DEADLINE_S = 400.0
#: The longest wait for the engine to know an image that it built.
KNOWN_S = 60.0
#: As `openenv validate` runs an image, but for the user; nothing may be executed from /tmp, which is Docker's default.
CONFINED = (
    "--read-only",
    "--tmpfs=/tmp:size=1984m",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--pids-limit=256",
    "--memory=4096m",
    "--memory-swap=4096m",
    "--cpus=2",
)


@dataclass(frozen=True)
class Container:
    """A running container and its name."""

    name: str

    @property
    def url(self) -> str:
        """The trainer API, as published on this machine."""
        return f"http://{self._published(8000)}"

    @property
    def agent_url(self) -> str:
        """The agent API, as published on this machine."""
        return f"http://{self._published(8080)}"

    @property
    def state(self) -> dict[str, Any]:
        """What the engine knows of its state."""
        found: dict[str, Any] = docker_json("inspect", self.name)[0]["State"]
        return found

    @property
    def said(self) -> str:
        """Everything that it has printed."""
        told = docker("logs", self.name)
        return told.stdout + told.stderr

    def execute(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in it."""
        return docker("exec", self.name, *command)

    def status(self) -> dict[str, Any]:
        """Return what `companyos status` says in it."""
        status: dict[str, Any] = json.loads(self.execute("companyos", "status", "--json").stdout)
        return status

    def stop(self) -> int:
        """Stop it as `docker stop` does by default, and return its exit code."""
        docker("stop", self.name)
        return int(self.state["ExitCode"])

    def await_health(self) -> None:
        """Wait until the image's own health check passes."""
        ends = time.monotonic() + DEADLINE_S
        while not is_healthy(self.name):
            assert self.state["Running"], self.said
            assert time.monotonic() < ends, self.said
            time.sleep(0.1)

    def _published(self, port: int) -> str:
        return docker("port", self.name, str(port)).stdout.split()[0]


@contextlib.contextmanager
def started(
    *options: str, command: tuple[str, ...] = (), interval: str = "--health-interval=1s"
) -> Iterator[Container]:
    """Run a container of the image and remove it at the end.

    Args:
        options: Options of `docker run`.
        command: Command that replaces the image's.
        interval: How often the image's health check runs; by default more often than the image says.
    """
    container = Container(f"one-{secrets.token_hex(4)}")
    asked = ["run", "--detach", "--name", container.name, *filter(None, [interval]), *options]
    try:
        run = docker(*asked, "--publish=127.0.0.1::8000", "--publish=127.0.0.1::8080", IMAGE, *command)
        assert run.returncode == 0, run.stderr
        yield container
    finally:
        docker("rm", "--force", "--volumes", container.name)


@contextlib.contextmanager
def healthy(*options: str) -> Iterator[Container]:
    """Run a container of the image until it is healthy, and remove it at the end."""
    with started(*options) as container:
        container.await_health()
        yield container


def build(context: str, image: str, *options: str, dockerfile: str = "Dockerfile") -> None:
    """Build a Dockerfile of a folder, with Compose's builder: plain `docker build` may lack BuildKit.

    Args:
        context: The folder.
        image: Name of the image.
        options: Options of `docker compose build`.
        dockerfile: Its path below the folder.
    """
    pip_conf = os.environ.get("COMPANYOS_PIP_CONF") or str(ROOT / "deploy" / "pip.conf")
    how = {"context": context, "dockerfile": dockerfile, "secrets": ["pip_conf"], "args": DATED}
    service = {"image": image, "build": how}
    project = {"services": {"image": service}, "secrets": {"pip_conf": {"file": pip_conf}}}
    built = subprocess.run(
        ["docker", "compose", "-f", "-", "-p", PROJECT, "build", *options],
        input=json.dumps(project),
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    # Some engines know an image a moment after Compose has built it.
    ends = time.monotonic() + KNOWN_S
    while docker("image", "inspect", image).returncode != 0:
        assert time.monotonic() < ends, f"{image} was built, and the engine does not know it"
        time.sleep(0.2)
