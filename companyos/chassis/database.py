"""A service's door to PostgreSQL: a small pool, and units of work that commit or leave nothing."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from .context import Context
from .errors import IdempotencyKeyReused
from .internals import FaultRow, Internals, Outcome
from .lives import Pool
from .work import Effects, Message, UnitOfWork

AGENT_KEY = "agent:"


class Writing:
    """A read-write unit of work and what is to be stored of it.

    Attributes:
        unit: The unit of work, open.
        replayed: The outcome of the same call made before; where there is one, nothing is done again.
        effects: What the unit did, once it has committed.
        noted: What is noted of faults in its world, where that was asked for.
    """

    def __init__(self, unit: UnitOfWork, keys: list[str], digest: str) -> None:
        self.unit = unit
        self.effects = Effects()
        self.noted: list[FaultRow] = []
        self._keys = keys
        self._digest = digest
        self._stored: list[Outcome] = []

    @property
    def replayed(self) -> Outcome | None:
        return self.unit.outcome

    def conclude(self, make: type[Outcome], status: int, body: str | None) -> None:
        """Store what came of the call, under each of its keys."""
        self._stored = [
            make(id=key, digest=self._digest, status=status, body=body, effects={}) for key in self._keys
        ]

    async def commit(self) -> None:
        self.effects = await self.unit.commit(self._stored)


class Database:
    """The connections of one service process.

    Args:
        url: PostgreSQL, as the service's own role.
        internals: The chassis' row classes of the service.
        context_key: Signs the context that events carry.
        pool_size: The most connections.
        after_commit: Called with the events of each committed unit, to send them on their way.
    """

    def __init__(
        self,
        url: str,
        internals: Internals,
        context_key: str,
        *,
        pool_size: int,
        after_commit: Callable[[list[Message]], None],
    ) -> None:
        self._internals = internals
        self._context_key = context_key
        self._after_commit = after_commit
        self.pool = Pool(url, size=pool_size)

    @asynccontextmanager
    async def reading(self, context: Context) -> AsyncIterator[UnitOfWork]:
        """Open a read-only unit of work. Nothing else writes a world between two steps, so it takes no lock."""
        async with self.pool.connection() as connection:
            yield UnitOfWork(connection, context, self._internals, self._context_key)

    @asynccontextmanager
    async def writing(
        self,
        context: Context,
        digest: str = "",
        *,
        agent_key: str | None = None,
        noted: bool = False,
    ) -> AsyncIterator[Writing]:
        """Open a read-write unit of work; it commits when the block ends and leaves nothing when the block raises.

        Args:
            context: The world, the cause and the key.
            digest: Of the request, by which another request under the same key is told apart.
            agent_key: The key that the agent gave.
            noted: Whether what is noted of faults will be needed.

        Raises:
            IdempotencyKeyReused: The call's key, or the agent's, belongs to another request.
            LifeOver: The database crashed since the step was begun.
        """
        keys = [context.key, *([AGENT_KEY + agent_key] if agent_key else [])]
        async with self.pool.connection() as connection:
            connection.refuse_another(context.life)
            unit = UnitOfWork(connection, context, self._internals, self._context_key)
            writing = Writing(unit, keys, digest)
            try:
                writing.noted = await unit.begin(keys, also=self._internals.fault if noted else None)
                if unit.outcome is not None and unit.outcome.digest != digest:
                    raise IdempotencyKeyReused(unit.outcome.id.removeprefix(AGENT_KEY))
                yield writing
                if unit.outcome is None:
                    await writing.commit()
                else:
                    await connection.rows("ROLLBACK", {})
            except BaseException:
                # A connection that is gone has rolled back already; its own error is the one to tell.
                if not connection.broken:
                    await connection.rows("ROLLBACK", {})
                raise
        if unit.messages:
            self._after_commit(unit.messages)
