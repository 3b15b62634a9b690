"""What hangs on a ticket: blockers, links, comments, history."""

import pytest

from .company import NOON, a_complete_ticket, a_ticket, open_company

REMEDY = {"kind": "remediation", "title": "Raise the score", "description": "76 where 80 are asked for."}


async def test_a_new_ticket_can_block_another(desk):
    world = await open_company(desk, a_complete_ticket(status="verified", verified_by="ana.lopez"))

    remedy = await world.post("/tickets", json={**REMEDY, "blocks": "TD-1042"})

    assert remedy.status_code == 201
    blocked = (await world.rows("tickets"))["TD-1042"]
    assert (blocked["status"], blocked["blocked_by"]) == ("blocked", ["TD-1043"])
    assert [
        (link["ticket_id"], link["kind"], link["target"]) for link in (await world.rows("links")).values()
    ] == [("TD-1043", "blocks", "TD-1042")]


async def test_ticket_that_blocks_a_done_one_is_refused_and_not_filed(desk):
    world = await open_company(desk, a_ticket(status="done"))

    answer = await world.post("/tickets", json={**REMEDY, "blocks": "TD-1042"})

    assert (answer.status_code, answer.json()["type"]) == (409, "not_blockable")
    assert list(await world.rows("tickets")) == ["TD-1042"]
    assert await world.rows("history") == {}


async def test_a_ticket_that_is_not_there_cannot_be_blocked(desk):
    world = await open_company(desk)

    answer = await world.post("/tickets", json={**REMEDY, "blocks": "TD-1042"})

    assert (answer.status_code, answer.json()["type"], answer.json()["field"]) == (
        404,
        "ticket_unknown",
        "blocks",
    )


def blocked_by(*blockers):
    return a_ticket(status="blocked", blocked_by=[blocker["id"] for blocker in blockers])


async def test_the_last_blocker_gone_takes_the_ticket_back_to_triage(desk):
    blocker = a_ticket("TD-1001", status="done", verified_by="ana.lopez")
    world = await open_company(desk, blocked_by(blocker), blocker)

    answer = await world.post("/tickets/TD-1042/blockers/TD-1001/resolve")

    assert answer.status_code == 200
    ticket = (await world.rows("tickets"))["TD-1042"]
    assert (ticket["status"], ticket["blocked_by"], ticket["version"]) == ("triage", [], 2)
    assert [(event["name"], event["payload"]) for event in await world.events()] == [
        ("ticket.unblocked", {"ticket_id": "TD-1042"})
    ]


async def test_a_ticket_with_a_blocker_left_stays_blocked(desk):
    resolved = a_ticket("TD-1001", status="closed", verified_by="ana.lopez")
    world = await open_company(desk, blocked_by(resolved, a_ticket("TD-1002")), resolved, a_ticket("TD-1002"))

    answer = await world.post("/tickets/TD-1042/blockers/TD-1001/resolve", json={"version": 1})

    assert (answer.json()["status"], answer.json()["blocked_by"]) == ("blocked", ["TD-1002"])
    assert await world.events() == []


@pytest.mark.parametrize(
    ("blocker", "trouble"),
    [
        (a_ticket("TD-1001", status="done"), "TD-1001 is done and not verified"),
        (
            a_ticket("TD-1001", status="verified", verified_by="ana.lopez"),
            "TD-1001 is verified and verified by ana",
        ),
    ],
)
async def test_a_blocker_that_is_unfinished_or_unverified_is_not_resolved(desk, blocker, trouble):
    world = await open_company(desk, blocked_by(blocker), blocker)

    answer = await world.post("/tickets/TD-1042/blockers/TD-1001/resolve")

    assert (answer.status_code, answer.json()["type"]) == (409, "blocker_unresolved")
    assert trouble in answer.json()["detail"]
    assert await world.rows("tickets", scope="diff") == {}


async def test_a_done_blocker_is_resolved_once_it_is_verified(desk):
    blocker = a_complete_ticket("TD-1001", status="done")
    world = await open_company(desk, blocked_by(blocker), blocker)

    await world.post(
        "/tickets/TD-1001/verify", json={"evidence": "The fix is live.", "references": ["V-104"]}
    )
    answer = await world.post("/tickets/TD-1042/blockers/TD-1001/resolve")

    assert answer.json()["status"] == "triage"


async def test_unrelated_ticket_cannot_be_resolved_as_a_blocker(desk):
    world = await open_company(
        desk, blocked_by(a_ticket("TD-1002")), a_ticket("TD-1001"), a_ticket("TD-1002")
    )

    answer = await world.post("/tickets/TD-1042/blockers/TD-1001/resolve")

    assert (answer.status_code, answer.json()["type"]) == (409, "not_a_blocker")
    assert "It is blocked by TD-1002." in answer.json()["detail"]


async def test_a_blocker_that_is_not_there_cannot_be_resolved(desk):
    world = await open_company(desk, a_ticket(status="blocked", blocked_by=["TD-1001"]))

    answer = await world.post("/tickets/TD-1042/blockers/TD-1001/resolve")

    assert (answer.status_code, answer.json()["field"]) == (404, "blocker_id")


async def test_a_ticket_is_linked_to_anything_it_relates_to(desk):
    world = await open_company(desk, a_ticket())

    answer = await world.post("/tickets/TD-1042/links", json={"kind": "relates", "target": "V-104"})

    assert answer.status_code == 201
    assert answer.json() == {
        "id": "TD-1042-L1",
        "ticket_id": "TD-1042",
        "kind": "relates",
        "target": "V-104",
        "created_at": "2030-01-01T12:00:00Z",
    }


async def test_a_link_that_blocks_makes_its_target_wait(desk):
    world = await open_company(desk, a_ticket("TD-1001"), a_ticket("TD-1042"))

    answer = await world.post("/tickets/TD-1001/links", json={"kind": "blocks", "target": "TD-1042"})

    assert answer.status_code == 201
    ticket = (await world.rows("tickets"))["TD-1042"]
    assert (ticket["status"], ticket["blocked_by"]) == ("blocked", ["TD-1001"])


async def test_tickets_cannot_wait_for_each_other(desk):
    world = await open_company(
        desk,
        a_ticket("TD-1001"),
        a_ticket("TD-1002", status="blocked", blocked_by=["TD-1001"]),
        a_ticket("TD-1003", status="blocked", blocked_by=["TD-1002", "TD-1001"]),
    )

    answer = await world.post("/tickets/TD-1003/links", json={"kind": "blocks", "target": "TD-1001"})

    assert (answer.status_code, answer.json()["type"]) == (409, "blocker_cycle")
    assert await world.rows("tickets", scope="diff") == {}


@pytest.mark.parametrize("kind", ["blocks", "duplicates"])
async def test_only_a_ticket_can_be_blocked_or_duplicated(desk, kind):
    world = await open_company(desk, a_ticket())

    answer = await world.post("/tickets/TD-1042/links", json={"kind": kind, "target": "V-104"})

    assert (answer.status_code, answer.json()["field"]) == (404, "target")
    assert await world.rows("links") == {}


async def test_a_duplicate_of_a_closed_ticket_can_be_linked_to_it(desk):
    world = await open_company(desk, a_ticket(), a_ticket("TD-1001", status="closed"))

    answer = await world.post("/tickets/TD-1042/links", json={"kind": "duplicates", "target": "TD-1001"})

    assert answer.status_code == 201


async def test_a_link_is_made_once(desk):
    world = await open_company(desk, a_ticket())
    await world.post("/tickets/TD-1042/links", json={"kind": "relates", "target": "V-104"})

    answer = await world.post("/tickets/TD-1042/links", json={"kind": "relates", "target": "V-104"})

    assert (answer.status_code, answer.json()["type"]) == (409, "link_exists")
    assert len(await world.rows("links")) == 1


async def test_approval_links_are_left_to_events(desk):
    world = await open_company(desk, a_ticket())

    answer = await world.post("/tickets/TD-1042/links", json={"kind": "approval", "target": "APR-0001"})

    assert (answer.status_code, answer.json()["field"]) == (422, "kind")


async def test_links_are_listed_oldest_first(desk):
    world = await open_company(desk, a_ticket())
    for number in range(11):
        await world.post("/tickets/TD-1042/links", json={"kind": "relates", "target": f"V-{number}"})

    answer = await world.get("/tickets/TD-1042/links")

    assert [link["target"] for link in answer.json()["items"]] == [f"V-{number}" for number in range(11)]


async def test_a_comment_is_kept_in_its_authors_name(desk):
    world = await open_company(desk, a_ticket(status="closed"))

    answer = await world.post("/tickets/TD-1042/comments", json={"body": "Thank you all."})

    assert answer.status_code == 201
    assert await world.rows("comments") == {
        "TD-1042-C1": {
            "id": "TD-1042-C1",
            "ticket_id": "TD-1042",
            "author": "ben.okafor",
            "body": "Thank you all.",
            "created_at": NOON,
        }
    }
    assert await world.rows("tickets", scope="diff") == {}


async def test_history_tells_who_changed_what_from_what_to_what(desk):
    world = await open_company(desk, a_complete_ticket())
    await world.patch("/tickets/TD-1042", json={"priority": "medium", "cost_centre": "CC-210"})
    await world.post("/tickets/TD-1042/verify", json={"evidence": "V-104", "references": ["V-104"]})
    await world.post("/tickets/TD-1042/reopen", json={"reason": "Wrong vendor."})

    answer = await world.get("/tickets/TD-1042/history")

    assert [
        (line["id"], line["actor"], line["action"], line["field"], line["before"], line["after"])
        for line in answer.json()["items"]
    ] == [
        ("TD-1042-H1", "ben.okafor", "updated", "priority", "high", "medium"),
        ("TD-1042-H2", "ben.okafor", "updated", "cost_centre", None, "CC-210"),
        ("TD-1042-H3", "ben.okafor", "verified", "status", "new", "verified"),
        ("TD-1042-H4", "ben.okafor", "verified", "evidence", None, "V-104"),
        ("TD-1042-H5", "ben.okafor", "verified", "references", "", "V-104"),
        ("TD-1042-H6", "ben.okafor", "verified", "verified_by", None, "ben.okafor"),
        ("TD-1042-H7", "ben.okafor", "reopened", "status", "verified", "triage"),
        ("TD-1042-H8", "ben.okafor", "reopened", "evidence", "V-104", None),
        ("TD-1042-H9", "ben.okafor", "reopened", "references", "V-104", ""),
        ("TD-1042-H10", "ben.okafor", "reopened", "verified_by", "ben.okafor", None),
        ("TD-1042-H11", "ben.okafor", "reopened", "reason", None, "Wrong vendor."),
    ]


async def test_history_tells_of_both_tickets_when_one_blocks_the_other(desk):
    world = await open_company(
        desk, a_ticket("TD-1001"), a_ticket("TD-1042", blocked_by=["TD-7"], status="blocked")
    )
    await world.post("/tickets/TD-1001/links", json={"kind": "blocks", "target": "TD-1042"})

    lines = (await world.rows("history")).values()

    assert [(line["ticket_id"], line["field"], line["before"], line["after"]) for line in lines] == [
        ("TD-1001", "blocks", None, "TD-1042"),
        ("TD-1042", "blocked_by", "TD-7", "TD-7, TD-1001"),
    ]


@pytest.mark.parametrize("thread", ["comments", "links", "history"])
async def test_a_ticket_that_is_not_there_has_no_threads(desk, thread):
    world = await open_company(desk)

    assert (await world.get(f"/tickets/TD-1042/{thread}")).json()["type"] == "ticket_unknown"
