"""An agent over Anthropic's messages: what it sends, what it makes of answers, and how it fails."""

import json

import pytest

from companyos.evaluation.agents.turn import AgentFailed, Usage
from tests.scripted_endpoint import Scripted, anthropic_message, shown

THINKING = {"type": "thinking", "thinking": "The ticket first.", "signature": "abc"}
TEXT = {"type": "text", "text": "I look."}
LOOK = {"type": "tool_use", "id": "toolu_1", "name": "desk_look", "input": {"ticket_id": "TD-1"}}


async def test_a_call_is_played_and_its_result_sent_back_with_all_that_was_said(endpoint, anthropic, play):
    endpoint.will_answer(anthropic_message(THINKING, TEXT, LOOK))

    first, _ = await play(anthropic(), "priority: high")

    assert first.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    assert (first.text, first.reasoning) == ("I look.", "The ticket first.")
    assert endpoint.requests[1]["messages"] == [
        {"role": "user", "content": "The task."},
        {"role": "assistant", "content": [THINKING, TEXT, LOOK]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "priority: high"}],
        },
    ]


async def test_the_request_has_the_vendors_form_and_asks_for_caching(endpoint, anthropic, play):
    endpoint.will_answer(anthropic_message(LOOK))
    agent = anthropic(temperature=0.5, max_tokens=99)

    await play(agent)

    [sent] = endpoint.requests
    assert endpoint.paths == ["/v1/messages"]
    assert any("sk-secret-key" in value for value in endpoint.headers[0].values())
    assert sent["system"] == agent.system_prompt
    assert sent["tools"][0]["input_schema"] == shown()["tools"][0]["input_schema"]
    assert (sent["temperature"], sent["max_tokens"]) == (0.5, 99)
    assert sent["cache_control"] == {"type": "ephemeral"}


async def test_tools_in_the_system_prompt_are_called_in_text(endpoint, anthropic, play):
    endpoint.will_answer(
        anthropic_message({"type": "text", "text": 'So: {"tool_name": "desk_look", "arguments": {}}'})
    )
    agent = anthropic(tool_mode="json")

    turn, _ = await play(agent, "ok")

    assert "desk_look" in agent.system_prompt
    assert "tools" not in endpoint.requests[0]
    assert turn.output == {"tool_name": "desk_look", "arguments": {}}
    assert turn.text == "So:"
    assert endpoint.requests[1]["messages"][2]["content"] == [{"type": "text", "text": "ok"}]


async def test_cached_tokens_are_part_of_the_prompt_and_priced_apart(endpoint, anthropic, play):
    endpoint.will_answer(anthropic_message(LOOK))
    prices = {"prompt": 10, "completion": 100, "cached": 1, "cache_write": 12.5}

    [turn] = await play(anthropic(prices=prices))

    cost = (100 * 10 + 800 * 1 + 100 * 12.5 + 50 * 100) / 1e6
    assert turn.usage == Usage(1000, 50, 800, pytest.approx(cost))


async def test_several_calls_are_turns_one_after_another(endpoint, anthropic, play):
    endpoint.will_answer(anthropic_message(LOOK, {**LOOK, "id": "toolu_2", "name": "finish", "input": {}}))

    turns = await play(anthropic(), "one", "two")

    assert [turn.output["tool_name"] for turn in turns] == ["desk_look", "finish", "desk_look"]
    assert [block["tool_use_id"] for block in endpoint.requests[1]["messages"][2]["content"]] == [
        "toolu_1",
        "toolu_2",
    ]


async def test_a_refusal_to_go_on_is_an_invalid_action_that_holds_its_text(endpoint, anthropic, play):
    endpoint.will_answer(anthropic_message({"type": "text", "text": "I cannot."}, stop_reason="refusal"))

    [turn] = await play(anthropic())

    assert turn.output == {"type": "invalid", "raw": "I cannot."}


@pytest.mark.parametrize("blocks", [[], [{"type": "text", "text": " "}], [THINKING]])
async def test_a_model_that_says_nothing_is_asked_again_and_then_fails(endpoint, anthropic, play, blocks):
    endpoint.will_answer(anthropic_message(*blocks, stop_reason="max_tokens"))

    with pytest.raises(
        AgentFailed, match=r"3 times in a row \(it stopped for: max_tokens; raise --answer-tokens\)"
    ):
        await play(anthropic())


STREAM = [
    {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "thinking", "thinking": "", "signature": ""},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "thinking_delta", "thinking": "The ticket "},
    },
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "first."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "abc"}},
    {"type": "content_block_start", "index": 1, "content_block": {**LOOK, "input": {}}},
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"ticket_'},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": 'id": "TD-1"}'},
    },
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]


async def test_an_endpoint_that_only_streams_is_read_as_one_that_answers_at_once(endpoint, anthropic, play):
    events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in STREAM)
    endpoint.decides = lambda request: (
        Scripted(events.encode(), headers={"Content-Type": "text/event-stream"})
        if request.get("stream")
        else Scripted({"type": "error", "error": {"message": "stream must be true"}}, status=400)
    )

    first, _ = await play(anthropic(), "ok")

    assert first.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    assert first.usage == Usage(10, 9)
    assert endpoint.requests[2]["messages"][1]["content"] == [THINKING, LOOK]
    assert "stream_options" not in endpoint.requests[1]


async def test_a_streamed_call_that_was_cut_off_is_named_in_words(endpoint, anthropic, play):
    cut = [event for event in STREAM if event.get("delta", {}).get("partial_json") != 'id": "TD-1"}']
    events = "".join(f"data: {json.dumps(event)}\n\n" for event in cut)
    endpoint.will_answer(Scripted(events.encode(), headers={"Content-Type": "text/event-stream"}))

    with pytest.raises(AgentFailed, match=r"arguments of its call of 'desk_look' are not JSON .*max_tokens"):
        await play(anthropic())


async def test_a_stream_with_pieces_of_no_block_is_read(endpoint, anthropic, play):
    pieces = [
        {"type": "message_start"},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "hello"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    ]
    events = "".join(f"data: {json.dumps(event)}\n\n" for event in pieces)
    endpoint.will_answer(Scripted(events.encode(), headers={"Content-Type": "text/event-stream"}))

    [turn] = await play(anthropic())

    assert turn.output == {"type": "invalid", "raw": "hello"}


async def test_an_overloaded_endpoint_is_waited_out(endpoint, anthropic, play):
    overloaded = Scripted(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        status=529,
        headers={"Retry-After": "0.01"},
    )
    endpoint.will_answer(overloaded, anthropic_message(LOOK))

    [turn] = await play(anthropic(max_retries=1))

    assert turn.output["tool_name"] == "desk_look"


async def test_a_prompt_that_is_too_long_loses_its_oldest_result(endpoint, anthropic, play):
    too_long = Scripted(
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8"},
        },
        status=400,
    )
    endpoint.will_answer(anthropic_message(LOOK), anthropic_message(LOOK), too_long, anthropic_message(LOOK))

    turns = await play(anthropic(), "first result", "second result")

    assert [turn.omitted_results for turn in turns] == [0, 0, 1]
    assert "first result" not in str(endpoint.requests[3])
    assert "second result" in str(endpoint.requests[3])


@pytest.mark.parametrize(
    "answer",
    [
        Scripted(
            {"type": "error", "error": {"type": "authentication_error", "message": "sk-secret-key"}},
            status=401,
        ),
        Scripted({"content": "text"}),
        Scripted({}),
        Scripted(b"{", status=200),
    ],
)
async def test_an_endpoint_that_refuses_or_answers_nonsense_fails_the_agent(
    endpoint, anthropic, play, answer
):
    endpoint.will_answer(answer)

    with pytest.raises(AgentFailed, match=r"scripted at http://127\.0\.0\.1") as failure:
        await play(anthropic())

    assert "sk-secret-key" not in str(failure.value)
