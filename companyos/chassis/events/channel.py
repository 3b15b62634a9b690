"""What the event bus does at every event: append to streams of Redis (or Valkey), and read them.

The client library takes most of a settled event's time for what these commands do not need. `DirectChannel` packs and
parses them with hiredis on a connection of its own; `Channel` is the plain path through the library, with the same
results.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import hiredis
from redis.asyncio import Redis
from redis.asyncio.connection import SSLConnection
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import ResponseError

from .redis_client import TIMEOUT_S

Fields = Mapping[str, str | bytes]
#: The id of an entry, and its fields.
Entry = tuple[bytes, dict[bytes, bytes]]


class Channel:
    """Streams through the client library. All methods raise `RedisError` during an outage of the server."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def append(self, *entries: tuple[str, Fields], keep: int) -> None:
        """Append entries to streams, in this order, and keep about the last `keep` of each stream."""
        async with self._redis.pipeline(transaction=False) as pipeline:
            for stream, fields in entries:
                pipeline.xadd(stream, dict(fields), maxlen=keep, approximate=True)  # type: ignore[arg-type]
            await pipeline.execute()

    async def read(self, stream: str, after: bytes, *, count: int, block_ms: int) -> list[Entry]:
        """Return the entries of a stream after an id; wait for the first one."""
        return _entries_of_library(await self._redis.xread({stream: after}, count=count, block=block_ms))

    async def read_group(
        self, group: str, streams: Sequence[str], *, count: int, block_ms: int
    ) -> list[Entry]:
        """Return entries of streams that no member of a group has received; wait for the first one.

        Raises:
            ResponseError: A stream does not have the group.
        """
        new: Any = dict.fromkeys(streams, ">")
        found = await self._redis.xreadgroup(group, "any", new, count=count, block=block_ms, noack=True)
        return _entries_of_library(found)

    def close(self) -> None:
        """Close the connection that the channel owns, if it has one."""


class DirectChannel(Channel):
    """Streams through one connection, opened when it is first needed and after it was lost."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self._options = redis.connection_pool.connection_kwargs
        self._connection: _Connection | None = None
        self._opening = asyncio.Lock()

    async def append(self, *entries: tuple[str, Fields], keep: int) -> None:
        await self._execute(
            *(
                (
                    "XADD",
                    stream,
                    "MAXLEN",
                    "~",
                    keep,
                    "*",
                    *(part for pair in fields.items() for part in pair),
                )
                for stream, fields in entries
            )
        )

    async def read(self, stream: str, after: bytes, *, count: int, block_ms: int) -> list[Entry]:
        command = ("XREAD", "COUNT", count, "BLOCK", block_ms, "STREAMS", stream, after)
        return _entries((await self._execute(command))[0])

    async def read_group(
        self, group: str, streams: Sequence[str], *, count: int, block_ms: int
    ) -> list[Entry]:
        options = ("GROUP", group, "any", "COUNT", count, "BLOCK", block_ms, "NOACK")
        command = ("XREADGROUP", *options, "STREAMS", *streams, *(">" for _ in streams))
        return _entries((await self._execute(command))[0])

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _execute(self, *commands: tuple[Any, ...]) -> list[Any]:
        try:
            return await (await self._connected()).execute(*commands)
        except Disconnected:
            # Whoever gets an event or an acknowledgement a second time knows it, so every command may be repeated.
            return await (await self._connected()).execute(*commands)

    async def _connected(self) -> _Connection:
        if self._connection is not None and self._connection.is_open:
            return self._connection
        async with self._opening:
            if self._connection is None or not self._connection.is_open:
                self._connection = await self._open()
        return self._connection

    async def _open(self) -> _Connection:
        options, loop = self._options, asyncio.get_running_loop()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                if "path" in options:
                    _, connection = await loop.create_unix_connection(_Connection, options["path"])
                else:
                    host, port = options.get("host", "localhost"), options.get("port", 6379)
                    _, connection = await loop.create_connection(_Connection, host, port)
        except OSError as error:
            raise Disconnected(str(error) or "no answer in time") from error
        try:
            if options.get("password"):
                await connection.execute(("AUTH", options.get("username") or "default", options["password"]))
            if options.get("db"):
                await connection.execute(("SELECT", options["db"]))
        except BaseException:  # also if it is canceled: nobody else knows the connection
            connection.close()
            raise
        return connection


#: Whether channels that can be direct are.
DIRECT = True


def open_channel(redis: Redis) -> Channel:
    """Return a channel to the server of a client; a server behind TLS is left to the library."""
    is_plain_socket = not issubclass(redis.connection_pool.connection_class, SSLConnection)
    return DirectChannel(redis) if DIRECT and is_plain_socket else Channel(redis)


@dataclass
class _Batch:
    """Commands sent together, and the replies that have arrived."""

    size: int
    done: asyncio.Future[list[Any]]
    replies: list[Any] = field(default_factory=list)


class _Connection(asyncio.Protocol):
    """A connection; replies come in the order of the commands."""

    def __init__(self) -> None:
        self.is_open = True
        self._reader = hiredis.Reader()
        self._batches: deque[_Batch] = deque()

    async def execute(self, *commands: tuple[Any, ...]) -> list[Any]:
        loop = asyncio.get_running_loop()
        batch = _Batch(len(commands), loop.create_future())
        self._batches.append(batch)
        self._transport.write(b"".join(map(hiredis.pack_command, commands)))
        alarm = loop.call_later(TIMEOUT_S, self.close)
        try:
            replies = await batch.done
        finally:
            alarm.cancel()
        for reply in replies:
            if isinstance(reply, hiredis.ReplyError):
                raise ResponseError(str(reply))
        return replies

    def close(self) -> None:
        self.is_open = False
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not False:
                self._receive(reply)
        except (hiredis.ProtocolError, IndexError):
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        for batch in self._batches:
            if not batch.done.done():
                batch.done.set_exception(Disconnected(str(error or "the connection was closed")))
        self._batches.clear()

    def _receive(self, reply: Any) -> None:
        batch = self._batches[0]
        batch.replies.append(reply)
        if len(batch.replies) == batch.size:
            self._batches.popleft()
            if not batch.done.done():
                batch.done.set_result(batch.replies)


def _entries(reply: Any) -> list[Entry]:
    return [
        (entry_id, dict(zip(fields[::2], fields[1::2], strict=True)))
        for _, entries in reply or []
        for entry_id, fields in entries
    ]


def _entries_of_library(reply: Any) -> list[Entry]:
    streams = reply.items() if isinstance(reply, dict) else reply or []
    return [(entry_id, fields) for _, entries in streams for entry_id, fields in entries]
