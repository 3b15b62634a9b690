"""The client of Redis or Valkey that every process of ours uses."""

from typing import Any

import hiredis
from redis.asyncio import ConnectionPool, Redis


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
