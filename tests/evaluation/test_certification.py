"""A certification: which episodes it plays, and what it makes of agents that fail, give up or crash."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.acceptance import CAREFUL_UP_TO
from companyos.evaluation.baselines import Player
from companyos.evaluation.certify import SEEDS_AGAIN, SEEDS_SAMPLED, Certification, Progress, certify
from companyos.scenario import Observation, Scenario, ScenarioUnknown, Script, call
from companyos.sdk.asking import Refused

from .scripted_trainer import Doors, DoorsWithScripts, ScriptedTrainer

LOOKING = (Player.ORACLE, Player.NAIVE, Player.CAREFUL)


@dataclass(frozen=True)
class Certifying(Certification):
    """A certification of scenarios that are given rather than found."""

    given: Sequence[Scenario] = ()

    @property
    def chosen(self) -> Sequence[Scenario]:
        return self.given


def certifying(*scenarios: Scenario, **parts: Any) -> Certification:
    asked = {"seeds": range(4), "levels": (0,), "scenarios": ("given",), **parts}
    return Certifying(**asked, given=scenarios or (DoorsWithScripts(),))


def played_by(wanted: Certification, player: Player, level: int = 0) -> list[int]:
    return [part.seed for part in wanted.parts if (part.player, part.level) == (player, level)]


@pytest.mark.parametrize("player", Player)
def test_only_agents_with_a_required_rate_play_more_than_a_sample_of_seeds(player: Player) -> None:
    wanted = certifying(seeds=range(SEEDS_SAMPLED + 50), levels=(0, CAREFUL_UP_TO, CAREFUL_UP_TO + 1))
    plays_all = {
        level: player in (Player.ORACLE, Player.NAIVE)
        or (player is Player.CAREFUL and level <= CAREFUL_UP_TO)
        for level in wanted.levels
    }

    played = {level: len(played_by(wanted, player, level)) for level in wanted.levels}

    assert played == {
        level: SEEDS_SAMPLED + 50 if everything else SEEDS_SAMPLED for level, everything in plays_all.items()
    }


@pytest.mark.parametrize(("sample", "others"), [(None, 30), (1, 1), (7, 7), (30, 30), (31, 30)])
def test_a_sample_bounds_every_agent_but_the_oracle(sample: int | None, others: int) -> None:
    wanted = certifying(seeds=range(30), sample=sample)

    counts = Counter(part.player for part in wanted.parts)

    assert counts == {player: 30 if player is Player.ORACLE else others for player in Player}


def test_a_scenario_without_scripts_is_not_played_by_the_agents_that_need_them() -> None:
    wanted = certifying(Doors(), DoorsWithScripts())

    players = {
        name: {part.player for part in wanted.parts if part.scenario.name == name} for name in wanted.versions
    }

    assert players["doors"] == set(Player) - {Player.NAIVE, Player.CAREFUL}
    assert players["doors_with_scripts"] == set(Player)


def test_all_agents_play_an_instance_before_the_next_one_begins() -> None:
    wanted = certifying(Doors(), seeds=(5, 2), levels=(0, 3))

    instances = [(part.level, part.seed) for part in wanted.parts]

    assert list(dict.fromkeys(instances)) == [(0, 5), (0, 2), (3, 5), (3, 2)]
    assert sorted(instances, key=[(0, 5), (0, 2), (3, 5), (3, 2)].index) == instances


@settings(max_examples=30)
@given(st.lists(st.integers(0, 99), unique=True, min_size=1, max_size=6), st.booleans())
def test_the_oracle_alone_plays_the_first_seeds_again(seeds: list[int], with_oracle: bool) -> None:
    players = tuple(Player) if with_oracle else (Player.NAIVE, Player.DO_NOTHING)
    wanted = certifying(seeds=seeds, players=players, levels=(0, 1))

    again = [(part.level, part.seed, part.player) for part in wanted.alone]

    expected = [(level, seed, Player.ORACLE) for level in (0, 1) for seed in seeds[:SEEDS_AGAIN]]
    assert again == (expected if with_oracle else [])


def test_without_names_every_scenario_is_certified_and_an_unknown_one_is_refused() -> None:
    everything = Certification(seeds=(0, 1))
    one = Certification(seeds=(0, 1), scenarios=("vendor_onboarding",))

    assert len(everything.chosen) > 5
    assert list(one.versions) == list(one.sources) == ["vendor_onboarding"]
    with pytest.raises(ScenarioUnknown):
        _ = Certification(seeds=(0, 1), scenarios=("windows",)).chosen


async def certified(trainer: ScriptedTrainer, wanted: Certification, **parts: Any) -> dict[str, Any]:
    return await certify(trainer.url, None, wanted, **parts)


async def test_agents_play_over_http_and_close_what_they_opened(trainer: ScriptedTrainer) -> None:
    players = (*LOOKING, Player.DO_NOTHING)

    report = await certified(trainer, certifying(players=players))

    agents = report["scenarios"]["doors_with_scripts"]["levels"]["0"]["agents"]
    assert {name: told["success"] for name, told in agents.items()} == {
        "oracle": 1.0,
        "do_nothing": 0.0,
        "naive": 0.5,
        "careful": 1.0,
    }
    assert agents["oracle"]["mean_return"] == 10.7
    assert all(episode.closed for episode in trainer.episodes.values())
    assert len(trainer.episodes) == 4 * 4 + SEEDS_AGAIN


async def test_progress_counts_every_play_and_every_replay(trainer: ScriptedTrainer) -> None:
    told: list[Progress] = []
    wanted = certifying(players=(Player.ORACLE,))

    await certified(trainer, wanted, progress=told.append)

    assert [one.finished for one in told] == [1, 2, 3, 4, 5, 6]
    assert {one.planned for one in told} == {6}
    assert sorted(one.latest.seed for one in told) == [0, 0, 1, 1, 2, 3]


async def test_grades_are_read_only_of_agents_that_look_and_where_faults_can_happen(
    trainer: ScriptedTrainer,
) -> None:
    trainer.faults = [{"fault": "svc.latency", "state": "landed"}]
    wanted = certifying(seeds=(2, 3), levels=(0, 1), players=(*LOOKING, Player.DO_NOTHING))

    report = await certified(trainer, wanted)

    graded = 2 * len(LOOKING) + SEEDS_AGAIN
    assert trainer.seen["GET /episodes/grade"] == graded
    assert report["met"] == {"svc.latency": {"armed": 6, "landed": 6, "overcome": 0, "expired": 0}}


class GivingUp(DoorsWithScripts):
    """A scenario whose careful agent stops in the middle."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    def careful(self, observation: Observation) -> Script:
        yield call("desk_look")
        raise self._failure


ERROR = {"code": "forbidden", "message": "Not you.", "retryable": False}


@pytest.mark.parametrize(
    ("failure", "is_told"),
    [
        (LookupError("no such ticket"), False),
        (Refused(call("desk_open"), ERROR), False),
        (KeyError("door"), True),
        (IndexError("0"), True),
        (ValueError("door"), True),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_giving_up_on_purpose_is_a_failure_and_a_bug_is_a_fault(
    trainer: ScriptedTrainer, failure: Exception, is_told: bool
) -> None:
    report = await certified(trainer, certifying(GivingUp(failure), players=(Player.CAREFUL,)))

    cell = report["scenarios"]["doors_with_scripts"]["levels"]["0"]
    assert cell["agents"]["careful"]["success"] == 0.0
    assert cell["agents"]["careful"]["max_steps"] == 1
    assert bool([one for one in cell["faults"] if "the careful agent crashed" in one]) is is_told
    assert all(episode.closed for episode in trainer.episodes.values())


async def test_a_bug_is_told_with_the_line_of_the_script(trainer: ScriptedTrainer) -> None:
    report = await certified(trainer, certifying(GivingUp(KeyError("door")), players=(Player.CAREFUL,)))

    [told] = [fault for fault in report["faults"] if "crashed" in fault]
    assert f"({__file__}:" in told


async def test_a_script_that_cannot_even_begin_is_a_bug_of_its_scenario(trainer: ScriptedTrainer) -> None:
    class Broken(DoorsWithScripts):
        def naive(self, observation: Observation) -> Script:
            raise AttributeError("no such part")

    report = await certified(trainer, certifying(Broken(), players=(Player.NAIVE,)))

    assert report["scenarios"]["doors_with_scripts"]["levels"]["0"]["agents"]["naive"]["max_steps"] == 0
    assert "AttributeError: no such part" in report["faults"][0]


async def test_a_trace_that_differs_when_played_alone_is_a_fault(trainer: ScriptedTrainer) -> None:
    class Restless(DoorsWithScripts):
        looks = 0

        def oracle(self, observation: Observation) -> Script:
            for _ in range(Restless.looks):
                yield call("desk_look")
            Restless.looks += 1
            yield from super().oracle(observation)

    report = await certified(trainer, certifying(Restless(), players=(Player.ORACLE,), seeds=(0, 1)))

    assert [fault for fault in report["faults"] if "another trace" in fault] == [
        f"doors_with_scripts, chaos 0: seed {seed} left another trace when played again" for seed in (0, 1)
    ]


async def test_a_whole_checkpoint_needs_no_server(trainer: ScriptedTrainer, tmp_path: Path) -> None:
    wanted = certifying(players=LOOKING, checkpoint=tmp_path / "plays.jsonl")
    first = await certified(trainer, wanted)
    requests = trainer.seen.total()

    again = await certified(trainer, wanted)

    assert again == first
    assert trainer.seen.total() == requests


async def test_what_a_checkpoint_lacks_is_played_and_the_rest_is_not(
    trainer: ScriptedTrainer, tmp_path: Path
) -> None:
    wanted = certifying(players=LOOKING, checkpoint=tmp_path / "plays.jsonl")
    await certified(trainer, wanted)
    trainer.seen.clear()

    await certified(trainer, replace(wanted, seeds=range(6)))

    assert trainer.seen["POST /reset"] == 2 * len(LOOKING)
    assert trainer.seen["GET /scenarios"] == 1
