"""Permissions: who lacks one is refused, asks for it, and has it after a while."""

from companyos.sdk.simtime import HOUR, to_iso
from tests.live_services import Desk, World

from .company import NOW, Row, published, score, source, start

ASKED = {"permission": "refresh_metrics", "reason": "TD-1042 needs it."}


def permission(**changes: object) -> Row:
    row = {
        "id": "refresh_metrics",
        "allows": "Refresh metrics from their source.",
        "grant_s": HOUR,
        "roles": ["controller"],
    }
    return {**row, **changes}


async def closed(datahub: Desk, **rows: list[Row]) -> World:
    """Return a world in which the analyst who acts may not refresh."""
    return await start(
        datahub, **{"metrics": [score()], "sources": [source()], "permissions": [permission()], **rows}
    )


async def refreshed(world: World) -> tuple[int, str | None]:
    answer = await world.post("/catalog/metrics/MET-0104/refresh")
    return answer.status_code, answer.json().get("type")


async def test_missing_permission_is_refused_by_name_without_a_violation(
    datahub: Desk,
) -> None:
    world = await closed(datahub)

    answer = await world.post("/catalog/metrics/MET-0104/refresh")

    assert (answer.status_code, answer.json()["type"]) == (403, "permission_required")
    assert "'refresh_metrics'" in answer.json()["detail"]
    assert answer.json()["remedy"] == "datahub_request_access"
    assert "violation" not in answer.json()
    assert await world.rows("jobs", scope="diff") == {}


async def test_a_permission_asked_for_is_held_once_it_is_granted_and_not_before(datahub: Desk) -> None:
    world = await closed(datahub)

    asked = await world.post("/access", json=ASKED)
    await world.advance(HOUR - 1)
    before = await refreshed(world)
    await world.advance(1)

    assert (asked.status_code, asked.json()["held"], asked.json()["due_at"]) == (
        202,
        False,
        to_iso(NOW + HOUR),
    )
    assert before == (403, "permission_required")
    assert (await world.get("/access/refresh_metrics")).json()["held"] is True
    assert await refreshed(world) == (202, None)


async def test_a_permission_of_ones_role_or_of_everybody_is_held(datahub: Desk) -> None:
    for roles in ([], ["analyst"]):
        world = await closed(datahub, permissions=[permission(roles=roles)])

        answer = await world.post("/access", json=ASKED)

        assert (await world.get("/access")).json()["items"][0]["held"] is True
        assert (answer.status_code, answer.json()["type"]) == (409, "access_held")
        assert await refreshed(world) == (202, None)


async def test_where_nobody_keeps_a_permission_everybody_has_it(datahub: Desk) -> None:
    world = await closed(datahub, permissions=[])

    assert await refreshed(world) == (202, None)


async def test_asking_twice_is_refused_and_asking_for_what_there_is_not_too(datahub: Desk) -> None:
    world = await closed(datahub)
    await world.post("/access", json=ASKED)

    again = await world.post("/access", json=ASKED)
    unknown = await world.post("/access", json={**ASKED, "permission": "rule_the_world"})

    assert (again.status_code, again.json()["type"]) == (409, "access_requested")
    assert to_iso(NOW + HOUR) in again.json()["detail"]
    assert (unknown.status_code, unknown.json()["type"]) == (404, "permission_unknown")
    assert len(await world.rows("grants", scope="diff")) == 1


async def test_permission_granted_to_somebody_else_does_not_count(datahub: Desk) -> None:
    grant = {
        "id": "ACC-0001",
        "permission": "refresh_metrics",
        "person_id": "ben.okafor",
        "reason": "Audit.",
        "requested_at": NOW - HOUR,
        "due_at": NOW - 1,
        "granted_at": NOW - 1,
    }
    world = await closed(datahub, grants=[grant])

    assert (await refreshed(world))[0] == 403


async def test_access_asked_for_before_the_start_is_granted_when_it_is_due(datahub: Desk) -> None:
    grant = {
        "id": "ACC-0001",
        "permission": "refresh_metrics",
        "person_id": "alex.agent",
        "reason": "Audit.",
        "requested_at": NOW - 60,
        "due_at": NOW + HOUR,
    }
    world = await closed(datahub, grants=[grant])

    await world.advance(HOUR)

    assert await refreshed(world) == (202, None)


async def test_a_grant_is_announced_once_when_it_is_due(datahub: Desk) -> None:
    world = await closed(datahub)
    await world.post("/access", json=ASKED)

    before = await published(world, "access.granted")
    await world.advance(HOUR)
    await world.advance(HOUR)

    granted = {"permission": "refresh_metrics", "person_id": "alex.agent"}
    assert (before, await published(world, "access.granted")) == ([], [granted])
