"""Scenarios whose code fails or does not end: the trainer is told which and where, and the others go on."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.chaos import Chaos
from companyos.sdk.scenario import Instance, Scenario, ScenariosUnusable, View
from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions, open_episodes
from tests.patience import PATIENCE_S

from .agent_client import agent_of, id_of, token_of
from .toy_scenario import ToyScenario, scenarios
from .toy_stack import ToyStack

LIMIT_S = 0.5


class Failing(ToyScenario):
    """An errand whose code fails in one place."""

    name = "failing"

    def __init__(self, place: str, failure: Any) -> None:
        self._place, self._failure = place, failure

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        if self._place == "generate":
            self._failure()
        instance = super().generate(seed, chaos, salt, size)
        milestone = instance.milestones[0]
        if self._place == "milestone":
            return replace(instance, milestones=(replace(milestone, holds=self.fail_later),))
        return instance

    def fail_later(self, view: View) -> bool:
        """Fail once an order was placed."""
        if view.rows("shop", "orders", item="lamp"):
            self._failure()
        return False


class Looping(ToyScenario):
    """An errand whose company takes for ever."""

    name = "looping"

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        while True:
            try:
                self.wait(seed)
            except Exception:  # noqa: BLE001 - as careless code has it
                continue

    def wait(self, seed: int) -> None:
        """Spend a moment."""


class Blocking(Looping):
    """An errand whose company waits outside Python, where nothing can interrupt it."""

    name = "blocking"

    def wait(self, seed: int) -> None:
        """Spend a long moment."""
        time.sleep(3.0)


def raise_value_error() -> None:
    raise ValueError("the paper ran out")


def raise_interrupt() -> None:
    raise KeyboardInterrupt


def raise_memory_error() -> None:
    raise MemoryError


def recurse() -> None:
    recurse()


FAILURES = [raise_value_error, sys.exit, raise_interrupt, raise_memory_error, recurse]


@asynccontextmanager
async def orchestrator_of(toy_stack: ToyStack, *more: Scenario) -> AsyncIterator[Episodes]:
    """Open an orchestrator that has these scenarios too."""
    everything = {**scenarios(), **{scenario.name: scenario for scenario in more}}
    settings = toy_stack.settings(generation_s=LIMIT_S, queue_s=0.5, max_in_flight=4)
    async with open_episodes(settings, lambda: everything) as opened:
        async with asyncio.timeout(PATIENCE_S):
            while not (await opened.ready())["ready"]:
                await asyncio.sleep(0.02)
        yield opened


async def refused(episodes: Episodes, **options: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        await episodes.reset(ResetOptions.model_validate({"chaos": 0, **options}))
    return caught.value


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_failing_generation_is_refused_by_scenario_seed_and_line(
    toy_stack: ToyStack, failure: Any
) -> None:
    async with orchestrator_of(toy_stack, Failing("generate", failure)) as episodes:
        told = await refused(episodes, scenario="failing", seed=7)
        other = await episodes.reset(ResetOptions(scenario="errand", seed=7))

    assert (told.status, told.code, told.retryable) == (500, "scenario_failed", False)
    assert "failing, seed 7: " in told.detail
    assert f"({__file__}:" in told.detail
    assert id_of(other)


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_failing_milestone_is_told_to_the_trainer_and_not_to_the_agent(
    toy_stack: ToyStack, failure: Any
) -> None:
    async with orchestrator_of(toy_stack, Failing("milestone", failure)) as episodes:
        reply = await episodes.reset(ResetOptions(scenario="failing", seed=2))
        async with agent_of(episodes, token_of(reply)) as agent:
            answer = await agent.post("/shop/orders", json={"item": "lamp"})
        outcome = await episodes.episode(id_of(reply))

    assert "failing: " in outcome["invalid_reason"]
    assert f"({__file__}:" in outcome["invalid_reason"]
    assert __file__ not in answer.text + str(dict(answer.headers))


@pytest.mark.parametrize("looping", [Looping(), Blocking()], ids=["in Python", "outside"])
async def test_a_generation_without_an_end_holds_up_no_other_scenario(
    toy_stack: ToyStack, looping: Scenario
) -> None:
    async with orchestrator_of(toy_stack, looping) as episodes:
        waiting = [asyncio.create_task(refused(episodes, scenario=looping.name, seed=s)) for s in range(8)]
        async with asyncio.timeout(PATIENCE_S):
            others = [await episodes.reset(ResetOptions(scenario="errand", seed=70 + s)) for s in range(4)]
        told = await asyncio.gather(*waiting)

    assert len({id_of(other) for other in others}) == 4
    assert {(one.status, one.code) for one in told} <= {(500, "scenario_failed"), (429, "too_busy")}
    failed = [one.detail for one in told if one.code == "scenario_failed"]
    assert failed
    assert all(f"{looping.name}, seed " in detail and "COMPANYOS_GENERATION_S" in detail for detail in failed)


async def test_a_scenario_that_cannot_be_imported_is_named(toy_stack: ToyStack) -> None:
    def broken() -> Any:
        raise ScenariosUnusable(["/packs/town: SystemExit: 3 (/packs/town/scenario.py:7)"])

    async with open_episodes(toy_stack.settings(), broken) as episodes:
        async with asyncio.timeout(PATIENCE_S):
            while not (await episodes.ready())["ready"]:
                await asyncio.sleep(0.02)
        told = await refused(episodes, scenario="town")

    assert (told.status, told.code) == (500, "scenario_failed")
    assert "/packs/town/scenario.py:7" in told.detail


class Released(ToyScenario):
    """An errand of which each release draws another company."""

    name = "released"

    def __init__(self, release: int) -> None:
        self._release = release

    def generate(self, seed: int, chaos: Chaos, salt: str, size: str | int = "default") -> Instance:
        instance = super().generate(seed, chaos, salt, size)
        vault = [{"id": "answer", "answer": f"of release {self._release}"}]
        return replace(instance, rows={**instance.rows, "depot": {"vault": vault}})


async def test_an_episode_of_an_earlier_release_is_graded_and_played_no_more(
    toy_stack: ToyStack,
) -> None:
    async with orchestrator_of(toy_stack, Released(1)) as episodes:
        begun = id_of(await episodes.reset(ResetOptions(scenario="released", seed=2)))
    async with orchestrator_of(toy_stack, Released(2)) as episodes:
        with pytest.raises(Refusal) as caught:
            await episodes.grade(begun)
        reply = await episodes.step(begun, {"tool_name": "shop_list_orders"})

    assert (caught.value.status, caught.value.code) == (409, "scenario_changed")
    assert "restore its code, or reset" in caught.value.detail
    assert (reply.done, reply.reward, reply.metadata["invalid"]) == (True, 0.0, True)
