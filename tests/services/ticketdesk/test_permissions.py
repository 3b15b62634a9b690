"""Who may verify tickets where not everybody may, as far as TicketDesk has heard."""

import pytest

from .company import a_complete_ticket, open_company

VERIFY = "/tickets/TD-1042/verify"
GRANTED = {"permission": "verify_tickets", "person_id": "ben.okafor"}


def kept(*roles, people=()):
    return [{"id": "verify_tickets", "roles": list(roles), "people": list(people)}]


async def verified(world):
    answer = await world.post(VERIFY, json={"evidence": "V-104", "references": ["V-104"]})
    return answer.status_code, answer.json().get("type")


async def test_missing_permission_is_refused_with_a_remedy_and_no_violation(desk):
    world = await open_company(desk, a_complete_ticket(), permissions=kept("controller"))

    answer = await world.post(VERIFY, json={"evidence": "V-104", "references": ["V-104"]})

    assert (answer.status_code, answer.json()["type"]) == (403, "permission_required")
    assert "your role, analyst, does not have: 'verify_tickets'" in answer.json()["detail"]
    assert (answer.json()["permission"], answer.json()["remedy"]) == (
        "verify_tickets",
        "datahub_request_access",
    )
    assert "violation" not in answer.json()
    assert await world.events() == []
    assert {table: await world.rows(table, scope="diff") for table in ("tickets", "history")} == {
        "tickets": {},
        "history": {},
    }


@pytest.mark.parametrize(
    "permissions", [[], kept(), kept("controller", "analyst"), kept("controller", people=["ben.okafor"])]
)
async def test_where_it_is_everybodys_or_ones_roles_or_was_granted_before_a_ticket_is_verified(
    desk, permissions
):
    world = await open_company(desk, a_complete_ticket(), permissions=permissions)

    assert await verified(world) == (200, None)


async def test_a_grant_counts_once_it_is_heard_of_however_often(desk):
    world = await open_company(desk, a_complete_ticket(), permissions=kept("controller"))

    before = await verified(world)
    for _ in range(2):
        await world.deliver("access.granted", GRANTED)

    assert (before, await verified(world)) == ((403, "permission_required"), (200, None))
    assert (await world.rows("permissions"))["verify_tickets"]["people"] == ["ben.okafor"]


async def test_grants_leave_the_same_in_any_order_and_others_grants_do_not_count(desk):
    worlds = [await open_company(desk, a_complete_ticket(), permissions=kept("controller")) for _ in range(2)]
    others = [{**GRANTED, "person_id": person} for person in ("zoe.last", "ana.lopez")]

    for world, grants in zip(worlds, (others, others[::-1]), strict=True):
        for grant in grants:
            await world.deliver("access.granted", grant)

    first, second = [await world.rows("permissions") for world in worlds]
    assert first == second
    assert (await verified(worlds[0]))[0] == 403


async def test_a_grant_of_what_nothing_here_takes_changes_nothing(desk):
    world = await open_company(desk, permissions=kept("controller"))

    await world.deliver("access.granted", {**GRANTED, "permission": "rule_the_world"})

    assert await world.rows("permissions", scope="diff") == {}
