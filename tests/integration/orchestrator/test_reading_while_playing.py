"""What is read about an episode while a step is being played is of one committed step."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes
from orchestrator.protocol.records import Episode

from .test_exactly_once import LAMP
from .toy_stack import begin

READERS = ["grade", "trace", "company"]


@pytest.mark.parametrize("finishes", [False, True])
@pytest.mark.parametrize("comes_first", [False, True])
@pytest.mark.parametrize("reader", READERS)
async def test_a_reader_sees_an_episode_before_or_after_a_step(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch, reader: str, comes_first: bool, finishes: bool
) -> None:
    play = await begin(episodes, chaos=2)
    await play.call("shop_list_orders")
    store, waiting = (
        episodes._components.store,
        [{"tool_name": "finish", "arguments": {}} if finishes else LAMP],
    )
    read_records = store.records

    async def records_and_a_step(episode: Episode, *, after: int = 0) -> list[dict[str, Any]]:
        if comes_first and waiting:
            await episodes.step(play.id, waiting.pop())
        found = await read_records(episode, after=after)
        if waiting:
            await episodes.step(play.id, waiting.pop())
        return found

    read = getattr(episodes, reader)
    before = await read(play.id)
    monkeypatch.setattr(store, "records", records_and_a_step)
    during = await read(play.id)
    after = await read(play.id)

    assert waiting == []
    assert before != after
    assert during in (before, after)
