"""Sessions of trainers: how many there may be, which make room, and that every replica knows those with an id."""

from collections.abc import AsyncIterator

import psycopg
import pytest

from orchestrator.episodes.facade import Episodes, Refusal
from orchestrator.http.openenv import client_sessions as module
from orchestrator.http.openenv.client_sessions import AtCapacity, Session, Sessions, SessionUnknown

from .toy_stack import ToyStack

ERRAND = {"scenario": "errand", "chaos": 0}
LAMP = {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}}
FORGET_ALL = "DELETE FROM orchestrator.sessions RETURNING 1"
FALL_SILENT = (
    "UPDATE orchestrator.sessions SET held_until = now() - interval '1 second' WHERE id = %s RETURNING 1"
)
UNUSED = "UPDATE orchestrator.sessions SET used_at = now() - interval '2 days' WHERE id = %s RETURNING 1"


@pytest.fixture
async def sessions(toy_stack: ToyStack, episodes: Episodes) -> Sessions:
    await toy_stack.write(FORGET_ALL)
    return Sessions(episodes, limit=2)


@pytest.fixture
async def elsewhere(toy_stack: ToyStack) -> AsyncIterator[Sessions]:
    """The sessions of another replica."""
    async with toy_stack.orchestrator() as other:
        yield Sessions(other, limit=2)


async def opened(sessions: Sessions) -> str:
    """Create a session and return its id."""
    return await sessions.named(await sessions.create())


async def is_gone(sessions: Sessions, session_id: str) -> bool:
    try:
        await sessions.get(session_id)
    except SessionUnknown:
        return True
    return False


async def is_kept(sessions: Sessions, episode_id: str | None) -> bool:
    try:
        await sessions.episodes.episode(str(episode_id))
    except Refusal:
        return False
    return True


async def test_a_full_house_takes_nobody_at_any_replica(sessions: Sessions, elsewhere: Sessions) -> None:
    await opened(sessions)
    await opened(elsewhere)

    for replica in (sessions, elsewhere):
        with pytest.raises(AtCapacity, match="2 of 2 sessions are open"):
            await replica.create()


async def test_sockets_are_counted_by_the_process_that_serves_them(
    sessions: Sessions, elsewhere: Sessions
) -> None:
    for _ in range(2):
        await sessions.create_for_socket(None)

    with pytest.raises(AtCapacity, match="2 of 2"):
        await sessions.create_for_socket(None)
    assert (await elsewhere.create_for_socket(None)).of_socket


async def test_the_session_idle_for_longest_makes_room(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await opened(sessions), await opened(sessions)
    await sessions.get(first)
    monkeypatch.setattr(module, "IDLE_S", 0.0)

    third = await opened(sessions)

    assert [await is_gone(sessions, each) for each in (first, second, third)] == [False, True, False]


async def test_only_one_idle_session_is_evicted_despite_wrong_table_statistics(
    toy_stack: ToyStack, sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await opened(sessions)
    with psycopg.connect(toy_stack.databases.admin_url) as connection:
        # The plan for a table of one row looks for what is to go again for each row that there is.
        connection.execute("ANALYZE orchestrator.sessions")
    second = await opened(sessions)
    monkeypatch.setattr(module, "IDLE_S", 0.0)

    await opened(sessions)

    assert [await is_gone(sessions, each) for each in (first, second)] == [True, False]


async def test_a_session_with_a_socket_never_makes_room(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.0)
    for _ in range(2):
        await sessions.attach(await opened(sessions))

    with pytest.raises(AtCapacity):
        await sessions.create()


async def test_a_session_has_one_socket_at_a_time_over_all_replicas(
    sessions: Sessions, elsewhere: Sessions
) -> None:
    session_id = await opened(sessions)
    attached = await sessions.attach(session_id)

    for replica in (sessions, elsewhere):
        with pytest.raises(SessionUnknown, match="already has"):
            await replica.attach(session_id)

    await sessions.leave(attached, cleanly=True)
    assert (await elsewhere.attach(session_id)).id == session_id


async def test_a_session_whose_replica_fell_silent_may_have_another_socket(
    toy_stack: ToyStack, sessions: Sessions, elsewhere: Sessions
) -> None:
    session_id = await opened(sessions)
    lost = await sessions.attach(session_id)
    await toy_stack.write(FALL_SILENT, session_id)

    found = await elsewhere.attach(session_id)
    await sessions.leave(lost, cleanly=False)

    assert found.id == session_id
    with pytest.raises(SessionUnknown, match="already has"):
        await sessions.attach(session_id)


async def test_a_replica_says_again_and_again_which_sessions_its_sockets_have(
    toy_stack: ToyStack, sessions: Sessions, elsewhere: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HOLD_ON_EVERY_S", 0.01)
    session_id = await opened(sessions)
    await sessions.attach(session_id)
    await toy_stack.write(FALL_SILENT, session_id)

    async with sessions.kept():
        while not (await sessions.episodes.sessions.use(session_id)).attached:  # type: ignore[union-attr]
            pass

    with pytest.raises(SessionUnknown, match="already has"):
        await elsewhere.attach(session_id)


async def test_a_session_closed_at_another_replica_ends_with_its_socket(
    sessions: Sessions, elsewhere: Sessions
) -> None:
    session_id = await opened(sessions)
    attached = await sessions.attach(session_id)
    await attached.reset(ERRAND)

    closed = await elsewhere.close(session_id)
    open_until_then = await is_gone(elsewhere, session_id)
    await sessions.leave(attached, cleanly=False)

    assert (closed, open_until_then) == (False, False)
    assert await is_gone(elsewhere, session_id)
    with pytest.raises(Refusal, match="no episode"):
        await sessions.episodes.state(str(attached.episode_id))


@pytest.mark.parametrize("cleanly", [True, False])
async def test_a_sockets_own_session_ends_with_it_and_its_episode_if_that_was_meant(
    sessions: Sessions, elsewhere: Sessions, cleanly: bool
) -> None:
    session = await sessions.create_for_socket(None)
    session_id = await sessions.named(session)
    await session.reset(ERRAND)

    await sessions.leave(session, cleanly=cleanly)

    assert await is_gone(elsewhere, session_id)
    assert await is_kept(elsewhere, session.episode_id) is not cleanly


async def test_the_session_of_a_socket_is_known_to_every_replica_once_it_is_named(
    sessions: Sessions, elsewhere: Sessions
) -> None:
    session = await sessions.create_for_socket(None)
    session_id = await sessions.named(session)
    await session.reset(ERRAND)

    played = await (await elsewhere.get(session_id)).step(LAMP)

    assert played["observation"]["step"] == 1
    assert (await session.step(LAMP))["observation"]["step"] == 2


async def test_calls_of_a_session_alternate_between_replicas_in_one_episode(
    sessions: Sessions, elsewhere: Sessions
) -> None:
    session_id = await opened(sessions)
    attached = await sessions.attach(session_id)
    await attached.reset(ERRAND)

    steps = [
        (await (await replica.get(session_id)).step(LAMP))["observation"]["step"]
        for replica in (elsewhere, sessions, elsewhere)
    ]

    assert steps == [1, 2, 3]


async def test_an_episode_that_a_call_finished_elsewhere_outlives_its_session(
    sessions: Sessions, elsewhere: Sessions
) -> None:
    session_id = await opened(sessions)
    attached = await sessions.attach(session_id)
    await attached.reset(ERRAND)
    await (await elsewhere.get(session_id)).step({"tool_name": "finish"})

    await sessions.leave(attached, cleanly=True)
    await elsewhere.close(session_id)

    assert (await sessions.episodes.state(str(attached.episode_id)))["done"] is True


async def test_housekeeping_forgets_abandoned_sessions_and_closes_their_episodes(
    toy_stack: ToyStack, sessions: Sessions
) -> None:
    kept, left = await opened(sessions), await opened(sessions)
    attached: Session = await sessions.attach(left)
    await attached.reset(ERRAND)
    await sessions.leave(attached, cleanly=False)
    await toy_stack.write(UNUSED, left)

    await sessions.episodes._background_jobs.prune()

    assert [await is_gone(sessions, each) for each in (kept, left)] == [False, True]
    with pytest.raises(Refusal, match="no episode"):
        await sessions.episodes.state(str(attached.episode_id))
