"""A story of real actions in which every kind of news comes up, much of it at one instant, and ways to deliver it.

The services act and record their events; what carries them is the test's to say: which consumer gets which event
when, in what order, how often, and how many at once. Deliveries go through each service's own consumer.
"""

import asyncio
import random
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from psycopg import AsyncConnection

from companyos.chassis.web.http import EFFECTS_MEDIA_TYPE
from companyos.chassis.world.context import read, sign
from companyos.chassis.world.statements import dumps, everything
from companyos.chassis.world.tables import world_tables
from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import CONTEXT_KEY, World

from .company import NOW, Company, Desks, Row, Rows, open_company, replay, vendor_onboarding, wait_for

#: When three refreshes end, a metric expires, access is granted, and people come and go.
INSTANT = NOW + HOUR
#: Most deliveries that a consumer has under way at once.
AT_ONCE = 8
COPIES = (1, 1, 2, 3, 4)


def crowded_company() -> Rows:
    """Return three vendors and a ticket that wait, and people and metrics whose time comes at `INSTANT`."""
    rows = vendor_onboarding()
    for number, verified in ((105, False), (106, True)):
        _add_vendor(rows, number, verified=verified)
    leave = {"reason": "leave"}
    rows["datahub"]["absences"] += [
        {"id": "A-0002", "person_id": "ben.okafor", "starts_at": INSTANT, "ends_at": NOW + DAY, **leave},
        {"id": "A-0003", "person_id": "ana.lopez", "starts_at": NOW - DAY, "ends_at": INSTANT, **leave},
        {"id": "A-0004", "person_id": "ben.okafor", "starts_at": NOW - DAY, "ends_at": INSTANT - 1, **leave},
    ]
    ben = {"id": "ben.okafor", "name": "Ben", "role": "buyer"}
    rows["datahub"]["people"].append({**ben, "team": "x", "email": "ben@acme.example"})
    rows["approvalflow"]["people"][2] |= {"away": True, "away_until": INSTANT}
    rows["approvalflow"]["people"].append({**ben, "away": True, "away_until": INSTANT - 1})
    old = {**rows["datahub"]["metrics"][0], "id": "MET-0200", "subject": "V-200", "as_of": NOW - DAY}
    rows["datahub"]["metrics"].append({**old, "value": 90.0, "ttl_s": DAY + HOUR})
    kept = {"id": "close_books", "roles": ["controller"]}
    rows["datahub"]["permissions"] = [{**kept, "allows": "Close the books.", "grant_s": HOUR}]
    for consumer in ("ticketdesk", "approvalflow"):
        rows[consumer]["permissions"] = [{**kept, "people": ["zoe.first"]}]
    rows["approvalflow"]["metrics"].append(_metric(old, expires_at=INSTANT))
    wait_for(rows, "MET-0105", "APR-0001")
    _pay_for_vendors(rows)
    return rows


def _pay_for_vendors(rows: Rows) -> None:
    """Let each approval commit its score, as an amount, to the vendor's budget."""
    spends = {"budget_field": "vendor_name", "route_field": "compliance_score"}
    rows["approvalflow"]["approval_types"][0] |= spends
    budget = {"id": "BUD-101", "cost_centre": "Vendor 42", "name": "Vendor 42", "owner": "ana.lopez"}
    budget |= {"starts_at": 0, "ends_at": NOW + 90 * DAY, "limit_amount": 1000.0}
    rows["datahub"]["budgets"] = [budget]


def _add_vendor(rows: Rows, number: int, *, verified: bool) -> None:
    ticket_id, vendor, metric_id = f"TD-1{number - 62:03}", f"V-{number}", f"MET-0{number}"
    filed = {**rows["ticketdesk"]["tickets"][0], "id": ticket_id, "subject": vendor}
    checked = {
        "status": "verified",
        "verified_by": "ben.okafor",
        "evidence": "seen",
        "verified_at": NOW - HOUR,
    }
    rows["ticketdesk"]["tickets"].append({**filed, **(checked if verified else {})})
    rows["approvalflow"]["tickets"].append(
        {**rows["approvalflow"]["tickets"][0], "id": ticket_id, "subject": vendor, "verified": verified}
    )
    metric = {**rows["datahub"]["metrics"][0], "id": metric_id, "subject": vendor}
    metric |= {"as_of": NOW - HOUR, "value": 88.0} if verified else {}
    rows["datahub"]["metrics"].append(metric)
    rows["datahub"]["sources"].append({"id": metric_id, "values": [90.0]})
    rows["datahub"]["records"].append({"id": vendor, "kind": "vendor", "name": vendor})
    rows["approvalflow"]["metrics"].append(_metric(metric, expires_at=metric["as_of"] + metric["ttl_s"]))


def _metric(metric: Row, *, expires_at: int) -> Row:
    known = {key: metric[key] for key in ("id", "name", "subject", "value", "as_of")}
    return {**known, "expires_at": expires_at, "version": 1}


@dataclass
class Outboxes:
    """The outboxes of all services, read over one connection."""

    admin: AsyncConnection[Any]

    async def after(self, company: Company, told: Mapping[str, int]) -> list[tuple[str, int, str]]:
        """Return the events of a company beyond those told: (service, number, text)."""
        parts = [
            f"SELECT '{name}', seq, text FROM {name}.outbox "
            f"WHERE layer = {world.context.layer} AND seq > {told.get(name, 0)}"
            for name, world in company.worlds.items()
        ]
        cursor = await self.admin.execute(f"{' UNION ALL '.join(parts)} ORDER BY 1, 2".encode())
        return await cursor.fetchall()

    async def settle(self, company: Company) -> None:
        """Forget the events of a company, so that nobody sends them again."""
        for name, world in company.worlds.items():
            await self.admin.execute(
                f"DELETE FROM {name}.outbox WHERE layer = {world.context.layer}".encode()
            )


@dataclass
class Telling:
    """One company in which the story is told, and what of its events has been delivered.

    Attributes:
        rng: Decides about order, copies and company of deliveries; None delivers each event once, in order.
        told: Number of the last event told, by service.
        delivered: What consumers have had, as (consumer, text of the event); copies can come late.
        kinds: Names of the events told.
        reordered: How often more than one delivery was on its way.
    """

    company: Company
    outboxes: Outboxes
    rng: random.Random | None
    told: dict[str, int] = field(default_factory=dict)
    delivered: list[tuple[str, str]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    reordered: int = 0

    async def call(self, service: str, method: str, path: str, body: Row | None = None) -> Row:
        """Call a service as a step of its own, deliver what it caused, and return the result."""
        accept = {"accept": EFFECTS_MEDIA_TYPE}
        answer = await self.company.worlds[service].call(method, path, json=body, headers=accept)
        assert answer.is_success, answer.text
        await self.deliver()
        result: Row = answer.json()["result"]
        return result

    async def tick(self, service: str, instant: int) -> None:
        """Make it this instant, have a service do what has come due, and deliver what that caused."""
        self.company.set_clock(instant)
        await self.company.worlds[service].advance(0)
        await self.deliver()

    async def deliver(self) -> None:
        """Deliver everything recorded since, and what that causes in turn, until nothing is on its way."""
        while fresh := await self._recorded():
            self.reordered += len(fresh) > 1
            if self.rng is None:
                for service, text in fresh:
                    await replay(self.company.worlds[service], text)
            else:
                await self._shuffled(fresh, self.rng)
            self.delivered += fresh

    async def _shuffled(self, fresh: list[tuple[str, str]], rng: random.Random) -> None:
        late = rng.sample(self.delivered, min(len(self.delivered), rng.randrange(4)))
        waiting = [each for each in fresh for _ in range(rng.choice(COPIES))] + late
        rng.shuffle(waiting)
        while waiting:
            together = rng.randint(1, AT_ONCE)
            batch, waiting = waiting[:together], waiting[together:]
            await asyncio.gather(*(replay(self.company.worlds[service], text) for service, text in batch))

    async def _recorded(self) -> list[tuple[str, str]]:
        """Return what is new in the outboxes, as (consumer, text of the event), in the order recorded."""
        fresh = []
        for name, seq, text in await self.outboxes.after(self.company, self.told):
            self.told[name] = seq
            event = orjson.loads(text)["name"]
            self.kinds.add(event)
            fresh += [(consumer, text) for consumer in self.company.consumers(event)]
        return fresh


async def tell(telling: Telling) -> None:
    """Tell the whole story."""
    await begin(telling)
    await telling.tick("datahub", INSTANT)
    for number in (42, 43):
        await telling.call(
            "ticketdesk",
            "POST",
            f"/tickets/TD-10{number}/verify",
            {"evidence": "Read it.", "references": ["V-104"]},
        )
    await telling.tick("approvalflow", INSTANT + 2 * HOUR)
    await _begin_again(telling)
    await _work(telling)
    for instant in (NOW + DAY, INSTANT + 2 * DAY, NOW + 3 * DAY):
        await telling.tick("datahub", instant)


async def begin(telling: Telling) -> None:
    """Ask for three approvals and for access and refresh metrics, up to the instant before the sources answer."""
    for number in (42, 43, 44):
        fields = {"vendor_name": f"Vendor {number}", "compliance_score": 85 if number == 42 else 90}
        request = {"type": "vendor_approval", "ticket_id": f"TD-10{number}", "approver": "david.kim"}
        await telling.call("approvalflow", "POST", "/requests", {**request, "fields": fields})
    access = {"permission": "close_books", "reason": "The quarter ends."}
    await telling.call("datahub", "POST", "/access", access)
    for metric in ("MET-0104", "MET-0105", "MET-0106"):
        await telling.call("datahub", "POST", f"/catalog/metrics/{metric}/refresh")
    await telling.tick("datahub", INSTANT - 1)


async def _begin_again(telling: Telling) -> None:
    """The request that a changed metric voided is made again, and voided by its ticket."""
    fields = {"vendor_name": "Vendor 44", "compliance_score": 90}
    request = {"type": "vendor_approval", "ticket_id": "TD-1044", "approver": "david.kim", "fields": fields}
    await telling.call("approvalflow", "POST", "/requests", request)
    await telling.call("ticketdesk", "POST", "/tickets/TD-1044/reopen", {"reason": "The papers are old."})


async def _work(telling: Telling) -> None:
    """An approved ticket waits for another and is freed; the other approved one is closed."""
    blocker = {"kind": "task", "title": "Ask the bank", "description": "Ask.", "blocks": "TD-1042"}
    filed = await telling.call("ticketdesk", "POST", "/tickets", blocker)
    for to in ("in_progress", "done"):
        path = f"/tickets/{filed['id']}/transition"
        await telling.call("ticketdesk", "POST", path, {"to": to, "reason": "Asked."})
    await telling.call("ticketdesk", "POST", "/tickets/TD-1043/close", {"resolution": "Done."})


async def told(desks: Desks, outboxes: Outboxes, rng: random.Random | None) -> Telling:
    """Open a company and tell the story in it."""
    telling = Telling(await open_company(desks, crowded_company()), outboxes, rng)
    await tell(telling)
    await outboxes.settle(telling.company)
    return telling


async def whole_state(company: Company) -> dict[str, Any]:
    """Return every row of every service, with what is due and the counters, by service and table."""
    return {name: await _rows(world) for name, world in company.worlds.items()}


async def _rows(world: World) -> dict[str, Any]:
    state = world.desk.app.state
    tables = [
        table for table in world_tables(state.service.metadata) if table.row is not state.internals.outcome
    ]
    async with state.database.reading(world.context) as unit:
        return {
            table.name: {row.id: vars(row).copy() for row in await unit.find(everything(table.row))}
            for table in tables
        }


def branched(company: Company, number: int) -> Company:
    """Return a branch of a company: the same up to now, and in a layer of its own from here on."""
    branch = Company({}, dict(company.due))
    for name, world in company.worlds.items():
        layer = world.context.layer * 10_000 + number
        context = replace(world.context, world=layer, chain=(*world.context.chain, layer))
        branch.worlds[name] = World(world.desk, context, copy(world.steps))
    return branch


def addressed_to(company: Company, text: str) -> str:
    """Return an event as it would be, had it been recorded in this company."""
    event = orjson.loads(text)
    context = company.worlds["datahub"].context
    told = read(event["context"], CONTEXT_KEY)
    return dumps(
        {**event, "context": sign(replace(told, world=context.world, chain=context.chain), CONTEXT_KEY)}
    )
