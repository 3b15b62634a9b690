"""Finding and changing records, and what an approval does to them."""

import httpx
import pytest

from tests.live_services import Desk

from .company import NOW, published, score, start, vendor

APPROVED = {
    "request_id": "APR-0001",
    "type": "vendor_approval",
    "ticket_id": "TD-1001",
    "subject": "V-104",
    "outcome": "approved",
    "activates_record": True,
    "decided_by": "david.kim",
    "reason_code": None,
}


async def test_a_record_is_told_in_full(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    assert (await world.get("/records/V-104")).json() == {
        "id": "V-104",
        "kind": "vendor",
        "name": "Acme Logistics",
        "fields": {"tax_id": "DE-1", "country": None},
        "status": "pending",
        "version": 1,
    }


async def test_records_are_found_by_kind_and_by_text(datahub: Desk) -> None:
    twin = vendor(id="V-105", name="ACME Logistic")
    world = await start(datahub, records=[vendor(), twin, vendor(id="C-7", kind="contract", name="Lease")])

    async def found(**query: str) -> list[str]:
        return [row["id"] for row in (await world.get("/records", params=query)).json()["items"]]

    assert await found(kind="vendor") == ["V-104", "V-105"]
    assert await found(q="acme") == ["V-104", "V-105"]
    assert await found(q="c-7") == ["C-7"]
    assert await found(q="acme", kind="contract") == []


async def test_an_update_sets_the_named_fields_and_keeps_the_others(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    updated = await world.patch("/records/V-104", json={"fields": {"country": "DE", "employees": 12}})

    assert updated.status_code == 200
    assert updated.json()["fields"] == {"tax_id": "DE-1", "country": "DE", "employees": 12}
    assert updated.json()["version"] == 2
    assert (await world.get("/records/V-104")).json() == updated.json()


async def test_an_update_is_noted_and_announced(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    await world.patch("/records/V-104", json={"name": "Acme", "status": "inactive", "version": 1})

    assert (await world.rows("changes"))["V-104@2"] == {
        "id": "V-104@2",
        "object_id": "V-104",
        "version": 2,
        "at": NOW,
        "actor": "alex.agent",
        "action": "updated",
        "before": {"name": "Acme Logistics", "status": "pending"},
        "after": {"name": "Acme", "status": "inactive"},
    }
    assert await published(world, "record.changed") == [
        {"record_id": "V-104", "status": "inactive", "version": 2}
    ]


async def test_an_update_that_changes_nothing_makes_no_version(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    effects = await world.effects(
        "PATCH", "/records/V-104", json={"name": "Acme Logistics", "fields": {"tax_id": "DE-1"}}
    )

    assert effects == {"changes": [], "events": []}


async def test_an_update_under_an_older_version_is_refused(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor(version=4)])

    refused = await world.patch("/records/V-104", json={"name": "Acme", "version": 3})

    assert refused.status_code == 409
    assert refused.json()["type"] == "version_conflict"
    assert refused.json()["field"] == "version"
    assert await world.rows("records", scope="diff") == {}


async def test_a_record_is_not_made_active_by_an_edit(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    refused = await world.patch("/records/V-104", json={"status": "active"})

    assert refused.status_code == 409
    assert refused.json()["type"] == "activation_needs_approval"
    assert await world.rows("records", scope="diff") == {}


async def test_an_update_of_nothing_is_refused(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    refused = await world.patch("/records/V-104", json={"version": 1})

    assert refused.status_code == 422
    assert refused.json()["type"] == "nothing_to_change"


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_an_unknown_record_is_refused(datahub: Desk, method: str) -> None:
    world = await start(datahub, records=[vendor()])

    refused = await world.call(
        method, "/records/V-999", **({"json": {"name": "X"}} if method == "PATCH" else {})
    )

    assert refused.status_code == 404
    assert refused.json()["type"] == "record_unknown"


async def test_an_approval_activates_the_record_exactly_once(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    event_id = await world.deliver("approval.decided", APPROVED)
    await world.deliver("approval.decided", APPROVED, event_id=event_id)
    # The second delivery is known by its event id; a later event proves that it has been dealt with.
    await world.deliver("approval.decided", {**APPROVED, "outcome": "rejected"}, event_id="s9.elsewhere.9")

    record = (await world.get("/records/V-104")).json()
    assert (record["status"], record["version"]) == ("active", 2)
    assert await published(world, "record.changed") == [
        {"record_id": "V-104", "status": "active", "version": 2}
    ]
    change = (await world.rows("changes"))["V-104@2"]
    assert (change["actor"], change["action"]) == ("APR-0001", "activated")


async def test_a_second_approval_of_an_active_record_changes_nothing(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor(status="active", version=7)])

    await world.deliver("approval.decided", APPROVED)

    assert (await world.get("/records/V-104")).json()["version"] == 7


@pytest.mark.parametrize(
    "changed",
    [{"outcome": "rejected"}, {"activates_record": False}, {"subject": None}, {"subject": "MET-0104"}],
    ids=lambda changed: ",".join(f"{name}={value}" for name, value in changed.items()),
)
async def test_a_decision_that_concerns_no_record_changes_nothing(
    datahub: Desk, changed: dict[str, object]
) -> None:
    world = await start(datahub, records=[vendor()], metrics=[score()])

    await world.deliver("approval.decided", {**APPROVED, **changed})

    assert await world.rows("records", scope="diff") == {}
    assert await world.events() == []


async def test_a_world_cannot_see_or_change_the_records_of_another(datahub: Desk) -> None:
    mine, other = await start(datahub, records=[vendor()]), await start(datahub, records=[vendor()])

    await mine.patch("/records/V-104", json={"name": "Mine"})

    answer: httpx.Response = await other.get("/records/V-104")
    assert answer.json()["name"] == "Acme Logistics"
