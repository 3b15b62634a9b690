"""One instant can bring much news from two services: its order and number of deliveries cannot be observed."""

import asyncio
import random

import orjson
import pytest

from tests.sizes import size

from .company import Desks, open_company, replay
from .story import (
    AT_ONCE,
    INSTANT,
    Outboxes,
    Telling,
    addressed_to,
    begin,
    branched,
    crowded_company,
    whole_state,
)

ROUNDS = 10


async def until_the_instant(desks: Desks, outboxes: Outboxes) -> tuple[Telling, list[str]]:
    """Return a company at the instant, and the texts of what DataHub and TicketDesk announce there."""
    telling = Telling(await open_company(desks, crowded_company()), outboxes, None)
    await begin(telling)
    company = telling.company
    company.set_clock(INSTANT)
    await company.worlds["datahub"].advance(0)
    for number in (42, 43):
        await company.post(
            "ticketdesk", f"/tickets/TD-10{number}/verify", {"evidence": "Read it."}, settles=False
        )
    found = await outboxes.after(company, telling.told)
    await outboxes.settle(company)
    return telling, [text for _, _, text in found]


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_news_of_one_instant_leaves_the_same_state_in_any_order_and_number(
    silent: Desks, outboxes: Outboxes, seed: int
) -> None:
    rng = random.Random(seed)
    telling, texts = await until_the_instant(silent, outboxes)
    orders = [[[text] for text in texts]]
    orders += [shuffled(texts, rng) for _ in range(size(120, 2000) // ROUNDS)]

    states = []
    for number, batches in enumerate(orders):
        company = branched(telling.company, number + 1)
        approvals = company.worlds["approvalflow"]
        for batch in batches:
            await asyncio.gather(*(replay(approvals, addressed_to(company, text)) for text in batch))
        states.append(await whole_state(company))

    names = sorted(orjson.loads(text)["name"] for text in texts)
    assert names == [
        "metric.expired",
        *["metric.refreshed"] * 3,
        "person.away",
        "person.back",
        *["ticket.verified"] * 2,
    ]
    assert all(state == states[0] for state in states)
    requests = states[0]["approvalflow"]["requests"]
    assert [requests[f"APR-000{number}"]["status"] for number in (1, 2, 3)] == [
        "pending",
        "pending",
        "voided",
    ]


def shuffled(texts: list[str], rng: random.Random) -> list[list[str]]:
    """Return each text one to four times, in any order, in batches that a consumer applies at once."""
    copies = [text for text in texts for _ in range(rng.randint(1, 4))]
    rng.shuffle(copies)
    batches = []
    while copies:
        together = rng.randint(1, AT_ONCE)
        batches.append(copies[:together])
        copies = copies[together:]
    return batches
