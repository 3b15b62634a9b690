"""The client of Redis or Valkey that every process of ours uses."""

from contextlib import suppress
from typing import Any

import hiredis
from redis.asyncio import ConnectionPool, Redis
from redis.exceptions import ConnectionError as Disconnected


class _Packing:
    """A connection that has hiredis write commands as well as read replies: reading many streams is a long command."""

    def pack_command(self, *command: Any) -> list[bytes]:
        name, *arguments = command
        return [hiredis.pack_command((*name.split(), *arguments))]


def connect(url: str) -> Redis:
    """Return a client of Redis or Valkey."""
    pool = ConnectionPool.from_url(url)
    pool.connection_class = type("Connection", (_Packing, pool.connection_class), {})
    return Redis.from_pool(pool)


async def end(redis: Redis) -> None:
    """End the server at once, with all that it holds. Sent once: a repeated command would end its successor too.

    Raises:
        NoPermissionError: This client may not.
    """
    connection = await redis.connection_pool.get_connection()  # type: ignore[no-untyped-call]
    try:
        await connection.send_command("SHUTDOWN", "NOSAVE", "NOW")
        with suppress(Disconnected):
            await connection.read_response()
    finally:
        await connection.disconnect()
        await redis.connection_pool.release(connection)
