"""Where commits do not wait for the disk, a crash of PostgreSQL takes the last instants; whoever lost some is told."""

import asyncio
import logging
import random
from collections.abc import Iterator
from itertools import cycle, product

import pytest

from companyos.sdk.scenario import load_scenarios
from tests.sizes import size, whole_proof

from .cases import EpisodePlan
from .killer import Killer, Pulse
from .losses import all_wrongs, tell_until
from .plays import AT_ONCE
from .stacks import POSTGRES, Stack, stack_in

KILLS = 4
ROUNDS = size(1, 13)
#: Answered steps between two crashes.
FEWEST_STEPS, MOST_STEPS = 30, 90

log = logging.getLogger(__name__)


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack as it is by default."""
    with stack_in(tmp_path_factory.mktemp("fast"), COMPANYOS_DURABILITY="fast") as stack:
        yield stack


def wanderers() -> Iterator[EpisodePlan]:
    """Return wanderers without end, no two alike within a long time."""
    return cycle(
        EpisodePlan(name, seed, 1, wanders=True)
        for seed, name in product(range(50), sorted(load_scenarios()))
    )


@whole_proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_steps_lost_in_a_crash_are_reported_and_all_others_stay_correct(fast: Stack, seed: int) -> None:
    generator = random.Random(seed)
    pulse, over = Pulse(), asyncio.Event()
    killer = Killer(fast, pulse, generator)
    playing = asyncio.create_task(tell_until(over, fast, wanderers(), pulse, at_once=AT_ONCE))
    for _ in range(KILLS):
        await pulse.after(generator.randint(FEWEST_STEPS, MOST_STEPS))
        await killer.kill(POSTGRES)
    over.set()
    stories = await playing

    losses = [lost for story in stories for lost in story.losses]
    log.info("%s killed; %d episodes, %d steps", dict(killer.kills), len(stories), pulse.steps)
    log.info("%d times steps were lost, %d in all", len(losses), sum(losses))
    assert await all_wrongs(fast, stories) == []
    assert losses, "no crash took anything, so nothing was tried"
