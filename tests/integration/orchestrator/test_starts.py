"""Episodes that start within the oracle's solution, or from a snapshot under other options."""

import asyncio

import pytest
from pydantic import ValidationError

from companyos.chassis.postgres.epochs import Connection
from companyos.chassis.postgres.prepared import Call, Rows
from orchestrator.audit.verification import broken_links
from orchestrator.branching import continuations
from orchestrator.branching.branches import Branches
from orchestrator.episodes.facade import Episodes, Refusal, Reply, ResetOptions
from orchestrator.http.messages.models import ObservationDocument

from .test_regrading import again
from .toy_stack import Play, ToyStack, begin, pruned, ready_orchestrator, solve

SOLUTION = (
    ("shop_place_order", {"item": "lamp"}),
    ("wait", {"seconds": 3600}),
    ("finish", {"answer": "It is there."}),
)
CALLS = len(SOLUTION)


async def at(episodes: Episodes, calls: int, **options: object) -> Play:
    return await begin(episodes, start={"calls": calls}, **options)


async def from_snapshot(episodes: Episodes, snapshot: str, **options: object) -> Reply:
    return await episodes.reset(ResetOptions.model_validate({"snapshot": snapshot, **options}))


async def finish(play: Play) -> Play:
    """Play what the oracle has not played yet."""
    for tool, arguments in SOLUTION[play.replies[0].observation["step"] :]:
        await play.call(tool, **arguments)
    return play


@pytest.mark.parametrize("calls", range(CALLS))
async def test_the_oracle_goes_on_from_every_rung_and_succeeds(episodes: Episodes, calls: int) -> None:
    whole = await solve(await begin(episodes))
    play = await finish(await at(episodes, calls))

    assert play.last.metadata["success"] is True
    recorded, unbroken = [await episodes.trace(one.id) for one in (play, whole)]
    assert [one["observation"] for one in recorded[1:]] == [one["observation"] for one in unbroken[1:]]
    assert [one["changes"] for one in recorded[1:]] == [one["changes"] for one in unbroken[1:]]


async def test_a_start_tells_what_was_done_before_it(episodes: Episodes) -> None:
    brief = (await begin(episodes)).last.observation["text"]
    first = (await at(episodes, 2)).last

    seen = first.observation
    assert ObservationDocument.model_validate(seen).step == 2
    assert seen["brief"] == brief
    assert seen["text"].startswith(brief)
    assert "> shop_place_order(item: lamp)" in seen["text"]
    assert [one["action"]["tool_name"] for one in seen["prefix"]] == ["shop_place_order", "wait"]
    assert seen["prefix"][0]["observation"]["result"]["item"] == "lamp"
    assert first.metadata["start"] == {
        "by": "oracle",
        "calls": 2,
        "calls_left": 1,
        "milestones": ["ordered", "delivered"],
    }


@pytest.mark.parametrize(
    ("place", "calls"),
    [
        ({"calls": 0}, 0),
        ({"calls_left": 1}, 2),
        ({"calls_left": 3}, 0),
        ({"until": "milestone:delivered"}, 2),
    ],
)
async def test_a_start_is_named_by_calls_from_either_end_or_by_a_milestone(
    episodes: Episodes, place: dict[str, object], calls: int
) -> None:
    assert (await begin(episodes, start=place)).last.metadata["start"]["calls"] == calls


@pytest.mark.parametrize(
    "written", ['{"calls": 2}', {"by": "oracle", "calls": 2, "calls_left": None, "until": None}]
)
async def test_a_start_is_read_as_tables_hold_it(episodes: Episodes, written: object) -> None:
    assert (await begin(episodes, start=written)).last.metadata["start"]["calls"] == 2


@pytest.mark.parametrize("written", [{}, {"calls": 1, "calls_left": 1}, {"calls": -1}, "soon", {"by": "me"}])
async def test_a_start_that_is_no_place_is_refused(episodes: Episodes, written: object) -> None:
    with pytest.raises(ValidationError):
        await begin(episodes, start=written)


@pytest.mark.parametrize(
    ("place", "field", "told"),
    [
        ({"calls": 3}, "start.calls", "in 3 calls"),
        ({"calls_left": 4}, "start.calls_left", "in 3 calls"),
        ({"until": "milestone:paid"}, "start.until", "it reaches ordered, delivered"),
    ],
)
async def test_a_place_that_the_solution_does_not_have_is_refused(
    episodes: Episodes, place: dict[str, object], field: str, told: str
) -> None:
    with pytest.raises(Refusal, match=told) as refused:
        await begin(episodes, start=place)

    assert (refused.value.status, refused.value.code, refused.value.field) == (422, "invalid_start", field)


async def test_returns_count_from_the_start(episodes: Episodes) -> None:
    play = await finish(await at(episodes, 2, rewards="drill"))

    assert play.last.reward == 1.0
    assert play.last.metadata["episode_return"] == 1.0


async def test_giving_up_at_a_rung_is_worth_nothing_in_a_drill(episodes: Episodes) -> None:
    play = await at(episodes, 1, rewards="drill")
    await play.call("finish", answer="No.")

    assert play.last.metadata["episode_return"] == 0.0


async def test_a_limit_may_count_from_the_start(episodes: Episodes) -> None:
    play = await at(episodes, 1, max_steps="+2")
    assert play.last.observation["steps_remaining"] == 2
    await play.call("shop_list_orders")
    await play.call("shop_list_orders")

    assert (play.last.done, play.last.metadata["truncated"]) == (True, True)


@pytest.mark.parametrize("limit", [1, 2])
async def test_a_limit_that_leaves_no_step_is_refused(episodes: Episodes, limit: int) -> None:
    with pytest.raises(Refusal, match=r"such as \+10"):
        await at(episodes, 2, max_steps=limit)


@pytest.mark.parametrize("rewards", ["seed", "drill", "progress"])
async def test_the_trace_of_a_start_is_whole_and_grades_the_same(episodes: Episodes, rewards: str) -> None:
    play = await finish(await at(episodes, 1, rewards=rewards))

    trace = await episodes.trace(play.id)
    assert broken_links(trace) == []
    assert again(episodes, trace).differences == []
    assert [part["by"] for part in trace[0]["earlier"]] == ["oracle"]


async def test_a_changed_prefix_breaks_the_trace(episodes: Episodes) -> None:
    trace = await episodes.trace((await finish(await at(episodes, 1))).id)
    trace[1] = {**trace[1], "reward": 5.0}

    assert broken_links(trace) != []


async def test_another_process_plays_on_from_a_rung(episodes: Episodes, toy_stack: ToyStack) -> None:
    play = await at(episodes, 1, rewards="drill")
    async with ready_orchestrator(toy_stack) as other:
        elsewhere = await finish(Play(other, play.replies[:1]))
        trace = await other.trace(play.id)

    assert elsewhere.last.metadata["success"] is True
    assert broken_links(trace) == []


async def test_equal_starts_leave_equal_traces(episodes: Episodes, toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as other:
        hashes = {(await finish(await at(one, 2))).last.metadata["trace_hash"] for one in (episodes, other)}

    assert len(hashes) == 1


async def test_starts_at_the_same_time_share_one_play_of_the_oracle(toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as alone:
        plays = await asyncio.gather(*(at(alone, calls, seed=40) for calls in (0, 1, 2, 2, 1, 0)))
        rungs = {play.last.metadata["snapshot_id"] for play in plays}

    assert len(rungs) == CALLS


async def test_a_process_that_starts_anew_plays_no_oracle_again(
    toy_stack: ToyStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ready_orchestrator(toy_stack) as before:
        played = (await at(before, 2, seed=46)).last.metadata["snapshot_id"]
    monkeypatch.setattr(Branches, "snapshot", None)  # a ladder that is played takes snapshots
    async with ready_orchestrator(toy_stack) as after:
        found = (await at(after, 2, seed=46)).last.metadata["snapshot_id"]

    assert found == played


async def test_a_known_rung_is_reset_in_one_statement(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung = (await at(episodes, 2)).last.metadata["snapshot_id"]
    sent: list[str] = []
    together = Connection.together

    async def noted(connection: Connection, *calls: Call) -> list[Rows]:
        sent.extend(sql for sql, values in calls if values.get("snapshot") == rung)
        return await together(connection, *calls)

    monkeypatch.setattr(Connection, "together", noted)
    await at(episodes, 2)

    assert len(sent) == 1


async def test_a_rung_is_told_the_same_whether_it_is_remembered_or_not(
    episodes: Episodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, remembered = [(await at(episodes, 1)).last.observation for _ in range(2)]
    monkeypatch.setattr(continuations, "MOST_CHARACTERS", 1)
    await at(episodes, 2, rewards="sparse")
    read_again = (await at(episodes, 1)).last.observation

    assert first == remembered == read_again


async def test_a_dropped_rung_is_played_again(toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as alone:
        first = await at(alone, 1, seed=42)
        await alone.branches.drop(first.last.metadata["snapshot_id"])
        again = await at(alone, 1, seed=42)

    assert again.last.metadata["snapshot_id"] != first.last.metadata["snapshot_id"]
    assert again.last.metadata["trace_hash"] == first.last.metadata["trace_hash"]


async def test_a_rung_that_another_process_dropped_is_played_again(toy_stack: ToyStack) -> None:
    async with ready_orchestrator(toy_stack) as one, ready_orchestrator(toy_stack) as other:
        first = (await at(one, 1, seed=44)).last.metadata["snapshot_id"]
        await other.branches.drop(first)
        played_again = [(await at(each, 1, seed=44)).last.metadata["snapshot_id"] for each in (other, one)]

    assert first not in played_again
    assert played_again[0] == played_again[1]


async def test_a_ladder_is_kept_until_its_last_rung_is_gone(toy_stack: ToyStack) -> None:
    def ladders_left() -> int:
        return len(toy_stack.rows("SELECT 1 FROM orchestrator.ladders WHERE place LIKE %s", '%errand", 50,%'))

    async with ready_orchestrator(toy_stack) as alone:
        await at(alone, 1, seed=50)
        rungs = [
            row[0] for row in toy_stack.rows("SELECT id FROM orchestrator.snapshots WHERE seed = %s", 50)
        ]
        for rung in rungs[1:]:
            await alone.branches.drop(rung)
        await pruned(alone)
        with_one = ladders_left()
        await alone.branches.drop(rungs[0])
        await pruned(alone)

    assert (len(rungs), with_one, ladders_left()) == (CALLS, 1, 0)


async def test_a_snapshot_goes_on_under_other_rewards_tools_and_limits(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    snapshot = (await episodes.branches.snapshot(play.id))["snapshot_id"]
    other = Play(
        episodes,
        [await from_snapshot(episodes, snapshot, rewards="drill", max_steps="+3", tools=["wait", "finish"])],
    )

    assert {tool["name"] for tool in other.last.observation["tools"]} >= {"wait", "finish"}
    assert other.last.observation["steps_remaining"] == 3
    await other.call("wait", seconds=3600)
    await other.call("finish", answer="It is there.")
    trace = await episodes.trace(other.id)

    assert other.last.metadata["success"] is True
    assert [part["by"] for part in trace[0]["earlier"]] == ["agent"]
    assert broken_links(trace) == []
    assert again(episodes, trace).differences == []


async def test_a_snapshot_alone_goes_on_as_before(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    snapshot = (await episodes.branches.snapshot(play.id))["snapshot_id"]
    other = await from_snapshot(episodes, snapshot)

    assert other.metadata["trace_hash"] == play.last.metadata["trace_hash"]
    assert [one["action"]["tool_name"] for one in other.observation["prefix"]] == ["shop_place_order"]


async def test_parts_follow_one_another(episodes: Episodes) -> None:
    play = await at(episodes, 1, rewards="drill")
    await play.call("wait", seconds=3600)
    snapshot = (await episodes.branches.snapshot(play.id))["snapshot_id"]
    other = Play(episodes, [await from_snapshot(episodes, snapshot, rewards="sparse")])
    await other.call("finish", answer="It is there.")
    trace = await episodes.trace(other.id)

    assert [(part["by"], part["until"]) for part in trace[0]["earlier"]] == [("oracle", 1), ("agent", 2)]
    assert other.last.metadata["episode_return"] == 1.0
    assert broken_links(trace) == []
    assert again(episodes, trace).differences == []
