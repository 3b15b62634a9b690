"""The search for attacks over the real grader: it finds what is paid again or for giving up, and nothing as it is."""

from dataclasses import replace

import pytest

from companyos.evaluation.attacks import Effort, Played, attacked, search_attacks
from companyos.evaluation.attacks.branches import HARMS
from companyos.evaluation.attacks.loops import UNDOES
from orchestrator.episodes.facade import Episodes
from orchestrator.grading import rewards
from orchestrator.protocol.options import ResetOptions

from .toy_scenario import ToyScenario

EFFORT = Effort(logs=1, looped=1, points=3, loops=8, starts=0, pairs=1, rounds=0, ended=0)
ENDED = replace(EFFORT, loops=0, ended=1, calls=4, longest=2, walks=2)


class FacadeTrainer:
    """Starts episodes of an orchestrator in this process."""

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes

    async def reset(self, scenario, seed, rewards="seed", *, tools="scenario"):
        options = ResetOptions.model_validate(
            {"scenario": scenario, "seed": seed, "chaos": 0, "max_steps": 60, "rewards": rewards}
        )
        reply = await self._episodes.reset(options)
        return FacadeBranch(self._episodes, reply.metadata["episode_id"]), played(reply)


class FacadeBranch:
    """One of them."""

    def __init__(self, episodes, episode_id):
        self._episodes = episodes
        self._id = episode_id

    async def step(self, action):
        return played(await self._episodes.step(self._id, action))

    async def fork(self, count):
        opened = await self._episodes.branches.fork(self._id, count)
        return [FacadeBranch(self._episodes, one["episode_id"]) for one in opened]

    async def grade(self):
        return await self._episodes.grade(self._id)

    async def close(self):
        await self._episodes.close(self._id)


def played(reply):
    told = reply.metadata
    return Played(
        reply.observation,
        reply.reward or 0.0,
        told.get("episode_return", 0.0),
        reply.done,
        bool(told.get("success")),
        any(line["name"].startswith(HARMS) for line in told.get("reward_breakdown", ())),
    )


@pytest.fixture
def undone(monkeypatch):
    monkeypatch.setitem(UNDOES, "shop_place_order", ("shop_cancel_order",))


@pytest.fixture
def repeatable(monkeypatch):
    """A ledger that pays a milestone whenever it begins to hold, and takes nothing back."""
    sound = rewards._shaping
    monkeypatch.setattr(
        rewards,
        "_shaping",
        lambda profile, facts: [line for line in sound(profile, facts) if line.amount > 0],
    )


async def loops_of(episodes):
    found = await search_attacks(FacadeTrainer(episodes), ToyScenario(), EFFORT)
    return attacked(found)["loops"]


@pytest.mark.usefixtures("undone")
async def test_the_ledger_pays_no_loop(episodes):
    loops = await loops_of(episodes)

    assert (loops["played"], loops["positive"]) == (24, [])
    assert loops["best_gain"] < 0
    assert loops["refused"] < 0.9


@pytest.mark.usefixtures("undone", "repeatable")
async def test_a_milestone_that_is_never_taken_back_is_found(episodes):
    loops = await loops_of(episodes)

    tools = [[act["tool_name"] for act in loop["acts"]] for loop in loops["positive"]]
    assert ["shop_place_order", "shop_cancel_order"] in tools
    assert loops["best_gain"] > 0


async def endings_of(episodes):
    return attacked(await search_attacks(FacadeTrainer(episodes), ToyScenario(), ENDED))["endings"]


async def test_the_ledger_pays_no_early_ending_of_a_drill(episodes):
    endings = await endings_of(episodes)

    assert endings["plans"][0] == 1 + 3 + 9
    assert endings["at_once"] == endings["least_failure"] == 0.0
    assert endings["best"] == sorted(endings["best"])
    assert endings["most_failure"] < endings["least_success"]
    assert (endings["beaten"], endings["uneven"]) == ([], [])


async def test_a_drill_that_gives_no_mistake_back_is_found(episodes, monkeypatch):
    monkeypatch.setattr(rewards, "_given_back", lambda facts, lines: [])

    endings = await endings_of(episodes)

    assert endings["at_once"] == 0.0 > endings["least_failure"]


async def test_an_ending_that_takes_milestones_back_is_found(episodes, monkeypatch):
    monkeypatch.setattr(
        rewards, "_takes_back", lambda profile, ending: ending is rewards.Ending.WRONG_REFUSAL
    )

    endings = await endings_of(episodes)

    assert endings["uneven"]
