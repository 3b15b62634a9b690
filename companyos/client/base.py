"""Common base of the blocking and the asynchronous client: the server's address and the current episode."""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from .containers import ContainerProvider, start
from .conversation import Conversation, Record
from .transport import AsyncTransport, Transport

DEFAULT_IMAGE = "companyos"
DEFAULT_URL = "http://127.0.0.1:8000"
TOKEN_VARIABLE = "COMPANYOS_TRAINER_TOKEN"  # noqa: S105 - the name of a variable, not a token


class Via(StrEnum):
    """Transport for reset, step and state."""

    HTTP = "http"
    WEBSOCKET = "websocket"


class BaseEnv:
    """Common base of both clients: the server's address and the current episode."""

    _transport: Transport | AsyncTransport | None = None

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        via: Via | str = Via.HTTP,
        timeout_s: float = 60.0,
        provider: ContainerProvider | None = None,
    ) -> None:
        """Configure the client. Nothing is sent before the first call.

        Args:
            base_url: URL of the trainer API, for example `http://localhost:8000`.
            token: The trainer token, by default COMPANYOS_TRAINER_TOKEN. Needed only if the server requires
                one.
            via: Transport of the episode: `http`, or `websocket`, which is faster per step.
            timeout_s: Longest wait for one response.
            provider: The provider that started the server's container, if `close` is to stop it.
        """
        self.base_url = base_url.rstrip("/")
        self._token = token or os.environ.get(TOKEN_VARIABLE) or None
        self._via = Via(via)
        self._timeout_s = timeout_s
        self._episode = Conversation(self.base_url)
        self._provider = provider

    @classmethod
    def local(cls, **options: Any) -> Self:
        """Return a client of the stack in COMPANYOS_HOME on this machine, starting it if necessary.

        The stack keeps running after the client is closed; `companyos down` stops it. Starting blocks for a few
        seconds: on an event loop, call this method with `asyncio.to_thread`.

        Args:
            options: Arguments of the class except `base_url` and `token`.

        Raises:
            StackError: The stack cannot start; the message says what to do.
        """
        from ..embedded.detached import start_detached
        from ..embedded.home import Home

        home = Home.at(None)
        stack = home.status() or start_detached(home)
        return cls(stack.url, token=stack.trainer_token, **options)

    @classmethod
    def from_docker_image(
        cls,
        image: str = DEFAULT_IMAGE,
        provider: ContainerProvider | None = None,
        *,
        env_vars: Mapping[str, str] | None = None,
        wait_timeout: float = 60.0,
        **options: Any,
    ) -> Self:
        """Start a container of the image and return a client of it, whose `close` stops and removes the container.

        Starting blocks for a few seconds: on an event loop, call this method with `asyncio.to_thread`.

        Args:
            image: Name of an image built from this project's Dockerfile.
            provider: Starts and stops the container; by default the `docker` command, on 127.0.0.1 only.
            env_vars: Settings of the stack in the container, as environment variables.
            wait_timeout: Longest wait for the stack to be ready, in seconds.
            options: Arguments of the class except `base_url` and `provider`.

        Raises:
            ContainerFailed: No container runs and answers; nothing is left running.
        """
        settings = dict(env_vars or {})
        url, started = start(image, provider, settings, wait_timeout)
        return cls(url, **{"token": settings.get(TOKEN_VARIABLE), **options}, provider=started)

    @property
    def episode_id(self) -> str | None:
        """The id of the current episode, or None before the first reset and after close."""
        return self._episode.id

    @property
    def agent_access(self) -> Record:
        """The `agent_token` and `agent_urls` with which an agent plays the current episode by itself.

        Empty before the first reset and after `attach`: the server shows the token only to the client that
        opens the episode.
        """
        return self._episode.agent_access

    def detach(self) -> str | None:
        """Leave the current episode open for another client to `attach` to, and return its id."""
        episode_id, self._episode = self._episode.id, Conversation(self.base_url)
        if self._transport is not None:
            self._transport.forget_episode()
        return episode_id

    def _branch(self, episode: Conversation) -> Self:
        """Return a new client for another episode of the same server."""
        client = type(self)(self.base_url, token=self._token, via=self._via, timeout_s=self._timeout_s)
        client._episode = episode
        return client

    def _stop_container(self) -> None:
        """Stop the container that was started for this client, if any."""
        if self._provider is not None:
            self._provider.stop_container()
            self._provider = None


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: readers see either the old or the complete new content."""
    there = Path(path)
    part = there.with_name(f"{there.name}.part")
    part.write_bytes(data)
    part.replace(there)
