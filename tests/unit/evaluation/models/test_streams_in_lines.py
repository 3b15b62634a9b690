"""Answers of Ollama's own `/api/chat`, which streams lines of JSON unless it is asked not to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AgentFailed
from tests.scripted_endpoint import Scripted


def in_lines(*events: Any, kind: str = "application/x-ndjson") -> Scripted:
    body = "".join(f"{json.dumps(event, ensure_ascii=False)}\n" for event in events)
    return Scripted(body.encode(), headers={"Content-Type": kind})


def chat_line(done: bool = False, **fields: Any) -> dict[str, Any]:
    counted = {"done_reason": "stop", "prompt_eval_count": 11, "eval_count": 7} if done else {}
    return {"model": "m", "message": {"role": "assistant", **fields}, "done": done, **counted}


OLLAMAS_CALL = {"function": {"name": "desk_look", "arguments": {"ticket_id": "TD-1"}}}


@pytest.mark.parametrize(
    "pieces",
    [
        [
            chat_line(content="I lo"),
            chat_line(content="ok\u2028."),
            chat_line(content="", tool_calls=[OLLAMAS_CALL]),
        ],
        [chat_line(content="I look\u2028.", tool_calls=[OLLAMAS_CALL])],
    ],
)
async def test_a_stream_in_lines_of_ollamas_own_is_read_as_one_answer(endpoint, openai, play, pieces):
    thoughts = [chat_line(content="", thinking="The "), chat_line(content="", thinking="ticket.")]
    endpoint.will_answer(in_lines(*thoughts, *pieces, chat_line(content="", done=True)))

    [turn, _] = await play(openai(), "ok")

    assert turn.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    assert (turn.text, turn.reasoning) == ("I look\u2028.", "The ticket.")
    assert (turn.usage.prompt_tokens, turn.usage.completion_tokens) == (11, 7)


async def test_calls_in_lines_are_told_apart_and_an_answer_may_be_one_line(endpoint, openai, play):
    other = {"function": {"name": "finish", "arguments": {}}}
    two = [chat_line(content="", tool_calls=[call]) for call in (OLLAMAS_CALL, other)]
    endpoint.will_answer(
        in_lines(*two, chat_line(content="", done=True)),
        in_lines(chat_line(content="", tool_calls=[other], done=True), kind="text/plain"),
    )

    turns = await play(openai(), "one", "two")

    assert [turn.output["tool_name"] for turn in turns] == ["desk_look", "finish", "finish"]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([chat_line(content="I lo")], "the stream ended before the answer did"),
        ([chat_line(content="I lo"), {"error": "model runner has unexpectedly stopped"}], "model runner"),
    ],
)
async def test_a_stream_in_lines_that_breaks_off_is_asked_for_again(endpoint, openai, play, lines, told):
    endpoint.will_answer(
        in_lines(*lines), in_lines(chat_line(content="", tool_calls=[OLLAMAS_CALL], done=True))
    )

    [turn] = await play(openai(max_retries=1))
    endpoint.answers[:] = [in_lines(*lines)]
    with pytest.raises(AgentFailed, match=told):
        await play(openai())

    assert turn.output["tool_name"] == "desk_look"
