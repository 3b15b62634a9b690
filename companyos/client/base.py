"""Common base of the blocking and the asynchronous client: the server's address and the current episode."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from .cells.directory import cells_at
from .containers import ContainerProvider, start
from .conversation import FORKED, Conversation
from .records import Record
from .server import TIMEOUT_S, TOKEN_VARIABLE, server_at
from .transport import AsyncTransport, Transport

DEFAULT_IMAGE = "companyos"
DEFAULT_URL = "http://127.0.0.1:8000"
#: Connections that a forked process has from its parent. Kept, because closing them would close the parent's.
_INHERITED: list[Transport | AsyncTransport | None] = []


class Via(StrEnum):
    """Transport for reset, step and state."""

    HTTP = "http"
    WEBSOCKET = "websocket"


class BaseEnv:
    """Common base of both clients: the server's address and the current episode."""

    _transport: Transport | AsyncTransport | None = None

    def __init__(
        self,
        base_url: str | Sequence[str] = DEFAULT_URL,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        via: Via | str = Via.HTTP,
        timeout_s: float = TIMEOUT_S,
        provider: ContainerProvider | None = None,
    ) -> None:
        """Configure the client. Nothing is sent before the first call.

        Args:
            base_url: URL of the trainer API, for example `http://localhost:8000`. For several stacks that are used as
                one: their URLs, or `companyos+dns://NAME:PORT` for all addresses of a name.
            token: The trainer token, by default COMPANYOS_TRAINER_TOKEN. Needed only if the server requires
                one.
            headers: Headers of every request, for a proxy in front of the server; for a private Hugging Face Space,
                `{"X-HF-Authorization": "Bearer hf_…"}`.
            via: Transport of the episode: `http`, or `websocket`, which is faster per step.
            timeout_s: Longest wait for one response.
            provider: The provider that started the server's container, if `close` is to stop it.

        Raises:
            InvalidRequest: A URL is malformed.
            ValueError: No header can hold the token or a header's value. The message does not show it.
        """
        self._server = server_at(base_url, token, headers, timeout_s)
        self.base_url = self._server.url
        self._cells = cells_at(self.base_url)
        self._via = Via(via)
        self._conversation = Conversation(self._server.name, cells=self._cells)
        self._provider = provider
        self._process = os.getpid()

    @property
    def _episode(self) -> Conversation:
        """The current episode. A process that was forked from this client's begins without one."""
        if self._process != os.getpid():
            _INHERITED.append(self._transport)
            self._process, self._transport, self._provider = os.getpid(), None, None
            self._conversation = Conversation(self._server.name, missing=FORKED, cells=self._cells)
        return self._conversation

    @classmethod
    def local(cls, **options: Any) -> Self:
        """Return a client of the stack in COMPANYOS_HOME on this machine, starting it if necessary.

        The stack keeps running after the client is closed; `companyos down` stops it. One that runs the code of another
        checkout or installation is used with a warning that names both places. Starting blocks for a few
        seconds: on an event loop, call this method with `asyncio.to_thread`.

        Args:
            options: Arguments of the class except `base_url` and `token`.

        Raises:
            StackError: The stack cannot start; the message says what to do.
        """
        from ..embedded.detached import start_detached
        from ..embedded.home import Home

        home = Home.at(None)
        stack = home.lasting()
        if stack is None:
            print(f"Starting a company on this machine, in {home.path} …", file=sys.stderr, flush=True)
            stack = start_detached(home)
        if stack.other_code:
            warnings.warn(stack.other_code, stacklevel=2)
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
        episode_id, self._conversation = self._episode.id, Conversation(self._server.name, cells=self._cells)
        if self._transport is not None:
            self._transport.forget_episode()
        return episode_id

    def _branch(self, episode: Conversation) -> Self:
        """Return a new client for another episode of the same server."""
        client = type(self)(**self._settings)
        client._conversation = episode
        return client

    @property
    def _settings(self) -> dict[str, Any]:
        """The arguments of another client of the same server."""
        server = self._server
        return {
            "base_url": server.url,
            "headers": server.headers,
            "via": self._via,
            "timeout_s": server.timeout_s,
        }

    def _stop_container(self) -> None:
        """Stop the container that was started for this client, if any."""
        if self._provider is not None:
            self._provider.stop_container()
            self._provider = None


def after_step(step: int | None) -> dict[str, str]:
    """Return the query for the part of a trace after a step; None for the whole."""
    return {} if step is None else {"after": str(step)}


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: readers see either the old or the complete new content."""
    there = Path(path)
    part = there.with_name(f"{there.name}.part")
    part.write_bytes(data)
    part.replace(there)
