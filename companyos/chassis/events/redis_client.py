"""The Redis (or Valkey) client of all processes."""

from contextlib import suppress
from typing import Any

import hiredis
from redis.asyncio import ConnectionPool, Redis
from redis.exceptions import ConnectionError as Disconnected

#: Seconds without a response after which a connection counts as lost.
TIMEOUT_S = 5.0


class _Packing:
    """A mixin that also packs commands with hiredis, because a read of many streams is a long command."""

    def pack_command(self, *command: Any) -> list[bytes]:
        name, *arguments = command
        return [hiredis.pack_command((*name.split(), *arguments))]


def connect(url: str) -> Redis:
    """Return a client of Redis or Valkey."""
    pool = ConnectionPool.from_url(url, socket_timeout=TIMEOUT_S)
    pool.connection_class = type("Connection", (_Packing, pool.connection_class), {})
    return Redis.from_pool(pool)


async def end(redis: Redis) -> None:
    """Shut the server down immediately, losing all data. No retry, which would hit the restarted server.

    Raises:
        NoPermissionError: This client may not shut the server down.
    """
    connection = await redis.connection_pool.get_connection()  # type: ignore[no-untyped-call]
    try:
        await connection.send_command("SHUTDOWN", "NOSAVE", "NOW")
        with suppress(Disconnected):
            await connection.read_response()
    finally:
        await connection.disconnect()
        await redis.connection_pool.release(connection)
