"""A trainer API client for many concurrent episodes, which retries while the stack is at capacity."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
import orjson

from companyos.client.server import Server, access_headers
from companyos.sdk.scenario import Scenario

from .offered import refuse_others

_TIMEOUT_S: Final = 60.0
_BUSY: Final = (429, 503)
_PATIENCE: Final = 20


class TrainerApi:
    """Sends idempotent requests, and retries those that the stack had no capacity for."""

    def __init__(self, client: aiohttp.ClientSession) -> None:
        self._client = client

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str, token: str | None, *, at_once: int) -> AsyncIterator["TrainerApi"]:
        """Yield the trainer API at a URL, with one connection for each concurrent request.

        Raises:
            ProxyUnusable: The environment names a proxy that is no HTTP proxy.
        """
        async with aiohttp.ClientSession(
            url,
            headers=access_headers(token),
            connector=aiohttp.TCPConnector(limit=at_once),
            timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S),
            json_serialize=_json,
            proxy=Server(url).proxy,
        ) as client:
            yield cls(client)

    async def send(self, method: str, path: str, body: Any = None) -> Any:
        """Return the response to a request.

        Raises:
            aiohttp.ClientError: The server is unreachable, refuses, or stays at capacity for too long.
            TimeoutError: The server does not answer.
        """
        attempt = 1
        while True:
            async with self._client.request(method, path, json=body) as response:
                if response.status not in _BUSY or attempt == _PATIENCE:
                    response.raise_for_status()
                    return orjson.loads(await response.read() or b"null")
            await asyncio.sleep(0.05 * attempt)
            attempt += 1

    async def check_offered(self, scenarios: Iterable[Scenario]) -> None:
        """Raise NotOffered unless the server offers all these scenarios with this version and code."""
        refuse_others(await self.send("GET", "/scenarios"), scenarios)


def _json(body: Any) -> str:
    return orjson.dumps(body).decode()
