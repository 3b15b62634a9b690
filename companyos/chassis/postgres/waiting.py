"""Waits for PostgreSQL with a connection's socket registered on the event loop once, not for every wait.

psycopg registers the socket for every wait and removes it afterwards, which costs a step more than its
statements. Here the socket stays registered, and its events go straight to the waiting generator.
"""

import asyncio
from typing import Any, TypeVar

from psycopg import OperationalError
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait

T = TypeVar("T")

#: How often a wait checks by itself whether anything has arrived, and whether its time is up.
LOOK_S = 1.0


class StatementTimedOut(OperationalError):
    """The server did not answer in time; whether it carried the statements out is unknown."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"the database did not answer within {limit_s:g} s")


class Waiter:
    """Drives psycopg's generators on the socket of one connection, one at a time.

    Args:
        socket: File descriptor of the connection. Call `leave` before it is closed or psycopg waits on it.
    """

    def __init__(self, socket: int) -> None:
        self._socket = socket
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_writing = False
        self._generator: PQGen[Any] | None = None
        self._looks = False
        self._result: asyncio.Future[Any]

    async def drive(self, generator: PQGen[T], limit_s: float) -> T:
        """Run a generator to its end and return its result.

        Cancellation and `StatementTimedOut` stop the generator in the middle of a response; the connection is then
        unusable.

        Args:
            limit_s: Longest wait, in seconds. The end of it may be noticed up to `LOOK_S` late.
        """
        try:
            wanted = next(generator)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        except BaseException:
            # libpq may have closed the socket, and the next connection may reuse its number.
            self.leave()
            raise
        self._enter()
        assert self._loop is not None
        self._generator, self._result = generator, self._loop.create_future()
        self._limit_s, self._ends = limit_s, self._loop.time() + limit_s
        try:
            self._await(wanted)
            self._look_later(self._loop)
            return await self._result  # type: ignore[no-any-return]
        finally:
            self._generator = None

    def leave(self) -> None:
        """Remove the socket from the event loop, until the next `drive`."""
        loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            loop.remove_reader(self._socket)
            loop.remove_writer(self._socket)
        self._is_writing = False

    def _enter(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self.leave()
            loop.add_reader(self._socket, self._proceed, Ready.R)
            self._loop = loop

    def _await(self, wanted: Wait) -> None:
        """Also watch for writability if the generator wants it, because a long statement was sent in part."""
        assert self._loop is not None
        if wanted & Wait.W and not self._is_writing:
            self._loop.add_writer(self._socket, self._proceed, Ready.W)
        elif self._is_writing and not wanted & Wait.W:
            self._loop.remove_writer(self._socket)
        self._is_writing = bool(wanted & Wait.W)

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check periodically while a generator waits.

        uvloop reports a socket error, such as that of a killed server, only once and then stops watching.
        """
        if not self._looks:
            self._looks = True
            loop.call_later(min(LOOK_S, self._limit_s), self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        self._looks = False
        if self._generator is not None and self._loop is loop:
            self._proceed(Ready.R)
        if self._generator is not None and loop.time() >= self._ends:
            self._fail(StatementTimedOut(self._limit_s))
        if self._generator is not None:
            self._look_later(loop)

    def _proceed(self, ready: Ready) -> None:
        generator = self._generator
        if generator is None or self._result.done():
            # The only event on an idle connection is its end, which the pool detects before lending it.
            self.leave()
            return
        try:
            self._await(generator.send(ready))
        except StopIteration as done:
            self._generator = None
            self._result.set_result(done.value)
        except Exception as error:  # noqa: BLE001 - raised again by `drive`, in the task that waits
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        # libpq may have closed the socket, so it is removed at once.
        self._generator = None
        self.leave()
        if not self._result.done():
            self._result.set_exception(error)
