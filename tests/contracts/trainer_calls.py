"""Small words for the protocol tests: start an episode, and say something on a socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

LOOK = {"type": "call_tool", "tool_name": "ticketdesk_list_tickets", "arguments": {"limit": 1}}


async def started(http: httpx.AsyncClient, **options: Any) -> str:
    """Return the id of a new episode."""
    answer = await http.post("/reset", json=options)
    assert answer.status_code == 200, answer.text
    episode_id: str = answer.json()["metadata"]["episode_id"]
    return episode_id


async def stepped(
    http: httpx.AsyncClient, episode_id: str, action: Any = LOOK, **more: Any
) -> httpx.Response:
    """Play one action over HTTP."""
    return await http.post("/step", json={"episode_id": episode_id, "action": action, **more})


@dataclass
class Socket:
    """A WebSocket that is sent messages and read answers."""

    connection: ClientConnection

    async def say(self, message: str | bytes, *, text: bool | None = None) -> None:
        await self.connection.send(message, text=text)

    async def hear(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await self.connection.recv())
        return answer

    async def ask(self, message: Any) -> dict[str, Any]:
        await self.say(message if isinstance(message, str | bytes) else json.dumps(message))
        return await self.hear()


@asynccontextmanager
async def socket_to(url: str, path: str = "/ws", **options: Any) -> AsyncIterator[Socket]:
    """Open a WebSocket to the trainer API."""
    address = url.replace("http", "ws", 1) + path
    async with connect(address, max_size=None, proxy=None, **options) as connection:
        yield Socket(connection)
