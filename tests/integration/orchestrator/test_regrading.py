"""What is rare in real companies is regraded in the small town: collateral damage, duplicates, and stopped episodes."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from companyos.sdk.chaos import parse_chaos
from orchestrator.audit.regrading import Regraded, Rules, regraded
from orchestrator.audit.verification import broken_links
from orchestrator.episodes.facade import Episodes
from orchestrator.protocol.trace import seal

from .toy_scenario import scenarios
from .toy_stack import Play, begin

SALT = "companyos-public"


def again(episodes: Episodes, trace: list[dict[str, Any]]) -> Regraded:
    head = trace[0]
    scenario = scenarios()[head["scenario"]]
    instance = scenario.generate(head["seed"], parse_chaos(head["chaos"]["level"]), SALT, head["size"])
    return regraded(trace, instance, Rules(episodes._components.catalogs.known.journals, {}, frozenset()))


async def damaged(episodes: Episodes, **options: Any) -> Play:
    """Solve the errand, but cancel an order that is none of the agent's business."""
    play = await begin(episodes, **options)
    await play.call("shop_place_order", item="lamp")
    await play.call("shop_cancel_order", order_id="OLD-0")
    await play.call("wait", seconds=3600)
    await play.call("finish")
    return play


async def test_collateral_damage_is_found_again(episodes: Episodes) -> None:
    play = await damaged(episodes)
    trace = await episodes.trace(play.id)

    assert trace[2]["outside"] == [["shop", "orders", "OLD-0"]]
    assert broken_links(trace) == []
    assert again(episodes, trace) == Regraded(play.last.metadata["episode_return"], False, [])


async def test_collateral_damage_that_is_left_out_of_a_trace_is_told(episodes: Episodes) -> None:
    forged = deepcopy(await episodes.trace((await damaged(episodes)).id))
    forged[2]["outside"] = []
    forged[-1]["success"] = True

    told = again(episodes, forged)

    assert told.success is False
    chaos_summary = {problem.split(" is ")[0] for problem in told.differences}
    assert {"step 2: outside", "step 4: success"} <= chaos_summary


async def test_faults_that_were_not_offered_are_sealed_and_found_again(episodes: Episodes) -> None:
    forged = deepcopy(await episodes.trace((await damaged(episodes)).id))
    head = forged[0]
    assert head["not_offered"] == []
    head["not_offered"] = ["biz.policy_drift"]

    assert broken_links(forged) == ["seal: the trace does not match its seal"]
    head["seal"] = seal(head, forged[-1]["hash"])

    assert broken_links(forged) == []
    assert again(episodes, forged).differences == [
        "head: not_offered is ['biz.policy_drift'] but should be []"
    ]


async def test_malformed_actions_are_charged_again_as_they_were(episodes: Episodes) -> None:
    play = await begin(episodes, tools=["shop_place_order", "finish"])
    for action in (
        {"type": "invalid", "raw": "Let me think."},
        {"tool_name": "shop_place_orders", "arguments": {}},
        {"tool_name": "shop_cancel_order", "arguments": {"order_id": "OLD-0"}},
        {"tool_name": "shop_place_order", "arguments": "{"},
        {"tool_name": "shop_place_order", "arguments": {"item": "lamp", "colour": "red"}},
    ):
        play.replies.append(await episodes.step(play.id, action))
    trace = await episodes.trace(play.id)
    forged = deepcopy(trace)
    forged[1]["outcome"] = "bad_arguments"

    outcomes = ["no_call", "unknown_tool", "unknown_tool", "bad_arguments", "bad_arguments"]
    assert [record["outcome"] for record in trace[1:]] == outcomes
    assert again(episodes, trace) == Regraded(play.last.metadata["episode_return"], None, [])
    assert again(episodes, forged).differences[0] == (
        "step 1: the call is charged as bad_arguments, which contradicts its result"
    )


async def test_a_failed_finish_pays_two_and_takes_its_milestones_back_again(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await play.call("finish")
    trace = await episodes.trace(play.id)
    forged = deepcopy(trace)
    forged[-1]["ledger"] = [line for line in forged[-1]["ledger"] if line["name"] != "milestones_taken_back"]

    assert {"failure": -2.0, "milestones_taken_back": -1.0}.items() <= {
        line["name"]: line["amount"] for line in trace[-1]["ledger"]
    }.items()
    assert again(episodes, trace) == Regraded(play.last.metadata["episode_return"], False, [])
    assert [told.split(" is ")[0] for told in again(episodes, forged).differences] == ["step 2: ledger"]


async def test_a_broken_prohibition_is_found_again(episodes: Episodes) -> None:
    play = await begin(episodes)
    for _ in range(2):
        await play.call("shop_place_order", item="lamp")
    await play.call("refuse", reason_code="no_assistant")

    told = again(episodes, await episodes.trace(play.id))

    assert told == Regraded(play.last.metadata["episode_return"], False, [])


@pytest.mark.parametrize("mode", ["dense", "outcome"])
async def test_an_episode_that_was_stopped_is_not_scored_again(episodes: Episodes, mode: str) -> None:
    play = await begin(episodes, scenario="riddle", reward_mode=mode)
    await play.call("shop_place_order", item="lamp")
    assert play.last.metadata["invalid"] is True

    told = again(episodes, await episodes.trace(play.id))

    assert told == Regraded(0.0, None, [])
