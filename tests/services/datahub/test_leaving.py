"""What each act on access leaves behind: versions, locks, users of shared accounts, and what a delegation covers."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, entitlement, owned, person, published, start

SARAH, DAVID, ADA, GONE = "sarah.chen", "david.kim", "ada.king", "left.already"
PEOPLE = [person(SARAH), person(DAVID), person(ADA), person(GONE, active=False), person("alex.agent")]
COVERED = {"delegate": SARAH, "delegate_types": ["vendor_approval"], "delegate_limit": 9.0}


async def company(datahub: Desk, **tables: list[Row]) -> World:
    return await start(datahub, **{"people": PEOPLE, **tables})


async def revoke(world: World, number: int = 1) -> Any:
    return await world.post(f"/entitlements/ENT-{number}/revoke", json={"reason": "Leaves."})


async def transfer(world: World, object_id: str, to: str) -> Any:
    return await world.post(f"/ownerships/{object_id}/transfer", json={"to": to})


async def deactivate(world: World, person_id: str, mode: str = "suspend") -> Any:
    return await world.post(f"/staff/{person_id}/deactivate", json={"mode": mode})


async def delegate(world: World, **body: Any) -> Row:
    """Set David's delegation and return what was announced of it."""
    answer = await world.post(f"/staff/{DAVID}/delegate", json=body)
    assert answer.status_code == 200, answer.text
    return (await published(world, "delegation.changed"))[-1]


async def test_a_revocation_counts_up_the_version_and_tells_what_was_revoked(datahub: Desk) -> None:
    given = entitlement(version=3, note="DOC-7", expires_at=NOW + DAY)
    world = await company(datahub, entitlements=[given])

    told = (await revoke(world)).json()

    assert told == {
        "id": "ENT-1",
        "person_id": SARAH,
        "system": "ledger",
        "level": "write",
        "basis": "role",
        "owner": DAVID,
        "status": "revoked",
        "granted_at": to_iso(NOW - 30 * DAY),
        "expires_at": to_iso(NOW + DAY),
        "note": "DOC-7",
        "shared_with": [],
    }
    assert (await world.rows("entitlements"))["ENT-1"]["version"] == 4


async def test_access_that_has_expired_can_still_be_revoked(datahub: Desk) -> None:
    world = await company(datahub, entitlements=[entitlement(expires_at=NOW - DAY)])

    assert (await revoke(world)).json()["status"] == "revoked"


async def test_a_lock_counts_up_the_version_and_what_was_locked_stays_as_it_is(datahub: Desk) -> None:
    things = [owned("V-104"), owned("V-105", locked=True, version=7), owned("V-106", ADA)]
    world = await company(datahub, entitlements=[entitlement(), entitlement(2)], ownerships=things)

    await revoke(world)
    await revoke(world, 2)

    rows = await world.rows("ownerships")
    assert {key: (row["locked"], row["version"]) for key, row in rows.items()} == {
        "V-104": (True, 2),
        "V-105": (True, 7),
        "V-106": (False, 1),
    }


@pytest.mark.parametrize(
    ("shared_with", "to", "left"),
    [
        ([ADA, DAVID], ADA, [DAVID]),
        ([ADA, SARAH, DAVID], ADA, [DAVID]),
        ([ADA, DAVID], "alex.agent", [ADA, DAVID]),
        ([ADA], ADA, []),
    ],
    ids=["to a user", "the holder among the users", "to somebody new", "to the last user"],
)
async def test_after_a_transfer_neither_the_old_nor_the_new_holder_is_another_user(
    datahub: Desk, shared_with: list[str], to: str, left: list[str]
) -> None:
    world = await company(datahub, entitlements=[entitlement(shared_with=shared_with)])

    moved = (await transfer(world, "ENT-1", to)).json()

    row = (await world.rows("entitlements"))["ENT-1"]
    assert (row["person_id"], row["shared_with"], row["version"]) == (to, left, 2)
    assert (moved["object_id"], moved["owner"], moved["since"]) == ("ENT-1", to, to_iso(NOW))


async def test_a_transfer_counts_up_the_version_of_what_is_owned(datahub: Desk) -> None:
    world = await company(datahub, ownerships=[owned("V-104", version=4)])
    await world.advance(DAY)

    await transfer(world, "V-104", ADA)

    assert (await world.rows("ownerships"))["V-104"] == {
        "id": "V-104",
        "owner": ADA,
        "since": NOW + DAY,
        "locked": False,
        "version": 5,
    }


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/ownerships/V-104/transfer", {"to": GONE}, "to"),
        (f"/staff/{GONE}/delegate", {"delegate": ADA}, "person_id"),
        (f"/staff/{DAVID}/delegate", {"delegate": GONE}, "delegate"),
        (f"/staff/{GONE}/deactivate", {"mode": "suspend"}, "person_id"),
    ],
    ids=["new owner", "delegating", "delegate", "deactivated twice"],
)
async def test_a_suspended_person_is_refused_by_the_argument_that_names_them(
    datahub: Desk, path: str, body: Row, field: str
) -> None:
    world = await company(datahub, ownerships=[owned("V-104")])

    refused = await world.post(path, json=body)

    assert (refused.status_code, refused.json()["type"]) == (409, "person_inactive")
    assert (refused.json()["field"], refused.json()["remedy"]) == (field, "datahub_list_people")


@pytest.mark.parametrize(
    ("body", "announced"),
    [
        ({"delegate": ADA, "types": ["a", "b"], "limit": 5.0}, (ADA, ["a", "b"], 5.0)),
        ({"delegate": ADA, "types": ["a"]}, (ADA, ["a"], None)),
        ({"delegate": ADA, "types": []}, (ADA, [], None)),
        ({"delegate": ADA, "limit": 5.0}, (ADA, ["vendor_approval"], 9.0)),
        ({"delegate": ADA}, (ADA, ["vendor_approval"], 9.0)),
        ({"types": []}, (None, [], None)),
        ({}, (None, [], None)),
    ],
    ids=[
        "types and limit",
        "types alone",
        "no types",
        "limit alone",
        "neither",
        "nobody, no types",
        "nobody",
    ],
)
async def test_a_limit_goes_with_its_types_and_nothing_is_covered_without_a_delegate(
    datahub: Desk, body: Row, announced: tuple[str | None, list[str], float | None]
) -> None:
    people = [one if one["id"] != DAVID else person(DAVID, **COVERED) for one in PEOPLE]
    world = await company(datahub, people=people)

    told = await delegate(world, **body)

    assert (told["delegate"], told["delegate_types"], told["delegate_limit"]) == announced
    profile = (await world.get(f"/people/{DAVID}")).json()
    assert (profile["delegate"], profile["delegate_types"], profile["delegate_limit"]) == announced


@pytest.mark.parametrize("body", [{"types": ["a"]}, {"limit": 5.0}, {"types": ["a"], "limit": 5.0}])
async def test_types_and_limits_without_a_delegate_are_refused(datahub: Desk, body: Row) -> None:
    people = [one if one["id"] != DAVID else person(DAVID, **COVERED) for one in PEOPLE]
    world = await company(datahub, people=people)

    answer = await world.post(f"/staff/{DAVID}/delegate", json=body)

    told = answer.json()
    assert (answer.status_code, told["type"], told["field"]) == (422, "delegate_required", "delegate")
    assert await world.rows("people", scope="diff") == {}


async def test_delegations_of_each_person_are_counted_by_themselves(datahub: Desk) -> None:
    world = await company(datahub)

    first = await delegate(world, delegate=ADA)
    await world.post(f"/staff/{SARAH}/delegate", json={"delegate": ADA})
    second = await delegate(world)

    assert [one["version"] for one in await published(world, "delegation.changed")] == [1, 1, 2]
    assert (first["version"], second["version"]) == (1, 2)


async def test_a_suspension_keeps_the_access_on_record_and_locks_what_is_owned(datahub: Desk) -> None:
    tables = {"entitlements": [entitlement()], "ownerships": [owned("V-104"), owned("V-105", ADA)]}
    world = await company(datahub, **tables)

    await deactivate(world, SARAH)

    assert await world.rows("entitlements", scope="diff") == {}
    assert {key: row["locked"] for key, row in (await world.rows("ownerships")).items()} == {
        "V-104": True,
        "V-105": False,
    }
