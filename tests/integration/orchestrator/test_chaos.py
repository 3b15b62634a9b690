"""The chaos of a running episode: what a trainer may put in force, what carries it along, and what is told of it."""

from typing import Any

import pytest

from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from tests.forks import forked

from .toy_stack import Play, begin

FAILING = {"faults": {"svc.http_5xx": {"p": 1, "F": 1, "match": {"operation": "place_order"}}}}


async def put(play: Play, chaos: Any) -> dict[str, Any]:
    return await play.episodes.chaos_override.put(play.id, chaos)


async def order(play: Play) -> str | None:
    """Order a lamp and return the code of the error, if there is one."""
    error = (await play.call("shop_place_order", item="lamp")).observation["error"]
    return None if error is None else str(error["code"])


async def refused(play: Play, chaos: Any) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        await put(play, chaos)
    return refusal.value


async def test_a_chaos_put_in_force_is_met_from_the_next_step_on_and_lifted_likewise(
    episodes: Episodes,
) -> None:
    play = await begin(episodes)
    await play.call("wait", seconds=60)

    shown = await put(play, FAILING)
    failed = await order(play)
    lifted = await put(play, 0)

    assert (shown["chaos"], shown["chaos_name"], failed is None) == (0, "custom", False)
    assert (lifted["chaos_name"], await order(play)) == ("calm", None)
    assert (await episodes.state(play.id))["chaos_name"] == "calm"
    assert [reply.metadata["chaos_name"] for reply in play.replies] == ["calm", "calm", "custom", "calm"]


async def test_the_trace_says_where_a_chaos_was_put_in_force_and_its_hashes_cover_it(
    episodes: Episodes,
) -> None:
    calm, put_to_it = await begin(episodes), await begin(episodes)

    await put(put_to_it, {"faults": {"svc.http_5xx": {"p": 1, "match": {"operation": "nothing"}}}})
    for play in (calm, put_to_it):
        await order(play)

    first, step = await episodes.trace(put_to_it.id)
    assert (first["chaos"]["name"], first["chaos_now"]["step"]) == ("calm", 0)
    assert step["chaos"]["digest"] == first["chaos_now"]["digest"]
    assert step["hash"] != calm.last.metadata["trace_hash"]


async def test_equal_chaos_at_equal_steps_gives_equal_traces(episodes: Episodes) -> None:
    plays = [await begin(episodes) for _ in range(2)]

    for play in plays:
        await order(play)
        await put(play, FAILING)
        await order(play)

    assert plays[0].last.metadata["trace_hash"] == plays[1].last.metadata["trace_hash"]


async def test_the_chaos_in_force_goes_along_with_snapshots_forks_and_restores(episodes: Episodes) -> None:
    play = await begin(episodes)
    await put(play, FAILING)
    kept = await episodes.branches.snapshot(play.id)
    [branch] = await forked(episodes.branches, play.id, 1)
    await order(play)
    await put(play, 0)

    restored = await episodes.branches.restore(play.id, kept["snapshot_id"])
    opened = await episodes.reset(ResetOptions(snapshot=kept["snapshot_id"]))

    assert restored["chaos_name"] == opened.metadata["chaos_name"] == "custom"
    for other in (play, Play(episodes, [opened])):
        assert await order(other) is not None
    assert (await episodes.episode(branch))["chaos_name"] == "custom"
    assert (
        await episodes.step(branch, {"tool_name": "shop_place_order", "arguments": {"item": "lamp"}})
    ).observation["error"]


async def test_the_chaos_in_force_and_the_count_of_its_faults_travel_in_archives(episodes: Episodes) -> None:
    play = await begin(episodes)
    await put(play, FAILING)
    await order(play)
    kept = await episodes.branches.snapshot(play.id)

    imported = await episodes.archives.import_(await episodes.archives.export(kept["snapshot_id"]))

    opened = await episodes.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    summary = await episodes.episode(opened.metadata["episode_id"])
    assert (summary["chaos_name"], summary["faults"]["landed"]) == ("custom", 1)
    assert (await episodes.trace(summary["episode_id"]))[1]["chaos"]["name"] == "custom"


async def test_invalid_chaos_for_a_running_episode_is_refused_and_changes_nothing(episodes: Episodes) -> None:
    play = await begin(episodes)

    for chaos, told in (
        (9, "no chaos level 9"),
        ({"faults": {"svc.rain": {"p": 1}}}, "no fault 'svc.rain'"),
        ({"faults": {"svc.http_5xx": {"p": 2}}}, "from 0 to 1"),
        ({"faults": {"biz.missing_field": {"p": 1}}}, "running episode keeps those it has"),
        ({"faults": {"svc.http_5xx": {"p": 1, "B": 3, "F": 20}}}, "larger max_steps"),
    ):
        refusal = await refused(play, chaos)
        assert (refusal.status, refusal.code) == (422, "invalid_chaos")
        assert told in refusal.detail
    assert (await episodes.trace(play.id))[0]["chaos_now"] is None


async def test_a_finished_episode_takes_no_chaos_any_more(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("finish")

    refusal = await refused(play, FAILING)

    assert (refusal.status, refusal.code) == (422, "chaos_on_finished_episode")


async def test_the_account_is_in_the_trace_the_grade_the_lists_and_the_metrics(episodes: Episodes) -> None:
    before = episodes.metrics().decode()
    play = await begin(episodes, chaos=FAILING)

    await order(play)
    landed = await episodes.episode(play.id)
    await order(play)
    await play.call("finish")

    [line] = (await episodes.grade(play.id))["fault_account"]
    assert line == {
        "fault": "svc.http_5xx",
        "where": ["shop", "place_order", ""],
        "state": "overcome",
        "armed_at": 0,
        "landed_at": 1,
        "detected_at": 2,
        "overcome_at": 2,
    }
    assert (await episodes.trace(play.id))[0]["faults"] == [line]
    assert landed["faults"] == {"armed": 1, "landed": 1, "detected": 0, "overcome": 0, "expired": 0}
    assert (await episodes.episode(play.id))["faults"]["overcome"] == 1
    counted = 'companyos_faults_total{fault="svc.http_5xx",state="overcome"}'
    assert _value(episodes.metrics().decode(), counted) == _value(before, counted) + 1


async def test_where_nothing_can_go_wrong_nothing_is_accounted(episodes: Episodes) -> None:
    play = await begin(episodes)
    await order(play)

    assert (await episodes.grade(play.id))["fault_account"] == []
    assert (await episodes.episode(play.id))["faults"] == {}


async def test_an_account_is_the_same_for_a_process_that_never_played_a_step(
    toy_stack: Any, episodes: Episodes
) -> None:
    play = await begin(episodes, chaos=FAILING)
    await order(play)
    await put(play, 0)
    await order(play)

    async with toy_stack.orchestrator() as other:
        elsewhere = await other.grade(play.id)

    assert elsewhere["fault_account"] == (await episodes.grade(play.id))["fault_account"]


def _value(page: str, name: str) -> float:
    return next((float(line.split()[-1]) for line in page.splitlines() if line.startswith(name)), 0.0)
