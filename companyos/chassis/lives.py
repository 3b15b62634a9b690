"""The lives of a database: a crash ends one and may take its last commits along, and then the next one begins.

Unless every commit waits for the disk, PostgreSQL that crashed has forgotten its last instants. What somebody decided
on what it knew before must not be done to what it knows now: a call on its way, an event on the bus, a step to be
recorded. So each of them names the life it belongs to. A connection never outlives its database; it learns once, when
it is opened, which life that is.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from select import POLLIN, poll

import psycopg
from psycopg_pool import AsyncConnectionPool

from . import prepared

#: Crash recovery throws the statistics away, also where only one process of PostgreSQL was killed.
_LIFE = "SELECT left(md5(concat(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())), 12)"


class LifeOver(psycopg.OperationalError):
    """The database crashed since this work was begun; begun again, it may be done."""

    def __init__(self) -> None:
        super().__init__("the database crashed since this was begun")


class Connection(prepared.Connection):
    """A connection that knows the life of its database.

    Attributes:
        life: Name of the life, equal on every connection of every process to the same database.
    """

    life: str = ""

    async def learn_life(self) -> None:
        """Ask the database which life it is in."""
        cursor = await self.execute(_LIFE)
        row = await cursor.fetchone()
        self.life = str(row[0]) if row else ""

    @property
    def is_over(self) -> bool:
        """Whether the server has closed this idle connection, which has nothing to say to one but that."""
        watch = poll()
        watch.register(self.fileno(), POLLIN)
        return bool(watch.poll(0))

    def refuse_another(self, life: str) -> None:
        """Refuse work that was begun in another life; work that names none is not refused.

        Raises:
            LifeOver: The database crashed since.
        """
        if life and life != self.life:
            raise LifeOver


class Pool(AsyncConnectionPool[Connection]):
    """Connections of one process, none of which the server has closed: a crash leaves all idle ones to be found out.

    The pool's own `check` would ask the server each time, and rest for a second between two that are closed.

    Args:
        url: PostgreSQL, as the role of the process.
        size: The most connections. None is opened yet.
        least: The fewest it keeps once it is open.
    """

    def __init__(self, url: str, *, size: int, least: int = 1) -> None:
        # psycopg's own prepared statements are off: after a rollback it deallocates all there are, ours as well.
        options = {"autocommit": True, "prepare_threshold": None}
        super().__init__(
            url,
            connection_class=Connection,
            open=False,
            min_size=least,
            max_size=size,
            timeout=5,
            kwargs=options,
            configure=Connection.learn_life,
        )

    @asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncIterator[Connection]:  # noqa: ASYNC109
        """Lend a connection while the block runs; whoever begins a transaction ends it."""
        lent = await self.getconn(timeout)
        try:
            yield lent
        finally:
            # Who is cancelled while giving it back has given it back all the same.
            await asyncio.shield(self.putconn(lent))

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109 - the pool's own signature
        """Lend a connection."""
        while (connection := await super().getconn(timeout)).is_over:
            await connection.close()
            await self.putconn(connection)
        return connection
