"""A certification: which episodes it plays, and what it makes of agents that fail, give up or crash."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.baselines import OMITTING, Player
from companyos.evaluation.certify import AGAIN, SEEDS_AGAIN, SEEDS_SAMPLED, Certification, certify
from companyos.evaluation.runs import OtherRun, read_run
from companyos.sdk.scenario import Observation, Scenario, ScenarioUnknown, Script, call
from companyos.sdk.scripts.asking import Refused

from .scripted_trainer import Doors, ScriptedTrainer

LOOKING = (Player.ORACLE, *OMITTING)


@dataclass(frozen=True)
class Certifying(Certification):
    """A certification of scenarios that are given rather than found."""

    given: Sequence[Scenario] = ()

    @property
    def scenarios_by_name(self) -> Mapping[str, Scenario]:
        return {scenario.name: scenario for scenario in self.given}


def certifying(*scenarios: Scenario, **parts: Any) -> Certification:
    asked = {"seeds": range(4), "levels": (0,), "scenarios": ("given",), **parts}
    return Certifying(**asked, given=scenarios or (Doors(),))


@pytest.mark.parametrize("player", Player)
def test_only_agents_that_look_play_more_than_a_sample_of_seeds(player: Player) -> None:
    wanted = certifying(seeds=range(SEEDS_SAMPLED + 50))

    seeds = wanted.requests[player].seeds

    assert len(seeds) == SEEDS_SAMPLED + (50 if player in LOOKING else 0)


@pytest.mark.parametrize(("sample", "others"), [(None, 30), (1, 1), (7, 7), (30, 30), (31, 30)])
def test_a_sample_bounds_every_agent_but_the_oracle(sample: int | None, others: int) -> None:
    wanted = certifying(seeds=range(30), sample=sample)

    counts = {name: len(request.seeds) for name, request in wanted.requests.items() if name != AGAIN}

    assert counts == {player: 30 if player is Player.ORACLE else others for player in Player}


async def test_all_agents_play_an_instance_before_the_next_one_begins(
    trainer: ScriptedTrainer, tmp_path: Path
) -> None:
    wanted = certifying(levels=(0, 3), players=LOOKING, concurrency=1)

    await certify(trainer.url, None, wanted, tmp_path)

    resets = [(body["chaos"], body["seed"]) for path, body in trainer.bodies if path == "POST /reset"]
    together = resets[: -2 * SEEDS_AGAIN]
    assert together == [(level, seed) for level in (0, 3) for seed in range(4) for _ in LOOKING]


@settings(max_examples=30)
@given(st.lists(st.integers(0, 99), unique=True, min_size=1, max_size=6), st.booleans())
def test_the_oracle_alone_plays_the_first_seeds_again(seeds: list[int], with_oracle: bool) -> None:
    players = tuple(Player) if with_oracle else (Player.LOOKS_ONCE, Player.DO_NOTHING)
    wanted = certifying(seeds=seeds, players=players, levels=(0, 1))

    again = wanted.requests.get(AGAIN)

    assert (again is not None) is with_oracle
    assert again is None or (again.concurrency, list(again.seeds)) == (1, seeds[:SEEDS_AGAIN])


def test_without_names_every_scenario_is_certified_and_an_unknown_one_is_refused() -> None:
    everything = Certification(seeds=(0, 1))
    one = Certification(seeds=(0, 1), scenarios=("vendor_onboarding",))

    assert len(everything.scenarios_by_name) > 5
    assert list(one.scenarios_by_name) == ["vendor_onboarding"]
    with pytest.raises(ScenarioUnknown):
        _ = Certification(seeds=(0, 1), scenarios=("windows",)).scenarios_by_name


async def certified(trainer: ScriptedTrainer, wanted: Certification) -> dict[str, Any]:
    with TemporaryDirectory() as out:
        return await certify(trainer.url, None, wanted, Path(out))


async def test_agents_play_over_http_as_often_as_they_should(trainer: ScriptedTrainer) -> None:
    players = (*LOOKING, Player.DO_NOTHING)

    report = await certified(trainer, certifying(players=players))

    agents = report["scenarios"]["doors"]["levels"]["0"]["agents"]
    assert {name: told["success"] for name, told in agents.items()} == {
        "oracle": 1.0,
        "do_nothing": 0.0,
        **dict.fromkeys(OMITTING, 1.0),
    }
    assert agents["oracle"]["mean_return"] == 10.7
    assert (agents["oracle"]["spl"], agents["do_nothing"]["spl"]) == (1.0, 0.0)
    assert len(trainer.episodes) == 4 * len(players) + SEEDS_AGAIN


async def test_faults_count_only_for_agents_that_look(trainer: ScriptedTrainer) -> None:
    trainer.faults = [{"fault": "svc.latency", "state": "landed"}]
    wanted = certifying(seeds=(2, 3), levels=(1,), players=(*LOOKING, Player.DO_NOTHING))

    report = await certified(trainer, wanted)

    assert report["met"] == {
        "svc.latency": dict.fromkeys(("armed", "landed"), 2 * len(LOOKING)) | {"overcome": 0, "expired": 0}
    }


class GivingUp(Doors):
    """A scenario whose oracle stops in the middle."""

    def __init__(self, failure: BaseException) -> None:
        self._failure = failure

    def oracle(self, observation: Observation) -> Script:
        yield call("desk_look")
        raise self._failure


ERROR = {"code": "forbidden", "message": "Not you.", "retryable": False}


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (LookupError("no such ticket"), "the oracle failed"),
        (Refused(call("desk_open"), ERROR), "the oracle failed"),
        (KeyError("door"), "the oracle crashed"),
        (ValueError("door"), "the oracle crashed"),
        (SystemExit("door"), "the oracle crashed"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_an_oracle_that_gives_up_failed_and_one_with_a_bug_crashed(
    trainer: ScriptedTrainer, failure: BaseException, told: str
) -> None:
    report = await certified(trainer, certifying(GivingUp(failure), players=(Player.ORACLE,)))

    cell = report["scenarios"]["doors"]["levels"]["0"]
    assert cell["agents"]["oracle"]["success"] == 0.0
    assert cell["agents"]["oracle"]["max_steps"] == 1
    assert [told in one for one in cell["faults"]] == [True] * 4
    assert all(episode.closed for episode in trainer.episodes.values() if not episode.done)


async def test_a_script_that_breaks_without_a_skill_is_stuck_and_no_fault(trainer: ScriptedTrainer) -> None:
    report = await certified(trainer, certifying(GivingUp(KeyError("door")), players=(Player.LOOKS_ONCE,)))

    cell = report["scenarios"]["doors"]["levels"]["0"]
    assert (cell["agents"]["looks_once"]["success"], cell["faults"]) == (0.0, [])


async def test_a_bug_is_told_with_the_line_of_the_script(trainer: ScriptedTrainer) -> None:
    report = await certified(trainer, certifying(GivingUp(KeyError("door")), players=(Player.ORACLE,)))

    assert all(f"({__file__}:" in told for told in report["faults"] if "crashed" in told)


async def test_a_script_that_cannot_even_begin_is_a_bug_of_its_scenario(trainer: ScriptedTrainer) -> None:
    class Broken(Doors):
        def oracle(self, observation: Observation) -> Script:
            raise AttributeError("no such part")

    report = await certified(trainer, certifying(Broken(), players=(Player.ORACLE,)))

    assert report["scenarios"]["doors"]["levels"]["0"]["agents"]["oracle"]["max_steps"] == 0
    assert "AttributeError: no such part" in report["faults"][0]


async def test_a_trace_that_differs_when_played_alone_is_a_fault(trainer: ScriptedTrainer) -> None:
    class Restless(Doors):
        looks = 0

        def oracle(self, observation: Observation) -> Script:
            for _ in range(Restless.looks):
                yield call("desk_look")
            Restless.looks += 1
            yield from super().oracle(observation)

    report = await certified(trainer, certifying(Restless(), players=(Player.ORACLE,), seeds=(0, 1)))

    assert [fault for fault in report["faults"] if "another trace" in fault] == [
        f"doors, chaos 0: seed {seed} left another trace when played again" for seed in (0, 1)
    ]


async def test_a_whole_certification_needs_no_server_and_an_interrupted_one_is_resumed(
    trainer: ScriptedTrainer, tmp_path: Path
) -> None:
    wanted = certifying(players=LOOKING)
    first = await certify(trainer.url, None, wanted, tmp_path)
    lines = tmp_path / "looks_once" / "episodes.jsonl"

    again = await certify("http://127.0.0.1:9", None, wanted, tmp_path)
    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[:3]))
    trainer.seen.clear()
    resumed = await certify(trainer.url, None, wanted, tmp_path)

    assert again == resumed == first
    assert trainer.seen["POST /reset"] == 1
    with pytest.raises(OtherRun, match="another value of seeds"):
        await certify(trainer.url, None, certifying(players=LOOKING, seeds=range(6)), tmp_path)


async def test_every_agent_leaves_a_run_with_the_files_of_what_contradicts_a_gate(
    trainer: ScriptedTrainer, tmp_path: Path
) -> None:
    failing = certifying(GivingUp(KeyError("door")), players=(*LOOKING, Player.DO_NOTHING))

    await certify(trainer.url, None, failing, tmp_path)

    runs = {path.parent.name: read_run(path.parent) for path in tmp_path.glob("*/run.json")}
    assert {name: len(run.episodes) for name, run in runs.items()} == {
        **dict.fromkeys([*LOOKING, "do_nothing"], 4),
        AGAIN: 2,
    }
    kept = Counter(path.parent.parent.name for path in tmp_path.glob("*/traces/*"))
    assert kept == {"oracle": 4, AGAIN: SEEDS_AGAIN}
