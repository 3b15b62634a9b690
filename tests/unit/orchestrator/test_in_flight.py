"""What is in flight is bounded, and an episode plays one step at a time."""

import asyncio

import pytest

from orchestrator.protocol.problems import Refusal
from orchestrator.runtime.in_flight import InFlight


async def test_more_than_fits_is_refused_after_its_wait() -> None:
    flight = InFlight(most=1, queue_s=0.02)

    async with flight.slot():
        with pytest.raises(Refusal) as refused:
            async with flight.slot():
                pass

    assert (refused.value.status, refused.value.code, refused.value.retryable) == (429, "too_busy", True)


async def test_waiting_calls_continue_when_a_slot_is_free() -> None:
    flight, done = InFlight(most=2, queue_s=5), []

    async def work(number: int) -> None:
        async with flight.slot():
            await asyncio.sleep(0.001)
            done.append(number)

    await asyncio.gather(*(work(number) for number in range(20)))

    assert sorted(done) == list(range(20))


def test_a_second_step_of_an_episode_is_refused_at_once() -> None:
    flight = InFlight(most=1, queue_s=1)

    with flight.alone("a"), flight.alone("b"), pytest.raises(Refusal) as refused, flight.alone("a"):
        pass

    assert (refused.value.status, refused.value.code) == (409, "step_in_progress")
    with flight.alone("a"):
        pass
