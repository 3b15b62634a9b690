"""A TCP proxy in front of a service that can cut connections, go silent or lose replies."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from enum import StrEnum, auto
from urllib.parse import urlsplit


class State(StrEnum):
    """What the proxy does with what is sent."""

    UP = auto()
    CUT = auto()
    SILENT = auto()
    LOSING = auto()


class FaultyProxy:
    """Carries bytes to a target, as its state says.

    Attributes:
        url: Where clients connect.
        state: `CUT` closes connections, `SILENT` carries nothing, `LOSING` carries requests but no replies.
    """

    def __init__(self, target: str) -> None:
        components = urlsplit(target)
        self._target = (components.hostname or "", components.port or 80)
        self._open: set[asyncio.StreamWriter] = set()
        self.url = ""
        self.state = State.UP

    def cut(self) -> None:
        """Close every connection and take no new one."""
        self.state = State.CUT
        for writer in self._open:
            writer.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        if self.state is State.CUT:
            writer.transport.abort()
            return
        up_reader, up_writer = await asyncio.open_connection(*self._target)
        ends = {writer, up_writer}
        self._open |= ends
        await asyncio.gather(self._pump(reader, up_writer), self._pump(up_reader, writer, replies=True))
        self._open -= ends
        for end in ends:
            end.transport.abort()

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, replies: bool = False
    ) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if self.state is State.LOSING and replies:
                    break
                if self.state is not State.SILENT:
                    sink.write(data)
                    await sink.drain()
        sink.transport.abort()


Carry = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(carry: Carry) -> AsyncIterator[str]:
    """Yield the address at which every connection is carried."""
    server = await asyncio.start_server(carry, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@asynccontextmanager
async def proxy_to(target: str) -> AsyncIterator[FaultyProxy]:
    """Lay a wire to a target."""
    proxy = FaultyProxy(target)
    async with listening(proxy.carry) as proxy.url:
        try:
            yield proxy
        finally:
            proxy.cut()
            await asyncio.sleep(0.01)
