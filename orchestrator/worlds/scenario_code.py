"""Runs scenarios' code in threads: each run has an end, each failure a name, and no scenario holds up the others."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Generic, TypeVar

from companyos.sdk.scenario import Scenario, folder_of
from companyos.sdk.scenario_sources import reason_of

from ..protocol.problems import GraderFailed, Outage, Refusal, ScenarioFailed

#: Concurrent runs over all scenarios that are not longer than `BRIEF_S`, and concurrent runs of one scenario.
AT_ONCE = 2
#: Longer runs leave their place to other scenarios and go on beside them.
BRIEF_S = 2.0

T = TypeVar("T")


@contextmanager
def failures_named(scenario: str) -> Iterator[None]:
    """Name whatever a scenario's predicates raise in the block, even if that would end the process.

    Raises:
        GraderFailed: One of them raised.
    """
    try:
        yield
    except (Outage, Refusal):
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise GraderFailed("grader", f"{scenario}: {reason_of(error)}") from error


class OutOfTime(BaseException):
    """Raised in the middle of a scenario's code; not an `Exception`, which that code may well catch."""


class ScenarioRuns:
    """The runs of this process.

    Args:
        limit_s: Longest run, and longest wait for one to begin.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._brief = asyncio.Semaphore(AT_ONCE)
        self._of_scenario: dict[str, asyncio.Semaphore] = {}

    async def run(self, scenario: Scenario, seed: int, work: Callable[[], T]) -> T:
        """Return the result of a scenario's code for a seed.

        Raises:
            ScenarioFailed: It raised, or did not end in time.
            Refusal: 429 too_busy; earlier runs of the scenario did not end in time for this one.
        """
        own = self._of_scenario.setdefault(scenario.name, asyncio.Semaphore(AT_ONCE))
        async with AsyncExitStack() as brief:
            await self._turn(scenario, own, brief)
            thread = _Run(work)
            # The place is free once the thread has ended, which a run that is out of time may never do.
            thread.ended.add_done_callback(lambda _: own.release())
            await asyncio.wait([thread.ended], timeout=min(BRIEF_S, self._limit_s))
        await asyncio.wait([thread.ended], timeout=max(0.0, self._limit_s - BRIEF_S))
        return self._result(thread, scenario, seed)

    async def _turn(self, scenario: Scenario, own: asyncio.Semaphore, brief: AsyncExitStack) -> None:
        try:
            async with asyncio.timeout(self._limit_s):
                await own.acquire()
                try:
                    await brief.enter_async_context(self._brief)
                except BaseException:
                    own.release()
                    raise
        except TimeoutError:
            detail = f"{scenario.name} generates other companies, and none was done in {self._limit_s:g} s."
            raise Refusal(429, "too_busy", f"{detail} Send the same request again.", retryable=True) from None

    def _result(self, thread: _Run[T], scenario: Scenario, seed: int) -> T:
        where = f"{scenario.name}, seed {seed}"
        if not thread.ended.done():
            thread.interrupt()
            limit = f"it did not end within {self._limit_s:g} s (COMPANYOS_GENERATION_S)"
            raise ScenarioFailed("scenario", f"{where}: {limit}")
        if thread.error is not None:
            reason = reason_of(thread.error, folder_of(scenario))
            raise ScenarioFailed("scenario", f"{where}: {reason}") from thread.error
        return thread.result


class _Run(Generic[T]):
    """Work in a thread of its own, which keeps no process from ending.

    Attributes:
        ended: Done when the thread has ended.
        error: What the work raised, even if that would end a process; None if it returned.
        result: What it returned.
    """

    error: BaseException | None = None
    result: T

    def __init__(self, work: Callable[[], T]) -> None:
        self._loop = asyncio.get_running_loop()
        self.ended = self._loop.create_future()
        self._work = work
        self._thread = threading.Thread(target=self._run, name="scenario", daemon=True)
        self._thread.start()

    def interrupt(self) -> None:
        """Raise `OutOfTime` in the thread before its next instruction; a call that blocks outside Python goes on."""
        raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raise_in_thread(ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(OutOfTime))

    def _run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # noqa: BLE001 - raised again, by name, in the task that waits
            self.error = error
        try:
            self._loop.call_soon_threadsafe(self._end)
        except (RuntimeError, OutOfTime):
            return  # the process stops, or nobody waits

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)
