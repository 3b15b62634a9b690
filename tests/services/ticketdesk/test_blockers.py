"""Tickets that wait for a metric or for a request: what frees them happens in another service, and is heard of."""

import itertools

import pytest

from .company import a_ticket, open_company

REFRESHED = {"metric_id": "MET-0107", "name": "open_findings", "subject": None, "value": 2.0, "version": 4}
APPROVED = {"request_id": "APR-0011", "type": "budget_release", "ticket_id": None, "outcome": "approved"}
METRIC = {"id": "MET-0107", "kind": "metric", "since": 3}
REQUEST = {"id": "APR-0011", "kind": "request"}


async def waiting(desk, *awaited):
    """Return a world in which a ticket waits for something of other services."""
    ids = [row["id"] for row in awaited]
    return await open_company(
        desk, a_ticket(status="blocked", blocked_by=ids), external_blockers=list(awaited)
    )


async def resolve(world, blocker_id):
    return await world.post(f"/tickets/TD-1042/blockers/{blocker_id}/resolve")


@pytest.mark.parametrize(
    ("awaited", "advice"),
    [
        (METRIC, "Refresh it with datahub_refresh_data and wait for the job to finish."),
        (REQUEST, "Wait until it is decided; approvalflow_check_status says when."),
    ],
)
async def test_pending_blocker_is_not_resolved_and_the_refusal_advises(desk, awaited, advice):
    world = await waiting(desk, awaited)

    answer = await resolve(world, awaited["id"])

    assert (answer.status_code, answer.json()["type"]) == (409, "blocker_unresolved")
    assert answer.json()["field"] == "blocker_id"
    assert awaited["id"] in answer.json()["detail"]
    assert advice in answer.json()["detail"]
    assert await world.rows("tickets", scope="diff") == {}


@pytest.mark.parametrize(
    ("awaited", "name", "news"),
    [(METRIC, "metric.refreshed", REFRESHED), (REQUEST, "approval.decided", APPROVED)],
)
async def test_resolving_a_settled_blocker_returns_the_ticket_to_triage(desk, awaited, name, news):
    world = await waiting(desk, awaited)

    await world.deliver(name, news)
    answer = await resolve(world, awaited["id"])

    assert answer.status_code == 200
    assert (answer.json()["status"], answer.json()["blocked_by"]) == ("triage", [])
    assert [event["name"] for event in await world.events()] == ["ticket.unblocked"]


async def test_a_ticket_waits_for_all_that_blocks_it(desk):
    world = await waiting(desk, METRIC, REQUEST)
    await world.deliver("metric.refreshed", REFRESHED)

    freed = await resolve(world, "MET-0107")
    refused = await resolve(world, "APR-0011")

    assert (freed.json()["status"], freed.json()["blocked_by"]) == ("blocked", ["APR-0011"])
    assert refused.json()["type"] == "blocker_unresolved"


async def test_a_version_known_when_the_wait_began_settles_nothing(desk):
    world = await waiting(desk, METRIC)

    await world.deliver("metric.refreshed", {**REFRESHED, "version": 3})

    assert (await resolve(world, "MET-0107")).json()["type"] == "blocker_unresolved"


async def test_a_rejected_request_frees_nobody(desk):
    world = await waiting(desk, REQUEST)

    await world.deliver("approval.decided", {**APPROVED, "outcome": "rejected"})
    answer = await resolve(world, "APR-0011")

    assert answer.json()["type"] == "blocker_unresolved"
    assert "APR-0011 was rejected" in answer.json()["detail"]


@pytest.mark.parametrize("blocker_id", ["MET-0108", "APR-0012", "nothing"])
async def test_other_ids_are_refused_as_not_a_blocker(desk, blocker_id):
    world = await waiting(desk, METRIC)

    answer = await resolve(world, blocker_id)

    assert (answer.status_code, answer.json()["type"]) == (409, "not_a_blocker")


@pytest.mark.parametrize(
    ("name", "news"),
    [
        ("metric.refreshed", {**REFRESHED, "metric_id": "MET-0108"}),
        ("approval.decided", {**APPROVED, "request_id": "APR-0012"}),
    ],
)
async def test_news_of_what_no_ticket_waits_for_is_not_kept(desk, name, news):
    world = await waiting(desk, METRIC, REQUEST)

    event_id = await world.deliver(name, news)

    assert (await world.applied(event_id))["changes"] == []


async def test_news_of_what_is_waited_for_leaves_the_same_rows_in_any_order_and_number(desk):
    news = [("metric.refreshed", {**REFRESHED, "version": version}) for version in (4, 5, 3)]
    approved = ("approval.decided", APPROVED)

    left = []
    for first, *rest in itertools.permutations(news):
        left += [
            await awaited_after(desk, order)
            for order in ([first, *rest, approved], [approved, first, approved, *rest])
        ]

    assert all(rows == left[0] for rows in left)
    assert {row["status"] for row in left[0].values()} == {"settled"}


async def awaited_after(desk, order):
    world = await waiting(desk, METRIC, REQUEST)
    for name, payload in order:
        await world.deliver(name, payload)
    return await world.rows("external_blockers")
