"""News from the other services, as their events tell it, and the state that it leaves."""

from typing import Any

from companyos.sdk.simtime import DAY
from tests.live_services import World

from .company import NOW, Row

TABLES = ("approval_types", "people", "tickets", "metrics", "requests", "audit", "rejections")


def reopened(**changes: Any) -> Row:
    payload = {"ticket_id": "TD-1042", "kind": "vendor_onboarding", "subject": "V-104", "version": 5}
    return {**payload, **changes}


def verified(**changes: Any) -> Row:
    payload = {
        "ticket_id": "TD-1042",
        "kind": "vendor_onboarding",
        "subject": "V-104",
        "verified_by": "ben.okafor",
        "version": 5,
    }
    return {**payload, **changes}


def refreshed(**changes: Any) -> Row:
    payload = {
        "metric_id": "MET-0104",
        "subject": "V-104",
        "name": "compliance_score",
        "value": 85.0,
        "as_of": NOW,
        "expires_at": NOW + 2 * DAY,
        "version": 3,
    }
    return {**payload, **changes}


async def state(world: World) -> dict[str, Any]:
    return {table: await world.rows(table) for table in TABLES}
