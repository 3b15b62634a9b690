"""What a run uses of Ray, under Ray's names, with processes of the standard library as workers.

`tests.adapters.programs.signatures` holds the same names against Ray itself, where that is installed.
"""

from __future__ import annotations

import asyncio
import concurrent.futures as futures
import multiprocessing
from collections.abc import Callable, Generator, Sequence
from typing import Any

from .exceptions import RayTaskError, WorkerCrashedError

WORKERS = 1
_pools: list[futures.ProcessPoolExecutor] = []


def init(address: str | None = None, *, log_to_driver: bool | None = None, logging_level: int = 20) -> None:
    """Start workers that share nothing with this process."""
    _pools.append(futures.ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")))


def is_initialized() -> bool:
    return bool(_pools)


def shutdown(_exiting_interpreter: bool = False) -> None:
    _pools.pop().shutdown(cancel_futures=True)


def remote(function: Callable[..., Any]) -> RemoteFunction:
    return RemoteFunction(function)


def cancel(ray_waitable: ObjectRef, *, force: bool = False, recursive: bool = True) -> None:
    ray_waitable.future.cancel()


def wait(
    ray_waitables: Sequence[ObjectRef], *, num_returns: int = 1, timeout: float | None = None
) -> tuple[list[ObjectRef], list[ObjectRef]]:
    futures.wait([one.future for one in ray_waitables], timeout)
    ended = [one for one in ray_waitables if one.future.done()]
    return ended, [one for one in ray_waitables if one not in ended]


class RemoteFunction:
    """A function that workers call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def remote(self, *arguments: Any) -> ObjectRef:
        return ObjectRef(_pools[-1].submit(self._function, *arguments))


class ObjectRef:
    """What a call will return."""

    def __init__(self, future: futures.Future[Any]) -> None:
        self.future = future

    def __await__(self) -> Generator[Any, None, Any]:
        return self._result().__await__()

    async def _result(self) -> Any:
        waited = asyncio.wrap_future(self.future)
        await asyncio.wait([waited])
        failure = waited.exception()
        if isinstance(failure, futures.BrokenExecutor):
            raise WorkerCrashedError(str(failure))
        if failure is not None:
            raise RayTaskError(type(failure).__name__, str(failure), failure)
        return waited.result()
