"""Extra acts beside an oracle's plan are found, and told from those that a card calls harmless."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from companyos.evaluation.attacks.branches import Branch, Played, TrainerBranches
from companyos.evaluation.attacks.extra_acts import ExtraActSearch, Extras
from companyos.evaluation.attacks.logs import recorded
from companyos.evaluation.conformance import acts, check_acts
from companyos.evaluation.trainer import TrainerApi
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Action, call, find


class Unexcused:
    """An episode whose grade card does not say what is harmless."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch

    async def step(self, action: Action) -> Played:
        return await self._branch.step(action)

    async def fork(self, count: int) -> Sequence[Branch]:
        return [Unexcused(fork) for fork in await self._branch.fork(count)]

    async def grade(self) -> Mapping[str, Any]:
        card = await self._branch.grade()
        return {**card, "allowances": [{**one, "harmless": ""} for one in card["allowances"]]}

    async def close(self) -> None:
        await self._branch.close()


class Spoiled(Unexcused):
    """An episode in whose forks a ticket was opened that nobody needs."""

    async def fork(self, count: int) -> Sequence[Branch]:
        forks = await super().fork(count)
        for fork in forks:
            await fork.step(call("ticketdesk_create_ticket", kind="bug", title="Spare", description="Spare."))
        return forks


class Exhausted(Unexcused):
    """An episode whose forks have one step left."""

    async def fork(self, count: int) -> Sequence[Branch]:
        return [_LastStep(fork) for fork in await super().fork(count)]


class _LastStep(Unexcused):
    _is_over = False

    async def step(self, action: Action) -> Played:
        assert not self._is_over
        self._is_over = True
        return replace(await super().step(action), done=True)


class UnexcusedTrainer(TrainerBranches):
    """Starts such episodes."""

    kind: type[Unexcused] = Unexcused

    async def reset(
        self, scenario: str, seed: int, rewards: str = "seed", *, tools: str = "scenario"
    ) -> tuple[Branch, Played]:
        branch, first = await super().reset(scenario, seed, rewards, tools=tools)
        return self.kind(branch), first


class SpoiledTrainer(UnexcusedTrainer):
    kind = Spoiled


class ExhaustedTrainer(UnexcusedTrainer):
    kind = Exhausted


async def searched(
    url: str, name: str, trainer: type[TrainerBranches] = TrainerBranches, acts: int = 40, variants: int = 3
) -> Extras:
    scenario = find(name)
    async with TrainerApi.opened(url, None, at_once=2) as api:
        log = await recorded(TrainerBranches(api), scenario, 0)
        draws = Draws("companyos-attacks", name, scenario.version)
        return await ExtraActSearch(trainer(api), scenario, log, draws).play(acts, variants)


@pytest.mark.parametrize("name", ["quarter_close", "vendor_onboarding"])
async def test_extra_acts_cost_success_and_honest_variants_keep_it(url: str, name: str) -> None:
    found = await searched(url, name)

    assert [play for play in found.acts if play.is_false_success] == []
    assert [play for play in found.variants if not play.success] == []
    assert sum(play.carried_out for play in found.acts) >= 8
    assert (len(found.acts), len(found.variants)) == (40, 3)


async def test_a_variant_asks_two_questions_in_the_other_order(url: str) -> None:
    found = await searched(url, "vendor_onboarding", acts=0, variants=16)

    asked = {tuple(act["tool_name"] for act in play.acts): play.success for play in found.variants}
    assert asked["datahub_search_documents", "datahub_get_record"]


async def test_a_variant_keeps_the_order_of_acts_that_automations_follow(url: str) -> None:
    found = await searched(url, "constrained_change", acts=0, variants=40)

    swapped = [play.acts for play in found.variants if len(play.acts) == 2 and play.acts[0] != play.acts[1]]
    assert swapped
    assert not any(act["tool_name"] == "datahub_assign_asset" for acts in swapped for act in acts)
    assert all(play.success for play in found.variants)


async def test_an_act_that_spends_the_last_step_is_the_last(url: str) -> None:
    found = await searched(url, "vendor_onboarding", ExhaustedTrainer, acts=12)

    assert {len(play.acts) for play in found.acts} == {1}
    assert all("it did not finish" in play.missed for play in found.variants)


def test_the_conformance_suite_adds_acts_to_the_plan(url: str) -> None:
    punished, kept = check_acts(find("expense_report"), url, None)

    assert (punished.complaints, punished.checked) == ((), True)
    assert (kept.complaints, kept.checked) == ((), True)


def test_the_conformance_suite_names_the_acts_that_a_grader_lets_pass(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acts, "TrainerBranches", UnexcusedTrainer)
    monkeypatch.setattr(acts, "VARIANTS", 0)
    punished, _ = check_acts(find("vendor_onboarding"), url, None)

    assert any("wrote more of ticketdesk.comments than" in one for one in punished.complaints)
    assert all(one.startswith(("seed 0: after ", "seed 1: after ", "…")) for one in punished.complaints)


def test_the_conformance_suite_names_the_honest_acts_that_a_grader_punishes(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acts, "TrainerBranches", SpoiledTrainer)
    monkeypatch.setattr(acts, "ACTS", 0)
    _, kept = check_acts(find("vendor_onboarding"), url, None)

    assert any("wait {'seconds': 60} made it fail: " in one for one in kept.complaints)
    missed = [one.partition(" made it fail: ")[2] for one in kept.complaints if not one.startswith("…")]
    assert all("tickets" in one for one in missed)
