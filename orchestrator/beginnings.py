"""What episodes start from: a scenario's instance, generated once, and the opening that a reset shows of it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from companyos.chaos import Chaos, FaultPlan
from companyos.draws import Draws
from companyos.scenario import Base, Instance, Scenario

from .bases import Bases
from .catalog import Catalog
from .library import Library
from .observations import Said, observation
from .problems import Outage
from .records import Episode, Start
from .trace import digest, first_hash

#: Rows kept generated in memory, over all beginnings; a default company has about 400.
MOST_ROWS = 150_000
#: Openings kept in memory; each is a brief and a few numbers.
MOST_OPENINGS = 4_096
#: Companies generated at once; each holds a thread.
AT_ONCE = 2

#: What determines a beginning.
Coordinates = tuple[str, int, str, str]
T = TypeVar("T")


@dataclass
class Opening:
    """What a reset needs of a beginning, whatever the size of the company.

    Attributes:
        base: Name of the base, made of its content.
        start: Simulated second at which it starts.
        loaded: Whether the services have the base, as far as this process knows.
    """

    base: str
    scenario: str
    version: int
    seed: int
    brief: str
    start: int
    max_steps: int
    loaded: bool = False
    _first: dict[int, tuple[dict[str, Any], str]] = field(default_factory=dict)

    def first(self, start: Start, catalog: Catalog) -> tuple[dict[str, Any], str]:
        """Return the first observation and the hash the trace starts with."""
        if start.max_steps not in self._first:
            seen = observation(
                Said(text=self.brief, tools=catalog.cards),
                step=0,
                max_steps=start.max_steps,
                now=self.start,
                elapsed_s=0,
            )
            chain = first_hash(
                scenario=start.scenario,
                version=start.version,
                seed=start.seed,
                chaos_digest=start.chaos.digest,
                observation=seen,
            )
            self._first[start.max_steps] = seen, chain
        return self._first[start.max_steps]


@dataclass(frozen=True)
class Beginning:
    """An instance with its rows indexed, as grading needs it.

    Attributes:
        opening: What every episode over it starts with.
        size: Number of rows.
        plan: What goes wrong on the way; None where nothing can.
    """

    instance: Instance
    base: Base
    opening: Opening
    size: int
    plan: FaultPlan | None

    @property
    def armed(self) -> dict[str, Any] | None:
        """What services must know to decide what goes wrong with events; None where nothing does."""
        return None if self.plan is None else self.plan.armed


class Beginnings:
    """The beginnings this process used last.

    Args:
        salt: Key of every draw.
    """

    def __init__(self, bases: Bases, library: Library, salt: str) -> None:
        self._bases = bases
        self._library = library
        self._salt = salt
        self._kept: OrderedDict[Coordinates, Beginning] = OrderedDict()
        self._openings: OrderedDict[Coordinates, Opening] = OrderedDict()
        self._under_way: dict[tuple[str, object], asyncio.Task[Any]] = {}
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def opening(self, scenario: str, seed: int, chaos: Chaos, size: str | int) -> Opening:
        """Return the opening of these coordinates; the company is generated only where it is not known.

        Raises:
            Refusal: 404 scenario_unknown.
        """
        where = (scenario, seed, chaos.digest, str(size))
        if where in self._openings:
            self._openings.move_to_end(where)
            return self._openings[where]
        return (await self._drawn(scenario, seed, chaos, size)).opening

    async def of(self, start: Start) -> Beginning:
        """Return the beginning of an episode."""
        return await self._drawn(start.scenario, start.seed, start.chaos, start.size)

    async def under(self, episode: Episode) -> Beginning:
        """Return the beginning of an episode, with the plan of the chaos that is in force by now."""
        beginning = await self.of(episode.start)
        if episode.put is None:
            return beginning
        start = episode.start
        return replace(
            beginning, plan=_plan(self._salt, start.scenario, start.version, start.seed, episode.chaos)
        )

    async def load(self, opening: Opening, start: Start, catalog: Catalog) -> None:
        """Make sure that every service has the base of an opening.

        Raises:
            Outage: A service cannot take it.
        """
        self._bases.used.add(opening.base)
        if not opening.loaded:
            await self._once(("load", opening.base), lambda: self._load(start, catalog))
            opening.loaded = True

    async def _drawn(self, scenario: str, seed: int, chaos: Chaos, size: str | int) -> Beginning:
        where = (scenario, seed, chaos.digest, str(size))
        if where in self._kept:
            self._kept.move_to_end(where)
            return self._kept[where]
        return await self._once(("draw", where), lambda: self._generate(where, chaos, size))

    async def _generate(self, where: Coordinates, chaos: Chaos, size: str | int) -> Beginning:
        scenario = self._library.find(where[0])
        async with self._turn:
            beginning = await asyncio.to_thread(_generated, scenario, where[1], chaos, size, self._salt)
        self._keep(where, beginning)
        return beginning

    def _keep(self, where: Coordinates, beginning: Beginning) -> None:
        self._openings.setdefault(where, beginning.opening)
        if len(self._openings) > MOST_OPENINGS:
            self._openings.popitem(last=False)
        self._kept[where] = beginning
        while len(self._kept) > 1 and sum(kept.size for kept in self._kept.values()) > MOST_ROWS:
            self._kept.popitem(last=False)

    async def _load(self, start: Start, catalog: Catalog) -> None:
        beginning = await self.of(start)
        strange = sorted(set(beginning.instance.rows) - set(catalog.services))
        if strange:
            raise Outage(strange[0], "the scenario needs it, and COMPANYOS_SERVICES does not name it")
        instance, services = beginning.instance, catalog.services
        await self._bases.load(beginning.opening.base, instance, services, faults=beginning.armed)

    async def _once(self, key: tuple[str, object], work: Callable[[], Awaitable[T]]) -> T:
        """Do the work once for all who want it at the same time; one who gives up does not stop it."""
        if key not in self._under_way:
            task: asyncio.Task[Any] = asyncio.ensure_future(work())
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))
        done: T = await asyncio.shield(self._under_way[key])
        return done


def _generated(scenario: Scenario, seed: int, chaos: Chaos, size: str | int, salt: str) -> Beginning:
    instance = scenario.generate(seed, chaos, salt, size)
    count = sum(len(rows) for tables in instance.rows.values() for rows in tables.values())
    where: list[str | int] = [scenario.name, instance.version, seed, chaos.digest]
    plan = _plan(salt, scenario.name, instance.version, seed, chaos)
    armed = [plan.armed] if plan is not None and plan.armed is not None else []
    opening = Opening(
        base=digest([*where, str(size), instance.start, instance.rows, *armed]),
        scenario=scenario.name,
        version=instance.version,
        seed=instance.seed,
        brief=instance.brief,
        start=instance.start,
        max_steps=instance.max_steps,
    )
    return Beginning(instance, Base(instance.rows), opening, count, plan)


def _plan(salt: str, scenario: str, version: int, seed: int, chaos: Chaos) -> FaultPlan | None:
    draws = Draws(salt, scenario, version, seed, chaos.digest)
    return FaultPlan(draws, chaos) if chaos.profile else None
