"""Ray: awaits function calls that Ray workers run, on this machine or on a cluster.

with RayTasks() as tasks:
    result = await tasks.call(function, argument)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

Argument = TypeVar("Argument")
Result = TypeVar("Result")

#: Longest wait for canceled calls to end in their workers, in seconds.
_END_S: Final = 10.0


class WorkersLost(Exception):
    """Ray could not run a call; the message is Ray's."""


@contextmanager
def connected() -> Iterator[None]:
    """Be connected to the cluster at RAY_ADDRESS, or to a local one; a connection made here ends here."""
    if ray.is_initialized():
        yield
        return
    ray.init(log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()


class RayTasks:
    """The workers of the cluster at RAY_ADDRESS, or of a local one that ends with this object's context."""

    def __init__(self) -> None:
        self._canceled: list[Any] = []
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(connected())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._canceled:
            ray.wait(self._canceled, num_returns=len(self._canceled), timeout=_END_S)
        self._open.close()

    async def call(self, function: Callable[[Argument], Result], argument: Argument) -> Result:
        """Run a function in a worker on one CPU, and return its result or raise its exception.

        Ray retries a call whose worker dies. Canceling the wait cancels the call.

        Raises:
            WorkersLost: No worker was available, or the call killed several in a row.
        """
        reference = ray.remote(function).remote(argument)
        try:
            result: Result = await reference
        except asyncio.CancelledError:
            ray.cancel(reference)
            self._canceled.append(reference)
            raise
        except RayTaskError as failure:
            raise failure.cause from failure
        except RayError as failure:
            raise WorkersLost(str(failure)) from failure
        return result
