"""A second stack, with databases and numbers of its own, and archives to carry between the two."""

import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from tests.live_services import databases_in

from .toy_stack import ToyStack, toy_stack_on

ROWS = (
    "SELECT sum(n)::int FROM (SELECT count(*) AS n FROM shop.orders WHERE layer_id > 0 "
    "UNION ALL SELECT count(*) FROM shop.world_outcomes WHERE layer_id > 0 "
    "UNION ALL SELECT count(*) FROM depot.parcels WHERE layer_id > 0 "
    "UNION ALL SELECT count(*) FROM orchestrator.steps "
    "UNION ALL SELECT count(*) FROM orchestrator.snapshots) AS counted"
)


@asynccontextmanager
async def second_stack(home: Path) -> AsyncIterator[ToyStack]:
    """Serve a town on databases of its own, where the numbers of layers, worlds and snapshots are others."""
    with databases_in(home) as databases:
        async with toy_stack_on(databases) as toy_stack:
            await toy_stack.write(
                "SELECT setval('orchestrator.worlds', 700000), setval('orchestrator.base_layers', -5000)"
            )
            await toy_stack.write("SELECT setval('orchestrator.snapshots_number_seq', 4000)")
            yield toy_stack


def lines_of(archive: bytes) -> list[Any]:
    """Return the lines of an archive but for its digest."""
    return [orjson.loads(line) for line in gzip.decompress(archive).splitlines()[:-1]]


def archive_of(lines: list[Any]) -> bytes:
    """Return an archive of these lines, with the digest that belongs to them."""
    text = b"".join(orjson.dumps(line, option=orjson.OPT_SORT_KEYS) + b"\n" for line in lines)
    digest = blake2b(text, digest_size=16).hexdigest()
    return gzip.compress(text + orjson.dumps({"digest": digest}) + b"\n", mtime=0)


def forged(archive: bytes, change: Callable[[list[Any]], Any]) -> bytes:
    """Return an archive with something changed in its lines, and a digest that says nothing was."""
    lines = lines_of(archive)
    change(lines)
    return archive_of(lines)


async def left_to_be_reaped(toy_stack: ToyStack, episodes: Any) -> None:
    """Let the waiting time of everything left behind pass, and have it looked at until nothing is left."""
    due_now = "UPDATE orchestrator.garbage SET due_at = now() - interval '1 second' RETURNING 1"
    while await toy_stack.write(due_now):
        await episodes._components.garbage.reap()


class Leftovers:
    """What is in a stack that was not there before."""

    def __init__(self, toy_stack: ToyStack) -> None:
        self._town = toy_stack
        [[self._layer, self._snapshot]] = toy_stack.rows(
            "SELECT (SELECT last_value FROM orchestrator.worlds), "
            "(SELECT last_value FROM orchestrator.snapshots_number_seq)"
        )

    async def found(self, episodes: Any) -> list[str]:
        """Return where something is left once everything that nobody has was reaped."""
        await left_to_be_reaped(self._town, episodes)
        tables = self._town.rows(
            "SELECT table_schema || '.' || table_name FROM information_schema.columns WHERE column_name = 'layer_id' "
            "AND table_schema IN ('shop', 'depot')"
        )
        counts = {name: f"SELECT count(*) FROM {name} WHERE layer_id > {self._layer}" for (name,) in tables}
        counts["orchestrator.steps"] = f"SELECT count(*) FROM orchestrator.steps WHERE world > {self._layer}"
        counts["orchestrator.snapshots"] = (
            f"SELECT count(*) FROM orchestrator.snapshots WHERE number > {self._snapshot}"
        )
        return [name for name, count in counts.items() if self._town.rows(count) != [(0,)]]
