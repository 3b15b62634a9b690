"""Database epochs: a crash, which may lose the last commits, ends one epoch and starts the next.

Unless every commit waits for the disk, PostgreSQL loses its latest commits in a crash. Work based on lost
data must not be applied afterwards: a call in flight, an event on the bus, a step about to be recorded. So
each carries its epoch as a fencing token, and work from an earlier epoch is refused as stale. A connection
never survives a crash of its database, so it queries the epoch only once, when it opens.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import ceil
from select import POLLIN, poll
from time import monotonic

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool

from . import prepared

#: Crash recovery resets the statistics, even if only one PostgreSQL process was killed.
_EPOCH = """
SELECT left(md5(concat(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())), 12),
    concat(pid, ' ', backend_start) FROM pg_stat_activity WHERE pid = pg_backend_pid()
"""

#: Ends sessions of one's own role, and waits until they have ended.
_END_SESSIONS = """
SELECT pg_terminate_backend(pid, %(wait_ms)s) FROM pg_stat_activity
WHERE usename = current_user AND concat(pid, ' ', backend_start) = ANY(%(sessions)s::text[])
"""

#: How long connections are kept aside before all of them return to psycopg's pool.
KEEP_S = 60.0
#: Seconds for which the pool tries to open a connection before a request for one has to start it again. Its pauses
#: double, so a longer time would keep it away from a database that is back.
RECONNECT_S = 5.0
#: Longest wait for the end of sessions that were given up, in milliseconds.
END_MS = 1_000
#: Limit for statements on many rows, above the server's own for one statement.
PATIENT_S = 20.0


class StaleEpoch(psycopg.OperationalError):
    """The database crashed after this work began. The work may be retried."""

    def __init__(self) -> None:
        super().__init__("the database crashed after this work began")


class Connection(prepared.Connection):
    """A connection that knows the epoch of its database.

    Attributes:
        epoch: Name of the epoch, equal on every connection of every process to the same database.
        session: Name of the server process behind this connection.
    """

    epoch: str = ""
    session: str = ""

    async def learn_epoch(self) -> None:
        """Query the epoch of the database."""
        cursor = await self.execute(_EPOCH)
        row = await cursor.fetchone()
        self.epoch, self.session = map(str, row) if row else ("", "")

    @property
    def is_over(self) -> bool:
        """Whether the server closed this idle connection; it would receive nothing else while idle."""
        watch = poll()
        watch.register(self.fileno(), POLLIN)
        return bool(watch.poll(0))

    def refuse_stale(self, epoch: str) -> None:
        """Refuse work that began in another epoch. Work without an epoch is accepted.

        Raises:
            StaleEpoch: The database has crashed since.
        """
        if epoch and epoch != self.epoch:
            raise StaleEpoch


class Pool(AsyncConnectionPool[Connection]):
    """A connection pool that never lends a connection closed by the server; a crash closes all idle ones.

    psycopg's own `check` would query the server each time, and pause for a second between two closed
    connections.

    Connections that are returned while nobody waits for one are kept aside and lent again, last in, first
    out. A few of them do most of the work, so their backends' caches stay warm. Periodically all return to
    psycopg's pool, which replaces old connections and closes surplus ones.

    A connection whose answer was not awaited is closed, but a frozen server may carry its statements out when it goes
    on. So its session is ended before another connection is lent: whatever it did is then done, and it does no more.

    Args:
        url: PostgreSQL URL, with the role of the process.
        size: Maximum number of connections. None is opened yet.
        least: Minimum number of connections once the pool is open.
        statement_s: Longest wait for the answer to a statement, in seconds.
        connection_s: Longest wait for a connection, in seconds; opening one takes at least two.
    """

    def __init__(
        self, url: str, *, size: int, least: int = 1, statement_s: float = 5.0, connection_s: float = 5.0
    ) -> None:
        # psycopg's prepared statements are disabled: after a rollback it would deallocate all, including
        # ours.
        options = {"autocommit": True, "prepare_threshold": None, "connect_timeout": ceil(connection_s)}
        super().__init__(
            url,
            connection_class=Connection,
            open=False,
            min_size=least,
            max_size=size,
            timeout=connection_s,
            reconnect_timeout=RECONNECT_S,
            kwargs=options,
            configure=self._configured,
        )
        self._statement_s = statement_s
        self._given_up: set[str] = set()
        self._kept: list[Connection] = []
        self._keeps_until = 0.0
        self._queue = 0

    @asynccontextmanager
    async def connection(
        self,
        timeout: float | None = None,  # noqa: ASYNC109
        *,
        patient: bool = False,
    ) -> AsyncIterator[Connection]:
        """Lend a connection for the block. The caller must end any transaction it begins.

        Args:
            timeout: Longest wait for it, in seconds; by default as for the pool.
            patient: Whether its statements may take as long as the server lets them, as those on many rows do.
        """
        lent = await self.getconn(timeout)
        if patient:
            lent.limit_s = max(PATIENT_S, self._statement_s)
        try:
            yield lent
        finally:
            lent.limit_s = self._statement_s
            if lent.is_given_up:
                self._given_up.add(lent.session)
            if self._can_keep(lent):
                self._kept.append(lent)
            else:
                # Shielded: a cancellation must not prevent the return of the connection.
                await asyncio.shield(self._put_back(lent))

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109 - the pool's own signature
        """Lend a connection."""
        while (connection := await self._next(timeout)).is_over:
            await connection.close()
            await self.putconn(connection)
        if self._given_up:
            try:
                await self._end_given_up(connection)
            except BaseException:
                await asyncio.shield(self._put_back(connection))
                raise
        return connection

    async def put_all_back(self) -> None:
        """Return the connections kept aside to psycopg's pool."""
        await self._put_back()

    async def close(self, timeout: float = 5.0) -> None:  # noqa: ASYNC109 - the pool's own signature
        """Close the pool and its connections; lent ones are closed when they are returned."""
        await super().close(timeout)
        await self.put_all_back()

    async def _configured(self, connection: Connection) -> None:
        connection.limit_s = self._statement_s
        await connection.learn_epoch()

    async def _end_given_up(self, connection: Connection) -> None:
        """End the sessions that were given up.

        Raises:
            psycopg.OperationalError: One of them does not end, so it is unknown what it will still do.
        """
        sessions = sorted(self._given_up)
        rows = await connection.rows(_END_SESSIONS, {"sessions": sessions, "wait_ms": END_MS})
        if not all(is_ended for (is_ended,) in rows):
            raise psycopg.OperationalError("an earlier session that did not answer is still at work")
        self._given_up.difference_update(sessions)

    async def _next(self, timeout: float | None) -> Connection:  # noqa: ASYNC109
        if self._kept:
            return self._kept.pop()
        self._queue += 1
        try:
            return await super().getconn(timeout)
        finally:
            self._queue -= 1

    def _can_keep(self, lent: Connection) -> bool:
        is_idle = lent.pgconn.transaction_status == TransactionStatus.IDLE
        return is_idle and not self._queue and not self.closed and monotonic() < self._keeps_until

    async def _put_back(self, *lent: Connection) -> None:
        self._keeps_until = monotonic() + KEEP_S
        kept, self._kept = self._kept, []
        for connection in (*kept, *lent):
            await self.putconn(connection)
