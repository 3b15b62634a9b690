"""One instant can bring much news from two services: its order and number of deliveries cannot be observed."""

import asyncio
import random
from typing import Any

import orjson
import pytest
from redis.asyncio import Redis

from companyos.chassis.events import bus
from tests.patience import PATIENCE_S
from tests.sizes import size

from .company import Company, Desks, open_company, replay, resend
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


async def until_the_instant(desks: Desks, outboxes: Outboxes) -> tuple[Telling, list[str]]:
    """Return a company at the instant, and the texts of what DataHub and TicketDesk announce there."""
    telling = Telling(await open_company(desks, crowded_company()), outboxes, None)
    await begin(telling)
    company = telling.company
    company.set_clock(INSTANT)
    await company.worlds["datahub"].advance(0)
    for number in (42, 43):
        await company.post(
            "ticketdesk",
            f"/tickets/TD-10{number}/verify",
            {"evidence": "Read it.", "references": ["V-104"]},
            settles=False,
        )
    found = await outboxes.after(company, telling.told)
    await outboxes.settle(company)
    return telling, [text for _, _, text in found]


@pytest.mark.proof
async def test_the_bus_itself_may_bring_the_news_of_an_instant_in_any_order_and_number(
    silent: Desks, outboxes: Outboxes
) -> None:
    rng, consumer = random.Random(0), silent["approvalflow"].app.state.consumer
    telling, texts = await until_the_instant(silent, outboxes)
    in_order, *branches = [branched(telling.company, number + 1) for number in range(size(20, 200))]
    for text in texts:
        await replay(in_order.worlds["approvalflow"], addressed_to(in_order, text))
    entries = [
        addressed_to(branch, text) for branch in branches for batch in shuffled(texts, rng) for text in batch
    ]
    rng.shuffle(entries)

    await off_the_bus(silent, texts)
    await resend(telling.company.worlds["approvalflow"], entries)
    await consumer.start()
    try:
        for branch in branches:
            for text in texts:
                await heard(branch, text)
        await everything_was_taken(silent, {orjson.loads(text)["name"] for text in texts})
    finally:
        await consumer.stop()

    expected = await whole_state(in_order)
    for branch in branches:
        assert await whole_state(branch) == expected


async def heard(branch: Company, text: str) -> None:
    """Wait until ApprovalFlow has applied an event; what it could not, it gets again, as from an outbox."""
    approvals, event_id = branch.worlds["approvalflow"], orjson.loads(text)["id"]
    try:
        await approvals.applied(event_id)
    except TimeoutError:
        await resend(approvals, [addressed_to(branch, text)])
        await approvals.applied(event_id)


async def off_the_bus(desks: Desks, texts: list[str]) -> None:
    """Take events off the bus once they are there: what they would change lies below the branches."""
    redis = Redis.from_url(desks["approvalflow"].databases.redis_url)
    async with asyncio.timeout(PATIENCE_S):
        for text in texts:
            stream = bus.stream_of(orjson.loads(text)["name"])
            while text.encode() not in await texts_on(redis, stream):
                await asyncio.sleep(0.02)
    for name in {orjson.loads(text)["name"] for text in texts}:
        await redis.xtrim(bus.stream_of(name), maxlen=0)
    await redis.aclose()


async def texts_on(redis: Redis, stream: str) -> list[bytes]:
    entries: Any = await redis.xrange(stream)
    return [fields[b"event"] for _, fields in entries]


async def everything_was_taken(desks: Desks, names: set[str]) -> None:
    """Wait until ApprovalFlow has been handed the last entry of each of these events' streams."""
    redis = Redis.from_url(desks["approvalflow"].databases.redis_url)
    async with asyncio.timeout(PATIENCE_S):
        for stream in map(bus.stream_of, names):
            last = (await redis.xinfo_stream(stream))["last-generated-id"]
            while last not in [group["last-delivered-id"] for group in await redis.xinfo_groups(stream)]:
                await asyncio.sleep(0.02)
    await redis.aclose()


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
