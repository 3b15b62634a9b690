"""An HTTP proxy in front of a service that gives answers of its own to tool calls, byte for byte."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import orjson

from orchestrator.episodes.facade import Episodes

from .faulty_proxy import listening
from .toy_stack import ToyStack, ready_orchestrator

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


def response(
    body: bytes, *, status: str = "200 OK", kind: str = "application/vnd.companyos.effects+json"
) -> bytes:
    """Return a complete HTTP response."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def problem(status: int, **members: object) -> bytes:
    """Return an HTTP response with a problem document."""
    body = orjson.dumps({"status": status, **members})
    return response(body, status=f"{status} Problem", kind="application/problem+json")


class AlteringProxy:
    """Passes requests on, but answers those for the tools of a service itself if `answer` is set.

    Attributes:
        answer: What it sends instead of the service's answer to a tool call.
        at: The path of the calls that it answers.
        passes_on: Whether the service still carries out such a call.
        answered: How many calls it answered itself.
    """

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "", parts.port or 80)
        self.answer: bytes | None = None
        self.at = "/orders"
        self.passes_on = False
        self.answered = 0

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, and close its connection."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            writer.close()
            return
        length = _LENGTH.search(head)
        body = await reader.readexactly(int(length[1])) if length else b""
        is_altered = self.answer is not None and head.split(b" ", 2)[1].startswith(self.at.encode())
        told = b""
        if not is_altered or self.passes_on:
            told = await self._passed_on(head, body)
        if is_altered and self.answer is not None:
            self.answered += 1
            told = self.answer
        writer.write(told)
        await writer.drain()
        writer.close()

    async def _passed_on(self, head: bytes, body: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._target)
        writer.write(head.removesuffix(b"\r\n") + b"connection: close\r\n\r\n" + body)
        told = await reader.read()
        writer.close()
        return told


@asynccontextmanager
async def behind_altering_proxy(
    toy_stack: ToyStack, *, patience_s: float
) -> AsyncIterator[tuple[Episodes, AlteringProxy]]:
    """Yield an orchestrator that reaches the shop through a proxy and waits so long for it, and the proxy."""
    proxy = AlteringProxy(toy_stack.services["shop"])
    async with listening(proxy.carry) as url:
        services = {**toy_stack.services, "shop": url}
        async with ready_orchestrator(
            toy_stack, services=services, call_s=2.0, patience_s=patience_s
        ) as episodes:
            yield episodes, proxy
