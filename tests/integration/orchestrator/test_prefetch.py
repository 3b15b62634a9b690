"""Companies are prepared ahead of their resets, and nothing about them tells that they were."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from companyos.sdk.chaos import Chaos
from companyos.sdk.scenario import Instance, Scenario
from orchestrator.episodes import prefetch
from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions, open_episodes
from orchestrator.worlds.base_cache import AHEAD
from orchestrator.worlds.instances import ALWAYS_KEPT
from tests.patience import PATIENCE_S

from .toy_scenario import ToyScenario
from .toy_stack import Play, ToyStack, begin

BASE = 910_000_000
CHAOS = {"faults": {"svc.http_5xx": {"p": 0.3, "B": 2, "F": 3}}}
USED = """
SELECT count(*) FROM orchestrator.bases b
WHERE EXISTS (SELECT 1 FROM orchestrator.episodes e WHERE e.base = b.digest AND NOT e.done)
    OR EXISTS (SELECT 1 FROM orchestrator.snapshots s WHERE s.base = b.digest)
"""


class CountedScenario(ToyScenario):
    """The errand, with a count of what was generated; some seeds fail, and generating can be held up."""

    def __init__(self) -> None:
        self.generated: Counter[int] = Counter()
        self.failing: set[int] = set()
        self.slow: set[int] = set()
        self.begun, self.may_go_on = threading.Event(), threading.Event()

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        self.generated[seed] += 1
        if seed in self.slow:
            self.begun.set()
            self.may_go_on.wait(10)
        if seed in self.failing:
            raise ZeroDivisionError("no company comes of this seed")
        return super().generate(seed, chaos, salt, size)


@pytest.fixture
def scenario() -> CountedScenario:
    return CountedScenario()


@asynccontextmanager
async def counted(toy_stack: ToyStack, scenario: CountedScenario, **settings: Any) -> AsyncIterator[Episodes]:
    def scenarios() -> Mapping[str, Scenario]:
        return {"errand": scenario}

    async with open_episodes(toy_stack.settings(**settings), scenarios) as opened:
        yield opened


def resets(*seeds: int, **options: Any) -> list[ResetOptions]:
    return [
        ResetOptions.model_validate({"scenario": "errand", "chaos": 0, **options, "seed": seed})
        for seed in seeds
    ]


async def prepared(episodes: Episodes) -> None:
    """Wait until nothing is left to prepare."""
    work = episodes.prefetch._work
    assert work is not None
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.shield(work)


def waiting(episodes: Episodes) -> int:
    """Return how many companies wait, as the metrics tell."""
    lines = episodes.metrics().decode().splitlines()
    return int(float(next(line.split()[1] for line in lines if line.startswith("companyos_prefetching "))))


def keeping(count: int) -> int:
    """Return the setting under which so many bases stay loaded."""
    return next(most for most in range(count, 2 * count + 2) if most - most // AHEAD == count)


async def course(play: Play) -> list[Any]:
    """Play an errand and return everything that was seen of it but its names."""
    for _ in range(2):
        await play.call("shop_place_order", item="lamp")
    await play.call("shop_list_orders")
    await play.call("wait", seconds=4000)
    await play.call("finish")
    named = ("episode_id", "episode_uid", "agent_token")
    return [
        (
            reply.observation,
            reply.reward,
            {key: value for key, value in reply.metadata.items() if key not in named},
        )
        for reply in play.replies
    ]


async def forgotten(toy_stack: ToyStack, episodes: Episodes, play: Play) -> str:
    """Close an episode and have its base evicted, whose name is returned."""
    [[base]] = toy_stack.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id)
    await episodes.close(play.id)
    for service in toy_stack.services:
        await episodes._components.gateway.forget_base(service, base)
    await toy_stack.write("DELETE FROM orchestrator.bases WHERE digest = %s RETURNING 1", base)
    return str(base)


async def test_a_reset_after_a_prefetch_generates_and_loads_nothing(
    toy_stack: ToyStack, scenario: CountedScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = BASE + 2
    async with counted(toy_stack, scenario) as episodes:
        told = await episodes.prefetch.add(resets(seed))
        assert scenario.generated.total() <= 1  # off the event loop: the answer does not wait for it
        await prepared(episodes)
        loads: list[str] = []

        async def load_base(service: str, *_: Any, **__: Any) -> tuple[None, bool]:
            loads.append(service)
            return None, True

        monkeypatch.setattr(episodes._components.gateway, "load_base", load_base)

        play = await begin(episodes, seed=seed)
        listed = await play.call("shop_list_orders")

    assert told == prefetch.Prefetched(known=0, queued=1, refused=0)
    assert listed.observation["error"] is None
    assert (scenario.generated, loads) == (Counter({seed: 1}), [])


async def test_an_episode_goes_the_same_with_and_without_a_prefetch(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    seed = BASE + 4
    async with counted(toy_stack, scenario) as ahead, counted(toy_stack, CountedScenario()) as usual:
        without = await begin(usual, seed=seed, chaos=CHAOS)
        expected = await course(without)
        grade = await usual.grade(without.id)
        # Forgotten in between, so that it is loaded once more.
        base = await forgotten(toy_stack, usual, without)

        await ahead.prefetch.add(resets(seed, chaos=CHAOS))
        await prepared(ahead)
        play = await begin(ahead, seed=seed, chaos=CHAOS)
        found = await course(play)

        assert toy_stack.rows("SELECT base FROM orchestrator.episodes WHERE id = %s", play.id) == [(base,)]
        assert found == expected
        assert {**await ahead.grade(play.id), "episode_id": 0} == {**grade, "episode_id": 0}


async def test_a_reset_does_not_wait_for_those_that_were_announced_before_it(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    first, urgent = BASE + 6, BASE + 8
    async with counted(toy_stack, scenario) as episodes:
        scenario.slow = {first}
        await episodes.prefetch.add(resets(first, urgent))
        await asyncio.to_thread(scenario.begun.wait, 10)

        await begin(episodes, seed=urgent)
        was_waiting = waiting(episodes)
        scenario.may_go_on.set()
        await prepared(episodes)

    assert was_waiting == 2
    assert scenario.generated == Counter({first: 1, urgent: 1})


async def test_known_and_queued_resets_are_not_queued_again(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    async with counted(toy_stack, scenario) as episodes:
        await begin(episodes, seed=BASE + 10)
        scenario.slow = {BASE + 12}

        twice = await episodes.prefetch.add(resets(BASE + 10, BASE + 12, BASE + 12))
        again = await episodes.prefetch.add(resets(BASE + 12))
        was_waiting = waiting(episodes)
        scenario.may_go_on.set()
        await prepared(episodes)
        once_more = await episodes.prefetch.add(resets(BASE + 12))

        assert (twice, again) == (prefetch.Prefetched(2, 1, 0), prefetch.Prefetched(1, 0, 0))
        assert once_more == prefetch.Prefetched(1, 0, 0)
        assert (was_waiting, waiting(episodes)) == (1, 0)
    assert scenario.generated == Counter({BASE + 10: 1, BASE + 12: 1})


async def test_a_company_that_was_evicted_since_is_loaded_again(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    seed = BASE + 60
    async with counted(toy_stack, scenario) as episodes:
        base = await forgotten(toy_stack, episodes, await begin(episodes, seed=seed))

        told = await episodes.prefetch.add(resets(seed))
        await prepared(episodes)

        assert told.queued == 1
        assert toy_stack.rows("SELECT ready FROM orchestrator.bases WHERE digest = %s", base) == [(True,)]
    assert scenario.generated == Counter({seed: 1})


async def test_a_company_whose_rows_left_the_memory_is_generated_again(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    seed = BASE + 62
    async with counted(toy_stack, scenario) as episodes:
        await begin(episodes, seed=seed)
        episodes._components.instances._kept.clear()

        told = await episodes.prefetch.add(resets(seed))
        await prepared(episodes)
        again = await episodes.prefetch.add(resets(seed))

    assert (told.queued, again.known) == (1, 1)
    assert scenario.generated == Counter({seed: 2})


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"scenario": "nowhere"}, "scenario_unknown"),
        ({"chaos": "cosy"}, "invalid_chaos"),
        ({"tools": ("shop_fly",)}, "tool_unknown"),
    ],
)
async def test_a_refused_request_prepares_none_of_its_companies(
    toy_stack: ToyStack, scenario: CountedScenario, wrong: dict[str, Any], code: str
) -> None:
    async with counted(toy_stack, scenario) as episodes:
        with pytest.raises(Refusal) as caught:
            await episodes.prefetch.add([*resets(BASE + 14), *resets(BASE + 16, **wrong)])

        assert caught.value.code == code
        assert waiting(episodes) == 0
    assert scenario.generated == Counter()


async def test_a_company_that_cannot_be_generated_is_logged_once_and_its_reset_fails_as_usual(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    broken, sound = BASE + 18, BASE + 20
    scenario.failing = {broken}
    async with counted(toy_stack, scenario) as episodes:
        with capture_logs() as logs:
            await episodes.prefetch.add(resets(broken, sound))
            await prepared(episodes)
            with pytest.raises(Refusal, match="ZeroDivisionError: no company"):
                await begin(episodes, seed=broken)
            await begin(episodes, seed=sound)

    assert [(log["event"], log["seed"]) for log in logs if "seed" in log] == [("prefetch_gives_up", broken)]
    assert scenario.generated == Counter({broken: 2, sound: 1})


async def test_prefetch_is_limited_to_the_room_beside_used_bases(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    [[used]] = toy_stack.rows(USED)
    async with counted(toy_stack, scenario, max_bases=keeping(used + 3)) as episodes:
        await begin(episodes, seed=BASE + 22)

        told = await episodes.prefetch.add(resets(*range(BASE + 24, BASE + 34, 2)))
        await prepared(episodes)
        full = [await begin(episodes, seed=seed) for seed in (BASE + 24, BASE + 26)]
        none = await episodes.prefetch.add(resets(BASE + 40))

        assert told == prefetch.Prefetched(known=0, queued=2, refused=3)
        assert none == prefetch.Prefetched(known=0, queued=0, refused=1)
        assert scenario.generated.keys() == {BASE + 22, BASE + 24, BASE + 26}
        for play in full:
            await episodes.close(play.id)


async def test_room_that_episodes_took_meanwhile_is_left_to_them(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    [[used]] = toy_stack.rows(USED)
    async with counted(toy_stack, scenario, max_bases=keeping(used + 2)) as episodes:
        scenario.slow = {BASE + 42}
        told = await episodes.prefetch.add(resets(BASE + 42, BASE + 44))
        await asyncio.to_thread(scenario.begun.wait, 10)
        taken = [await begin(episodes, seed=seed) for seed in (BASE + 46, BASE + 48)]
        scenario.may_go_on.set()
        await prepared(episodes)
        for play in taken:
            await episodes.close(play.id)

    assert told.queued == 2
    assert scenario.generated.keys() == {BASE + 42, BASE + 46, BASE + 48}


async def test_large_companies_are_prepared_as_far_as_their_rows_stay_in_memory(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    async with counted(toy_stack, scenario) as episodes:
        scenario.slow = {BASE + 50}

        few = await episodes.prefetch.add(resets(BASE + 50, size=140_000))
        small = await episodes.prefetch.add(resets(BASE + 52, size="small"))
        many = await episodes.prefetch.add(resets(*range(BASE + 54, BASE + 74, 2), size=140_000))
        scenario.may_go_on.set()
        await prepared(episodes)

    assert (few.queued, small.queued) == (1, 1)
    assert (many.queued, many.refused) == (ALWAYS_KEPT - 2, 10 - (ALWAYS_KEPT - 2))


async def test_stopping_finishes_the_company_in_progress_and_forgets_the_rest(
    toy_stack: ToyStack, scenario: CountedScenario
) -> None:
    async with counted(toy_stack, scenario) as episodes:
        scenario.slow = {BASE + 54}
        await episodes.prefetch.add(resets(BASE + 54, BASE + 56))
        await asyncio.to_thread(scenario.begun.wait, 10)
        stopping = asyncio.create_task(episodes.drain())
        async with asyncio.timeout(PATIENCE_S):
            while waiting(episodes):
                await asyncio.sleep(0.01)
        assert not stopping.done()
        scenario.may_go_on.set()
        await stopping

        assert episodes.prefetch._work is not None
        assert episodes.prefetch._work.done()
        told = await episodes.prefetch.add(resets(BASE + 54))

    assert told == prefetch.Prefetched(known=1, queued=0, refused=0)
    assert scenario.generated == Counter({BASE + 54: 1})
