"""A process keeps the instances of the episodes that it plays."""

from collections import Counter

import pytest

from orchestrator.worlds import instances
from orchestrator.worlds.instances import ALWAYS_KEPT

from .test_prefetch import BASE, CountedScenario, counted
from .toy_stack import ToyStack, begin


async def test_huge_companies_that_take_turns_are_generated_once_each(
    toy_stack: ToyStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instances, "MOST_ROWS", 0)
    scenario = CountedScenario()
    seeds = [BASE + 80 + 2 * number for number in range(ALWAYS_KEPT + 1)]
    async with counted(toy_stack, scenario) as episodes:
        first, *others = [await begin(episodes, seed=seed) for seed in seeds]
        for _ in range(2):
            for play in others:
                await play.call("shop_list_orders")

        await first.call("shop_list_orders")

    assert scenario.generated == Counter(seeds) + Counter({seeds[0]: 1})
