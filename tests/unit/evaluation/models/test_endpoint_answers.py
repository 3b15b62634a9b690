"""Endpoints that stream, that answer with errors, and that count tokens in ways of their own."""

import json
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AgentFailed, Usage
from tests.scripted_endpoint import Scripted, completion, function_call

LOOK = function_call("desk_look", '{"ticket_id": "TD-1"}')


def refused(message: str) -> Scripted:
    return Scripted({"error": {"message": message}}, status=400)


def streamed(*events: Any, done: str = "data: [DONE]\n\n") -> Scripted:
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + done
    return Scripted(body.encode(), headers={"Content-Type": "text/event-stream; charset=utf-8"})


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def call_delta(index: int, **fields: Any) -> dict[str, Any]:
    return delta(tool_calls=[{"index": index, **fields}])


PIECES = [
    delta(role="assistant", content=""),
    delta(reasoning_content="The "),
    delta(reasoning_content="ticket."),
    delta(content="I lo"),
    delta(content="ok. ü"),
    call_delta(
        0,
        id="a",
        type="function",
        function={"name": "desk_look", "arguments": ""},
        extra_content={"google": 1},
    ),
    call_delta(0, function={"arguments": '{"ticket_id"'}),
    call_delta(0, function={"arguments": ': "TD-1"}'}),
    call_delta(1, id="b", type="function", function={"name": "finish", "arguments": "{}"}),
    delta("tool_calls"),
    {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}},
]
ONLY_STREAMS = "This model only support stream mode, please enable the stream parameter to access the model."


async def test_streamed_calls_of_one_index_and_one_id_are_told_apart_by_their_names(endpoint, openai, play):
    looks = {"name": "desk_look", "arguments": '{"ticket_id": "TD-1"}'}
    pieces = [
        call_delta(0, id="a", function=looks),
        call_delta(0, id="a", function={"name": "finish", "arguments": "{}"}),
        delta("tool_calls"),
    ]
    endpoint.will_answer(streamed(*pieces))

    turns = await play(openai(), "ok")

    assert [turn.output["tool_name"] for turn in turns] == ["desk_look", "finish"]


async def test_an_endpoint_that_only_streams_is_read_as_one_that_answers_at_once(endpoint, openai, play):
    endpoint.decides = lambda request: streamed(*PIECES) if request.get("stream") else refused(ONLY_STREAMS)

    turns = await play(openai(), "ok", "done", "more")

    assert [turn.output["tool_name"] for turn in turns[:2]] == ["desk_look", "finish"]
    assert (turns[0].text, turns[0].reasoning, turns[0].usage) == ("I look. ü", "The ticket.", Usage(10, 5))
    assert endpoint.requests[1]["stream_options"] == {"include_usage": True}
    assert "only streams" in turns[0].hint
    repeated = endpoint.requests[2]["messages"][2]
    assert repeated["reasoning_content"] == "The ticket."
    assert repeated["tool_calls"][0] == {**LOOK, "id": "a", "extra_content": {"google": 1}}
    assert [call["id"] for call in repeated["tool_calls"]] == ["a", "b"]


async def test_a_long_stream_is_read_whole(endpoint, openai, play):
    words = [delta(content=f"word {number} ") for number in range(50_000)]
    endpoint.will_answer(streamed(*words, delta("stop")))

    [turn] = await play(openai())

    assert turn.output["raw"].startswith("word 0 word 1 ")
    assert len(endpoint.requests) == 1


async def test_calls_of_a_stream_that_share_an_index_are_told_apart_by_their_ids(endpoint, openai, play):
    calls = [call_delta(0, id=name, function={"name": "desk_look", "arguments": "{}"}) for name in ("a", "b")]
    endpoint.will_answer(streamed(*calls, delta("tool_calls")))

    await play(openai(), "one", "two")

    assert [call["id"] for call in endpoint.requests[1]["messages"][2]["tool_calls"]] == ["a", "b"]


OPENED = {"id": "a", "function": {"name": "desk_look", "arguments": ""}}
ARGUMENTS = '{"ticket_id": "TD-1"}'
PIECEMEAL = {
    "without indexes": [
        delta(tool_calls=[OPENED]),
        delta(tool_calls=[{"function": {"arguments": ARGUMENTS[:9]}}]),
        delta(tool_calls=[{"function": {"arguments": ARGUMENTS[9:]}}]),
    ],
    "another id in every piece (vLLM)": [
        call_delta(0, **OPENED),
        call_delta(0, id="b", function={"name": None, "arguments": ARGUMENTS}),
    ],
    "a name in pieces": [
        call_delta(0, id="a", function={"name": "desk_", "arguments": ""}),
        call_delta(0, function={"name": "look", "arguments": ARGUMENTS}),
    ],
    "the name in every piece": [
        call_delta(0, **OPENED),
        call_delta(0, id="a", function={"name": "desk_look", "arguments": ARGUMENTS}),
    ],
    "a function call of the older protocol": [
        delta(function_call={"name": "desk_look", "arguments": ""}),
        delta(function_call={"arguments": ARGUMENTS}),
    ],
}


@pytest.mark.parametrize("form", PIECEMEAL)
async def test_a_call_in_pieces_is_put_together_however_they_name_it(endpoint, openai, play, form):
    endpoint.will_answer(streamed(*PIECEMEAL[form], delta("tool_calls")))

    [turn, after] = await play(openai(), "ok")

    assert turn.output == {"tool_name": "desk_look", "arguments": ARGUMENTS}
    assert not after.same_message


CALLED = call_delta(0, id="a", function={"name": "desk_look", "arguments": ARGUMENTS})
WHOLE = {"role": "assistant", "content": "I look", "tool_calls": [LOOK]}
ODD_STREAMS = {
    "no reason, but its end is told": [CALLED],
    "the whole message at last (MiniMax)": [
        delta(content="I lo"),
        delta(content="ok"),
        {"choices": [{"index": 0, "message": WHOLE, "finish_reason": "tool_calls"}]},
    ],
    "another choice": [
        CALLED,
        {"choices": [{"index": 1, "delta": {"content": "Or not."}, "finish_reason": "stop"}]},
        delta("tool_calls"),
    ],
}


@pytest.mark.parametrize("form", ODD_STREAMS)
async def test_an_odd_stream_is_one_answer(endpoint, openai, play, form):
    endpoint.will_answer(streamed(*ODD_STREAMS[form]))

    [turn] = await play(openai())

    assert turn.output == {"tool_name": "desk_look", "arguments": ARGUMENTS}
    assert turn.text in ("", "I look")


async def test_a_stream_that_is_declared_as_json_is_one_all_the_same(endpoint, openai, play):
    answer = streamed(CALLED, delta("tool_calls"))
    endpoint.will_answer(Scripted(answer.body, headers={"Content-Type": "application/json"}))

    [turn] = await play(openai())

    assert turn.output == {"tool_name": "desk_look", "arguments": ARGUMENTS}


async def test_thoughts_in_pieces_beside_text_are_one_thought(endpoint, openai, play):
    thoughts = [
        delta(content=[{"type": "thinking", "thinking": [{"type": "text", "text": text}]}])
        for text in ("The ", "ticket.")
    ]
    endpoint.will_answer(
        streamed(*thoughts, delta(content="I lo"), delta(content="ok"), CALLED, delta("tool_calls"))
    )

    [turn, _] = await play(openai(), "ok")

    assert (turn.text, turn.reasoning) == ("I look", "The ticket.")
    assert endpoint.requests[1]["messages"][2]["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "The ticket."}]},
        {"type": "text", "text": "I look"},
    ]


@pytest.mark.parametrize("before", ["retry: 3000\n\n", "\ufeff", ": PROCESSING\n\n", "event: message\n"])
@pytest.mark.parametrize("word", ["a\u2028b", "a\x85b"])
async def test_separators_of_unicode_within_an_event_end_no_line(endpoint, openai, play, before, word):
    events = [delta(content=word), CALLED, delta("tool_calls")]
    body = before + "".join(f"data: {json.dumps(event, ensure_ascii=False)}\r\n\r\n" for event in events)
    endpoint.will_answer(
        Scripted(body.encode(), headers={"Content-Type": "text/event-stream; charset=utf-8"})
    )

    [turn] = await play(openai())

    assert (turn.output["tool_name"], turn.text) == ("desk_look", word)


@pytest.mark.parametrize(
    "broken",
    [
        streamed(*PIECES[:5], done=""),
        streamed(*PIECES[:5], {"error": {"code": 502, "message": "Provider disconnected"}}),
        Scripted({"error": {"message": "Provider returned error", "code": 429}, "user_id": "u"}),
        Scripted({"error": {"message": "Upstream error", "code": "502"}}),
        Scripted({"error": {"message": "Overloaded", "type": "server_error", "code": None}}),
        Scripted({**completion(""), "choices": None}),
        Scripted({**completion(""), "choices": []}),
        Scripted(
            {"choices": [{"finish_reason": "error", "error": {"code": 503, "message": "x"}, "message": {}}]}
        ),
        Scripted(b'{"choices": ['),
        Scripted({"object": "error", "message": "NETWORK ERROR DUE TO HIGH TRAFFIC.", "code": 50001}),
        Scripted({"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded"}),
        Scripted({"detail": "upstream unavailable"}),
        Scripted({"result": None, "errors": [{"code": 3040, "message": "Capacity exceeded"}]}),
    ],
)
async def test_an_error_within_an_answer_that_may_pass_is_waited_out_or_told(endpoint, openai, play, broken):
    endpoint.will_answer(broken, completion(None, LOOK))

    [turn] = await play(openai(max_retries=1))

    assert turn.output["tool_name"] == "desk_look"
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ({"message": "No credits", "code": 402}, "it wants to be paid first. No credits"),
        ({"message": "bad", "type": "invalid_request_error"}, "it does not accept the request. bad"),
        ({"message": "no", "code": 401}, "it refuses the key in OPENAI_API_KEY. no"),
        ({"message": "no", "code": 403}, "it does not allow this with the key in OPENAI_API_KEY. no"),
        ({"message": "busy", "code": 429}, "the rate limit is reached, or the quota is used up. busy"),
    ],
)
async def test_an_error_within_an_answer_is_told_in_the_vendors_words(endpoint, openai, play, error, told):
    endpoint.will_answer(Scripted({"error": error}))

    with pytest.raises(AgentFailed, match=told):
        await play(openai())
    assert len(endpoint.requests) == 1


async def test_tokens_of_answers_that_are_thrown_away_are_counted_even_if_the_agent_fails(
    endpoint, openai, play
):
    cut = {**completion(""), "choices": None}
    endpoint.will_answer(Scripted(cut), completion(None, LOOK))

    [turn] = await play(openai(max_retries=1))

    assert turn.usage == Usage(2000, 100, 800)
    endpoint.answers = [Scripted(completion(""))]
    with pytest.raises(AgentFailed, match="said nothing") as failure:
        await play(openai())
    assert failure.value.usage == Usage(3000, 150, 1200)


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 5, "prompt_cache_hit_tokens": 4}, Usage(9, 5, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "cached_tokens": 4}, Usage(9, 5, 4)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 5,
                "total_tokens": 114,
                "completion_tokens_details": {"reasoning_tokens": 100},
            },
            Usage(9, 105),
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 105,
                "total_tokens": 114,
                "completion_tokens_details": {"reasoning_tokens": 100},
            },
            Usage(9, 105),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 114}, Usage(9, 105)),
        ({"prompt_tokens": 9, "completion_tokens": 5, "cost": 0.25}, Usage(9, 5, cost_usd=0.25)),
        ({"prompt_tokens": "9.0", "completion_tokens": float("nan"), "cost": "much"}, Usage(9)),
        (None, Usage()),
    ],
    ids=["DeepSeek", "Moonshot", "xAI", "OpenAI", "Gemini", "OpenRouter", "text", "none"],
)
async def test_tokens_are_counted_as_the_endpoint_means_them(endpoint, openai, play, told, usage):
    endpoint.will_answer({**completion(None, LOOK), "usage": told})

    [turn] = await play(openai())

    assert turn.usage == usage
