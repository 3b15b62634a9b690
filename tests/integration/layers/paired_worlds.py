"""One world kept twice: as a chain of layers, and by a reference that copies every row at every branching.

Both get the same calls under contexts that differ in the numbers of their layers only, and the same events in the
same order. Whatever one answers, changes or announces, the other must too, byte for byte.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import orjson
from psycopg import AsyncConnection

from companyos.chassis.web.http import EFFECTS_MEDIA_TYPE
from companyos.chassis.world.context import Context
from companyos.chassis.world.statements import everything
from companyos.chassis.world.tables import WorldTable, world_tables
from tests.integration.events.company import Company, Desks, Rows
from tests.integration.events.story import Outboxes, Telling
from tests.live_services import World

Tool = Mapping[str, Any]
Arguments = Mapping[str, Any]

_numbers = itertools.count(3 * 10**12)


@dataclass
class CompanyServices:
    """The services, and an administrator's connection, which sees every row."""

    desks: Desks
    admin: AsyncConnection[Any]

    def tools(self) -> dict[str, Tool]:
        """Return every tool of every service, by name."""
        manifests = [desk.app.state.manifest() for desk in self.desks.values()]
        return {tool["name"]: {**tool, "service": of["service"]} for of in manifests for tool in of["tools"]}

    def tables(self, service: str) -> list[WorldTable]:
        """Return every table of worlds that a service has, those of the chassis included."""
        return world_tables(self.desks[service].app.state.service.metadata)


@dataclass(frozen=True)
class Kept:
    """A moment of a world, from which any number of branches go on."""

    chain: tuple[int, ...]
    copy: int
    now: int
    step: int


@dataclass
class PairedWorld:
    """One branch of a world, kept both ways.

    Attributes:
        layered: The world as layers.
        copied: The same world as one layer of everything there was, and one of what came since.
    """

    services: CompanyServices
    layered: Telling
    copied: Telling
    now: int
    step: int = 0

    @property
    def sides(self) -> tuple[Telling, Telling]:
        return self.layered, self.copied

    @property
    def chain(self) -> tuple[int, ...]:
        return _chain(self.layered)

    async def call(
        self, tool: Tool, arguments: Arguments, *, actor: str, role: str, again: bool = False
    ) -> tuple[int, Any]:
        """Make one call on both sides, with everything that follows, and return status and result.

        Args:
            tool: What to call.
            arguments: What to call it with.
            actor: Who calls.
            role: That person's role.
            again: Whether it is the last step that is sent once more.
        """
        self.step += not again
        answers = []
        for side in self.sides:
            world = self._at(side, tool["service"], actor=actor, role=role)
            request = request_of(tool, arguments)
            request["headers"] |= {**world.headers(world.context), "accept": EFFECTS_MEDIA_TYPE}
            answer = await world.desk.client.request(**request)
            answers.append((answer.status_code, answer.headers["content-type"], answer.content))
        assert answers[0] == answers[1], (tool["name"], arguments)
        await self._deliver()
        body = orjson.loads(answers[0][2])
        return answers[0][0], body.get("result", body)

    async def arm(self, plan: Mapping[str, Any]) -> None:
        """Have a plan of what goes wrong with events on both sides, in every service, from now on."""
        for side in self.sides:
            for world in side.company.worlds.values():
                headers = {**world.headers(world.context), **world.desk.admin}
                answer = await world.desk.client.put("/admin/faults", json=plan, headers=headers)
                answer.raise_for_status()

    async def wait(self, seconds: int) -> None:
        """Let time pass on both sides: what comes due happens at its instant, service by service."""
        target = self.now + seconds
        while (instant := await self._next_due()) is not None and instant <= target:
            self.now, self.step = max(self.now, instant), self.step + 1
            for service in sorted(self.services.desks):
                await self._tick(service)
        self.now = target

    async def keep(self) -> Kept:
        """Freeze both sides as they are: layers by going on above them, the copy by copying it whole."""
        copy = -next(_numbers)
        base, own = _chain(self.copied)
        for name in self.services.desks:
            for table in self.services.tables(name):
                columns = ", ".join(f'"{column}"' for column in table.columns)
                await self.services.admin.execute(
                    f"INSERT INTO {table.table.fullname} (layer_id, {columns}) SELECT {copy}, {columns} FROM ("
                    f"SELECT * FROM {table.table.fullname} WHERE layer_id = {own} UNION ALL "
                    f"SELECT * FROM {table.table.fullname} WHERE layer_id = {base} AND id NOT IN "
                    f"(SELECT id FROM {table.table.fullname} WHERE layer_id = {own})) AS row "
                    f"WHERE NOT deleted".encode()
                )
        return Kept(_chain(self.layered), copy, self.now, self.step)

    async def fold(self) -> None:
        """Fold the frozen layers of the layered side into one; its chain does without the others from then on."""
        base, *lower, into, last = self.chain if len(self.chain) > 3 else (0, 0, 0)
        if lower:
            for desk in self.services.desks.values():
                body = {"chain": lower, "into": into}
                answer = await desk.client.post("/admin/layers/fold", json=body, headers=desk.admin)
                assert answer.status_code == 204
            for world in self.layered.company.worlds.values():
                world.context = replace(world.context, chain=(base, into, last))

    async def check(self) -> None:
        """Compare every row: as the chassis reads it from layers, and as it plainly is in the copy."""
        for name in self.services.desks:
            layered, copied = (side.company.worlds[name] for side in self.sides)
            assert await _dump(layered) == await _dump(copied)
            state = layered.desk.app.state
            async with state.database.reading(layered.context) as unit:
                for table in self.services.tables(name):
                    rows = {row.id: vars(row) for row in await unit.find(everything(table.row))}
                    assert rows == await self._plain_rows(table), table.name

    async def _plain_rows(self, table: WorldTable) -> dict[str, Any]:
        found: dict[str, Any] = {}
        columns = ", ".join(f'"{column}"' for column in table.columns)
        for layer in _chain(self.copied):
            cursor = await self.services.admin.execute(
                f"SELECT {columns}, deleted FROM {table.table.fullname} WHERE layer_id = {layer}".encode()
            )
            for *values, deleted in await cursor.fetchall():
                found[values[0]] = None if deleted else dict(zip(table.columns, values, strict=True))
        return {key: row for key, row in found.items() if row is not None}

    async def _tick(self, service: str) -> None:
        answers = []
        for side in self.sides:
            world = self._at(side, service, actor="clock", role="clock")
            headers = {**world.headers(world.context), **world.desk.admin}
            answers.append((await world.desk.client.post("/admin/tick", headers=headers)).content)
        assert answers[0] == answers[1], service
        await self._deliver()

    async def _deliver(self) -> None:
        before = [len(side.delivered) for side in self.sides]
        for side in self.sides:
            await side.deliver()
        news = [_news(side, start) for side, start in zip(self.sides, before, strict=True)]
        assert news[0] == news[1]

    async def _next_due(self) -> int | None:
        found = []
        for side in self.sides:
            instants: list[int] = []
            for world in side.company.worlds.values():
                state = world.desk.app.state
                async with state.database.reading(world.context) as unit:
                    instants += [plan.at for plan in await unit.all(state.internals.due)]
            found.append(min(instants, default=None))
        assert found[0] == found[1]
        return found[0]

    def _at(self, side: Telling, service: str, *, actor: str, role: str) -> World:
        world, step = side.company.worlds[service], f"s{self.step}"
        world.context = replace(world.context, now=self.now, actor=actor, role=role, cause=step, key=step)
        return world


async def opened(services: CompanyServices, rows: Rows, *, now: int) -> PairedWorld:
    """Return a new world over these rows, kept both ways."""
    bases = []
    for _ in range(2):
        first: World | None = None
        for name, desk in sorted(services.desks.items()):
            loaded = await desk.world(rows[name], now=now, like=first)
            first = first or loaded
        bases.append(first.context.chain[:1] if first else ())
    return _pair(services, bases[0], bases[1], now=now)


def branch(services: CompanyServices, kept: Kept) -> PairedWorld:
    """Return a branch that goes on from a moment."""
    return _pair(services, kept.chain, (kept.copy,), now=kept.now, step=kept.step)


def _pair(
    services: CompanyServices, layered: tuple[int, ...], copied: tuple[int, ...], *, now: int, step: int = 0
) -> PairedWorld:
    sides = []
    for frozen in (layered, copied):
        chain = (*frozen, next(_numbers))
        context = Context(chain[-1], chain, now, actor="", role="", cause="s0", key="s0", armed=True)
        company = Company({name: World(desk, context) for name, desk in services.desks.items()})
        sides.append(Telling(company, Outboxes(services.admin), None))
    return PairedWorld(services, sides[0], sides[1], now, step)


def _chain(side: Telling) -> tuple[int, ...]:
    return next(iter(side.company.worlds.values())).context.chain


def _news(side: Telling, start: int) -> list[tuple[Any, ...]]:
    """Return what was delivered from a place on: who got it, and what it says but for its context."""
    told = [(consumer, orjson.loads(text)) for consumer, text in side.delivered[start:]]
    return [(consumer, event["id"], event["name"], event["payload"]) for consumer, event in told]


async def _dump(world: World) -> bytes:
    headers = {**world.headers(world.context), **world.desk.admin}
    return (await world.desk.client.get("/admin/layers", headers=headers)).content


def request_of(tool: Tool, arguments: Arguments) -> dict[str, Any]:
    """Return the HTTP request that a call of a tool is."""
    parts: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "body": {}, "header": {}}
    for name, value in arguments.items():
        parts[tool["places"][name]][name] = value
    path = tool["path"].format(**{name: quote(str(value), safe="") for name, value in parts["path"].items()})
    has_body = "body" in tool["places"].values()
    return {
        "method": tool["method"],
        "url": path,
        "params": {name: value for name, value in parts["query"].items() if value is not None},
        "json": parts["body"] if has_body else None,
        "headers": {name.replace("_", "-"): key for name, key in parts["header"].items() if key is not None},
    }
