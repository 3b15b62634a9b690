"""The three axes along which cost should stay flat: open worlds, company rows, and episode steps."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path

import aiohttp

from ..machine import RunningStack, started_stack
from .lines import Line, lines_of
from .sites import Client, Site, among, below, opened, rounds

WORLDS = (1, 10, 100, 1_000, 10_000)
ROWS = (60, 200, 2_000, 20_000, 100_000)
STEPS = (1, 10, 100, 500)
LIMIT_S = 600


async def by_worlds(home: Path, numbers: Sequence[int], count: int) -> list[Line]:
    """Measure with these numbers of open worlds; one stack per number, so that measurements can alternate."""
    sites: dict[int, Site] = {}
    with ExitStack() as stacks:
        async with AsyncExitStack() as clients:
            for number in numbers:
                stack = stacks.enter_context(started_stack(home / str(number)))
                client = await clients.enter_async_context(client_of(stack))
                worlds = await opened(client, number, 1)
                sites[number] = Site(client, {"seed": 0, "chaos": 0}, among(client, worlds))
            return lines_of("open worlds", await rounds(sites, count))


async def by_rows(stack: RunningStack, sizes: Sequence[int], count: int) -> list[Line]:
    """Measure in companies with these numbers of rows."""
    async with client_of(stack) as client:
        sites = {}
        for size in sizes:
            [parent] = await opened(client, 1, 1, size=size)
            sites[size] = Site(client, {"seed": 0, "chaos": 0, "size": size}, below(client, parent))
        return lines_of("rows in the company", await rounds(sites, count))


async def by_steps(stack: RunningStack, numbers: Sequence[int], count: int) -> list[Line]:
    """Measure in episodes with these numbers of played steps."""
    async with client_of(stack) as client:
        sites = {}
        for number in numbers:
            [parent] = await opened(client, 1, number)
            sites[number] = Site(client, {"seed": 0, "chaos": 0}, below(client, parent))
        return lines_of("steps in the episode", await rounds(sites, count))


@asynccontextmanager
async def client_of(stack: RunningStack) -> AsyncIterator[Client]:
    """Connect to a stack; a request that hangs fails the benchmark."""
    limits, connector = aiohttp.ClientTimeout(total=LIMIT_S), aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(timeout=limits, connector=connector) as session:
        yield Client(stack.url, session)
