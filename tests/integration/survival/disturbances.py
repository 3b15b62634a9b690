"""What keeps a stack from its work although nobody kills a process: each lasts a while, and then is over."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from redis.exceptions import RedisError

from tests.disks import fill
from tests.frozen import frozen_database

from .stacks import Stack, until_it_works

#: Unfinished requests at the agent API and at the trainer API: half of each stop in their head, half in their body.
AGENTS_HALF, TRAINERS_HALF = 400, 40
HEAD = b"POST /%s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
BODY = b'content-length: 1000\r\n\r\n{"scenario": '
#: A database stands still for longer than `COMPANYOS_STATEMENT_S`, and a disk is full for a while, in seconds.
SHORTEST_S, LONGEST_S = 6.0, 9.0

Disturb = Callable[[], Awaitable[None]]


@dataclass
class Disturber:
    """Disturbs a stack.

    Attributes:
        stack: The stack.
        generator: Draws how long each disturbance lasts.
        token: Lets an agent in, so that its unfinished requests reach further than those of strangers.
    """

    stack: Stack
    generator: random.Random
    token: str
    _left: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def all(self) -> dict[str, Disturb]:
        """Every disturbance by its name."""
        return {
            "unfinished requests": self.leave_requests_unfinished,
            "frozen database": self.freeze_database,
            "emptied bus": self.empty_bus,
            "full disk": self.fill_disk,
        }

    async def leave_requests_unfinished(self) -> None:
        """Begin many requests and leave them as they are, which lasts until the stack is tired of them."""
        await self.rest()
        status = self.stack.status
        agent = HEAD % b"mcp" + f"authorization: Bearer {self.token}\r\n".encode()
        self._begin(status.agent_url, agent, AGENTS_HALF)
        self._begin(status.url, HEAD % b"reset", TRAINERS_HALF)

    def _begin(self, url: str, head: bytes, count: int) -> None:
        for begun in (head, head + BODY):
            self._left += [asyncio.create_task(_unfinished(url, begun)) for _ in range(count // 2)]

    async def rest(self) -> None:
        """Wait until the stack has got rid of all unfinished requests."""
        await asyncio.gather(*self._left)
        self._left.clear()

    async def freeze_database(self) -> None:
        """Stop PostgreSQL, and let it go on."""
        with frozen_database(self.stack.status.addresses["postgres"]):
            await self._a_while()

    async def empty_bus(self) -> None:
        """Remove everything from Valkey."""
        async with self.stack.redis() as redis:
            await until_it_works(redis.flushall, RedisError)

    async def fill_disk(self) -> None:
        """Fill the disk of the home, and make room again."""
        filler = self.stack.home.path.parent / "filler"
        try:
            await asyncio.to_thread(fill, filler)
            await self._a_while()
        finally:
            filler.unlink()

    async def _a_while(self) -> None:
        await asyncio.sleep(self.generator.uniform(SHORTEST_S, LONGEST_S))


async def _unfinished(url: str, begun: bytes) -> None:
    """Send the beginning of a request and wait until the server ends the connection."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    with closing(writer), suppress(ConnectionError):
        writer.write(begun)
        await reader.read()
