"""One instant can bring much news from two services: its order and number of deliveries cannot be observed."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import orjson

from companyos.simtime import DAY, HOUR

from .company import NOW, SUBMISSION, Company, Desks, Rows, open_company, replay, sent_by, vendor_onboarding

INSTANT = NOW + HOUR


def busy_company() -> Rows:
    """Return vendor onboarding with more to happen an hour after the start: people come and go, a figure expires."""
    rows = vendor_onboarding()
    leave = {"reason": "leave"}
    rows["datahub"]["absences"] += [
        {"id": "A-0002", "person_id": "david.kim", "starts_at": INSTANT, "ends_at": NOW + DAY, **leave},
        {"id": "A-0003", "person_id": "ana.lopez", "starts_at": NOW - DAY, "ends_at": INSTANT, **leave},
    ]
    rows["approvalflow"]["people"][2] |= {"away": True, "away_until": INSTANT}
    usual = {"name": "compliance_score", "unit": "points", "source": "screening", "refresh_s": HOUR}
    rows["datahub"]["metrics"].append(
        {
            **usual,
            "id": "MET-0200",
            "subject": "V-200",
            "value": 90.0,
            "as_of": NOW - DAY,
            "ttl_s": DAY + HOUR,
        }
    )
    rows["approvalflow"]["figures"].append(
        {
            "id": "MET-0200",
            "name": "compliance_score",
            "subject": "V-200",
            "value": 90.0,
            "as_of": NOW - DAY,
            "expires_at": INSTANT,
            "version": 1,
        }
    )
    return rows


async def until_the_instant(desks: Desks) -> tuple[Company, list[str]]:
    """Return a company at the instant, and the texts of what DataHub and TicketDesk announce there."""
    company = await open_company(desks, busy_company())
    await company.post("approvalflow", "/requests", SUBMISSION)
    await company.post("datahub", "/metrics/MET-0104/refresh")
    company.set_clock(INSTANT)
    await company.worlds["datahub"].advance(0)
    await company.post("ticketdesk", "/tickets/TD-1042/verify", {"evidence": "Read it."}, settles=False)
    texts = await sent_by(company.worlds["datahub"]) + await sent_by(company.worlds["ticketdesk"])
    return company, texts


async def test_news_of_one_instant_leaves_the_same_state_in_any_order_and_number(desks: Desks) -> None:
    consumer = desks["approvalflow"].app.state.consumer
    await consumer.stop()
    try:
        states = []
        for order in sample(range(5)):
            company, texts = await until_the_instant(desks)
            for position in order:
                await replay(company.worlds["approvalflow"], texts[position])
            states.append(await company.state())
    finally:
        await consumer.start()

    names = sorted(orjson.loads(text)["name"] for text in texts)
    assert names == ["metric.expired", "metric.refreshed", "person.away", "person.back", "ticket.verified"]
    assert all(state == states[0] for state in states)
    assert states[0]["approvalflow"]["requests"]["APR-0001"]["status"] == "pending"


def sample(positions: Sequence[int]) -> list[list[Any]]:
    """Return ten of the orders in which events can arrive, some of them with events that come twice."""
    orders = [list(order) for order in permutations(positions)]
    return [[*order, *order[: number % 3]] for number, order in enumerate(orders[::13])]
