"""A Compose stack under test: its own project name and port, what runs in it, and its end."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.live_services import free_port

ROOT = Path(__file__).parents[2]
PROCESSES = ("ticketdesk", "datahub", "approvalflow", "orchestrator")
LOAD_BALANCERS = ("trainer-api", "agent-api")
LASTING = ("postgres", "redis", *PROCESSES, *LOAD_BALANCERS)
ONE_SHOTS = ("secrets", "migrate")
START_TIMEOUT_S = 400


@dataclass(frozen=True)
class Stack:
    """A project of Compose: the compose file of a tree under a name, ports and settings of its own."""

    project: str
    port: int
    agent_port: int
    settings: dict[str, str] = field(default_factory=dict)
    replicas: int = 1
    tree: Path = ROOT

    @property
    def url(self) -> str:
        """The trainer API, as published on this machine."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def agent_url(self) -> str:
        """The agent API, as published on this machine."""
        return f"http://127.0.0.1:{self.agent_port}"

    def compose(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `docker compose` on this project, without the .env file that a developer may have."""
        named = ["docker", "compose", "--env-file", "/dev/null", "-p", self.project, *arguments]
        done = subprocess.run(named, cwd=self.tree, env=self._environment(), capture_output=True, text=True)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(named)} exited {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def up(self, *options: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Bring every container of the stack up, as many of each process as there are to be, and wait for them."""
        scale = [part for name in PROCESSES for part in ("--scale", f"{name}={self.replicas}")]
        waits = ("--wait", "--wait-timeout", str(START_TIMEOUT_S))
        return self.compose("up", *waits, *(scale if self.replicas > 1 else ()), *options, check=check)

    def containers(self, service: str) -> list[str]:
        """Return the names that Compose gives a service's containers."""
        replicas = self.replicas if service in PROCESSES else 1
        return [f"{self.project}-{service}-{number}" for number in range(1, replicas + 1)]

    def inspect(self, service: str) -> dict[str, Any]:
        """Return what the engine knows of a service's first container."""
        return docker_json("inspect", self.containers(service)[0])[0]

    def execute(self, service: str, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command in the first container of a service."""
        done = docker("exec", self.containers(service)[0], *command)
        if check and done.returncode != 0:
            raise AssertionError(
                f"{command} exited {done.returncode} in {service}\n{done.stdout}\n{done.stderr}"
            )
        return done

    def python(self, service: str, program: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a Python program in the container of one of our processes, with what that process may do."""
        return self.execute(service, "python", "-c", program, check=check)

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COMPANYOS_")}
        ports = {"COMPANYOS_PORT": str(self.port), "COMPANYOS_AGENT_PORT": str(self.agent_port)}
        return {**kept, **ports, **self.settings}


@contextlib.contextmanager
def running(stack: Stack) -> Iterator[float]:
    """Start a stack, yield the seconds until all of it was healthy, and leave nothing behind.

    Raises:
        AssertionError: Some container did not become healthy; the message carries the logs.
    """
    try:
        stack.compose("build")
        begun = time.monotonic()
        started = stack.up(check=False)
        took = time.monotonic() - begun
        if started.returncode != 0:
            logs = stack.compose("logs", "--no-color", "--tail", "60", check=False).stdout
            raise AssertionError(f"the stack did not start\n{started.stderr}\n{logs}")
        yield took
    finally:
        stack.compose("down", "--volumes", "--remove-orphans", "--timeout", "5", check=False)


def new_stack(name: str, *, replicas: int = 1, tree: Path = ROOT, **settings: str) -> Stack:
    """Return a stack that no other run on this machine has."""
    return Stack(f"companyos-{name}-{os.getpid()}", free_port(), free_port(), settings, replicas, tree)


def copy_tree(folder: Path) -> Path:
    """Copy this tree into a folder, without what is left out of images anyway, and return the copy."""
    left_out = shutil.ignore_patterns(".git", ".venv*", "__pycache__")
    return Path(shutil.copytree(ROOT, folder / "tree", ignore=left_out, copy_function=shutil.copyfile))


def docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `docker`, whatever comes of it."""
    return subprocess.run(["docker", *arguments], capture_output=True, text=True)


def is_healthy(container: str) -> bool:
    """Whether a container runs and says that all is well."""
    state = docker_json("inspect", container)[0]["State"]
    return bool(state["Running"]) and state["Health"]["Status"] == "healthy"


def docker_json(*arguments: str) -> Any:
    """Run `docker` and return the JSON it prints."""
    return json.loads(docker(*arguments).stdout)


@cache
def engine_answers() -> bool:
    """Whether a Docker engine with Compose can be used here."""
    for command in (["docker", "version"], ["docker", "compose", "version"]):
        try:
            if subprocess.run(command, capture_output=True).returncode != 0:
                return False
        except FileNotFoundError:
            return False
    return True
