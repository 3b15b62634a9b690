"""Processes of every kind are killed while sixteen episodes go on, and no episode notices."""

import asyncio
import logging
import random
from collections import Counter

import pytest

from tests.sizes import size

from .cases import EpisodePlan
from .killer import Killer, Pulse, deck
from .plays import Played, play_until, wrongs
from .stacks import POSTGRES, VALKEY, Stack

#: Kills of one round: of each service and of the orchestrator at least three, of the databases as told.
KILLS = size(20, 30)
RARE = {POSTGRES: 2, VALKEY: 2}
ROUNDS = size(1, 34)

log = logging.getLogger(__name__)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_no_step_is_lost_or_doubled_whatever_is_killed(
    durable: Stack, cases: list[EpisodePlan], in_peace: dict[EpisodePlan, Played], seed: int
) -> None:
    generator = random.Random(seed)
    pulse, over = Pulse(), asyncio.Event()
    killer = Killer(durable, pulse, generator)
    playing = asyncio.create_task(play_until(over, durable, cases, pulse))
    await killer.kill_all(deck(durable.names, generator, kills=KILLS, rare=RARE))
    over.set()
    played = await playing

    log.info("%s killed; %d episodes, %d steps", dict(killer.kills), len(played), pulse.steps)
    found = Counter(wrong for one in played for wrong in wrongs(one, in_peace[one.case]))
    assert not found, f"killed {dict(killer.kills)}"
    assert sum(one.world is None for one in played) <= len(played) / 10
    assert killer.emptied == RARE[VALKEY]
    assert (await durable.get("/episodes?limit=1"))["counts"]["invalid"] == 0
