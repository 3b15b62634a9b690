"""Where commits do not wait for the disk, a crash of PostgreSQL takes the last instants; whoever lost some is told."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, product

import pytest

from companyos.scenario import load_scenarios
from tests.sizes import size

from .cases import Case
from .killer import Killer, Pulse
from .losses import Story, tell_until, wrongs
from .plays import AT_ONCE
from .stacks import POSTGRES, Stack, stack_in

KILLS = 5
ROUNDS = size(2, 10)
#: Answered steps between two crashes.
FEWEST_STEPS, MOST_STEPS = 40, 120


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack as it is by default."""
    with stack_in(tmp_path_factory.mktemp("fast"), COMPANYOS_DURABILITY="fast") as stack:
        yield stack


def wanderers() -> Iterator[Case]:
    """Return wanderers without end, no two alike within a long time."""
    return cycle(
        Case(name, seed, 1, wanders=True) for seed, name in product(range(50), sorted(load_scenarios()))
    )


@pytest.mark.proof
@pytest.mark.parametrize("round_number", range(ROUNDS))
async def test_nothing_is_lost_without_a_word_and_nothing_is_wrong(fast: Stack, round_number: int) -> None:
    generator = random.Random(round_number)
    pulse, over = Pulse(), asyncio.Event()
    killer = Killer(fast, pulse, generator)
    playing = asyncio.create_task(tell_until(over, fast, wanderers(), pulse, at_once=AT_ONCE))
    for _ in range(KILLS):
        await pulse.after(generator.randint(FEWEST_STEPS, MOST_STEPS))
        began = time.monotonic()
        await killer.kill(POSTGRES)
        print("kill", time.monotonic() - began, pulse.steps)
    over.set()
    began = time.monotonic()
    stories: list[Story] = await playing
    print("confirmed", time.monotonic() - began)

    found = Counter(
        wrong for wrongs_of in [await wrongs(fast, story) for story in stories] for wrong in wrongs_of
    )
    print("wrongs", time.monotonic() - began)
    losses = [lost for story in stories for lost in story.losses]
    print(
        dict(killer.kills), len(stories), "stories", pulse.steps, "steps", len(losses), "losses", sum(losses)
    )
    print(Counter(s.answers[-1].metadata.get("invalid_reason") for s in stories))
    assert not found
    assert losses, "no crash took anything, so nothing was tried"
