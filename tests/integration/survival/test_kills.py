"""Processes of every kind are killed while sixteen episodes go on, and no episode notices."""

import asyncio
import random
import time
from collections import Counter

import pytest

from tests.sizes import size

from .cases import Case
from .killer import Killer, Pulse, deck
from .plays import Played, play_until, wrongs
from .stacks import POSTGRES, VALKEY, Stack

KILLS = 50
RARE = {POSTGRES: 3, VALKEY: 3}
ROUNDS = size(3, 20)


@pytest.mark.proof
@pytest.mark.parametrize("round_number", range(ROUNDS))
async def test_no_step_is_lost_or_doubled_whatever_is_killed(
    durable: Stack, cases: list[Case], in_peace: dict[Case, Played], round_number: int
) -> None:
    generator = random.Random(round_number)
    pulse, over = Pulse(), asyncio.Event()
    killer = Killer(durable, pulse, generator)
    began = time.monotonic()
    playing = asyncio.create_task(play_until(over, durable, cases, pulse))
    await killer.kill_all(deck(durable.names, generator, kills=KILLS, rare=RARE))
    over.set()
    played = await playing

    found = Counter(wrong for one in played for wrong in wrongs(one, in_peace[one.case]))
    print(f"{killer.kills} {len(played)} episodes {pulse.steps} steps {time.monotonic() - began:.0f} s")
    assert not found
    assert (await durable.get("/episodes?limit=1"))["counts"]["invalid"] == 0
