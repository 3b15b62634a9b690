"""Many episodes over one connection, and an episode that goes from one client to another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.client import (
    AsyncCompanyosEnv,
    CompanyosBatch,
    EpisodeOver,
    InvalidRequest,
    NoEpisode,
)
from companyos.client.transport import Answer, HttpTransport, Lost, Request

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "call-tools.md"
WAIT = {"tool_name": "wait", "arguments": {"seconds": 60}}
FINISH = {"tool_name": "finish", "arguments": {}}


@pytest.fixture
def batch(url: str) -> Iterator[CompanyosBatch]:
    """Three episodes, not started."""
    made = CompanyosBatch(url, 3)
    yield made
    made.close()


def resets(*seeds: int) -> list[dict[str, int]]:
    return [{"seed": seed, "chaos": 0} for seed in seeds]


def test_a_batch_gives_what_single_episodes_give(url: str, batch: CompanyosBatch) -> None:
    together = [batch.reset(resets(1, 2, 3)), batch.step([WAIT, WAIT, FINISH])]

    for index, (seed, action) in enumerate(zip((1, 2, 3), (WAIT, WAIT, FINISH), strict=True)):
        with CompanyosEnv(url) as env:
            alone = [env.reset(seed=seed, chaos=0), env.step(action)]
        assert [each[index].observation for each in together] == [each.observation for each in alone]
        assert [each[index].reward for each in together] == [each.reward for each in alone]
        assert together[1][index].metadata.trace_hash == alone[1].metadata.trace_hash


def test_some_episodes_start_anew_while_the_others_go_on(batch: CompanyosBatch) -> None:
    batch.reset(resets(1, 2, 3))
    before = batch.episode_ids

    results = batch.advance(resets=[None, {"seed": 9}, None], actions=[WAIT, None, WAIT])

    assert [result.observation.step for result in results] == [1, 0, 1]
    changed = [new != old for new, old in zip(batch.episode_ids, before, strict=True)]
    assert changed == [False, True, False]


def test_any_of_the_episodes_can_be_stepped_alone(batch: CompanyosBatch) -> None:
    batch.reset(resets(1, 2, 3))

    some = batch.step({2: WAIT, 0: WAIT})
    again = batch.step({2: WAIT})

    assert {index: result.observation.step for index, result in some.items()} == {2: 1, 0: 1}
    assert [result.observation.step for result in again.values()] == [2]
    assert [result.observation.step for result in batch.step([WAIT, WAIT, WAIT])] == [2, 1, 3]


def test_the_page_plays_many_episodes_as_it_says(url: str) -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Play many episodes at once")[2]
    [source] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    played: dict[str, Any] = {"url": url}

    exec(source, played)

    assert (played["first"].observation.step, played["only_second"].observation.step) == (1, 2)
    assert played["only_second"].metadata.call_kind == "done"


def test_a_list_has_an_action_for_every_episode(batch: CompanyosBatch) -> None:
    batch.reset(resets(1, 2, 3))

    with pytest.raises(ValueError, match="3 episodes and 2 actions"):
        batch.step([WAIT, WAIT])


def test_one_that_fails_leaves_the_others_in_order(batch: CompanyosBatch) -> None:
    batch.reset(resets(1, 2, 3))
    batch.step([WAIT, FINISH, WAIT])

    with pytest.raises(EpisodeOver):
        batch.step([WAIT, WAIT, WAIT])

    results = batch.advance(resets=[None, {"seed": 2}, None], actions=[WAIT, None, WAIT])
    assert [result.observation.step for result in results] == [3, 0, 3]


def test_a_wrong_option_is_told_as_it_is_alone(batch: CompanyosBatch) -> None:
    with pytest.raises(InvalidRequest, match="seed"):
        batch.reset([{"seed": 1}, {"seed": "one"}, {"seed": 3}])


class LosesOneAnswer:
    """A transport whose second answer does not arrive, though the server has carried the request out."""

    def __init__(self, real: HttpTransport) -> None:
        self._real = real
        self._sent = 0

    def send(self, request: Request) -> Answer | Lost:
        self._sent += 1
        answer = self._real.send(request)
        return Lost("cut off") if self._sent == 2 else answer

    def close(self) -> None:
        self._real.close()


def test_a_batch_whose_answer_was_lost_is_played_once(batch: CompanyosBatch) -> None:
    batch._transport = LosesOneAnswer(batch._transport)  # type: ignore[assignment]
    batch.reset(resets(1, 2, 3))

    results = batch.step([WAIT, WAIT, WAIT])

    assert [result.observation.step for result in results] == [1, 1, 1]
    assert [result.observation.elapsed_s for result in results] == [60, 60, 60]


def test_closing_a_batch_closes_the_episodes_that_are_not_done(url: str) -> None:
    batch = CompanyosBatch(url, 2)
    batch.reset(resets(1, 2))
    batch.step([WAIT, FINISH])
    open_one, done_one = batch.episode_ids
    batch.close()

    with CompanyosEnv(url) as env:
        assert env.attach(str(done_one)).done is True
        with pytest.raises(NoEpisode):
            env.attach(str(open_one))


async def test_an_episode_goes_from_one_client_to_another(url: str) -> None:
    with CompanyosEnv(url) as first:
        first.reset(seed=1, chaos=0)
        first.step(WAIT)
        episode_id = first.detach()
        assert first.episode_id is None

    async with AsyncCompanyosEnv(url) as second:
        state = await second.attach(str(episode_id))
        result = await second.step(WAIT)

    assert state.step_count == 1
    assert result.observation.step == 2


def test_attaching_closes_the_episode_that_was_being_played(url: str) -> None:
    with CompanyosEnv(url) as env, CompanyosEnv(url) as other:
        left = env.reset(seed=1).metadata.episode_id
        taken = other.reset(seed=2).metadata.episode_id
        other.detach()

        env.attach(taken)

        with pytest.raises(NoEpisode):
            other.attach(left)
