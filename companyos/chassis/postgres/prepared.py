"""Prepared statements on PostgreSQL, several in one round trip.

A unit of work runs a handful of small statements, and a psycopg cursor costs more CPU time than PostgreSQL
spends on such a statement. So statements go to libpq directly: each is prepared once per connection, values
are sent as text of the type that the server infers, and psycopg's own loaders read the rows. Rare statements
still use `execute`.
"""

import asyncio
import re
from binascii import hexlify
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property, singledispatch
from hashlib import blake2b
from types import NoneType
from typing import Any, ClassVar, TypeVar

import orjson
from psycopg import AsyncConnection, DataError, generators
from psycopg.abc import PQGen
from psycopg.abc import Transformer as Loader
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.types.json import Jsonb, set_json_dumps, set_json_loads
from psycopg.waiting import wait_async

from .waiting import StatementTimedOut, Waiter

T = TypeVar("T")
Rows = list[tuple[Any, ...]]
#: A statement with named parameters (`%(name)s`), and their values.
Call = tuple[str, Mapping[str, Any]]

#: How often a wait of psycopg checks by itself whether anything has arrived. Its default of 0 asks without a pause.
WAIT_S = 0.1

_PLACEHOLDER = re.compile(r"%(?:\((\w+)\)s|(%))")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with numbered parameters, as the server prepares it."""

    name: bytes
    text: bytes
    parameters: tuple[str, ...]

    def bound(self, values: Mapping[str, Any]) -> list[bytes | None]:
        """Return the encoded values of the parameters."""
        return [dumped(values[name]) for name in self.parameters]


@cache
def statement_of(sql: str) -> Statement:
    """Number the parameters of a statement in the order of their first use."""
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return found[2] or f"${numbers.setdefault(found[1], len(numbers) + 1)}"

    text = _PLACEHOLDER.sub(numbered, sql).encode()
    return Statement(blake2b(text, digest_size=8).hexdigest().encode(), text, tuple(numbers))


class Connection(AsyncConnection[tuple[Any, ...]]):
    """An autocommit connection that runs prepared statements in batches.

    Attributes:
        OWN_WAITER: Whether batches wait with `waiting.Waiter` instead of psycopg's own wait.
        limit_s: Longest wait for one answer of the server, in seconds. The server's own limits end nothing while it is
            frozen or cannot be reached.
        is_given_up: Whether an answer was not awaited, so that the server may still carry its statements out.
    """

    OWN_WAITER: ClassVar[bool] = True
    limit_s: float = 20.0
    is_given_up: bool = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._known: set[bytes] = set()
        set_json_loads(orjson.loads, self)
        set_json_dumps(orjson.dumps, self)

    async def rows(self, sql: str, values: Mapping[str, Any]) -> Rows:
        """Run a statement and return its rows."""
        return (await self.together((sql, values)))[0]

    async def together(self, *calls: Call) -> list[Rows]:
        """Run statements in order in one round trip, and return the rows of each.

        The first failing statement raises its error. Later statements are not run; earlier ones are not rolled back.

        Raises:
            StatementTimedOut: The server did not answer within `limit_s`; the connection is closed.
        """
        statements = [statement_of(sql) for sql, _ in calls]
        bound = [statement.bound(values) for statement, (_, values) in zip(statements, calls, strict=True)]
        async with self.lock:
            exchange = self._exchange(statements, bound)
            results = await (self._driven(exchange) if self.OWN_WAITER else self.wait(exchange))
        return [self._loaded(result) for result in results]

    async def wait(self, gen: PQGen[T], *_arguments: Any, **_options: Any) -> T:
        """Wait the way psycopg does, which registers the socket itself, but not longer than `limit_s`."""
        self._waiter.leave()
        try:
            async with asyncio.timeout(self.limit_s):
                return await wait_async(gen, self.pgconn.socket, WAIT_S)
        except TimeoutError as error:
            self._give_up()
            raise StatementTimedOut(self.limit_s) from error
        except asyncio.CancelledError:
            self._give_up()
            raise

    async def close(self) -> None:
        """Close the connection."""
        self._waiter.leave()
        await super().close()

    async def _driven(self, exchange: PQGen[T]) -> T:
        try:
            return await self._waiter.drive(exchange, self.limit_s)
        except (asyncio.CancelledError, StatementTimedOut):
            self._give_up()
            raise

    def _give_up(self) -> None:
        """Close the connection: nobody will read the rest of the response.

        psycopg would ask the server to cancel the query, and wait for its answer.
        """
        self.is_given_up = True
        self._waiter.leave()
        self.pgconn.finish()

    @cached_property
    def _waiter(self) -> Waiter:
        return Waiter(self.pgconn.socket)

    def _exchange(
        self, statements: Sequence[Statement], bound: Sequence[Sequence[bytes | None]]
    ) -> PQGen[list[PGresult]]:
        pgconn, new = self.pgconn, {one for one in statements if one.name not in self._known}
        pgconn.enter_pipeline_mode()
        for statement in new:
            pgconn.send_prepare(statement.name, statement.text)
        for statement, values in zip(statements, bound, strict=True):
            pgconn.send_query_prepared(statement.name, values)
        pgconn.pipeline_sync()
        yield from generators.send(pgconn)
        results = yield from _results(pgconn, len(new) + len(statements))
        pgconn.exit_pipeline_mode()
        # Statements prepared in a pipeline stay prepared even if the rest of it fails.
        prepared = results[: len(new)]
        self._known |= {
            s.name for s, r in zip(new, prepared, strict=True) if r.status == ExecStatus.COMMAND_OK
        }
        for result in results:
            if result.status == ExecStatus.FATAL_ERROR:
                raise error_from_result(result)
        return results[len(new) :]

    @cached_property
    def _transformer(self) -> Loader:
        return Transformer(self)

    def _loaded(self, result: PGresult) -> Rows:
        if result.status != ExecStatus.TUPLES_OK:
            return []
        self._transformer.set_pgresult(result)
        return self._transformer.load_rows(0, result.ntuples, tuple)


def _results(pgconn: PGconn, count: int) -> PQGen[list[PGresult]]:
    results: list[PGresult] = []
    for _ in range(count + 1):
        results += yield from generators.fetch_many(pgconn)
    return results[:-1]


@singledispatch
def dumped(value: Any) -> bytes | None:
    """Encode a value as text for PostgreSQL.

    Raises:
        psycopg.DataError: A text contains U+0000, which PostgreSQL cannot store.
    """
    raise TypeError(f"no statement takes a {type(value).__name__}")


@dumped.register
def _(value: str) -> bytes:
    text = value.encode()
    if b"\0" in text:
        raise DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return text


@dumped.register(NoneType)
def _(value: None) -> None:
    return None


@dumped.register
def _(value: bytes) -> bytes:
    return rb"\x" + hexlify(value)


@dumped.register
def _(value: bool) -> bytes:
    return b"t" if value else b"f"


@dumped.register(int)
@dumped.register(float)
@dumped.register(Decimal)
def _(value: object) -> bytes:
    return str(value).encode()


@dumped.register
def _(value: Jsonb) -> bytes:
    return orjson.dumps(value.obj)


@dumped.register
def _(value: list) -> bytes:  # type: ignore[type-arg]
    return b"{%s}" % b",".join(_element(item) for item in value)


def _element(value: Any) -> bytes:
    text = dumped(value)
    if text is None:
        return b"NULL"
    return b'"%s"' % text.replace(b"\\", b"\\\\").replace(b'"', b'\\"') if isinstance(value, str) else text
