"""Guidance adds to the first observation alone; a typed answer is graded by its value, and refused by its shape."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from companyos.sdk.chaos import parse_chaos
from orchestrator.episodes.facade import Episodes, ResetOptions

from .test_regrading import again
from .toy_scenario import scenarios
from .toy_stack import Play, begin

RULES = "A chair is whatever has four legs."
POINTERS = "Where this is written down: The chair book; DOC-0001."
GIVEN = {"none": (), "pointers": (POINTERS,), "full": (RULES,)}


def answer_of(play: Play) -> dict[str, Any]:
    wanted = scenarios()["count"].generate(0, parse_chaos(0), "companyos-public").answer
    assert wanted is not None
    told: dict[str, Any] = wanted.document
    return told


@pytest.mark.parametrize("guidance", GIVEN)
async def test_guidance_says_more_in_the_first_observation_and_is_in_the_trace(
    episodes: Episodes, guidance: str
) -> None:
    play = await begin(episodes, scenario="count", guidance=guidance)

    text = play.last.observation["text"]
    assert [one for one in (RULES, POINTERS) if one in text] == [*GIVEN[guidance]]
    head = (await episodes.trace(play.id))[0]
    assert head["guidance"] == guidance
    assert head["observation"]["text"] == text
    token = play.last.metadata["agent_token"]
    assert (await episodes.agents.task(token))["text"] == text


async def test_guidance_changes_nothing_but_the_text(episodes: Episodes) -> None:
    plays = [await begin(episodes, scenario="count", guidance=one) for one in GIVEN]
    heads = [(await episodes.trace(play.id))[0] for play in plays]
    ours = {"guidance", "observation", "hash", "seal", "episode_id", "return"}

    seen = [{name: value for name, value in head.items() if name not in ours} for head in heads]
    assert seen[0] == seen[1] == seen[2]
    assert len({head["hash"] for head in heads}) == 3


async def test_a_fork_and_its_restart_keep_the_guidance(episodes: Episodes) -> None:
    play = await begin(episodes, scenario="count", guidance="full")

    kept = await episodes.branches.snapshot(play.id)
    opened = await episodes.reset(ResetOptions(snapshot=kept["snapshot_id"]))

    assert RULES in opened.observation["text"]


async def test_without_guidance_nothing_is_said_of_it(episodes: Episodes) -> None:
    play = await begin(episodes, guidance="full")

    assert play.last.observation["text"].count("\n\n") == 2


async def test_the_first_observation_says_the_shape_of_the_answer(episodes: Episodes) -> None:
    play = await begin(episodes, scenario="count")

    assert (
        "Call `finish` with an `answer` that is an object with exactly these members:"
        in (play.last.observation["text"])
    )


@pytest.mark.parametrize("answer", [None, "There are three chairs.", {"chairs": 3}, ["OLD-0"], 3])
async def test_an_answer_of_another_shape_is_refused_and_charged_and_ends_nothing(
    episodes: Episodes, answer: Any
) -> None:
    play = await begin(episodes, scenario="count")
    await play.call("finish", answer=answer)
    refused = play.last

    assert not refused.done
    assert refused.observation["error"]["code"] == "invalid_arguments"
    assert refused.observation["error"]["field"] == "answer"
    assert "`chairs`, a number with its unit" in refused.observation["error"]["message"]
    assert refused.reward == -0.6
    await play.call("finish", answer=answer_of(play))
    assert play.last.metadata["success"] is True
    assert again(episodes, await episodes.trace(play.id)).differences == []


async def test_a_wrong_value_is_final_and_fails(episodes: Episodes) -> None:
    play = await begin(episodes, scenario="count")
    right = answer_of(play)
    await play.call("finish", answer={**right, "first": "OLD-1"})

    assert play.last.done
    assert play.last.metadata["success"] is False
    grade = await episodes.grade(play.id)
    assert grade["answer"] == {"wanted": right, "given": {**right, "first": "OLD-1"}, "right": False}
    assert again(episodes, await episodes.trace(play.id)).differences == []


async def test_an_answer_that_is_changed_in_a_trace_is_told(episodes: Episodes) -> None:
    play = await begin(episodes, scenario="count")
    await play.call("finish", answer=answer_of(play))
    forged = deepcopy(await episodes.trace(play.id))
    forged[1]["action"]["arguments"]["answer"]["first"] = "OLD-1"

    told = again(episodes, forged)

    assert told.success is False
    assert any(one.startswith("step 1: success") for one in told.differences)


async def test_the_card_has_precision_and_recall_of_a_set(episodes: Episodes) -> None:
    play = await begin(episodes, scenario="count")
    for _ in range(2):
        await play.call("shop_place_order", item="lamp")

    [found] = (await episodes.grade(play.id))["sets"]

    assert (found["precision"], found["recall"], found["wrong"]) == (0.5, 1.0, ["ORD-0002"])


async def test_where_no_answer_is_asked_for_any_sentence_will_do(episodes: Episodes) -> None:
    play = await begin(episodes)
    await play.call("shop_place_order", item="lamp")
    await play.call("wait", seconds=3600)
    await play.call("finish", answer="It is there.")

    assert play.last.metadata["success"] is True
    assert (await episodes.grade(play.id))["answer"] is None
