"""Who has access to what and answers for what, and how that ends when people leave."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY
from tests.live_services import Desk, World

from .company import NOW, Row, absence, entitlement, owned, person, published, score, start, vendor

SARAH, DAVID, ADA = "sarah.chen", "david.kim", "ada.king"


def people() -> list[Row]:
    return [
        person(SARAH, role="analyst", manager=DAVID),
        person(DAVID, role="head_of_data"),
        person(ADA, role="analyst", manager=DAVID),
        person("alex.agent", role="people_partner", manager=DAVID),
    ]


async def company(datahub: Desk, **tables: list[Row]) -> World:
    return await start(
        datahub,
        **{"people": people(), "records": [vendor()], "metrics": [score()], **tables},
    )


async def revoke(world: World, number: int = 1) -> Any:
    return await world.post(f"/entitlements/ENT-{number}/revoke", json={"reason": "Leaves."})


async def transfer(world: World, object_id: str, to: str) -> Any:
    return await world.post(f"/ownerships/{object_id}/transfer", json={"to": to})


async def test_a_profile_tells_the_manager_and_who_reports(datahub: Desk) -> None:
    world = await company(datahub)

    sarah = (await world.get(f"/people/{SARAH}")).json()
    david = (await world.get(f"/people/{DAVID}")).json()

    assert (sarah["manager"], sarah["reports"], sarah["active"]) == (DAVID, [], True)
    assert (david["manager"], david["reports"]) == (None, [ADA, "alex.agent", SARAH])


async def test_entitlements_are_found_by_person_and_by_system(datahub: Desk) -> None:
    tables = [entitlement(), entitlement(2, ADA), entitlement(3, system="archive", basis="exception")]
    world = await company(datahub, entitlements=tables)

    async def found(**query: str) -> list[str]:
        return [row["id"] for row in (await world.get("/entitlements", params=query)).json()["items"]]

    assert await found() == ["ENT-1", "ENT-2", "ENT-3"]
    assert await found(person=SARAH) == ["ENT-1", "ENT-3"]
    assert await found(system="LEDGER") == await found(system="ledger") == ["ENT-1", "ENT-2"]
    assert await found(person=SARAH, system="archive") == ["ENT-3"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "active"),
        ({"expires_at": NOW + 1}, "active"),
        ({"expires_at": NOW}, "expired"),
        ({"expires_at": NOW, "revoked_at": NOW - DAY}, "revoked"),
    ],
)
async def test_an_entitlement_counts_until_it_expires_or_is_revoked(
    datahub: Desk, changes: Row, status: str
) -> None:
    world = await company(datahub, entitlements=[entitlement(**changes)])

    [listed] = (await world.get("/entitlements")).json()["items"]

    assert listed["status"] == status


async def test_a_revocation_ends_the_access_and_says_so(datahub: Desk) -> None:
    world = await company(datahub, entitlements=[entitlement(system="ticketdesk")])

    answer = await revoke(world)

    assert (answer.status_code, answer.json()["status"]) == (200, "revoked")
    [row] = (await world.rows("entitlements", scope="diff")).values()
    assert (row["revoked_at"], row["revoked_by"], row["revoked_for"]) == (NOW, "alex.agent", "Leaves.")
    told = {"entitlement_id": "ENT-1", "person_id": SARAH, "system": "ticketdesk"}
    assert await published(world, "entitlement.revoked") == [told]


async def test_revoked_entitlement_cannot_be_revoked_again(datahub: Desk) -> None:
    world = await company(datahub, entitlements=[entitlement()])
    await revoke(world)

    again, unknown = await revoke(world), await revoke(world, 9)

    assert (again.status_code, again.json()["type"]) == (409, "already_revoked")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "entitlement_unknown")
    assert len(await published(world, "entitlement.revoked")) == 1


async def test_revoking_access_locks_what_its_holder_owns_and_nothing_else(datahub: Desk) -> None:
    tables = {
        "entitlements": [entitlement()],
        "ownerships": [owned("V-104"), owned("MET-0104", ADA)],
    }
    world = await company(datahub, **tables)
    await revoke(world)

    locked, free = await transfer(world, "V-104", ADA), await transfer(world, "MET-0104", DAVID)

    assert (locked.status_code, locked.json()["type"]) == (409, "ownership_locked")
    assert free.status_code == 200
    [row] = (await world.get("/ownerships", params={"owner": SARAH})).json()["items"]
    assert row["locked"] is True


@pytest.mark.parametrize(
    ("object_id", "to", "code"),
    [
        ("V-999", ADA, "ownership_unknown"),
        ("ENT-1", ADA, "ownership_unknown"),
        ("ENT-2", ADA, "ownership_unknown"),
        ("V-104", SARAH, "owner_already"),
        ("V-104", "nobody", "person_unknown"),
        ("V-104", "left.already", "person_inactive"),
    ],
    ids=["unknown", "personal account", "revoked account", "owner", "nobody", "inactive"],
)
async def test_a_transfer_that_makes_no_sense_is_refused_and_changes_nothing(
    datahub: Desk, object_id: str, to: str, code: str
) -> None:
    world = await company(
        datahub,
        people=[*people(), person("left.already", active=False)],
        ownerships=[owned("V-104")],
        entitlements=[entitlement(), entitlement(2, shared_with=[ADA], revoked_at=NOW - DAY)],
    )

    answer = await transfer(world, object_id, to)

    assert answer.json()["type"] == code
    assert await world.rows("ownerships", scope="diff") == {}


async def test_a_delegate_is_set_and_announced(datahub: Desk) -> None:
    world = await company(datahub)
    body = {"delegate": ADA, "types": ["vendor_approval"], "limit": 500}

    answer = await world.post(f"/staff/{DAVID}/delegate", json=body)

    profile = (await world.get(f"/people/{DAVID}")).json()
    assert (answer.status_code, answer.json()) == (200, profile)
    assert (profile["delegate"], profile["delegate_types"]) == (ADA, ["vendor_approval"])
    told = {"person_id": DAVID, "delegate": ADA, "delegate_types": ["vendor_approval"]}
    assert await published(world, "delegation.changed") == [{**told, "delegate_limit": 500, "version": 1}]


@pytest.mark.parametrize(
    ("person_id", "delegate", "code"),
    [
        ("nobody", ADA, "person_unknown"),
        (DAVID, "nobody", "person_unknown"),
        (DAVID, DAVID, "own_delegate"),
    ],
)
async def test_delegation_to_oneself_or_to_an_unknown_person_is_refused(
    datahub: Desk, person_id: str, delegate: str, code: str
) -> None:
    world = await company(datahub)

    answer = await world.post(f"/staff/{person_id}/delegate", json={"delegate": delegate})

    assert answer.json()["type"] == code
    assert await world.rows("people", scope="diff") == {}


async def test_a_suspended_person_stays_in_the_directory_and_decides_nothing(datahub: Desk) -> None:
    cfos = [person("first.cfo", role="cfo"), person("second.cfo", role="cfo")]
    world = await company(datahub, people=[*people(), *cfos], ownerships=[owned("V-104", "first.cfo")])

    answer = await world.post("/staff/first.cfo/deactivate", json={"mode": "suspend"})

    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["id"], shown["active"]) == ("first.cfo", False)
    assert (await world.get("/people/first.cfo")).json()["active"] is False
    approver = (await world.get("/approvers/cfo")).json()
    assert (approver["id"], approver["others"]) == ("second.cfo", [])
    assert await published(world, "person.deactivated") == [{"person_id": "first.cfo"}]
    assert (await transfer(world, "V-104", ADA)).json()["type"] == "ownership_locked"


async def test_a_suspended_delegate_is_not_available(datahub: Desk) -> None:
    away = person("the.cfo", role="cfo", delegate=ADA, delegate_types=["vendor_approval"])
    world = await company(datahub, people=[*people(), away], absences=[absence(person_id="the.cfo")])
    await world.post(f"/staff/{ADA}/deactivate", json={"mode": "suspend"})

    approver = (await world.get("/approvers/cfo")).json()

    assert (approver["delegate"]["available"], approver["on_duty"]) == (False, None)


async def test_a_purge_deletes_everything_about_the_account_and_nothing_else(datahub: Desk) -> None:
    world = await company(
        datahub,
        entitlements=[entitlement(), entitlement(2, ADA)],
        ownerships=[owned("V-104"), owned("MET-0104", ADA)],
    )

    answer = await world.post(f"/staff/{SARAH}/deactivate", json={"mode": "purge"})

    assert answer.status_code == 200
    assert (await world.get(f"/people/{SARAH}")).status_code == 404
    left = [
        *(await world.get("/entitlements")).json()["items"],
        *(await world.get("/ownerships")).json()["items"],
    ]
    assert [row.get("id") or row["object_id"] for row in left] == ["ENT-2", "MET-0104"]


async def test_deactivation_of_oneself_or_an_inactive_person_is_refused(datahub: Desk) -> None:
    world = await company(datahub)
    await world.post(f"/staff/{SARAH}/deactivate", json={"mode": "suspend"})

    again = await world.post(f"/staff/{SARAH}/deactivate", json={"mode": "purge"})
    own = await world.post("/staff/alex.agent/deactivate", json={"mode": "suspend"})

    assert (again.status_code, again.json()["type"]) == (409, "person_inactive")
    assert (own.status_code, own.json()["type"]) == (403, "own_account")
    assert len(await published(world, "person.deactivated")) == 1
