"""Statements that PostgreSQL rolls back to resolve a deadlock are run again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from psycopg.errors import DeadlockDetected

from ..protocol.problems import Outage

T = TypeVar("T")

#: How often a statement may be rolled back before it counts as an outage.
MOST = 5


async def despite_deadlocks(run: Callable[[], Awaitable[T]]) -> T:
    """Run a single statement, again whenever the server rolls it back in favor of another one.

    Episodes and snapshots of one lineage share layers. A statement notes the layers that it leaves in order, but the
    statements of one transaction note theirs one after another, so two processes can wait for each other.

    Raises:
        Outage: The database does not answer, or the statement was rolled back too often.
    """
    for _ in range(MOST):
        try:
            return await run()
        except Outage as outage:
            if not isinstance(outage.__cause__, DeadlockDetected):
                raise
    return await run()
