"""Database access of a service: a small pool, and units of work that commit fully or not at all."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from ..errors import IdempotencyKeyReused
from ..postgres.epochs import Connection, Pool
from .context import Context
from .effects import Effects, Message
from .internals import FaultRow, Internals, Outcome
from .prefetching import Expected, LookupPredictor, nothing_expected
from .work import UnitOfWork

AGENT_KEY = "agent:"


class Writing:
    """A read-write unit of work and its stored outcome.

    Attributes:
        unit: The unit of work, open.
        replayed: The outcome of an earlier identical call, if any; the work is then not repeated.
        effects: The effects of the unit, after its commit.
        noted: Fault notes of its world, if requested.
    """

    def __init__(self, unit: UnitOfWork, keys: list[str], digest: str) -> None:
        self.unit = unit
        self.effects = Effects()
        self.noted: list[FaultRow] = []
        self._keys = keys
        self._digest = digest
        self._stored: list[Outcome] = []
        self._body: str | None = None

    @property
    def replayed(self) -> Outcome | None:
        return self.unit.outcome

    def conclude(self, make: type[Outcome], status: int, body: str | None) -> None:
        """Store the outcome of the call under each of its keys."""
        self._stored = [make(id=key, digest=self._digest, status=status, answer=b"") for key in self._keys]
        self._body = body

    async def begin(self, *, noted: bool, expected: Expected) -> None:
        """Open the unit, with the outcome of an earlier call under one of the keys.

        Raises:
            IdempotencyKeyReused: That call was another request.
        """
        self.noted = await self.unit.begin(
            self._keys, also=self.unit.internals.fault if noted else None, expected=expected.lookups
        )
        if self.replayed is not None and self.replayed.digest != self._digest:
            raise IdempotencyKeyReused(self.replayed.id.removeprefix(AGENT_KEY))

    async def commit(self) -> None:
        self.effects = await self.unit.commit(self._stored, self._body)

    def reported_effects(self) -> Mapping[str, Any]:
        """Return the effects to report after the commit: of this work, or of the call that it repeats."""
        if self.replayed is None:
            return self.effects.document()
        return self.unit.internals.answers.unpack(self.replayed.answer).effects


class Database:
    """The connections of one service process.

    Args:
        internals: The chassis' row classes of the service.
        context_key: Key that signs the context of events.
        pool: The connections.
        after_commit: Called with the events of each committed unit, to publish them.
    """

    def __init__(
        self,
        pool: Pool,
        internals: Internals,
        context_key: str,
        *,
        after_commit: Callable[[list[Message]], None],
    ) -> None:
        self._internals = internals
        self._context_key = context_key
        self._after_commit = after_commit
        self._predictor = LookupPredictor()
        self.pool = pool

    @asynccontextmanager
    async def reading(self, context: Context) -> AsyncIterator[UnitOfWork]:
        """Open a read-only unit of work, without a lock: nothing writes to a world between two steps."""
        async with self.pool.connection() as connection:
            yield UnitOfWork(connection, context, self._internals, self._context_key)

    def expect(self, operation: str, context: Context, arguments: Mapping[str, object]) -> Expected:
        """Return the lookups that an operation's unit of work will probably make; see `prefetching`."""
        return self._predictor.expect(operation, {"actor": context.actor, **arguments})

    @asynccontextmanager
    async def writing(
        self,
        context: Context,
        digest: str = "",
        *,
        agent_key: str | None = None,
        noted: bool = False,
        expected: Expected | None = None,
    ) -> AsyncIterator[Writing]:
        """Open a read-write unit of work, which commits when the block ends and rolls back when it raises.

        Args:
            digest: Digest of the request, which distinguishes requests under the same key.
            agent_key: The agent's idempotency key.
            noted: Whether to load the fault notes.
            expected: Lookups that the work will probably make.

        Raises:
            IdempotencyKeyReused: The call's key, or the agent's, belongs to another request.
            StaleEpoch: The database crashed after the step began.
        """
        expected = expected or nothing_expected()
        keys = [context.key, *([AGENT_KEY + agent_key] if agent_key else [])]
        async with self.pool.connection() as connection:
            connection.refuse_stale(context.epoch)
            unit = UnitOfWork(connection, context, self._internals, self._context_key)
            writing = Writing(unit, keys, digest)
            try:
                await writing.begin(noted=noted, expected=expected)
                yield writing
                if unit.outcome is not None:
                    await connection.rows("ROLLBACK", {})
                    return
                await writing.commit()
            except BaseException:
                await _roll_back(connection)
                raise
        expected.learn(unit.lookups)
        if unit.messages:
            self._after_commit(unit.messages)


async def _roll_back(connection: Connection) -> None:
    # A lost connection has already rolled back, and the caller reports the original error.
    if not connection.broken:
        await connection.rows("ROLLBACK", {})
