"""Endpoints that differ from OpenAI's: each style is what a real endpoint sent or refused."""

import json
from typing import Any

import pytest

from companyos.evaluation.agents.turn import AgentFailed
from tests.scripted_endpoint import Scripted, completion, function_call

LOOK = function_call("desk_look", '{"ticket_id": "TD-1"}')
#: Google's endpoint, DeepSeek and Kimi, OpenRouter, vLLM.
SIGNED = {**LOOK, "extra_content": {"google": {"thought_signature": "CsEB"}}}
ENCRYPTED = [
    {"type": "reasoning.encrypted", "data": "gAAA", "id": "rs_1", "format": "openai-responses-v1", "index": 0}
]


def refused(message: str, status: int = 400, **error: Any) -> Scripted:
    return Scripted({"error": {"message": message, **error}}, status=status)


@pytest.mark.parametrize(
    "said",
    [
        {"tool_calls": [SIGNED]},
        {"tool_calls": [LOOK], "reasoning_content": "The ticket first."},
        {"tool_calls": [LOOK], "reasoning_details": ENCRYPTED},
        {"tool_calls": [LOOK], "reasoning": "The ticket first."},
        {"tool_calls": [{**LOOK, "index": 0}], "vendor": {"any": [1]}},
    ],
    ids=["Gemini", "DeepSeek", "OpenRouter", "vLLM", "others"],
)
async def test_unknown_fields_of_a_message_and_of_its_calls_are_repeated_as_they_came(
    endpoint, openai, play, said
):
    endpoint.will_answer(completion(None, **said))

    await play(openai(), "ok")

    repeated = endpoint.requests[1]["messages"][2]
    assert {name: repeated[name] for name in said} == said
    assert None not in repeated.values()


async def test_fields_of_messages_that_an_endpoint_refuses_are_left_out_for_the_rest_of_the_run(
    endpoint, openai, play
):
    refusal = "'messages.2' : for 'role:assistant' : property 'reasoning_content' is unsupported"
    endpoint.decides = lambda request: (
        refused(refusal)
        if "reasoning_content" in str(request["messages"])
        else Scripted(completion(None, LOOK, reasoning_content="Hm."))
    )

    turns = await play(openai(), "ok", "ok")

    assert [turn.hint for turn in turns] == [
        "",
        "scripted: it refuses reasoning_content in messages, left out",
        "",
    ]
    assert len(endpoint.requests) == 4


OPENAI = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
FIXED = "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is allowed."
EXTRA = {
    "detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]
}


@pytest.mark.parametrize(
    ("field", "refusal", "sent"),
    [
        (
            "max_tokens",
            refused(OPENAI, param="max_tokens", code="unsupported_parameter"),
            {"max_completion_tokens": 99},
        ),
        ("temperature", refused(FIXED, param="temperature", code="unsupported_value"), {}),
        ("temperature", refused("invalid temperature: only 1 is allowed for this model"), {}),
        ("seed", Scripted(EXTRA, status=422), {}),
        ("tool_choice", refused("tool_choice is not supported by this model"), {}),
    ],
)
async def test_a_parameter_that_is_refused_by_name_is_sent_otherwise_or_left_out_and_told(
    endpoint, openai, play, field, refusal, sent
):
    endpoint.decides = lambda request: refusal if field in request else Scripted(completion(None, LOOK))

    turns = await play(openai(temperature=0.5, max_tokens=99, seed=3), "ok")

    assert len(endpoint.requests) == 3
    assert field not in endpoint.requests[2]
    assert sent.items() <= endpoint.requests[2].items()
    assert f"it refuses `{field}`" in turns[0].hint
    assert turns[1].hint == ""


async def test_a_field_that_the_user_asked_for_is_never_left_out(endpoint, openai, play):
    endpoint.will_answer(refused("Unrecognized request argument supplied: reasoning_effort"))

    with pytest.raises(AgentFailed, match="reasoning_effort"):
        await play(openai(extra_body={"reasoning_effort": "low"}))


async def test_a_value_out_of_range_is_told_and_not_left_out(endpoint, openai, play):
    endpoint.will_answer(refused("temperature must be between 0 and 1"))

    with pytest.raises(AgentFailed, match="temperature must be between 0 and 1"):
        await play(openai(temperature=1.5))


async def test_caching_that_a_server_does_not_know_is_left_out(endpoint, anthropic, play):
    refusal = {"type": "invalid_request_error", "message": "cache_control: Extra inputs are not permitted"}
    message = {
        "content": [{"type": "tool_use", "id": "a", "name": "desk_look", "input": {}}],
        "stop_reason": "tool_use",
    }
    endpoint.decides = lambda request: Scripted(
        {"type": "error", "error": refusal} if "cache_control" in request else message,
        status=400 if "cache_control" in request else 200,
    )

    [turn] = await play(anthropic())

    assert turn.output["tool_name"] == "desk_look"
    assert "cache_control" in turn.hint


@pytest.mark.parametrize(
    "refusal", ["System role not supported", "Developer instruction is not enabled for models/gemma-3-27b-it"]
)
async def test_a_template_without_a_system_role_gets_the_system_prompt_with_the_task(
    endpoint, openai, play, refusal
):
    endpoint.decides = lambda request: (
        refused(refusal) if request["messages"][0]["role"] == "system" else Scripted(completion(None, LOOK))
    )
    agent = openai()

    [turn] = await play(agent)

    assert endpoint.requests[1]["messages"] == [
        {"role": "user", "content": f"{agent.system_prompt}\n\nThe task."}
    ]
    assert "system role" in turn.hint


@pytest.mark.parametrize("arguments", [{}, {"ticket_id": "TD-1"}, "", " ", None], ids=repr)
async def test_arguments_as_an_object_or_nothing_are_played_and_repeated_as_they_were(
    endpoint, openai, play, arguments
):
    endpoint.will_answer(
        completion(None, {**LOOK, "function": {"name": "desk_look", "arguments": arguments}})
    )

    [turn, _] = await play(openai(), "ok")

    assert turn.output == {
        "tool_name": "desk_look",
        "arguments": arguments if isinstance(arguments, dict) else {},
    }
    assert endpoint.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"] == arguments


async def test_an_endpoint_that_wants_arguments_as_text_gets_them_so(endpoint, openai, play):
    said = completion(None, {**LOOK, "function": {"name": "desk_look", "arguments": {"ticket_id": "TD-1"}}})
    endpoint.decides = lambda request: (
        refused("Invalid type for 'messages[2].tool_calls[0].function.arguments': expected a string")
        if "'arguments': {" in str(request["messages"])
        else Scripted(said)
    )

    await play(openai(), "ok")

    repeated = endpoint.requests[2]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(repeated) == {"ticket_id": "TD-1"}


async def test_an_answer_of_ollamas_own_is_read_as_a_chat_completion(endpoint, openai, play):
    call = {"function": {"name": "desk_look", "arguments": {"ticket_id": "TD-1"}}}
    said = {"role": "assistant", "content": "", "tool_calls": [call]}
    counted = {"done_reason": "stop", "done": True, "prompt_eval_count": 11, "eval_count": 7}
    endpoint.will_answer({"model": "m", "created_at": "2026-11-29T00:00:00Z", "message": said, **counted})

    [turn] = await play(openai())

    assert turn.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    assert (turn.usage.prompt_tokens, turn.usage.completion_tokens) == (11, 7)


async def test_a_refusal_of_the_model_is_an_invalid_action_that_names_it(endpoint, openai, play):
    endpoint.will_answer(completion(None, refusal="I can't help with that."))

    [turn] = await play(openai())

    assert turn.output == {"type": "invalid", "raw": "I can't help with that."}
    assert turn.hint == "the model refused: I can't help with that."


DRAFT = '{"tool_name": "refuse", "arguments": {}}'
SPOKEN = '{"tool_name": "desk_look", "arguments": {}}'
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]}


@pytest.mark.parametrize(
    ("content", "reasoning"),
    [
        ([THOUGHT, {"type": "text", "text": SPOKEN}], DRAFT),
        ([{"type": "thinking", "thinking": DRAFT}, {"type": "text", "text": SPOKEN}], DRAFT),
        ([{"type": "reasoning", "text": DRAFT}, {"type": "text", "text": SPOKEN}], DRAFT),
        ([SPOKEN[:12], SPOKEN[12:]], ""),
        ({"type": "text", "text": SPOKEN}, ""),
        (json.loads(SPOKEN), ""),
    ],
    ids=["Mistral", "thinking", "reasoning", "texts", "one part", "parsed"],
)
async def test_content_in_parts_is_its_text_and_its_thoughts_are_reasoning(
    endpoint, openai, play, content, reasoning
):
    endpoint.will_answer(completion(content))

    [turn] = await play(openai(tool_mode="json"))

    assert (turn.output["tool_name"], turn.reasoning) == ("desk_look", reasoning)


async def test_a_function_call_of_the_older_protocol_is_played_and_answered_in_it(endpoint, openai, play):
    called = {"name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    endpoint.will_answer(completion("", function_call=called, functions_state_id="77d3fb14"))

    [turn, _] = await play(openai(), "priority: high")

    assert turn.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    said, result = endpoint.requests[1]["messages"][2:]
    assert (said["function_call"], said["functions_state_id"]) == (called, "77d3fb14")
    assert result == {"role": "function", "name": "desk_look", "content": "priority: high"}


async def test_a_call_in_a_part_of_the_content_is_played_and_sent_back_as_a_call(endpoint, openai, play):
    part = {"type": "tool_use", "id": "t1", "name": "desk_look", "input": {"ticket_id": "TD-1"}}
    endpoint.will_answer(completion([{"type": "text", "text": "I look."}, part]))

    [turn, _] = await play(openai(), "ok")

    assert turn.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    said, result = endpoint.requests[1]["messages"][2:]
    assert said["content"] == "I look."
    assert [call["function"] for call in said["tool_calls"]] == [
        {"name": "desk_look", "arguments": '{"ticket_id": "TD-1"}'}
    ]
    assert result["tool_call_id"] == "t1"


@pytest.mark.parametrize("choice", [{}, {"message": None}])
async def test_a_choice_that_was_filtered_out_is_told_with_its_reason(endpoint, openai, play, choice):
    endpoint.will_answer({"choices": [{"index": 0, "finish_reason": "content_filter", **choice}]})

    with pytest.raises(AgentFailed, match=r"said nothing, 3 times in a row \(it stopped for: content_filter"):
        await play(openai())


async def test_an_answer_that_was_cut_before_it_began_is_told_with_what_helps(endpoint, openai, play):
    cut = completion("", reasoning_content="Hm. " * 50)
    cut["choices"][0]["finish_reason"] = "length"
    endpoint.will_answer(cut)

    with pytest.raises(AgentFailed, match="it stopped for: length; raise --answer-tokens"):
        await play(openai())


@pytest.mark.parametrize("said", ["<function=desk_look>{}</function>", "I am done."])
async def test_a_call_that_the_endpoint_could_not_read_is_what_the_model_said(endpoint, openai, play, said):
    endpoint.will_answer(
        refused(
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
            type="invalid_request_error",
            code="tool_use_failed",
            failed_generation=said,
        ),
        completion(None, LOOK),
    )

    [turn, _] = await play(openai(), "ok")

    assert turn.output in ({"tool_name": "desk_look", "arguments": {}}, {"type": "invalid", "raw": said})
    assert endpoint.requests[1]["messages"][2] == {"role": "assistant", "content": said}


async def test_half_a_character_beside_a_call_is_cleaned_where_it_enters(endpoint, openai, play):
    endpoint.will_answer(completion("I look \ud83d", LOOK, reasoning_content="\udc00"))

    [turn] = await play(openai())

    assert (turn.text, turn.reasoning) == ("I look ?", "?")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            [{"error": {"code": 400, "message": "Function call is missing a thought_signature"}}],
            "thought_signature",
        ),
        ({"error": "Input validation error: `best_of` must be > 0"}, "best_of"),
        ({"detail": [{"loc": ["body", "x"], "msg": "Field required"}]}, "Field required"),
        (
            {"error": {"message": "Provider returned error", "metadata": {"raw": "image too small"}}},
            "image too small",
        ),
        ({"object": "error", "message": "Unknown role", "code": 40}, "Unknown role"),
    ],
)
async def test_the_vendors_words_are_in_the_error_whatever_its_form(endpoint, openai, play, body, told):
    endpoint.will_answer(Scripted(body, status=400))

    with pytest.raises(AgentFailed, match=told):
        await play(openai())


@pytest.mark.parametrize(
    "words",
    [
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "registry.ollama.ai/library/gemma:2b does not support tools",
        "No endpoints found that support tool use.",
    ],
)
async def test_an_endpoint_without_tools_is_told_with_what_helps(endpoint, openai, play, words):
    endpoint.will_answer(refused(words))

    with pytest.raises(AgentFailed, match="Use --tool-mode json"):
        await play(openai())
