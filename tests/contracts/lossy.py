"""A network that fails on request: a TCP proxy that carries a request to the server and loses the reply."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

CHUNK = 65536


class LossyProxy:
    """Carries bytes both ways.

    Attributes:
        url: Where clients connect.
        losing: How many of the next replies are to be lost, each with its connection.
    """

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "", parts.port or 80)
        self.url = ""
        self.losing = 0

    async def serve(self, ready: threading.Event, stop: asyncio.Event) -> None:
        """Carry connections until `stop`."""
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready.set()
        async with server:
            await stop.wait()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(*self._target)
        ways = {
            asyncio.create_task(self._pump(reader, up_writer, loses=False)),
            asyncio.create_task(self._pump(up_reader, writer, loses=True)),
        }
        with suppress(asyncio.CancelledError):
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for end in (writer, up_writer):
            end.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, loses: bool) -> None:
        with suppress(OSError):
            while data := await source.read(CHUNK):
                if loses and self.losing:
                    self.losing -= 1
                    return
                sink.write(data)
                await sink.drain()


@contextmanager
def lossy(target: str) -> Iterator[LossyProxy]:
    """Run a proxy to `target` in a thread of its own."""
    proxy, ready = LossyProxy(target), threading.Event()
    loop, stop = asyncio.new_event_loop(), asyncio.Event()

    def run() -> None:
        loop.run_until_complete(proxy.serve(ready, stop))
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait(5)
    try:
        yield proxy
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(5)
