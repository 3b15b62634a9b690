"""The people directory, and the clock that takes people away and brings them back."""

from companyos.sdk.simtime import DAY, to_iso
from tests.live_services import Desk

from .company import NOW, absence, person, published, start

STAND_IN = {"delegate": "david.kim", "delegate_types": ["vendor_approval"], "delegate_limit": 50_000.0}


async def test_a_profile_tells_the_absence_and_who_stands_in(datahub: Desk) -> None:
    sarah = person(**STAND_IN)
    past = absence(id="A-0000", starts_at=0, ends_at=DAY)
    world = await start(datahub, people=[sarah], absences=[past, absence()])

    profile = (await world.get("/people/sarah.chen")).json()

    assert profile == {
        "id": "sarah.chen",
        "name": "Sarah Chen",
        "role": "cfo",
        "team": "finance",
        "email": "sarah.chen@acme.example",
        "manager": None,
        "reports": [],
        "active": True,
        "is_away": True,
        "away_until": to_iso(NOW + DAY),
        "absences": [{"starts_at": to_iso(NOW - DAY), "ends_at": to_iso(NOW + DAY), "reason": "leave"}],
        "delegate": "david.kim",
        "delegate_types": ["vendor_approval"],
        "delegate_limit": 50_000.0,
    }


async def test_a_person_with_an_absence_to_come_is_here(datahub: Desk) -> None:
    world = await start(datahub, people=[person()], absences=[absence(starts_at=NOW + 1)])

    profile = (await world.get("/people/sarah.chen")).json()

    assert (profile["is_away"], profile["away_until"]) == (False, None)
    assert len(profile["absences"]) == 1


async def test_people_are_found_by_role_and_by_text(datahub: Desk) -> None:
    people = [person(), person("david.kim", role="finance_director"), person("100%.sure", team="Data_Office")]
    world = await start(datahub, people=people)

    async def found(**query: str) -> list[str]:
        return [row["id"] for row in (await world.get("/people", params=query)).json()["items"]]

    assert await found() == ["100%.sure", "david.kim", "sarah.chen"]
    assert await found(role="finance_director") == ["david.kim"]
    assert await found(q="KIM") == ["david.kim"]
    assert await found(q="a_o") == ["100%.sure"]
    assert await found(q="%") == ["100%.sure"]
    assert await found(q="finance", role="cfo") == ["sarah.chen"]


async def test_present_role_holder_is_on_duty(datahub: Desk) -> None:
    world = await start(datahub, people=[person(**STAND_IN), person("david.kim", role="finance_director")])

    approver = (await world.get("/approvers/cfo")).json()

    assert (approver["id"], approver["available"], approver["away_until"]) == ("sarah.chen", True, None)
    assert approver["on_duty"] == "sarah.chen"
    assert approver["delegate"]["id"] == "david.kim"
    assert approver["others"] == []


async def test_while_an_approver_is_away_their_delegate_is_on_duty(datahub: Desk) -> None:
    people = [person(**STAND_IN), person("david.kim", role="finance_director")]
    world = await start(datahub, people=people, absences=[absence()])

    approver = (await world.get("/approvers/cfo")).json()

    assert (approver["available"], approver["away_until"]) == (False, to_iso(NOW + DAY))
    assert approver["on_duty"] == "david.kim"
    assert approver["delegate"] == {
        "id": "david.kim",
        "name": "David Kim",
        "role": "finance_director",
        "available": True,
        "away_until": None,
        "delegate": None,
        "delegate_types": ["vendor_approval"],
        "delegate_limit": 50_000.0,
    }


async def test_role_has_no_approver_on_duty_while_the_delegate_is_away(datahub: Desk) -> None:
    people = [person(**STAND_IN), person("david.kim", role="finance_director", delegate="ada.king")]
    absences = [absence(), absence(id="A-0002", person_id="david.kim", ends_at=NOW + 5)]
    world = await start(datahub, people=people, absences=absences)

    approver = (await world.get("/approvers/cfo")).json()

    assert approver["on_duty"] is None
    assert approver["delegate"]["away_until"] == to_iso(NOW + 5)
    assert approver["delegate"]["delegate"] == "ada.king"


async def test_a_delegate_who_is_not_in_the_directory_is_none(datahub: Desk) -> None:
    world = await start(datahub, people=[person(**STAND_IN)], absences=[absence()])

    approver = (await world.get("/approvers/cfo")).json()

    assert (approver["delegate"], approver["on_duty"]) == (None, None)


async def test_of_several_holders_the_first_by_id_decides_and_the_others_are_named(datahub: Desk) -> None:
    world = await start(datahub, people=[person("b"), person("c"), person("a")])

    approver = (await world.get("/approvers/cfo")).json()

    assert (approver["id"], approver["others"]) == ("a", ["b", "c"])


async def test_unknown_people_and_vacant_roles_are_refused(datahub: Desk) -> None:
    world = await start(datahub, people=[person()])

    nobody, vacant = await world.get("/people/nobody"), await world.get("/approvers/astronaut")

    assert (nobody.status_code, nobody.json()["type"]) == (404, "person_unknown")
    assert (vacant.status_code, vacant.json()["type"]) == (404, "role_vacant")
    assert "list_people" in vacant.json()["detail"]


async def test_an_absence_begins_and_ends_at_its_two_instants(datahub: Desk) -> None:
    coming = absence(starts_at=NOW + DAY, ends_at=NOW + 3 * DAY)
    world = await start(datahub, people=[person()], absences=[coming])

    before = (await world.get("/people/sarah.chen")).json()["is_away"]
    await world.advance(DAY)
    during = (await world.get("/people/sarah.chen")).json()["is_away"]
    went = [(event["name"], event["payload"]) for event in await world.events()]
    await world.advance(2 * DAY)
    after = (await world.get("/people/sarah.chen")).json()["is_away"]
    came = [(event["name"], event["payload"]) for event in await world.events()][len(went) :]

    assert (before, during, after) == (False, True, False)
    assert went == [("person.away", {"person_id": "sarah.chen", "until": NOW + 3 * DAY, "version": 1})]
    assert came == [("person.back", {"person_id": "sarah.chen", "version": 2})]


async def test_absences_that_follow_one_another_bring_the_person_back_once(datahub: Desk) -> None:
    absences = [absence(), absence(id="A-0002", starts_at=NOW + DAY, ends_at=NOW + 2 * DAY)]
    world = await start(datahub, people=[person()], absences=absences)

    await world.advance(DAY)
    await world.advance(DAY)

    away = {"person_id": "sarah.chen", "until": NOW + 2 * DAY, "version": 1}
    assert await published(world, "person.away") == [away]
    assert await published(world, "person.back") == [{"person_id": "sarah.chen", "version": 2}]


async def test_an_absence_that_ends_before_it_starts_takes_nobody_away(datahub: Desk) -> None:
    world = await start(
        datahub, people=[person()], absences=[absence(starts_at=NOW + DAY, ends_at=NOW + DAY)]
    )

    await world.advance(DAY)

    assert await published(world, "person.away") == []
