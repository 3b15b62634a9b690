"""One session of a run: which episodes it plays, when it stops, and how it is compared with the oracle."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.runs import (
    AgentSpec,
    Budgets,
    EpisodeEnding,
    EpisodeRecord,
    EpisodeTask,
    RunFolder,
    RunRequest,
    read_run,
)
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import PlayedEpisode, playing_here
from companyos.evaluation.runs.players.functions import code_source
from companyos.evaluation.runs.runner import GONE_AFTER, MOST_ATTEMPTS, RunSession
from companyos.evaluation.runs.stops import AgentGone, RunRefused, RunStopped
from tests.patience import PATIENCE_S
from tests.unit.evaluation.runs.samples import record

from ..scripted_trainer import ScriptedTrainer, problem, times
from . import user_agents

Answer = Callable[[EpisodeTask], PlayedEpisode]


def request(**parts: Any) -> RunRequest:
    asked = {
        "agent": AgentSpec("openai", "a-model"),
        "scenarios": {"doors": 3},
        "seeds": (0, 1, 2, 3, 4, 5),
        "chaos": (0,),
        "concurrency": 1,
    }
    return RunRequest(**{**asked, **parts})


def ended(task: EpisodeTask, *, unavailable: bool = False, **parts: Any) -> PlayedEpisode:
    return PlayedEpisode(
        record(task.seed, scenario=task.scenario, repeat=task.repeat, **parts),
        agent_unavailable=unavailable,
    )


async def session(
    folder: Path,
    asked: RunRequest,
    answer: Answer = ended,
    url: str = "http://127.0.0.1:9",
    **options: Any,
) -> list[EpisodeTask]:
    """Play a session, and return the tasks that it played."""
    tasks: list[EpisodeTask] = []

    async def play(task: EpisodeTask) -> PlayedEpisode:
        tasks.append(task)
        return answer(task)

    async with TrainerConnection(url) as connection:
        with RunFolder.open(folder, asked, {"name": "a-model"}) as opened:
            await RunSession(asked, opened, connection, play, **options).play()
    return tasks


def recorded(folder: Path, asked: RunRequest) -> list[EpisodeRecord]:
    with RunFolder.open(folder, asked, {"name": "a-model"}) as opened:
        return list(opened.records.values())


async def test_every_episode_is_played_once_and_a_session_later_has_nothing_to_do(tmp_path: Path) -> None:
    asked = request(repeats=2)

    first, second = await session(tmp_path, asked), await session(tmp_path, asked)

    assert first == list(asked.tasks())
    assert second == []
    assert len(recorded(tmp_path, asked)) == 12


def failing_until(attempt: int, *seeds: int) -> Answer:
    """The environment fails on these seeds until they are played for this time."""
    tried: Counter[int] = Counter()

    def answer(task: EpisodeTask) -> PlayedEpisode:
        tried[task.seed] += 1
        fails = task.seed in seeds and tried[task.seed] < attempt
        why = {"ended": EpisodeEnding.ENVIRONMENT_FAILURE, "environment_failure": "a service was gone"}
        return ended(task, **(why if fails else {}))

    return answer


async def test_an_episode_that_the_environment_failed_is_played_again_at_the_end_of_the_session(
    tmp_path: Path,
) -> None:
    said: list[str] = []

    tasks = await session(tmp_path, request(), failing_until(2, 1, 4), say=said.append)

    assert [task.seed for task in tasks] == [0, 1, 2, 3, 4, 5, 1, 4]
    assert all(one.is_scored for one in recorded(tmp_path, request()))
    assert [text.partition(":")[2] for text in said] == [" a service was gone"] * 2


async def test_an_episode_that_fails_every_time_is_left_to_the_next_session(tmp_path: Path) -> None:
    tasks = await session(tmp_path, request(), failing_until(9, 1))
    again = await session(tmp_path, request())

    assert [task.seed for task in tasks].count(1) == MOST_ATTEMPTS
    assert [task.seed for task in again] == [1]


async def test_an_episode_that_cannot_be_played_ends_no_other(tmp_path: Path) -> None:
    def buggy(task: EpisodeTask) -> PlayedEpisode:
        return ended(task, steps=1 // task.seed)

    said: list[str] = []
    await session(tmp_path, request(), buggy, say=said.append)

    by_seed = {one.seed: one for one in recorded(tmp_path, request())}
    assert str(by_seed[0].environment_failure).startswith("ZeroDivisionError")
    assert all(by_seed[seed].is_scored for seed in range(1, 6))
    assert "test_run_session.py" in said[0]


@pytest.mark.parametrize("name", ["exiting", "at_the_end_of_a_plan"])
async def test_agent_whose_code_ends_itself_leaves_the_other_episodes(
    tmp_path: Path, trainer: ScriptedTrainer, name: str
) -> None:
    asked, source = request(seeds=(0, 1)), code_source(f"{user_agents.__name__}:{name}")

    async with asyncio.timeout(PATIENCE_S), TrainerConnection(trainer.url) as connection:
        with RunFolder.open(tmp_path, asked, {"name": "a-model"}) as opened:
            play = playing_here(asked, "a run", connection, source)
            await RunSession(asked, opened, connection, play).play()

    assert [one.ended for one in recorded(tmp_path, asked)] == [EpisodeEnding.AGENT_ERROR] * 2


@pytest.mark.parametrize("odd", ["\ud83d", 10**30, {1, 2}, b"\xff", {3: "three"}, object()])
async def test_unserializable_agent_output_is_kept_as_text(tmp_path: Path, odd: Any) -> None:
    def saying(task: EpisodeTask) -> PlayedEpisode:
        return replace(ended(task, agent_error=f"{odd}"), trajectory={"steps": [{"message": odd}]})

    await session(tmp_path, request(), saying)

    run = read_run(tmp_path)
    assert len(run.episodes) == 6
    assert all(len(run.trajectory(one.key)["steps"]) == 1 for one in run.episodes)


async def test_a_folder_that_can_no_longer_be_written_stops_the_run(tmp_path: Path) -> None:
    def removing(task: EpisodeTask) -> PlayedEpisode:
        shutil.rmtree(tmp_path / "run" / "trajectories", ignore_errors=True)
        return replace(ended(task), trajectory={})

    with pytest.raises(RunStopped, match="cannot be written: No such file"):
        await session(tmp_path / "run", request(), removing)


@pytest.mark.parametrize(("states", "played"), [("xx.xx.", 6), ("xxx...", 3), (".xxx..", 4), ("eeeeee", 6)])
async def test_a_run_stops_after_so_many_episodes_in_a_row_that_the_agent_could_not_begin(
    tmp_path: Path, states: str, played: int
) -> None:
    def answer(task: EpisodeTask) -> PlayedEpisode:
        if states[task.seed] == ".":
            return ended(task)
        failed = {"ended": EpisodeEnding.AGENT_ERROR, "agent_error": "it refuses the key"}
        return ended(task, unavailable=states[task.seed] == "x", **failed)

    if "x" * GONE_AFTER in states:
        with pytest.raises(AgentGone, match="it refuses the key"):
            await session(tmp_path, request(), answer)
    else:
        await session(tmp_path, request(), answer)

    assert len(recorded(tmp_path, request())) == played


async def test_agent_errors_are_played_again_when_asked_for(tmp_path: Path) -> None:
    endings = [EpisodeEnding.AGENT_ERROR, EpisodeEnding.ENVIRONMENT_FAILURE, EpisodeEnding.FINISHED] * 2

    await session(tmp_path, request(), lambda task: ended(task, ended=endings[task.seed]))
    again = await session(tmp_path, request(), retry_errors=True)

    assert [task.seed for task in again] == [0, 1, 3, 4]


@pytest.mark.parametrize(("usd", "played"), [(0.0, 0), (0.4, 1), (0.5, 1), (0.51, 2), (1.0, 2), (9.0, 6)])
async def test_session_starts_no_episode_once_the_money_budget_is_spent(
    tmp_path: Path, usd: float, played: int
) -> None:
    asked = request(budgets=Budgets(usd=usd))

    tasks = await session(tmp_path, asked, lambda task: ended(task, usage=Usage(1, 1, 0, 0.5)))

    assert len(tasks) == played


async def test_spending_of_earlier_sessions_counts_toward_the_budget(tmp_path: Path) -> None:
    def dear(task: EpisodeTask) -> PlayedEpisode:
        return ended(task, usage=Usage(1, 1, 0, 0.5))

    first = await session(tmp_path, request(budgets=Budgets(usd=1.0)), dear)
    second = await session(tmp_path, request(budgets=Budgets(usd=1.0)), dear)
    third = await session(tmp_path, request(budgets=Budgets(usd=1.6)), dear)

    assert [len(tasks) for tasks in (first, second, third)] == [2, 0, 2]


async def test_session_starts_no_episode_once_the_time_budget_is_spent(tmp_path: Path) -> None:
    assert await session(tmp_path, request(budgets=Budgets(minutes=0))) == []
    assert len(await session(tmp_path, request(budgets=Budgets(minutes=600)))) == 6


async def test_a_refusal_stops_the_run_with_its_own_words(tmp_path: Path) -> None:
    def refused(task: EpisodeTask) -> PlayedEpisode:
        raise RunRefused("no such scenario")

    with pytest.raises(RunRefused, match="no such scenario"):
        await session(tmp_path, request(concurrency=4), refused)


@pytest.mark.parametrize(("success", "steps"), [(True, 7), (False, None)])
async def test_an_oracle_is_compared_with_itself_where_it_succeeded(
    tmp_path: Path, success: bool, steps: int | None
) -> None:
    asked = request(agent=AgentSpec("oracle", "oracle"), seeds=(0,))

    await session(tmp_path, asked, lambda task: ended(task, steps=7, success=success))

    assert [one.oracle_steps for one in recorded(tmp_path, asked)] == [steps]


def steps_of(records: Sequence[EpisodeRecord]) -> list[int | None]:
    return [one.oracle_steps for one in sorted(records, key=lambda each: (each.seed, each.repeat))]


@pytest.mark.usefixtures("doors")
async def test_the_oracle_plays_each_instance_once_however_often_the_agent_does(
    tmp_path: Path, trainer: ScriptedTrainer
) -> None:
    asked = request(oracle=True, repeats=3, seeds=(0, 1), concurrency=4)

    await session(tmp_path / "run", asked, url=trainer.url)

    assert steps_of(recorded(tmp_path / "run", asked)) == [3] * 6
    assert trainer.seen["POST /reset"] == 2


@pytest.mark.usefixtures("doors")
async def test_steps_that_an_earlier_session_recorded_are_not_played_again(
    tmp_path: Path, trainer: ScriptedTrainer
) -> None:
    asked = request(oracle=True, repeats=2, seeds=(0,))
    with RunFolder.open(tmp_path / "run", asked, {"name": "a-model"}) as opened:
        opened.keep(record(0, scenario="doors", oracle_steps=5), None, None)

    await session(tmp_path / "run", asked, url=trainer.url)

    assert steps_of(recorded(tmp_path / "run", asked)) == [5, 5]
    assert trainer.seen.total() == 0


@pytest.mark.usefixtures("doors")
@pytest.mark.parametrize("path", ["/reset", "/step"])
async def test_an_instance_that_the_oracle_cannot_play_has_no_steps_and_fails_no_episode(
    tmp_path: Path, trainer: ScriptedTrainer, path: str
) -> None:
    asked = request(oracle=True, seeds=(0, 1))
    trainer.interferes = times(1, path, lambda: problem(409, "episode_busy"))

    await session(tmp_path / "run", asked, url=trainer.url)

    assert steps_of(recorded(tmp_path / "run", asked)) == [None, 3]
    assert {one.ended for one in recorded(tmp_path / "run", asked)} == {EpisodeEnding.FINISHED}


@pytest.mark.usefixtures("doors")
async def test_an_episode_that_the_environment_failed_is_not_compared(
    tmp_path: Path, trainer: ScriptedTrainer
) -> None:
    asked = request(oracle=True, seeds=(0,))

    await session(
        tmp_path / "run",
        asked,
        lambda task: ended(task, ended=EpisodeEnding.ENVIRONMENT_FAILURE),
        trainer.url,
    )

    assert trainer.seen.total() == 0


@pytest.mark.usefixtures("doors")
@pytest.mark.parametrize(("ratio", "horizon"), [(1.0, 3), (1.1, 4), (2.0, 6), (None, None)])
async def test_a_budget_over_the_oracle_is_the_horizon_of_every_instance(
    tmp_path: Path, trainer: ScriptedTrainer, ratio: float | None, horizon: int | None
) -> None:
    asked = request(budgets=Budgets(steps_over_oracle=ratio), seeds=(0, 1))

    tasks = await session(tmp_path / "run", asked, url=trainer.url)

    assert [task.max_steps for task in tasks] == [horizon, horizon]
    assert trainer.seen["POST /reset"] == (0 if ratio is None else 2)
