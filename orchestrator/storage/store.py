"""The orchestrator's own tables: all reads and writes, one statement each."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from types import TracebackType
from typing import Any, Self

import orjson
import psycopg
from psycopg.errors import LockNotAvailable
from psycopg.types.json import Jsonb
from psycopg_pool import PoolTimeout

from companyos.chassis.postgres.epochs import Connection, Pool
from companyos.chassis.postgres.prepared import Rows

from ..protocol.problems import Outage
from ..protocol.records import Claim, Episode, Put, Start, StepOutcome
from . import names, statements
from .deadlocks import despite_deadlocks
from .episode_rows import chaos_document, episode_of, start_values
from .names import Name, Names
from .packing import packed, unpacked
from .round_trips import SharedRoundTrips, StepStatement

#: Most statements take less than a millisecond.
POLL_S = 0.005
#: Longest wait for another process that loads or removes a base; a company has less time to load.
LOCK_BASE_S = 330.0
#: The columns that an ended episode has of its last record.
ENDING_COLUMNS = ("done", "terminated", "truncated", "success", "invalid")


class Store:
    """Connections to the schema `orchestrator`.

    Every method raises `Outage` if the database does not answer.

    Args:
        pool: Connections as the role `orchestrator`.
        names: Makes the names of episodes and snapshots.
    """

    def __init__(self, pool: Pool, names: Names) -> None:
        self.names = names
        self._pool = pool
        self._claims = SharedRoundTrips(self.connection)
        self._commits = SharedRoundTrips(self.connection)

    async def __aenter__(self) -> Self:
        # Without waiting: the first use waits for a database that is not up yet.
        await self._pool.open(wait=False)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.close()

    async def open_episode(
        self, start: Start, *, name: Name, base: str, now: int, first_hash: str, is_new: bool
    ) -> bool:
        """Open an episode over a base; return False if the base is not ready, or another holds its name.

        It replaces an episode of the same id, unless `is_new` says that there can be none.
        """
        values = {
            **start_values(start),
            **name.values,
            "base": base,
            "sim_now": now,
            "hash": first_hash,
        }
        statement = statements.OPEN if is_new else statements.REOPEN
        return await self.one(statement, values) is not None

    async def refuse_taken(self, name: Name) -> None:
        """Refuse a new episode under a name that another holds.

        Raises:
            Refusal: 409 episode_exists.
        """
        if await self.one(names.TAKEN, name.values):
            raise names.episode_exists(name.id)

    async def claim(
        self,
        episode_id: str,
        *,
        action: str,
        step: int | None,
        uid: str | None = None,
        agent: str | None = None,
    ) -> Claim | None:
        """Claim the next step of an episode for the action with this digest.

        Args:
            episode_id: The episode.
            action: Digest of the action.
            step: The number that the step must have; None for the next one.
            uid: The `uid` that the episode must have; None for any.
            agent: Digest of the agent's token; None for the trainer.

        Returns:
            The claim; None if there is nothing to claim, for reasons that `episode` shows.
        """
        token = secrets.token_hex(8)
        wanted = {"action": action, "step": step, "uid": uid, "agent": agent}
        values = {"id": episode_id, "token": token, **wanted}
        answer = await self._claims.run(StepStatement(episode_id, statements.CLAIM, values))
        return _claim_of(answer.rows, token, answer.epoch)

    async def seize(self, episode_id: str, *, after_s: float) -> Claim | None:
        """Claim a step that was abandoned for this long, regardless of its action."""
        token = secrets.token_hex(8)
        async with self.connection() as connection:
            values = {"id": episode_id, "token": token, "after_s": after_s}
            return _claim_of(await connection.rows(statements.SEIZE, values), token, connection.epoch)

    async def commit(self, claim: Claim, outcome: StepOutcome, record: bytes) -> bool:
        """Write a step's record, given as JSON, and the episode after it.

        Returns:
            False if another process claimed the step, or the episode is gone; nothing was written then.
        """
        values = {
            **_played_values(claim.episode, outcome, record),
            "token": claim.token,
            **{name: outcome.record[name] for name in ENDING_COLUMNS},
        }
        statement = statements.END if outcome.record["done"] else statements.COMMIT
        # Bound to its epoch: a crash undoes the services' part of this step even if the claim survives.
        answer = await self._commits.run(StepStatement(claim.episode.id, statement, values, claim.epoch))
        return bool(answer.rows)

    async def commit_read(
        self, claim: Claim, outcome: StepOutcome, record: bytes, *, uid: str | None, agent: str | None
    ) -> bool:
        """Write the record of an unclaimed step that only read, if the episode is still as it was before the step.

        Args:
            claim: The step, without a token.
            outcome: The outcome, which does not end the episode.
            record: Its record, as JSON.
            uid: The `uid` that the episode must have; None for any.
            agent: Digest of the agent's token; None for the trainer.

        Returns:
            False if it is not; nothing was written then.
        """
        values = {
            **_played_values(claim.episode, outcome, record),
            "id": claim.episode.id,
            "chain": list(claim.episode.chain),
            "previous": claim.episode.hash,
            "uid": uid,
            "agent": agent,
        }
        statement = StepStatement(claim.episode.id, statements.COMMIT_READ, values, claim.epoch)
        return bool((await self._commits.run(statement)).rows)

    async def is_claimed(self, episode_id: str) -> bool:
        """Return whether a step of this episode is under way."""
        return await self.one(statements.IS_CLAIMED, {"id": episode_id}) is not None

    async def set_chaos(self, episode: Episode, put: Put) -> Episode | None:
        """Put a new chaos in force; None if the episode has moved on since."""
        values = {
            "id": episode.id,
            "world": episode.world,
            "step": episode.step,
            "chaos": Jsonb({**chaos_document(put.chaos), "step": put.step}),
        }
        row = await self.one(statements.SET_CHAOS, values)
        return episode_of(row) if row else None

    async def fail(self, claim: Claim) -> tuple[int, float]:
        """Count a failed attempt; return the failures so far, and the seconds since the first attempt."""
        row = await self.one(statements.FAIL, {"world": claim.episode.world, "token": claim.token})
        return (row[0], row[1]) if row else (0, 0.0)

    async def episode(self, episode_id: str) -> Episode | None:
        """Return an episode, or None."""
        row = await self.one(statements.EPISODE, {"id": episode_id})
        return episode_of(row) if row else None

    async def episode_of_agent(self, digest: str) -> Episode | None:
        """Return the episode of the agent's token with this digest, or None."""
        row = await self.one(statements.EPISODE_OF_AGENT, {"agent": digest})
        return episode_of(row) if row else None

    async def episodes(
        self, *, after: int, scenario: str | None, done: bool | None, success: bool | None, limit: int
    ) -> list[Episode]:
        """Return up to `limit` matching episodes of worlds after `after`, oldest first."""
        values = {"after": after, "scenario": scenario, "done": done, "success": success, "limit": limit}
        return [episode_of(row) for row in await self.all(statements.EPISODES, values)]

    async def newest(self, *, done: bool, limit: int) -> list[Episode]:
        """Return up to `limit` episodes that run or are over, newest first."""
        return [episode_of(row) for row in await self.all(statements.NEWEST, {"done": done, "limit": limit})]

    async def counts(self) -> dict[str, int]:
        """Return the number of episodes: in total, open, done, succeeded and invalid."""
        row = await self.one(statements.COUNTS, {}) or ()
        return dict(zip(("total", "open", "done", "success", "invalid"), row, strict=True))

    async def occupancy(self) -> tuple[int, float]:
        """Return the number of open episodes, and for how many seconds yet the stack takes no resets."""
        row = await self.one(statements.OCCUPANCY, {}) or (0, 0.0)
        return int(row[0]), float(row[1])

    async def open_worlds(self, ids: Collection[str]) -> set[tuple[str, int]]:
        """Return the open ones of these episodes, with their worlds."""
        return {(name, world) for name, world in await self.all(statements.OPEN_WORLDS, {"ids": list(ids)})}

    async def record(self, episode: Episode, step: int) -> dict[str, Any] | None:
        """Return the record of a step, or None."""
        row = await self.one(statements.RECORD, {"worlds": list(episode.worlds), "step": step})
        return record_of(row) if row else None

    async def records(self, episode: Episode, *, after: int = 0) -> list[dict[str, Any]]:
        """Return the records of the steps after a step, in order, none later than the episode as given."""
        values = {"worlds": list(episode.worlds), "after": after, "until": episode.step}
        rows = await self.all(statements.RECORDS, values)
        return [record_of(row) for row in rows]

    async def close_episode(self, episode_id: str, *, uid: str | None = None) -> bool:
        """Delete an episode; return whether it existed, with that `uid` if one is given."""
        return await self.one(statements.CLOSE, {"id": episode_id, "uid": uid}) is not None

    async def abandon_episode(self, episode_id: str, player: str) -> bool:
        """Delete an unfinished episode if this player still plays it; return whether it did."""
        return await self.one(statements.ABANDON, {"id": episode_id, "player": player}) is not None

    @asynccontextmanager
    async def base_locked(self, digest: str) -> AsyncIterator[Connection]:
        """Hold the lock for loading or removing a base, over all replicas, while the block runs.

        Changes on the yielded connection take effect only if the database does not crash in the meantime.

        Raises:
            Outage: Another process holds it for longer than any load takes.
        """
        async with self.connection(patient=True) as connection, connection.transaction():
            await connection.execute(statements.PATIENTLY)
            await _lock_base(connection, digest)
            yield connection

    async def base_layer(self, digest: str, *, locked: Connection) -> int:
        """Return the layer of a base, on the connection that holds its lock; a new base is given one."""
        found = await locked.rows(statements.BASE_LAYER, {"digest": digest})
        if not found:
            # On a separate connection, so that the layer stays allocated even if the locked work fails.
            await self.run(statements.ADD_BASE, {"digest": digest})
            found = await locked.rows(statements.BASE_LAYER, {"digest": digest})
        return int(found[0][0])

    async def base_ready(self, digest: str, due: Mapping[str, int | None], *, locked: Connection) -> None:
        """Note that every service has loaded a base, on the connection that holds its lock."""
        await locked.rows(statements.BASE_READY, {"digest": digest, "due": Jsonb(due)})

    async def outlive_statements(self) -> None:
        """Wait until every statement that any orchestrator is running now has ended."""
        [[since]] = await self.all(statements.NOW, {})
        while (await self.all(statements.UNDER_WAY, {"since": since}))[0][0]:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)

    async def lose_worlds(self, digest: str, why: str) -> None:
        """Note that the open episodes over a base lost their worlds."""
        await self.run(statements.LOSE_WORLDS, {"digest": digest, "why": why})

    async def revision(self) -> str | None:
        """Return the revision of the schema."""
        row = await self.one(statements.REVISION, {})
        return row[0] if row else None

    async def run(self, statement: str, values: Mapping[str, Any], *, patient: bool = False) -> None:
        """Run a statement without a result, on many rows if `patient`."""
        await self.all(statement, values, patient=patient)

    @asynccontextmanager
    async def connection(self, *, patient: bool = False) -> AsyncIterator[Connection]:
        """Lend a connection, for statements on many rows if `patient`; database errors become an `Outage`."""
        try:
            async with self._pool.connection(patient=patient) as connection:
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
            raise Outage("database", str(error).strip() or type(error).__name__) from error

    async def one(self, statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Run a statement and return its first row, or None."""
        rows = await self.all(statement, values)
        return rows[0] if rows else None

    async def all(self, statement: str, values: Mapping[str, Any], *, patient: bool = False) -> Rows:
        """Run a statement and return its rows."""

        async def run() -> Rows:
            async with self.connection(patient=patient) as connection:
                return await connection.rows(statement, values)

        return await despite_deadlocks(run)


def record_of(row: Sequence[Any]) -> dict[str, Any]:
    """Return the record of a step from its row."""
    record: dict[str, Any] = orjson.loads(unpacked(row[0]))
    return record


async def _lock_base(connection: Connection, digest: str) -> None:
    ends = monotonic() + LOCK_BASE_S
    while True:
        try:
            # In a transaction of its own: the one that holds the lock would not survive the end of a wait.
            async with connection.transaction():
                await connection.execute(statements.LOCK_BASE, {"digest": digest})
                return
        except LockNotAvailable:
            if monotonic() > ends:
                raise Outage("database", "another process loads this company, and does not end") from None


def _claim_of(rows: Rows, token: str, epoch: str) -> Claim | None:
    if not rows:
        return None
    *row, has_failed = rows[0]
    return Claim(episode_of(row), epoch, token, has_failed)


def _played_values(episode: Episode, outcome: StepOutcome, record: bytes) -> dict[str, Any]:
    return {
        "world": episode.world,
        "step": outcome.record["step"],
        "sim_now": outcome.record["sim_now"],
        "due": Jsonb(outcome.due),
        "total": outcome.total,
        "hash": outcome.record["hash"],
        "faults": None if outcome.faults is None else Jsonb(outcome.faults),
        "record": packed(record),
    }
