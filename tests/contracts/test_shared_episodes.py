"""One episode and several clients: an agent beside its trainer, passing an episode on, and losing it to another."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import NoEpisode, Via

from .lossy import lossy
from .trainer_calls import LOOK

WAYS = list(Via)


@pytest.fixture(params=WAYS)
def env(request: pytest.FixtureRequest, url: str) -> Iterator[CompanyosEnv]:
    with CompanyosEnv(url, via=request.param) as client:
        yield client


@pytest.fixture(params=WAYS)
def other(request: pytest.FixtureRequest, url: str) -> Iterator[CompanyosEnv]:
    with CompanyosEnv(url, via=request.param) as client:
        yield client


def is_open(env: CompanyosEnv, episode_id: str | None) -> bool:
    return httpx.get(f"{env.base_url}/episodes/{episode_id}").status_code == 200


def test_a_trainer_goes_on_after_steps_of_its_agent(env: CompanyosEnv) -> None:
    env.reset()
    env.step(LOOK)
    token, urls = env.agent_access.agent_token, env.agent_access.agent_urls
    for _ in range(2):
        waited = httpx.post(
            f"{urls['rest']}/wait", json={"seconds": 60}, headers={"Authorization": f"Bearer {token}"}
        )
        assert waited.status_code == 200, waited.text

    assert [env.step(LOOK).observation.step for _ in range(2)] == [4, 5]
    assert env.state().step_count == 5


@pytest.mark.parametrize("via", WAYS)
def test_a_later_reset_whose_reply_was_lost_is_begun_again(url: str, via: Via) -> None:
    with lossy(url) as proxy, CompanyosEnv(proxy.url, via=via) as env:
        env.reset(seed=1)
        first = env.episode_id
        proxy.losing = 1

        env.reset(seed=2)

        assert (proxy.losing, is_open(env, first)) == (0, False)
        assert env.step(LOOK).observation.step == 1


def test_a_replaced_client_neither_steps_nor_closes_the_successor(
    env: CompanyosEnv, other: CompanyosEnv
) -> None:
    env.reset()
    other.reset(episode_id=env.episode_id, replace=True)

    with pytest.raises(NoEpisode, match="episode_replaced"):
        env.step(LOOK)
    with pytest.raises(NoEpisode, match="episode_replaced"):
        env.state()
    env.close()

    assert other.step(LOOK).observation.step == 1


@pytest.mark.parametrize("closed_first", [True, False])
def test_an_episode_passes_from_one_client_to_another(
    env: CompanyosEnv, other: CompanyosEnv, closed_first: bool
) -> None:
    env.reset()
    env.step(LOOK)
    episode_id = str(env.detach())

    if closed_first:
        env.close()
        other.attach(episode_id)
    else:
        other.attach(episode_id)
        env.reset()
        env.close()

    assert other.step(LOOK).observation.step == 2
    other.close()
    assert not is_open(other, episode_id)
