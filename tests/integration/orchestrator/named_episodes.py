"""Sessions of trainers that play episodes under names of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from orchestrator.episodes.facade import Refusal
from orchestrator.http.openenv.client_sessions import Session, Sessions

ERRAND = {"scenario": "errand", "chaos": 0}


def episode_named(name: str) -> Mapping[str, Any]:
    """Return a reset that names its episode."""
    return {**ERRAND, "episode_id": name}


async def socket(sessions: Sessions) -> Session:
    """Return the session of a new socket."""
    return await sessions.create_for_socket(None)


async def refused(session: Session, wanted: Mapping[str, Any]) -> Refusal:
    """Return the refusal of a reset."""
    with pytest.raises(Refusal) as caught:
        await session.reset(wanted)
    return caught.value
