"""How many sessions there may be, and which of them make room."""

from __future__ import annotations

from typing import cast

import pytest

from orchestrator.episodes import Episodes
from orchestrator.wire import sessions as module
from orchestrator.wire.sessions import AtCapacity, Sessions, SessionUnknown


@pytest.fixture
def sessions() -> Sessions:
    return Sessions(cast(Episodes, None), limit=2)


async def test_a_full_house_takes_nobody(sessions: Sessions) -> None:
    for _ in range(2):
        await sessions.create()

    with pytest.raises(AtCapacity, match="2 of 2 sessions are open"):
        await sessions.create()


async def test_the_session_idle_for_longest_makes_room(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await sessions.create(), await sessions.create()
    sessions.get(first.id)
    monkeypatch.setattr(module, "IDLE_S", 0.0)

    third = await sessions.create()

    with pytest.raises(SessionUnknown):
        sessions.get(second.id)
    assert sessions.get(first.id) is first
    assert sessions.get(third.id) is third


async def test_a_session_with_a_socket_never_makes_room(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.0)
    for _ in range(2):
        await sessions.create_for_socket(None)

    with pytest.raises(AtCapacity):
        await sessions.create()


async def test_a_session_has_one_socket_at_a_time(sessions: Sessions) -> None:
    session = await sessions.create()
    sessions.attach(session.id)

    with pytest.raises(SessionUnknown, match="already has"):
        sessions.attach(session.id)

    await sessions.leave(session, cleanly=True)
    assert sessions.attach(session.id) is session


async def test_a_session_closed_meanwhile_ends_with_its_socket(sessions: Sessions) -> None:
    session = await sessions.create()
    sessions.attach(session.id).closing = True

    await sessions.leave(session, cleanly=False)

    with pytest.raises(SessionUnknown):
        sessions.get(session.id)


@pytest.mark.parametrize("cleanly", [True, False])
async def test_a_sockets_own_session_ends_with_it(sessions: Sessions, cleanly: bool) -> None:
    session = await sessions.create_for_socket(None)

    await sessions.leave(session, cleanly=cleanly)

    with pytest.raises(SessionUnknown):
        sessions.get(session.id)
