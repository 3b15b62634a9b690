"""Work that concurrent callers share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class SharedWork:
    """The work under way in this process, by key."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, asyncio.Task[Any]] = {}

    async def once(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """Share one run of the work among concurrent callers; a caller that gives up does not stop it."""
        if key not in self._under_way:
            task: asyncio.Task[Any] = asyncio.ensure_future(work())
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))
        done: T = await asyncio.shield(self._under_way[key])
        return done
