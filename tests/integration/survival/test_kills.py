"""Processes of every kind are killed while sixteen episodes go on, and no episode notices.

Some of them start near the end of an oracle's solution, so plays of oracles are cut short as well.
"""

import asyncio
import logging
import random
import threading
from collections import Counter

import pytest

from tests.sizes import size

from .cases import LEFT, EpisodePlan
from .killer import Killer, Pulse, deck
from .ladder import Climb, climb, climb_until
from .plays import MOST_COLLECTED, Played, play_until, wrongs
from .stacks import POSTGRES, VALKEY, Stack, is_collected

#: Kills of one round: of each service and of the orchestrator at least three, of the databases as told.
KILLS = size(20, 30)
RARE = {POSTGRES: 2, VALKEY: 2}
ROUNDS = size(1, 34)
#: Rounds of episodes that all start near the end of a solution, and the least of them in each.
STARTED_ROUNDS, STARTED = size(0, 10), 100

#: Episodes on rungs that a training's batch plays, and kills meanwhile.
CLIMBED = size(1, 1000)
SLIPS, RARE_SLIPS = size((2, {}), (KILLS, RARE))

log = logging.getLogger(__name__)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("seed", "least"), [(seed, STARTED * (seed >= ROUNDS)) for seed in range(ROUNDS + STARTED_ROUNDS)]
)
async def test_random_kills_neither_lose_nor_repeat_a_step(
    durable: Stack, cases: list[EpisodePlan], in_peace: dict[EpisodePlan, Played], seed: int, least: int
) -> None:
    generator = random.Random(seed)
    pulse, over = Pulse(), asyncio.Event()
    killer = Killer(durable, pulse, generator)
    chosen = [case for case in cases if case.calls_left or not least]
    playing = asyncio.create_task(play_until(over, durable, generator.sample(chosen, len(chosen)), pulse))
    decks = 0
    while not decks or pulse.steps < least * LEFT:
        await killer.kill_all(deck(durable.names, generator, kills=KILLS, rare=RARE))
        decks += 1
    over.set()
    played = await playing

    started = sum(one.before > 0 for one in played)
    log.info(
        "%s killed; %d episodes, %d of them started, %d steps",
        dict(killer.kills),
        len(played),
        started,
        pulse.steps,
    )
    found = Counter(wrong for one in played for wrong in wrongs(one, in_peace[one.case]))
    assert not found, f"killed {dict(killer.kills)}"
    assert started >= max(least, 1)
    collected = sum(is_collected(one.world, in_peace[one.case].world) for one in played)
    assert collected <= MOST_COLLECTED * len(played)
    assert killer.emptied == decks * RARE[VALKEY]
    assert (await durable.get("/episodes?limit=1"))["counts"]["invalid"] == 0


@pytest.mark.proof
async def test_rungs_are_climbed_as_in_peace_whatever_is_killed(durable: Stack) -> None:
    in_peace = await asyncio.to_thread(climb, durable.url)
    pulse, over = Pulse(), threading.Event()
    killer = Killer(durable, pulse, random.Random(1))
    climbing = asyncio.create_task(climb_until(over, durable.url, pulse))
    wanted = -(-CLIMBED // len(in_peace.episodes)) * len(in_peace.hashes)
    while not killer.kills or pulse.steps < wanted:
        names = killer.generator.sample(durable.names, len(durable.names))
        await killer.kill_all(deck(names, killer.generator, kills=SLIPS, rare=RARE_SLIPS))
    over.set()
    climbs: list[Climb] = await climbing

    log.info("%s killed; %d climbs of %d episodes", dict(killer.kills), len(climbs), len(in_peace.episodes))
    assert all(one.success for one in in_peace.episodes)
    assert sum(len(one.episodes) for one in climbs) >= CLIMBED
    assert all(one == in_peace for one in climbs), f"killed {dict(killer.kills)}"
