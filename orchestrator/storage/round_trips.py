"""Round trips to the database that many steps share for their claims and their commits.

Under load, a separate round trip for each step costs both sides more than its statement. So only one round
trip is under way at a time, and the statements that arrive meanwhile go together in the next one, in one
transaction. A step that arrives alone does not wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from companyos.chassis.postgres.epochs import Connection, StaleEpoch
from companyos.chassis.postgres.prepared import Rows

from ..protocol.problems import Outage
from .deadlocks import despite_deadlocks

#: The most statements in one round trip.
MOST = 64


@dataclass(frozen=True, slots=True)
class StepStatement:
    """A statement about one episode.

    Attributes:
        episode: The episode's id. A batch is sorted by it, so that two processes rarely deadlock.
        sql: The statement, on which no other statement depends.
        epoch: Epoch of the database in which the statement is valid; empty for any.
    """

    episode: str
    sql: str
    values: Mapping[str, Any]
    epoch: str = ""


@dataclass(frozen=True, slots=True)
class StatementResult:
    """The rows of a statement, and the epoch of the database that returned them."""

    rows: Rows
    epoch: str


@dataclass(frozen=True, slots=True)
class _Waiting:
    statement: StepStatement
    answer: asyncio.Future[StatementResult]


class _NotTogether(Exception):
    """A batch was rolled back because of one of its statements."""


class SharedRoundTrips:
    """Runs statements of many steps.

    Args:
        lend: Lends a connection; raises `Outage` if the database does not answer.
    """

    def __init__(self, lend: Callable[[], AbstractAsyncContextManager[Connection]]) -> None:
        self._lend = lend
        self._waiting: list[_Waiting] = []
        self._is_under_way = False
        self._task: asyncio.Task[None] | None = None

    async def run(self, statement: StepStatement) -> StatementResult:
        """Run a statement, perhaps together with others.

        Raises:
            Outage: The database did not answer; whether the statement was carried out is unknown.
        """
        if self._is_under_way:
            waiting = _Waiting(statement, asyncio.get_running_loop().create_future())
            self._waiting.append(waiting)
            return await waiting.answer
        self._is_under_way = True
        try:
            return await self._alone(statement)
        finally:
            self._go_on()

    def _go_on(self) -> None:
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        self._is_under_way = bool(batch)
        if batch:
            self._task = asyncio.create_task(self._answer(sorted(batch, key=attrgetter("statement.episode"))))

    async def _answer(self, batch: Sequence[_Waiting]) -> None:
        try:
            answers = await self._together([waiting.statement for waiting in batch])
            for waiting, answer in zip(batch, answers, strict=True):
                _pass_on(waiting.answer, answer)
        finally:
            for waiting in batch:
                waiting.answer.cancel()
            self._go_on()

    async def _together(self, batch: Sequence[StepStatement]) -> Sequence[StatementResult | Exception]:
        try:
            async with self._lend() as connection:
                return await _run_batch(connection, batch)
        except _NotTogether:
            return await asyncio.gather(*map(self._alone, batch), return_exceptions=True)  # type: ignore[return-value]
        except Exception as error:  # noqa: BLE001 - raised again for each step that waits
            return [error] * len(batch)

    async def _alone(self, statement: StepStatement) -> StatementResult:
        async def run() -> StatementResult:
            async with self._lend() as connection:
                connection.refuse_stale(statement.epoch)
                return StatementResult(
                    await connection.rows(statement.sql, statement.values), connection.epoch
                )

        return await despite_deadlocks(run)


async def _run_batch(
    connection: Connection, batch: Sequence[StepStatement]
) -> list[StatementResult | Exception]:
    """Run statements in one transaction; those of another epoch fail by themselves.

    Raises:
        _NotTogether: The server refused one of them, so nothing was carried out.
    """
    current = [one for one in batch if one.epoch in ("", connection.epoch)]
    try:
        found = await connection.together(*((one.sql, one.values) for one in current)) if current else []
    except Exception as error:
        # If the connection is lost, it is unknown what was carried out.
        if connection.broken:
            raise
        raise _NotTogether from error
    answers = {id(one): rows for one, rows in zip(current, found, strict=True)}
    return [
        StatementResult(answers[id(one)], connection.epoch) if id(one) in answers else _stale()
        for one in batch
    ]


def _stale() -> Outage:
    return Outage("database", str(StaleEpoch()))


def _pass_on(future: asyncio.Future[StatementResult], answer: StatementResult | Exception) -> None:
    if future.done():
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
