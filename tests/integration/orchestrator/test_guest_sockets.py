"""A socket that continues an episode which it did not begin is a guest: it never ends that episode."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal
from orchestrator.http.openenv.client_sessions import Sessions

from .named_episodes import ERRAND, episode_named, refused, socket
from .test_exactly_once import LAMP
from .toy_stack import ToyStack, begin


@pytest.fixture
def sessions(episodes: Episodes) -> Sessions:
    return Sessions(episodes, limit=64)


@pytest.fixture
async def elsewhere(toy_stack: ToyStack) -> AsyncIterator[Sessions]:
    """The sessions of another replica."""
    async with toy_stack.orchestrator() as other:
        yield Sessions(other, limit=64)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """A reset that names its episode after the test."""
    return episode_named(request.node.name)


@pytest.mark.parametrize("cleanly", [True, False])
@pytest.mark.parametrize("with_an_id", [True, False])
async def test_a_socket_does_not_end_an_episode_that_began_over_http(
    sessions: Sessions, episodes: Episodes, name: Mapping[str, Any], cleanly: bool, with_an_id: bool
) -> None:
    play = await begin(episodes, episode_id=name["episode_id"])
    guest = await sessions.create_for_socket(play.id)
    if with_an_id:
        await sessions.named(guest)
    assert (await guest.step(LAMP))["observation"]["step"] == 1

    await sessions.leave(guest, cleanly=cleanly)

    assert (await refused(await socket(sessions), name)).code == "episode_exists"
    assert not (await episodes.state(play.id))["done"]


@pytest.mark.parametrize("replace", [True, False])
async def test_a_socket_that_begins_another_episode_leaves_one_of_http_alone(
    sessions: Sessions, episodes: Episodes, name: Mapping[str, Any], replace: bool
) -> None:
    play = await begin(episodes, episode_id=name["episode_id"])
    guest = await sessions.create_for_socket(play.id)

    await guest.reset({**ERRAND, "replace": replace})
    await sessions.leave(guest, cleanly=True)

    assert not (await episodes.state(play.id))["done"]


async def test_a_socket_ends_what_it_began_in_place_of_an_episode_of_http(
    sessions: Sessions, episodes: Episodes, name: Mapping[str, Any]
) -> None:
    play = await begin(episodes, episode_id=name["episode_id"])
    guest = await sessions.create_for_socket(play.id)

    await guest.reset({**name, "replace": True})
    await sessions.leave(guest, cleanly=True)

    with pytest.raises(Refusal, match="no episode"):
        await episodes.state(play.id)


@pytest.mark.parametrize("cleanly", [True, False])
async def test_a_socket_does_not_end_the_episode_of_a_session(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any], cleanly: bool
) -> None:
    session = await sessions.create()
    await session.reset(name)
    guest = await elsewhere.create_for_socket(name["episode_id"])

    await elsewhere.leave(guest, cleanly=cleanly)

    assert (await session.step(LAMP))["observation"]["step"] == 1
    assert (await refused(await socket(elsewhere), name)).code == "episode_exists"
    await sessions.close(str(session.id))
    with pytest.raises(Refusal, match="no episode"):
        await sessions.episodes.state(name["episode_id"])


async def test_a_socket_does_not_end_the_episode_of_another(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    first = await socket(sessions)
    await first.reset(name)
    second = await elsewhere.create_for_socket(name["episode_id"])

    await elsewhere.leave(second, cleanly=True)

    assert (await first.step(LAMP))["observation"]["step"] == 1
