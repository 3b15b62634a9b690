"""One episode of a run over HTTP: how it ends, what is counted, and whose failure a failure is."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from aiohttp import web

from companyos.evaluation.agents import Oracle
from companyos.evaluation.agents.reported_usage import sum_of
from companyos.evaluation.agents.turn import AgentFailed, AgentTurn, AsyncAgent, Usage
from companyos.evaluation.runs import AgentSpec, Budgets, EpisodeEnding, EpisodeTask, RunRequest
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.play import PlayedEpisode, playing_here
from companyos.evaluation.runs.players.scripted import ScriptedPlayer
from companyos.evaluation.runs.stops import RunRefused
from companyos.sdk.scenario import Observation, call

from ..scripted_trainer import MOST_STEPS, Doors, ScriptedTrainer, problem, times

LOOK, OPEN, FINISH = call("desk_look"), call("desk_open", door="door 1"), call("finish")
WON = (LOOK, OPEN, FINISH)
TASK = EpisodeTask("doors", 1, 0, 0)


class Saying:
    """Says the same things in every episode, and fails where it has nothing more to say."""

    system_prompt = "Be brief."

    def __init__(self, *outputs: Any, usage: Usage = Usage(), omitted: int = 0) -> None:
        self.tools: Sequence[Mapping[str, Any]] = ()
        self.closed = False
        self._outputs = list(outputs)
        self._usage, self._omitted = usage, omitted

    async def start(self, observation: Observation) -> None:
        pass

    async def act(self, observation: Observation) -> AgentTurn:
        if not self._outputs:
            raise AgentFailed("nothing left to say")
        return AgentTurn(self._outputs.pop(0), usage=self._usage, omitted_results=self._omitted)

    async def close(self) -> None:
        self.closed = True


def request(**parts: Any) -> RunRequest:
    return RunRequest(
        **{
            "agent": AgentSpec("python", "mine"),
            "scenarios": {"doors": 3},
            "seeds": (1,),
            "chaos": (0,),
            **parts,
        }
    )


async def played(trainer: ScriptedTrainer, agent: AsyncAgent | None, **parts: Any) -> PlayedEpisode:
    """Play the episode with this agent, or with one that cannot be made."""

    def made(task: EpisodeTask) -> AsyncAgent:
        if agent is None:
            raise AgentFailed("no key")
        return agent

    async with TrainerConnection(trainer.url) as connection:
        return await playing_here(request(**parts), "a run", connection, made)(TASK)


async def test_a_won_episode_is_recorded_with_its_grade_its_trace_and_its_trajectory(
    trainer: ScriptedTrainer,
) -> None:
    episode = await played(trainer, ScriptedPlayer(Oracle(Doors()), Doors()))

    record = episode.record
    assert (record.key, record.ended, record.success) == ("doors-c0-s1-r0", EpisodeEnding.FINISHED, True)
    assert (record.steps, record.max_steps, record.episode_return) == (3, MOST_STEPS, 10.7)
    assert (record.sim_elapsed_s, record.pair, record.version) == (180, 0, 3)
    assert [(one.name, one.holds) for one in record.predicates] == [("door_opened", True)]
    assert episode.trace is not None
    assert record.episode_id in episode.trace
    assert episode.trajectory is not None
    assert [step["source"] for step in episode.trajectory["steps"]] == ["user", *["agent"] * 3]


async def test_a_finished_episode_stays_on_the_server_and_an_unfinished_one_is_closed(
    trainer: ScriptedTrainer,
) -> None:
    finished = await played(trainer, Saying(*WON))
    left = await played(trainer, Saying(LOOK))

    assert not trainer.episodes[finished.record.episode_id].closed
    assert trainer.episodes[left.record.episode_id].closed


@pytest.mark.parametrize(
    ("outputs", "ended"),
    [
        (WON, EpisodeEnding.FINISHED),
        ((LOOK, call("refuse", reason_code="no")), EpisodeEnding.REFUSED),
        ((LOOK,) * MOST_STEPS, EpisodeEnding.TIMEOUT),
        ((LOOK,), EpisodeEnding.AGENT_ERROR),
    ],
)
async def test_an_episode_ends_as_the_agent_or_the_horizon_ends_it(
    trainer: ScriptedTrainer, outputs: Sequence[Any], ended: EpisodeEnding
) -> None:
    episode = await played(trainer, Saying(*outputs))

    assert episode.record.ended is ended
    assert episode.record.success is (ended is EpisodeEnding.FINISHED)


@pytest.mark.parametrize(("steps", "taken", "is_spent"), [(1, 1, True), (2, 2, True), (3, 3, False)])
async def test_a_budget_of_steps_ends_an_episode_that_is_not_over(
    trainer: ScriptedTrainer, steps: int, taken: int, is_spent: bool
) -> None:
    record = (await played(trainer, Saying(*WON), budgets=Budgets(steps=steps))).record

    assert record.steps == taken
    assert (record.ended is EpisodeEnding.BUDGET) is is_spent
    assert record.success is not is_spent


@pytest.mark.parametrize(("tokens", "taken"), [(9, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
async def test_a_budget_of_tokens_counts_prompts_and_completions(
    trainer: ScriptedTrainer, tokens: int, taken: int
) -> None:
    agent = Saying(*WON, usage=Usage(7, 3, 5))

    record = (await played(trainer, agent, budgets=Budgets(tokens=tokens))).record

    assert record.steps == taken
    assert record.usage == Usage(7 * taken, 3 * taken, 5 * taken)


async def test_a_budget_of_no_steps_ends_an_episode_before_its_first(trainer: ScriptedTrainer) -> None:
    record = (await played(trainer, Saying(*WON), budgets=Budgets(steps=0))).record

    assert (record.ended, record.steps) == (EpisodeEnding.BUDGET, 0)


async def test_outputs_that_are_no_call_and_calls_that_are_refused_are_counted_apart(
    trainer: ScriptedTrainer,
) -> None:
    unknown = call("desk_close")

    record = (await played(trainer, Saying("Hello.", unknown, unknown, *WON))).record

    assert (record.invalid_actions, record.refused_calls, record.steps) == (1, 2, 6)


async def test_the_most_omitted_results_of_any_turn_are_recorded(trainer: ScriptedTrainer) -> None:
    record = (await played(trainer, Saying(*WON, omitted=4))).record

    assert record.omitted_results == 4


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_an_output_that_the_server_rejects_is_played_as_no_call(
    trainer: ScriptedTrainer, status: int
) -> None:
    trainer.interferes = times(1, "/step", lambda: problem(status, "bad_action"))

    record = (await played(trainer, Saying(*WON, FINISH))).record

    first = trainer.episodes[record.episode_id].actions[0]
    assert first["type"] == "invalid"
    assert "desk_look" in first["raw"]
    assert (record.ended, record.invalid_actions) == (EpisodeEnding.FINISHED, 1)


@pytest.mark.parametrize("status", [401, 403, 404, 409, 500])
async def test_a_refusal_that_is_not_about_the_action_is_a_failure_of_the_environment(
    trainer: ScriptedTrainer, status: int
) -> None:
    trainer.interferes = times(1, "/step", lambda: problem(status, "no_such_thing"))

    episode = await played(trainer, Saying(*WON))

    assert episode.record.ended is EpisodeEnding.ENVIRONMENT_FAILURE
    assert "no_such_thing" in str(episode.record.environment_failure)
    assert (episode.record.success, episode.trace) == (False, None)


@pytest.mark.parametrize("status", [400, 401, 404, 409, 422])
async def test_a_reset_that_the_server_refuses_stops_the_whole_run(
    trainer: ScriptedTrainer, status: int
) -> None:
    trainer.interferes = times(1, "/reset", lambda: problem(status, "scenario_unknown"))

    with pytest.raises(RunRefused, match="scenario_unknown"):
        await played(trainer, Saying(*WON))


async def test_a_reset_that_fails_in_the_server_fails_this_episode_alone(trainer: ScriptedTrainer) -> None:
    trainer.interferes = times(1, "/reset", lambda: problem(500, "internal"))

    episode = await played(trainer, Saying(*WON))

    assert episode.record.ended is EpisodeEnding.ENVIRONMENT_FAILURE
    assert (episode.record.episode_id, episode.trajectory) == ("", None)


async def test_a_grade_that_cannot_be_had_leaves_no_success(trainer: ScriptedTrainer) -> None:
    def no_grade(method: str, path: str, body: Any) -> web.Response | None:
        return problem(500, "internal") if path.endswith("/grade") else None

    trainer.interferes = no_grade

    record = (await played(trainer, Saying(*WON))).record

    assert (record.ended, record.success, record.steps) == (EpisodeEnding.ENVIRONMENT_FAILURE, False, 3)


@pytest.mark.parametrize("before", ["/grade", "/trace"])
async def test_an_ending_that_a_crash_undid_fails_the_environment_and_not_the_agent(
    trainer: ScriptedTrainer, before: str
) -> None:
    def forget(method: str, path: str, body: Any) -> None:
        if path.endswith(before):
            for episode in trainer.episodes.values():
                episode.steps, episode.ended_with = 2, ""

    trainer.interferes = forget

    record = (await played(trainer, Saying(*WON))).record

    assert (record.ended, record.is_scored) == (EpisodeEnding.ENVIRONMENT_FAILURE, False)
    assert "Step 3 was answered, and the server knows 2 steps" in (record.environment_failure or "")


async def test_an_episode_that_its_grade_calls_invalid_is_no_success(trainer: ScriptedTrainer) -> None:
    trainer.card = {"invalid": True, "invalid_reason": "a service was gone"}

    record = (await played(trainer, Saying(*WON))).record

    assert (record.success, record.invalid) == (False, True)
    assert record.environment_failure == "a service was gone"


async def test_an_agent_that_cannot_be_made_or_started_fails_its_episode_alone(
    trainer: ScriptedTrainer,
) -> None:
    class Refusing(Saying):
        async def start(self, observation: Observation) -> None:
            raise AgentFailed("not today")

    unmade, unstarted = await played(trainer, None), await played(trainer, Refusing())

    assert [one.record.agent_error for one in (unmade, unstarted)] == ["no key", "not today"]
    assert {one.record.ended for one in (unmade, unstarted)} == {EpisodeEnding.AGENT_ERROR}
    assert [one.trajectory for one in (unmade, unstarted)] == [None, None]
    assert all(episode.closed for episode in trainer.episodes.values())


async def test_an_agent_that_takes_too_long_for_a_turn_has_failed(trainer: ScriptedTrainer) -> None:
    class Thinking(Saying):
        async def act(self, observation: Observation) -> AgentTurn:
            await asyncio.Event().wait()
            raise AssertionError

    record = (await played(trainer, Thinking(), turn_timeout_s=0.01)).record

    assert record.ended is EpisodeEnding.AGENT_ERROR
    assert record.agent_error == "the agent took longer than 0.01 s for a turn"


async def test_an_agent_is_closed_however_its_episode_ended_and_may_fail_to_close(
    trainer: ScriptedTrainer,
) -> None:
    class Clinging(Saying):
        async def close(self) -> None:
            await super().close()
            raise AgentFailed("will not go")

    fine, failing, clinging = Saying(*WON), Saying(), Clinging(*WON)

    records = [(await played(trainer, agent)).record for agent in (fine, failing, clinging)]

    assert all(agent.closed for agent in (fine, failing, clinging))
    assert [record.success for record in records] == [True, False, True]


@pytest.mark.parametrize(
    ("first", "second", "cost"), [(None, None, None), (0.5, None, 0.5), (None, 0.25, 0.25), (0.5, 0.25, 0.75)]
)
def test_the_cost_of_two_usages_is_known_if_one_of_them_is(
    first: float | None, second: float | None, cost: float | None
) -> None:
    total = sum_of(Usage(1, 2, 3, first), Usage(10, 20, 30, second))

    assert total == Usage(11, 22, 33, cost)
