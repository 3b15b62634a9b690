"""The killer: SIGKILL to one process after another, drawn by a seed, each at an arbitrary moment of the work."""

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from redis.exceptions import RedisError

from .stacks import BACK_S, POLL_S, POSTGRES, VALKEY, Stack, until_it_works

#: Between two kills, so many steps are answered at least and at most.
FEWEST_STEPS, MOST_STEPS = 1, 8
MARK = "survival:mark"


class Blow(StrEnum):
    """How PostgreSQL is hit: its first process, or one that serves a connection, which takes all others along."""

    POSTMASTER = "postmaster"
    BACKEND = "backend"


class Pulse:
    """Counts answered steps, so that kills keep time with the work and not with a clock."""

    def __init__(self) -> None:
        self.steps = 0
        self._news = asyncio.Condition()

    async def beat(self) -> None:
        """Count a step."""
        async with self._news:
            self.steps += 1
            self._news.notify_all()

    async def after(self, steps: int, *, within_s: float = BACK_S) -> None:
        """Wait until so many more steps are answered."""
        goal = self.steps + steps
        async with asyncio.timeout(within_s), self._news:
            await self._news.wait_for(lambda: self.steps >= goal)


def deck(names: Sequence[str], generator: random.Random, *, kills: int, rare: dict[str, int]) -> list[str]:
    """Return the victims in order: the rare ones as often as told, the others equally often."""
    common = [name for name in names if name not in (POSTGRES, VALKEY)]
    left = kills - sum(rare.values())
    victims = [name for name, times in rare.items() for _ in range(times)]
    victims += [common[number % len(common)] for number in range(left)]
    generator.shuffle(victims)
    return victims


@dataclass
class Killer:
    """Kills processes of a stack.

    Attributes:
        kills: How often each process was killed.
        emptied: How often the bus was found empty after its end.
    """

    stack: Stack
    pulse: Pulse
    generator: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    emptied: int = 0

    async def kill_all(self, victims: Sequence[str]) -> None:
        """Kill each in turn, the next one as soon as the one before is back and the work goes on."""
        for victim in victims:
            await self.pulse.after(self.generator.randint(FEWEST_STEPS, MOST_STEPS))
            await self.kill(victim)

    async def kill(self, victim: str) -> None:
        """Kill one process and wait until it is back."""
        match victim:
            case _ if victim == POSTGRES:
                await self._kill_postgres(self.generator.choice(list(Blow)))
            case _ if victim == VALKEY:
                await self._kill_valkey()
            case _:
                await self._kill_process(victim)
        self.kills[victim] += 1

    async def _kill_process(self, name: str) -> None:
        process = self.stack.process(name)
        os.kill(process.pid, signal.SIGKILL)
        async with asyncio.timeout(BACK_S):
            while (now := self.stack.process(name)).mark == process.mark or not now.runs():
                await asyncio.sleep(POLL_S)

    async def _kill_postgres(self, blow: Blow) -> None:
        if blow is Blow.POSTMASTER:
            await self._kill_process(POSTGRES)
        else:
            [[pid]] = await self.stack.rows(A_BACKEND, self.generator.random())
            os.kill(pid, signal.SIGKILL)
        self.kills[blow] += 1
        await self.stack.rows("SELECT 1")

    async def _kill_valkey(self) -> None:
        async with self.stack.redis() as redis:
            await redis.set(MARK, "here")
        await self._kill_process(VALKEY)
        async with self.stack.redis() as redis:
            kept = await until_it_works(lambda: redis.get(MARK), RedisError)
        assert kept is None, "Valkey kept its data"
        self.emptied += 1


#: A process that serves one of ours.
A_BACKEND = """
WITH ours AS (SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename <> 'postgres')
SELECT pid FROM ours ORDER BY pid OFFSET floor(%s * (SELECT count(*) FROM ours)) LIMIT 1
"""
