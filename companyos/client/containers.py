"""Containers that a client starts for itself, reachable from this machine only and removed at the end."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import time
import weakref
from collections.abc import Mapping
from typing import Protocol

from .errors import CompanyosError

LOOPBACK = "127.0.0.1"
TRAINER_PORT, AGENT_PORT = 8000, 8080
POLL_S = 0.2
LOG_LINES = "20"


class ContainerFailed(CompanyosError):
    """The container did not start or does not respond. The message shows its output or Docker's."""


class ContainerProvider(Protocol):
    """Starts and stops one container; OpenEnv's providers conform to it."""

    def start_container(self, image: str, *, env_vars: dict[str, str]) -> str:
        """Start the container and return the URL of its trainer API."""

    def wait_for_ready(self, base_url: str, timeout_s: float) -> None:
        """Return once the server answers."""

    def stop_container(self) -> None:
        """Stop and remove the container, if there is one."""


class DockerProvider:
    """Runs a container with the `docker` command of this machine."""

    def __init__(self) -> None:
        self._name: str | None = None

    def start_container(self, image: str, *, env_vars: Mapping[str, str]) -> str:
        """Start a container of `image` and return the URL of its trainer API.

        Both of its ports are published on free ports of 127.0.0.1, so no other machine reaches them.

        Raises:
            ContainerFailed: Docker is not available, or refuses to start the container.
        """
        name = f"companyos-{secrets.token_hex(4)}"
        trainer, agents = _free_port(), _free_port()
        settings = {"COMPANYOS_AGENT_URL": f"http://{LOOPBACK}:{agents}", **env_vars}
        published = [f"{LOOPBACK}:{trainer}:{TRAINER_PORT}", f"{LOOPBACK}:{agents}:{AGENT_PORT}"]
        options = [part for port in published for part in ("--publish", port)]
        # Only names, because other users of this machine can read command-line arguments.
        options += [part for name in settings for part in ("--env", name)]
        _docker("create", "--name", name, *options, image, env={**os.environ, **settings})
        # The container is removed with this object, or when the interpreter exits.
        self._name, self._finalizer = name, weakref.finalize(self, _remove, name, os.getpid())
        _docker("start", name)
        return f"http://{LOOPBACK}:{trainer}"

    def wait_for_ready(self, base_url: str, timeout_s: float) -> None:
        """Wait until the whole stack in the container is ready.

        Raises:
            ContainerFailed: The container ended, or was not ready in time.
        """
        from ..embedded.programs.probes import is_ready

        deadline = time.monotonic() + timeout_s
        while not is_ready(base_url):
            if _docker("inspect", "--format", "{{.State.Running}}", str(self._name)).strip() != "true":
                raise ContainerFailed(f"The container ended at its start. It said:\n{self._output()}")
            if time.monotonic() > deadline:
                raise ContainerFailed(
                    f"The container was not ready in {timeout_s:g} s. It said:\n{self._output()}"
                )
            time.sleep(POLL_S)

    def stop_container(self) -> None:
        """Stop the container once pending requests are finished, and remove it."""
        if self._name is None:
            return
        subprocess.run(["docker", "stop", self._name], capture_output=True)
        self._finalizer()
        self._name = None

    def _output(self) -> str:
        logs = subprocess.run(
            ["docker", "logs", "--tail", LOG_LINES, str(self._name)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return logs.stdout.strip()


def _docker(*arguments: str, env: Mapping[str, str] | None = None) -> str:
    try:
        done = subprocess.run(["docker", *arguments], capture_output=True, text=True, env=env)
    except FileNotFoundError:
        raise ContainerFailed(
            "There is no `docker` on this machine. Install Docker, or use CompanyosEnv.local(), which needs none."
        ) from None
    if done.returncode != 0:
        raise ContainerFailed(f"Docker refused: {done.stderr.strip()}")
    return done.stdout


def _remove(name: str, owner: int) -> None:
    """Remove a container, unless this process is only a fork of the one that started it."""
    if os.getpid() == owner:
        subprocess.run(["docker", "rm", "--force", name], capture_output=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def start(
    image: str, provider: ContainerProvider | None, env_vars: Mapping[str, str], timeout_s: float
) -> tuple[str, ContainerProvider]:
    """Start a container and return its trainer API's URL once it answers, and the provider that stops it.

    Raises:
        ContainerFailed: The container did not start or does not respond; nothing is left running.
    """
    provider = provider or DockerProvider()
    try:
        url = provider.start_container(image, env_vars=dict(env_vars))
        provider.wait_for_ready(url, timeout_s)
    except BaseException:
        provider.stop_container()
        raise
    return url, provider
