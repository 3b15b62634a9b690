"""Compact forms change what an agent is shown of an episode, and nothing else."""

from typing import Any

from orchestrator.episodes.facade import Episodes

from .toy_stack import Play, begin, solve

COMPACT = {"tools_format": "signatures", "observation_format": "compact"}
#: What formats change in the records of a trace.
SHOWN = {*COMPACT, "observation", "hash", "previous", "seal", "episode_id", "took_ms"}


async def trace_of(episodes: Episodes, play: Play) -> list[dict[str, Any]]:
    return [
        {name: part for name, part in record.items() if name not in SHOWN}
        for record in await episodes.trace(play.id)
    ]


async def test_compact_forms_show_less_and_change_nothing_else(episodes: Episodes) -> None:
    usual, compact = [await solve(await begin(episodes, **forms)) for forms in ({}, COMPACT)]

    assert await trace_of(episodes, compact) == await trace_of(episodes, usual)
    pairs = list(zip(compact.replies, usual.replies, strict=True))
    assert [one.observation["result"] for one, _ in pairs] == [one.observation["result"] for _, one in pairs]
    assert [one.reward for one, _ in pairs] == [one.reward for _, one in pairs]
    assert "item: lamp" not in pairs[1][0].observation["text"]
    assert "item: lamp" in pairs[1][1].observation["text"]
    tools = compact.replies[0].observation["tools"]
    assert [tool["name"] for tool in tools] == [
        tool["name"] for tool in usual.replies[0].observation["tools"]
    ]
    assert all(tool["signature"].startswith(f"{tool['name']}(") for tool in tools)


async def test_only_chosen_forms_are_in_the_trace_and_forks_keep_them(episodes: Episodes) -> None:
    usual, compact = [await begin(episodes, **forms) for forms in ({}, COMPACT)]
    [copy] = await episodes.branches.fork(compact.id, 1)

    [head] = await episodes.trace(compact.id)
    assert {name: head[name] for name in COMPACT} == COMPACT
    assert not set(COMPACT) & set((await episodes.trace(usual.id))[0])
    assert {name: (await episodes.trace(copy["episode_id"]))[0][name] for name in COMPACT} == COMPACT
    listed = await episodes.step(copy["episode_id"], {"type": "list_tools"})
    assert "signature" in listed.observation["tools"][0]
