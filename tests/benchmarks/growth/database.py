"""The size of the database after many finished episodes, garbage collection and vacuuming."""

import asyncio
import itertools
import time
from collections.abc import Iterator, Sequence

import psycopg

from orchestrator.runtime.settings import Settings

from ..machine import RunningStack
from .axes import client_of
from .lines import DATABASE, Line
from .sites import IN_FLIGHT, Client

EPISODES = (1_000, 10_000)
FEW = 8
QUIET_S = 15.0
POLL_S = 1.0
PATIENCE_S = 180.0

_SIZE = "SELECT pg_database_size(current_database())"
#: Counts what the default settings do not keep: orphaned layers, surplus records, surplus bases.
_LEFT = """
SELECT (SELECT count(*) FROM orchestrator.garbage)
    + greatest(0, (SELECT count(*) FROM orchestrator.episodes) - %(episodes)s)
    + greatest(0, (SELECT count(*) FROM orchestrator.bases) - %(bases)s)
"""


async def by_episodes(stack: RunningStack, numbers: Sequence[int], *, seeds: int | None) -> Line:
    """Play episodes to their end as fast as possible, 64 at a time, and measure at several counts.

    Args:
        stack: A fresh stack with the default settings.
        numbers: The numbers of episodes after which to measure.
        seeds: The number of different seeds; None uses a new seed for every episode.
    """
    points: dict[int, float] = {}
    with psycopg.connect(stack.addresses["postgres"], autocommit=True) as database:
        async with client_of(stack) as client:
            for played, number in itertools.pairwise((0, *numbers)):
                turns = iter(range(played, number))
                await asyncio.gather(*(_keep_playing(client, turns, seeds) for _ in range(IN_FLIGHT)))
                await _tidy(database)
                points[number] = _one(database, _SIZE) / 1e6
    name = "database, a seed for each episode" if seeds is None else f"database, {seeds} seeds"
    return Line(DATABASE, name, "MB", points)


async def _keep_playing(client: Client, turns: Iterator[int], seeds: int | None) -> None:
    for number in turns:
        episode = await client.reset(seed=number if seeds is None else number % seeds)
        for call in (*episode.preparation(), episode.settled):
            await episode.step(call())
        await episode.step(("finish", {}))


async def _tidy(database: psycopg.Connection[tuple[int]]) -> None:
    """Wait until garbage collection is done and vacuuming no longer changes the size."""
    fields = Settings.model_fields
    keeps = {"episodes": fields["keep_episodes"].default, "bases": fields["max_bases"].default}
    began = changed = time.monotonic()
    size = 0
    while time.monotonic() - changed < QUIET_S:
        if time.monotonic() - began > PATIENCE_S:
            raise TimeoutError("the house does not become tidy")
        left, now = _one(database, _LEFT, keeps), _one(database, _SIZE)
        if left or now != size:
            size, changed = now, time.monotonic()
        await asyncio.sleep(POLL_S)


def _one(
    database: psycopg.Connection[tuple[int]], statement: str, values: dict[str, int] | None = None
) -> int:
    row = database.execute(statement, values).fetchone()
    assert row
    return row[0]
