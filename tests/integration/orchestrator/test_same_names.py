"""An episode's name belongs to the session that plays it, on every replica, until that is over."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.http.openenv.client_sessions import Sessions
from tests.forks import forked

from .named_episodes import ERRAND, episode_named, refused, socket
from .test_exactly_once import LAMP
from .test_outages import consumer_stopped
from .toy_stack import ToyStack, begin, pruned

FORGET_ALL = "DELETE FROM orchestrator.sessions RETURNING 1"
DIED = "UPDATE orchestrator.replicas SET alive_until = now() - interval '1 second' WHERE id = %s RETURNING 1"
UNUSED = "UPDATE orchestrator.episodes SET used_at = now() - interval '1 minute' WHERE id = %s RETURNING 1"
FORGOTTEN = "UPDATE orchestrator.sessions SET used_at = now() - interval '2 days' WHERE id = %s RETURNING 1"


@pytest.fixture
async def sessions(toy_stack: ToyStack, episodes: Episodes) -> Sessions:
    await toy_stack.write(FORGET_ALL)
    return Sessions(episodes, limit=8)


@pytest.fixture
async def elsewhere(toy_stack: ToyStack) -> AsyncIterator[Sessions]:
    """The sessions of another replica."""
    async with toy_stack.orchestrator() as other:
        yield Sessions(other, limit=8)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """A reset that names its episode after the test."""
    return episode_named(request.node.name)


async def test_a_name_that_a_socket_plays_is_refused_at_every_replica(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    first = await socket(sessions)
    await first.reset(name)

    for another in (await socket(sessions), await socket(elsewhere), await elsewhere.create()):
        told = await refused(another, {**name, "seed": 2})
        assert (told.status, told.code, told.field) == (409, "episode_exists", "episode_id")

    assert (await first.step(LAMP))["observation"]["step"] == 1


async def test_a_name_that_a_session_with_an_id_plays_is_refused(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    session = await sessions.create()
    await session.reset(name)

    assert (await refused(await socket(elsewhere), name)).code == "episode_exists"

    assert session.id
    await (await elsewhere.get(session.id)).reset(name)


async def test_a_socket_may_begin_again_under_its_own_name(
    sessions: Sessions, name: Mapping[str, Any]
) -> None:
    session = await socket(sessions)
    await session.reset(name)
    await session.step(LAMP)

    assert (await session.reset(name))["observation"]["step"] == 0


async def test_a_socket_keeps_its_name_when_it_is_given_an_id(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    session = await socket(sessions)
    await session.reset(name)
    session_id = await sessions.named(session)

    assert (await refused(await socket(elsewhere), name)).code == "episode_exists"
    await session.reset(name)
    await (await elsewhere.get(session_id)).reset(name)


async def test_the_name_of_an_episode_that_is_over_may_be_taken(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    first = await socket(sessions)
    await first.reset(name)
    await first.step({"tool_name": "finish", "arguments": {}})

    assert (await (await socket(elsewhere)).reset(name))["observation"]["step"] == 0


@pytest.mark.parametrize("with_an_id", [True, False])
@pytest.mark.parametrize("cleanly", [True, False])
async def test_the_name_of_a_socket_that_is_gone_may_be_taken(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any], cleanly: bool, with_an_id: bool
) -> None:
    first = await socket(sessions)
    await first.reset(name)
    if with_an_id:
        await sessions.named(first)
    await sessions.leave(first, cleanly=cleanly)

    assert (await (await socket(elsewhere)).reset(name))["observation"]["step"] == 0


async def test_the_name_of_a_socket_whose_replica_died_may_be_taken(
    toy_stack: ToyStack, sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    await (await socket(elsewhere)).reset(name)
    assert await toy_stack.write(DIED, elsewhere.episodes.sessions.pulse.replica)
    assert await toy_stack.write(UNUSED, name["episode_id"])

    assert (await (await socket(sessions)).reset(name))["observation"]["step"] == 0


async def test_a_socket_that_goes_on_with_an_episode_holds_its_name(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    first = await socket(sessions)
    await first.reset(name)
    await sessions.leave(first, cleanly=False)
    await elsewhere.create_for_socket(name["episode_id"])

    assert (await refused(await socket(sessions), name)).code == "episode_exists"


@pytest.mark.parametrize("with_an_id", [True, False])
@pytest.mark.parametrize("named_late", [True, False])
async def test_a_socket_that_lost_its_name_leaves_the_successor_alone(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any], with_an_id: bool, named_late: bool
) -> None:
    first, second = await socket(sessions), await socket(elsewhere)
    await first.reset(name)
    if with_an_id and not named_late:
        await sessions.named(first)
    await second.reset({**name, "replace": True})
    if with_an_id and named_late:
        await sessions.named(first)

    await sessions.leave(first, cleanly=True)

    assert (await second.step(LAMP))["observation"]["step"] == 1
    assert (await refused(await socket(sessions), name)).code == "episode_exists"


async def test_a_socket_that_lost_its_name_to_a_plain_request_leaves_the_successor_alone(
    sessions: Sessions, episodes: Episodes, name: Mapping[str, Any]
) -> None:
    first = await socket(sessions)
    await first.reset(name)
    play = await begin(episodes, episode_id=name["episode_id"], replace=True)

    await first.reset(ERRAND)
    await sessions.leave(first, cleanly=True)

    assert (await episodes.step(play.id, LAMP)).observation["step"] == 1


async def test_a_socket_whose_episode_another_goes_on_with_does_not_close_it(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    first = await socket(sessions)
    await first.reset(name)
    second = await elsewhere.create_for_socket(name["episode_id"])

    await sessions.leave(first, cleanly=True)

    assert (await second.step(LAMP))["observation"]["step"] == 1


@pytest.mark.parametrize("forgotten", [True, False])
async def test_a_session_that_lost_its_name_ends_without_the_successor(
    toy_stack: ToyStack, sessions: Sessions, episodes: Episodes, name: Mapping[str, Any], forgotten: bool
) -> None:
    session = await sessions.create()
    await session.reset(name)
    play = await begin(episodes, episode_id=name["episode_id"], replace=True)

    if forgotten:
        await toy_stack.write(FORGOTTEN, session.id)
        await pruned(episodes)
    else:
        await sessions.close(str(session.id))

    assert (await episodes.step(play.id, LAMP)).observation["step"] == 1


@pytest.mark.parametrize("with_an_id", [True, False])
async def test_a_session_that_lost_its_name_does_not_step_the_successor(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any], with_an_id: bool
) -> None:
    first, second = await socket(sessions), await socket(elsewhere)
    await first.reset(name)
    if with_an_id:
        first = await elsewhere.get(await sessions.named(first))
    await second.reset({**name, "replace": True})

    with pytest.raises(Refusal) as caught:
        await first.step(LAMP)

    assert (caught.value.status, caught.value.code, caught.value.retryable) == (
        409,
        "episode_replaced",
        False,
    )
    assert (await second.step(LAMP))["observation"]["step"] == 1


async def test_an_episode_that_was_replaced_is_neither_stepped_nor_closed_nor_continued(
    episodes: Episodes, sessions: Sessions, name: Mapping[str, Any]
) -> None:
    first = await begin(episodes, episode_id=name["episode_id"])
    uid = first.last.metadata["episode_uid"]
    second = await begin(episodes, episode_id=name["episode_id"], replace=True)

    for request in (
        episodes.step(first.id, LAMP, step=1, uid=uid),
        episodes.close(first.id, uid=uid),
        sessions.create_for_socket(first.id, uid),
    ):
        with pytest.raises(Refusal) as caught:
            await request
        assert (caught.value.status, caught.value.code) == (409, "episode_replaced")

    state = await episodes.state(second.id)
    assert (state["step_count"], state["episode_uid"]) == (0, second.last.metadata["episode_uid"])
    assert (await episodes.step(second.id, LAMP, uid=state["episode_uid"])).observation["step"] == 1
    await episodes.close(second.id, uid=state["episode_uid"])
    with pytest.raises(Refusal, match="no episode"):
        await episodes.close(second.id, uid=state["episode_uid"])


async def test_a_step_that_is_meant_for_a_replaced_episode_is_not_sent_again(
    toy_stack: ToyStack, episodes: Episodes, name: Mapping[str, Any]
) -> None:
    play = await begin(episodes, episode_id=name["episode_id"])
    async with consumer_stopped(toy_stack.apps["depot"]):
        step = asyncio.create_task(episodes.step(play.id, LAMP, uid=play.last.metadata["episode_uid"]))
        await asyncio.sleep(0.2)
        await begin(episodes, episode_id=play.id, replace=True)

    with pytest.raises(Refusal) as caught:
        await step
    assert (caught.value.code, caught.value.retryable) == ("episode_replaced", False)


async def test_a_restored_or_forked_episode_keeps_or_gets_its_uid(episodes: Episodes) -> None:
    play = await begin(episodes)
    uid = play.last.metadata["episode_uid"]
    taken = (await episodes.branches.snapshot(play.id))["snapshot_id"]
    await play.call("shop_list_orders")
    await episodes.branches.restore(play.id, taken)
    [fork] = await episodes.branches.fork(play.id, 1)
    again = await episodes.reset(ResetOptions(snapshot=taken))

    assert (await episodes.step(play.id, LAMP, step=1, uid=uid)).observation["step"] == 1
    assert (await episodes.state(fork["episode_id"]))["episode_uid"] == fork["episode_uid"]
    assert len({uid, fork["episode_uid"], again.metadata["episode_uid"]}) == 3


@pytest.mark.parametrize("snapshot", [False, True])
async def test_an_unfinished_episode_of_no_session_is_replaced_only_on_request(
    episodes: Episodes, sessions: Sessions, name: Mapping[str, Any], snapshot: bool
) -> None:
    play = await begin(episodes, episode_id=name["episode_id"])
    wanted = dict(name)
    if snapshot:
        taken = await episodes.branches.snapshot(play.id)
        wanted = {"episode_id": play.id, "snapshot": taken["snapshot_id"]}

    with pytest.raises(Refusal, match="replace"):
        await episodes.reset(ResetOptions.model_validate(wanted))
    assert (await refused(await socket(sessions), wanted)).code == "episode_exists"

    replaced = await episodes.reset(ResetOptions.model_validate({**wanted, "replace": True}))
    assert replaced.metadata["episode_id"] == play.id


@pytest.mark.parametrize("snapshot", [False, True])
async def test_a_repeated_reset_begins_the_same_episode_until_its_first_step(
    episodes: Episodes, elsewhere: Sessions, name: Mapping[str, Any], snapshot: bool
) -> None:
    wanted = {**name, "idempotency_key": "of-the-first-caller"}
    if snapshot:
        play = await begin(episodes)
        taken = await episodes.branches.snapshot(play.id)
        own = {part: wanted[part] for part in ("episode_id", "idempotency_key")}
        wanted = {**own, "snapshot": taken["snapshot_id"]}
    options = ResetOptions.model_validate(wanted)

    first, again = await episodes.reset(options), await episodes.reset(options)

    assert first == again
    for other in ({"idempotency_key": "of-another-caller"}, {"idempotency_key": None}):
        assert (await refused(await socket(elsewhere), {**wanted, **other})).code == "episode_exists"
    await episodes.step(again.metadata["episode_id"], LAMP)
    for late in (options, options.model_copy(update={"replace": True})):
        with pytest.raises(Refusal, match="still being played"):
            await episodes.reset(late)


async def test_two_resets_of_one_new_name_at_the_same_time_make_one_episode(
    sessions: Sessions, elsewhere: Sessions, name: Mapping[str, Any]
) -> None:
    rivals = [await socket(sessions), await socket(elsewhere)]

    answers = await asyncio.gather(*(each.reset(name) for each in rivals), return_exceptions=True)

    assert sorted(type(answer).__name__ for answer in answers) == ["Refusal", "dict"]


async def test_a_step_that_meets_a_reset_of_its_name_may_be_sent_again(
    toy_stack: ToyStack, episodes: Episodes, name: Mapping[str, Any]
) -> None:
    play = await begin(episodes, episode_id=name["episode_id"])
    async with consumer_stopped(toy_stack.apps["depot"]):
        step = asyncio.create_task(episodes.step(play.id, LAMP))
        await asyncio.sleep(0.2)
        await begin(episodes, episode_id=play.id, replace=True)

    with pytest.raises(Refusal) as caught:
        await step
    assert (caught.value.status, caught.value.code, caught.value.retryable) == (409, "episode_replaced", True)
    assert (await episodes.step(play.id, LAMP)).observation["step"] == 1


async def test_ids_of_forks_and_snapshots_cannot_be_guessed(episodes: Episodes) -> None:
    play = await begin(episodes)
    taken = [(await episodes.branches.snapshot(play.id))["snapshot_id"] for _ in range(2)]
    forks = await forked(episodes.branches, play.id, 3)
    reset = await episodes.reset(ResetOptions(snapshot=taken[0]))

    for one in [*forks, reset.metadata["episode_id"]]:
        assert re.fullmatch(r"ep-[0-9a-f]{16}", one)
    for one in taken:
        assert re.fullmatch(r"snap-[0-9a-f]{16}", one)
    assert len({*forks, *taken}) == 5
