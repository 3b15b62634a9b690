"""What was played leaves nothing that adds up: after three times as many episodes the tables are no larger."""

import asyncio

import psycopg

from orchestrator.episodes.facade import Episodes

from .toy_stack import ToyStack, begin

KEPT, BASES, BATCH = 20, 5, 20

SIZE = """
SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
WHERE relkind = 'r' AND relnamespace IN ('orchestrator'::regnamespace, 'shop'::regnamespace, 'depot'::regnamespace)
"""
UNUSED = """
SELECT count(*) FROM orchestrator.bases b
WHERE NOT EXISTS (SELECT 1 FROM orchestrator.episodes e WHERE e.base = b.digest AND NOT e.done)
    AND NOT EXISTS (SELECT 1 FROM orchestrator.snapshots s WHERE s.base = b.digest)
"""
#: The waiting times of garbage collection, passed by decree.
PASSED = (
    "UPDATE orchestrator.garbage SET due_at = due_at - interval '1 hour'",
    "UPDATE orchestrator.bases SET used_at = used_at - interval '1 hour'",
)


async def play_some(toy_stack: ToyStack, episodes: Episodes, number: int) -> None:
    """Play episodes to their end, each from a base of its own, with garbage collected and tables vacuumed at times."""
    for count in range(number):
        play = await begin(episodes, seed=70_000 + 2 * count)
        await play.call("shop_place_order", item="lamp")
        await play.call("finish")
        if count % BATCH == BATCH - 1:
            await tidy(toy_stack, episodes)


async def tidy(toy_stack: ToyStack, episodes: Episodes) -> None:
    """Let what nobody needs go, and have its room used again."""
    # A base is retired in one round and goes in the next.
    for _ in range(3):
        for statement in PASSED:
            await decree(toy_stack, statement)
        await episodes._background_jobs.tidy()
    await decree(toy_stack, "VACUUM")


async def decree(toy_stack: ToyStack, statement: str) -> None:
    """Run a statement beside the garbage collection that goes on here, whose locks it may have to wait for."""

    def run() -> None:
        with psycopg.connect(toy_stack.databases.admin_url, autocommit=True) as database:
            database.execute(statement)

    await asyncio.to_thread(run)


async def test_three_times_as_many_episodes_leave_no_larger_a_database(toy_stack: ToyStack) -> None:
    async with toy_stack.orchestrator(keep_episodes=KEPT, max_bases=BASES) as episodes:
        await play_some(toy_stack, episodes, 40)
        [[after_40]] = toy_stack.rows(SIZE)
        await play_some(toy_stack, episodes, 80)
        [[after_120]] = toy_stack.rows(SIZE)

    assert after_120 <= 1.1 * after_40


async def test_only_what_is_to_be_kept_is_left(toy_stack: ToyStack) -> None:
    [[before]] = toy_stack.rows("SELECT last_value FROM orchestrator.worlds")

    async with toy_stack.orchestrator(keep_episodes=KEPT, max_bases=BASES) as episodes:
        await play_some(toy_stack, episodes, 2 * BATCH)

    left = {
        "orchestrator.episodes WHERE done": KEPT,
        f"orchestrator.steps WHERE world > {before}": 2 * KEPT,
        f"orchestrator.garbage WHERE layer > {before}": 0,
        f"shop.outbox WHERE layer > {before}": 0,
        f"depot.outbox WHERE layer > {before}": 0,
        f"shop.orders WHERE layer_id > {before}": 0,
        f"depot.world_outcomes WHERE layer_id > {before}": 0,
    }
    found = {what: toy_stack.rows(f"SELECT count(*) FROM {what}")[0][0] for what in left}
    assert found == left
    [[unused]] = toy_stack.rows(UNUSED)
    assert unused <= BASES
