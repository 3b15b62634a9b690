"""Services are told in which epoch of the database their events were settled."""

import asyncio

import orjson
from redis.asyncio import Redis

from orchestrator.protocol.effects import Group, Unit, UnitOutcome
from orchestrator.services.settlements import Settlements
from tests.live_services import TestDatabases
from tests.patience import PATIENCE_S

STREAM = "settled:nobody"


async def test_a_notice_names_the_life_in_which_its_events_were_settled(databases: TestDatabases) -> None:
    async with Redis.from_url(databases.redis_url) as redis:
        settlements = Settlements(redis)
        settlements.note(7, group_with("s1.nobody.1"), "one epoch")
        settlements.note(7, group_with("s2.nobody.1"), "the next")
        sending = asyncio.create_task(settlements.send())
        notices = [await next_notice(redis, after) for after in (0, 1)]
        sending.cancel()

    assert notices == [("one epoch", [[7, "s1.nobody.1"]]), ("the next", [[7, "s2.nobody.1"]])]


def group_with(event: str) -> Group:
    return Group((Unit("nobody", "s1", UnitOutcome(events=((event, "note.written"),))),), by_agent=True)


async def next_notice(redis: Redis, number: int) -> tuple[str, object]:
    """Return epoch and events of the notice of this number, once it is there."""
    async with asyncio.timeout(PATIENCE_S):
        while len(entries := await redis.xrange(STREAM)) <= number:
            await asyncio.sleep(0.05)
    fields = entries[number][1]
    return fields[b"epoch"].decode(), orjson.loads(fields[b"events"])
