"""Processes of every kind are killed while sixteen episodes go on, and no episode notices.

Some of them start near the end of an oracle's solution, so plays of oracles are cut short as well.
"""

import asyncio
import logging
import random
from collections import Counter

import pytest

from tests.sizes import size

from .cases import LEFT, EpisodePlan
from .killer import Killer, Pulse, deck
from .plays import MOST_COLLECTED, Played, play_until, wrongs
from .stacks import POSTGRES, VALKEY, Stack

#: Kills of one round: of each service and of the orchestrator at least three, of the databases as told.
KILLS = size(20, 30)
RARE = {POSTGRES: 2, VALKEY: 2}
ROUNDS = size(1, 34)
#: Rounds of episodes that all start near the end of a solution, and the least of them in each.
STARTED_ROUNDS, STARTED = size(0, 10), 100

log = logging.getLogger(__name__)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("seed", "least"), [(seed, STARTED * (seed >= ROUNDS)) for seed in range(ROUNDS + STARTED_ROUNDS)]
)
async def test_no_step_is_lost_or_doubled_whatever_is_killed(
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
    assert sum(one.world is None for one in played) <= MOST_COLLECTED * len(played)
    assert killer.emptied == decks * RARE[VALKEY]
    assert (await durable.get("/episodes?limit=1"))["counts"]["invalid"] == 0
