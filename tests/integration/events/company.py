"""One company across the three services: its rows, and steps that settle as the orchestrator's do."""

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from psycopg import AsyncConnection
from redis.asyncio import Redis

from companyos.chassis.events import bus
from companyos.chassis.web.http import EFFECTS_MEDIA_TYPE
from companyos.chassis.world.tables import world_tables
from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import CONTEXT_KEY, Desk, World

Row = dict[str, Any]
Desks = dict[str, Desk]
Tables = dict[str, list[Row]]
Rows = dict[str, Tables]

#: Where the worlds of these tests start.
NOW = 10 * DAY
SUBMISSION = {
    "type": "vendor_approval",
    "ticket_id": "TD-1042",
    "approver": "david.kim",
    "fields": {"vendor_name": "Acme Logistics", "compliance_score": 85},
}


DELEGATION = {"delegate": "david.kim", "delegate_types": ["vendor_approval"], "delegate_limit": None}
PEOPLE = [
    {"id": "sarah.chen", "name": "sarah.chen", "role": "cfo"},
    {"id": "david.kim", "name": "david.kim", "role": "finance_director"},
    {"id": "ana.lopez", "name": "ana.lopez", "role": "manager"},
]
SCORE = {
    "id": "MET-0104",
    "name": "compliance_score",
    "subject": "V-104",
    "value": 72.0,
    "as_of": NOW - 4 * DAY,
}


def vendor_onboarding() -> Rows:
    """Return a company in which vendor V-104 waits: its score is stale, its ticket unverified, the CFO away."""
    return {"ticketdesk": _ticketdesk(), "datahub": _datahub(), "approvalflow": _approvalflow()}


def _ticketdesk() -> Tables:
    return {
        "people": [{**person, "team": "buying", "active": True} for person in PEOPLE],
        "tickets": [_ticket()],
        "ticket_kinds": [_kind("vendor_onboarding"), _kind("task")],
    }


def _datahub() -> Tables:
    contact = {"team": "x", "email": "x@acme.example"}
    refreshed = {"unit": "points", "ttl_s": 2 * DAY, "source": "screening", "refresh_s": HOUR}
    return {
        "people": [
            {**person, **contact, **(DELEGATION if person["role"] == "cfo" else {})} for person in PEOPLE
        ],
        "absences": [_absence("A-0001", "sarah.chen", NOW - DAY, NOW + 3 * DAY)],
        "metrics": [{**SCORE, **refreshed}],
        "sources": [{"id": "MET-0104", "values": [85.0]}],
        "records": [{"id": "V-104", "kind": "vendor", "name": "Acme Logistics"}],
    }


def _approvalflow() -> Tables:
    cfo, *others = PEOPLE
    ticket = {"id": "TD-1042", "kind": "vendor_onboarding", "subject": "V-104", "verified": False}
    return {
        "approval_types": [_vendor_approval()],
        "people": [{**cfo, **DELEGATION, "away": True, "away_until": NOW + 3 * DAY}, *map(dict, others)],
        "tickets": [{**ticket, "version": 1}],
        "metrics": [{**SCORE, "expires_at": NOW - 2 * DAY, "version": 1}],
    }


def wait_for(rows: Rows, metric: str, request: str) -> None:
    """Add the ticket TD-1041, which waits for a metric to be refreshed and for a request to be approved."""
    waits = {"status": "blocked", "blocked_by": [metric, request]}
    rows["ticketdesk"]["tickets"].append({**_ticket(), "id": "TD-1041", "subject": None, **waits})
    rows["ticketdesk"]["external_blockers"] = [
        {"id": metric, "kind": "metric", "since": 1},
        {"id": request, "kind": "request"},
    ]


def _ticket() -> Row:
    return {
        "id": "TD-1042",
        "kind": "vendor_onboarding",
        "title": "Onboard Acme Logistics",
        "description": "Acme wants to deliver.",
        "status": "triage",
        "reporter": "ana.lopez",
        "requires_approval": True,
        "created_at": NOW - DAY,
        "updated_at": NOW - DAY,
        "priority": "high",
        "assignee": "ana.lopez",
        "subject": "V-104",
    }


def _kind(kind: str) -> Row:
    return {
        "id": kind,
        "name": kind,
        "allowed": ["high"],
        "verifier_roles": ["analyst"],
        "required_fields": ["priority", "assignee"],
        "needs_approval": kind != "task",
    }


def _absence(absence_id: str, person_id: str, starts_at: int, ends_at: int) -> Row:
    return {
        "id": absence_id,
        "person_id": person_id,
        "starts_at": starts_at,
        "ends_at": ends_at,
        "reason": "leave",
    }


def _vendor_approval() -> Row:
    return {
        "id": "vendor_approval",
        "name": "Vendor approval",
        "description": "Lets a vendor deliver.",
        "policy_version": 1,
        "fields": [
            {"name": "vendor_name", "type": "string", "description": "Its name.", "required": True},
            {"name": "compliance_score", "type": "number", "description": "Its score.", "required": True},
        ],
        "ticket_kind": "vendor_onboarding",
        "metric_name": "compliance_score",
        "metric_field": "compliance_score",
        "minimum": 80.0,
        "routes": [{"role": "cfo", "below": None}],
        "expires_s": 14 * DAY,
        "decision_s": 2 * HOUR,
        "activates_record": True,
    }


@dataclass
class Company:
    """One world across the services, in which the analyst alex.agent acts. Every call is a step.

    Attributes:
        due: When each service has its next due event, by service.
    """

    worlds: dict[str, World]
    due: dict[str, int | None] = field(default_factory=dict)

    @property
    def now(self) -> int:
        return self.worlds["datahub"].context.now

    async def post(self, service: str, path: str, body: Row | None = None, *, settles: bool = True) -> Row:
        """Call a service, wait until everything that the call caused is applied everywhere, return the result."""
        accept = {"accept": EFFECTS_MEDIA_TYPE}
        answer = await self.worlds[service].post(path, json=body, headers=accept)
        assert answer.is_success, answer.text
        if settles:
            await self.settle(service, answer.json()["effects"])
        result: Row = answer.json()["result"]
        return result

    async def get(self, service: str, path: str) -> Row:
        answer = await self.worlds[service].get(path)
        assert answer.is_success, answer.text
        result: Row = answer.json()
        return result

    async def advance(self, seconds: int) -> None:
        """Let time pass: what is due happens at its instant, service by service, each settled before the next."""
        target = self.now + seconds
        while instant := min(
            (at for at in self.due.values() if at is not None and at <= target), default=None
        ):
            self.set_clock(instant)
            for service in sorted(name for name, at in self.due.items() if at is not None and at <= instant):
                await self.settle(service, await self.worlds[service].advance(0))
        self.set_clock(target)

    async def settle(self, service: str, effects: Row) -> None:
        """Wait until the events of these effects, and those they cause in turn, are applied by every consumer."""
        if "next_due" in effects:
            self.due[service] = effects["next_due"]
        for event in effects["events"]:
            for consumer in self.consumers(event["name"]):
                await self.settle(consumer, await self.worlds[consumer].applied(event["id"]))

    def consumers(self, event_name: str) -> list[str]:
        """Return the services that react to an event."""
        reactions = {name: world.desk.app.state.service.reactions for name, world in self.worlds.items()}
        return [name for name, known in reactions.items() if event_name in known.consumed]

    async def state(self) -> dict[str, dict[str, Any]]:
        """Return every row of every service, by service and table."""
        return {
            name: {
                table.name: await world.rows(table.name)
                for table in world_tables(world.desk.app.state.service.metadata)
                if not table.internal
            }
            for name, world in self.worlds.items()
        }

    async def outbox(self) -> list[str]:
        """Return the texts of all events of this world, in the order in which each service recorded them."""
        return [text for world in self.worlds.values() for text in await sent_by(world)]

    def set_clock(self, now: int) -> None:
        """Make it this instant in every service, without delivering what has come due."""
        for world in self.worlds.values():
            world.context = replace(world.context, now=now)


async def sent_by(world: World) -> list[str]:
    """Return the texts of the events that a service recorded in a world, oldest first."""
    async with await AsyncConnection.connect(world.desk.databases.admin_url) as connection:
        cursor = await connection.execute(
            f"SELECT text FROM {world.desk.name}.outbox WHERE layer = %s ORDER BY seq", (world.context.layer,)
        )
        return [text for (text,) in await cursor.fetchall()]


async def resend(world: World, texts: list[str]) -> None:
    """Put events on the bus once more, in this order."""
    redis = Redis.from_url(world.desk.databases.redis_url)
    for text in texts:
        await redis.xadd(bus.stream_of(orjson.loads(text)["name"]), bus.entry(text, CONTEXT_KEY))  # type: ignore[arg-type]
    await redis.aclose()


async def replay(world: World, text: str) -> None:
    """Have a service receive an event at once, as its consumer would; one that it does not consume passes by."""
    event, state = orjson.loads(text), world.desk.app.state
    if event["name"] in state.service.reactions.consumed:
        await state.consumer.apply(event)


async def has_applied(world: World, event_id: str) -> bool:
    """Say whether a service has applied an event in this world."""
    headers = {**world.headers(world.context), **world.desk.admin}
    answer = await world.desk.client.get("/admin/pending", params={"event": event_id}, headers=headers)
    return event_id in answer.json()["applied"]


async def open_company(desks: Desks, rows: Rows | None = None) -> Company:
    """Return a new company over these rows; vendor onboarding unless given."""
    rows = rows or vendor_onboarding()
    steps = itertools.count(1)
    first: World | None = None
    company = Company({})
    for name, desk in desks.items():
        world = await desk.world(rows[name], now=NOW, actor="alex.agent", role="analyst", like=first)
        world.steps = steps
        first = first or world
        company.worlds[name] = world
        base = await desk.client.get(f"/admin/bases/base{-world.context.chain[0]}", headers=desk.admin)
        company.due[name] = base.json()["next_due"]
    return company
