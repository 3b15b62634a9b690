"""News from the other services, in any order and any number: the state after it is the same."""

from itertools import permutations

import pytest

from companyos.sdk.simtime import DAY
from tests.live_services import Desk

from .company import (
    NOW,
    away_cfo,
    cfo,
    person,
    request,
    stale_score,
    start,
    submit,
    ticket,
)
from .news import refreshed, state, verified


async def test_a_second_delivery_of_the_same_news_does_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)])
    await submit(world)

    event_id = await world.deliver("ticket.verified", verified())
    once = await state(world)
    await world.send("ticket.verified", verified(), event_id=event_id)
    await world.deliver("ticket.verified", verified(), event_id="s9.ticketdesk.1")

    assert await state(world) == once


async def test_of_two_announcements_of_a_person_the_newer_counts_in_either_order(approvalflow: Desk) -> None:
    away = ("person.away", {"person_id": "sarah.chen", "until": NOW + 3 * DAY, "version": 1})
    back = ("person.back", {"person_id": "sarah.chen", "version": 2})
    seen = []
    for order in permutations([away, back]):
        world = await start(approvalflow)
        for name, payload in order:
            await world.deliver(name, payload)
        seen.append((await world.rows("people"))["sarah.chen"])

    assert seen[0] == seen[1]
    assert (seen[0]["away"], seen[0]["away_until"]) == (False, None)


HELD = request(status="held", decision_due=None, evidence={}, waiting_for=["ticket_verified", "metric_fresh"])
#: News that one step can bring at once, with the company it meets.
STEPS = {
    "a held request gets everything it waits for": (
        {"requests": [HELD], "tickets": [ticket(verified=False)], "metrics": [stale_score()]},
        [
            ("ticket.verified", verified()),
            ("metric.refreshed", refreshed(version=2)),
            ("metric.expired", {"metric_id": "MET-0104", "version": 1}),
            ("person.away", {"person_id": "sarah.chen", "until": NOW + DAY, "version": 1}),
        ],
    ),
    "a pending request loses its ground": (
        {"requests": [request()], "people": [away_cfo(away_until=NOW), person("david.kim", "manager")]},
        [
            ("metric.refreshed", refreshed(value=76.0)),
            ("metric.refreshed", refreshed(metric_id="MET-0200", subject="V-105", value=99.0)),
            ("metric.expired", {"metric_id": "MET-0104", "version": 2}),
            ("person.back", {"person_id": "sarah.chen", "version": 1}),
        ],
    ),
    "two requests and two metrics": (
        {
            "requests": [
                HELD,
                {**HELD, "id": "APR-0008", "ticket_id": "TD-1043", "subject": "V-105"},
                request(id="APR-0009", ticket_id="TD-1", fields={"compliance_score": 72}),
            ],
            "tickets": [ticket(), ticket(id="TD-1043", subject="V-105")],
            "metrics": [stale_score()],
            "people": [cfo(), person("david.kim", "manager", away=True, away_until=NOW)],
        },
        [
            ("metric.refreshed", refreshed(version=2, value=84.0)),
            ("metric.refreshed", refreshed(metric_id="MET-0105", subject="V-105", value=90.0, version=1)),
            ("person.away", {"person_id": "david.kim", "until": NOW + DAY, "version": 1}),
            ("person.back", {"person_id": "david.kim", "version": 2}),
        ],
    ),
}


@pytest.mark.parametrize("step", STEPS)
async def test_news_of_one_step_leaves_the_same_state_in_any_order_and_number(
    approvalflow: Desk, step: str
) -> None:
    tables, news = STEPS[step]
    numbered = [(name, payload, f"s1.elsewhere.{n}") for n, (name, payload) in enumerate(news, start=1)]
    states = []
    for order in [*list(permutations(numbered))[::5], numbered[::-1]]:
        world = await start(approvalflow, **tables)
        for name, payload, event_id in [*order, order[0]]:
            await world.deliver(name, payload, event_id=event_id)
        states.append(await state(world))

    assert all(found == states[0] for found in states)
    assert states[0]["requests"] != {row["id"]: row for row in tables["requests"]}


async def test_news_sent_all_at_once_leaves_the_same_state_as_one_after_another(approvalflow: Desk) -> None:
    tables, news = STEPS["a held request gets everything it waits for"]
    together, apart = await start(approvalflow, **tables), await start(approvalflow, **tables)
    numbered = [(name, payload, f"s1.elsewhere.{n}") for n, (name, payload) in enumerate(news, start=1)]

    for name, payload, event_id in [*numbered, *numbered, *reversed(numbered)]:
        await together.send(name, payload, event_id=event_id)
    for _, _, event_id in numbered:
        await together.applied(event_id)
    for name, payload, event_id in numbered:
        await apart.deliver(name, payload, event_id=event_id)

    assert await state(together) == await state(apart)
