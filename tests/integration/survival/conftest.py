"""A stack to be killed, and what its episodes come to when nothing dies."""

from collections.abc import Iterator

import pytest

from .cases import EpisodePlan, all_cases
from .plays import MOST_COLLECTED, Played, play_each
from .stacks import Stack, stack_in


@pytest.fixture(scope="session")
def cases() -> list[EpisodePlan]:
    """What is played."""
    return all_cases(range(2))


@pytest.fixture(scope="module")
def durable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that waits for its disk at each commit."""
    with stack_in(tmp_path_factory.mktemp("durable"), COMPANYOS_DURABILITY="full") as stack:
        yield stack


@pytest.fixture(scope="module")
async def in_peace(durable: Stack, cases: list[EpisodePlan]) -> dict[EpisodePlan, Played]:
    """Every case, played while nothing dies."""
    played = await play_each(durable, cases)
    assert sum(one.world is None for one in played.values()) <= MOST_COLLECTED * len(played)
    return played
