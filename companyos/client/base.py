"""Common base of the blocking and the asynchronous client: the server's address and the current episode."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from .conversation import Conversation

DEFAULT_URL = "http://127.0.0.1:8000"
TOKEN_VARIABLE = "COMPANYOS_TRAINER_TOKEN"  # noqa: S105 - the name of a variable, not a token


class Via(StrEnum):
    """Transport for reset, step and state."""

    HTTP = "http"
    WEBSOCKET = "websocket"


class BaseEnv:
    """Common base of both clients: the server's address and the current episode."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        via: Via | str = Via.HTTP,
        timeout_s: float = 60.0,
        provider: None = None,
    ) -> None:
        """Configure the client. Nothing is sent before the first call.

        Args:
            base_url: URL of the trainer API, for example `http://localhost:8000`.
            token: The trainer token, by default COMPANYOS_TRAINER_TOKEN. Only needed if the server requires one.
            via: Transport of the episode: `http`, or `websocket`, which is faster per step.
            timeout_s: Longest wait for one response.
            provider: Ignored. OpenEnv's AutoEnv passes it.
        """
        self.base_url = base_url.rstrip("/")
        self._token = token or os.environ.get(TOKEN_VARIABLE) or None
        self._via = Via(via)
        self._timeout_s = timeout_s
        self._episode = Conversation(self.base_url)

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

    @property
    def episode_id(self) -> str | None:
        """The id of the current episode, or None before the first reset and after close."""
        return self._episode.id

    def detach(self) -> str | None:
        """Leave the current episode open for another client to `attach` to, and return its id."""
        episode_id, self._episode = self._episode.id, Conversation(self.base_url)
        return episode_id

    def _branch(self, episode: Conversation) -> Self:
        """Return a new client for another episode of the same server."""
        client = type(self)(self.base_url, token=self._token, via=self._via, timeout_s=self._timeout_s)
        client._episode = episode
        return client


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically: readers see the old content or all of the new."""
    there = Path(path)
    part = there.with_name(f"{there.name}.part")
    part.write_bytes(data)
    part.replace(there)
