"""What endpoints answer, read without trusting it, and what is told of an endpoint that fails."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.models import OpenAISettings, Prices
from companyos.evaluation.models.actions import intent_of
from companyos.evaluation.models.chat_history import ChatHistory
from companyos.evaluation.models.endpoint import ContextOverflow, EndpointFailed, Exchange, ModelReply, Prompt
from companyos.evaluation.models.failures import failure_in, failure_of, unreadable
from companyos.evaluation.models.formats import anthropic_format, openai_format
from companyos.evaluation.models.settings import ToolMode
from companyos.evaluation.models.token_estimate import TokenEstimate

PRICES = Prices(prompt=2.0, completion=10.0, cached=0.5, cache_write=4.0)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "tool_calls", "usage", "type", "text"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=30)
@given(JSON)
def test_any_json_is_read_as_a_reply_or_as_none(answer: Any) -> None:
    for read in (openai_format.reply_of, anthropic_format.reply_of):
        reply = read(answer, PRICES)

        assert reply is None or isinstance(reply, ModelReply)


def completion(**message: Any) -> Any:
    return {"choices": [{"message": message}]}


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"reasoning_content": "", "reasoning": "b"}, "b"),
        ({"reasoning": [{"text": "b"}, {"text": "c"}]}, "bc"),
        ({"reasoning_details": [{"type": "reasoning.text", "text": "d"}]}, "d"),
        ({}, ""),
    ],
    ids=str,
)
def test_reasoning_is_read_from_either_field_and_repeated_as_it_came(
    message: dict[str, Any], reasoning: str
) -> None:
    reply = openai_format.reply_of(completion(**message), None)

    assert reply is not None
    assert reply.reasoning == reasoning
    assert {**reply.message} == {**message, "role": "assistant", "content": ""}


@pytest.mark.parametrize("count", [None, "many", -5, 1.5, [3], float("nan"), float("inf"), True], ids=repr)
def test_a_count_that_cannot_be_is_none(count: Any) -> None:
    told = {"prompt_tokens": count, "completion_tokens": 7}

    reply = openai_format.reply_of({**completion(content="x"), "usage": told}, None)

    assert reply is not None
    assert reply.usage == Usage(0, 7)


def test_blank_text_is_never_sent_back_and_other_blocks_keep_their_order() -> None:
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": " \n"},
        {"type": "text", "text": "one"},
        "noise",
        {"type": "tool_use", "id": "c1", "name": "desk_look", "input": {}},
        {"type": "text", "text": "two"},
    ]

    reply = anthropic_format.reply_of({"content": blocks, "stop_reason": "tool_use"}, None)

    assert reply is not None
    assert [block["type"] for block in reply.message["content"]] == ["thinking", "text", "tool_use", "text"]
    assert (reply.content, reply.reasoning, reply.stop_reason) == ("one\n\ntwo", "hm", "tool_use")


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("[1]", '{"not_json": "[1]"}'),
        ("{", '{"not_json": "{"}'),
        ("[" * 100_000, '{"not_json": "['),
        (None, None),
        ("", ""),
        ({"a": 1}, {"a": 1}),
    ],
    ids=["text", "list", "broken", "deep", "none", "empty", "object"],
)
def test_arguments_are_sent_back_as_they_were_or_within_an_object(arguments: Any, sent: Any) -> None:
    reply = ModelReply({"role": "assistant"}, calls=[{"function": {"name": "x", "arguments": arguments}}])

    chat = openai_format.messages_of(Prompt("", (), "", [Exchange(reply, ["r"])]))

    found = chat[1]["tool_calls"][0]["function"]["arguments"]
    assert found == sent or found.startswith(f"{sent}[[[")


class ApiError(Exception):
    """An error as client libraries raise it."""

    def __init__(self, message: str, status_code: int | None, body: Any = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.body = body


SETTINGS = OpenAISettings(model="m", base_url="http://127.0.0.1:1/v1")
TOO_LONG = [
    "This model's maximum context length is 8192 tokens",
    "prompt is too long: 9000 tokens",
    "the request exceeds the available context size",
    "Input is too long for requested model",
    "context_length_exceeded",
    "too many input tokens",
    "exceeds the maximum number of tokens",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens",
    "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)",
    "Prompt exceeds max length",
    "Prompt 超长",
    "输入长度超过模型限制",
    "Range of input length should be [1, 30720]",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    "Requested token count exceeds the model's maximum context length of 8192 tokens.",
    "Trying to keep the first 9000 tokens when context the overflows. The context length is only 4096 tokens",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "Please reduce the length of the messages or completion.",
    "The prompt is too long: 140000, model maximum context length: 131071",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "Input length 9000 exceeds the maximum length 8192",
    "invalid params, context window exceeds limit",
    "The model returned the following errors: Input is too long for requested model.",
]
OTHERWISE = [
    "temperature must be between 0 and 2",
    "unknown tool: context_menu",
    "the prompt contains an image",
    "invalid token",
    "the message is too long ago",
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for this model",
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got 80",
    "tools.0.custom.description: too long",
    "Your request exceeded the number of tools: 128",
]


@pytest.mark.parametrize("told", TOO_LONG)
def test_a_prompt_that_is_too_long_is_known_by_what_endpoints_say(told: str) -> None:
    assert isinstance(failure_of(ApiError(told, 400), SETTINGS), ContextOverflow)
    assert isinstance(failure_of(ApiError(told, 422), SETTINGS), ContextOverflow)
    assert isinstance(failure_of(ApiError("bad request", 400, {"message": told}), SETTINGS), ContextOverflow)
    assert not isinstance(failure_of(ApiError(told, 429), SETTINGS), ContextOverflow)
    assert not isinstance(failure_of(ApiError(told, None), SETTINGS), ContextOverflow)


def test_a_prompt_that_an_account_cannot_pay_for_is_left_as_it_is() -> None:
    told = "Prompt tokens limit exceeded: 64128 > 6964. To increase, visit https://openrouter.ai/settings/credits"

    refused = failure_of(ApiError(told, 402), SETTINGS)
    within = failure_in({"error": {"message": told, "code": 402}}, SETTINGS, Usage())

    assert not isinstance(refused, ContextOverflow)
    assert not isinstance(within, ContextOverflow)
    assert "it wants to be paid first" in str(refused)
    assert told[:40] in str(refused)


@pytest.mark.parametrize("told", OTHERWISE)
def test_another_refusal_is_not_taken_for_a_long_prompt(told: str) -> None:
    assert not isinstance(failure_of(ApiError(told, 400), SETTINGS), ContextOverflow)
    assert isinstance(failure_of(ApiError(told, 413), SETTINGS), ContextOverflow)


@pytest.mark.parametrize("key", ["sk-secret", "sk-secret\n", "\ufeffsk-secret"])
def test_a_failure_names_the_model_and_hides_the_key(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)

    failure = failure_of(ApiError(f"bad key sk-secret {'x' * 900}", 401), SETTINGS)

    assert str(failure).startswith(
        "m at http://127.0.0.1:1/v1: it refuses the key in OPENAI_API_KEY. ApiError: bad key … xxx"
    )
    assert len(str(failure)) < 400


def test_without_a_key_a_failure_is_told_word_for_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    failure = failure_of(ApiError("tool_choice none is not supported", 400), SETTINGS)

    assert "tool_choice none is not supported" in str(failure)


def test_an_answer_that_cannot_be_read_is_shown_in_part() -> None:
    failure = unreadable("hello" + "x" * 900, SETTINGS)

    assert isinstance(failure, EndpointFailed)
    assert "'helloxxx" in str(failure)
    assert len(str(failure)) < 400


@settings(max_examples=30)
@given(st.integers(1, 5000), st.text(max_size=200))
def test_an_estimate_learns_to_lie_a_little_above_the_count(tokens: int, text: str) -> None:
    estimate, body = TokenEstimate(), {"messages": text}

    estimate.learn(body, tokens)

    assert 1.1 * tokens <= estimate.tokens_of(body) + 1e-6
    assert estimate.tokens_of(body) <= 1.1 * tokens + 1


@settings(max_examples=30)
@given(st.text(max_size=100), st.text(max_size=100))
def test_a_longer_request_is_never_estimated_shorter(one: str, more: str) -> None:
    estimate = TokenEstimate()

    assert estimate.tokens_of({"m": one}) <= estimate.tokens_of({"m": one + more})


def history(*results: int) -> ChatHistory:
    """A history whose exchanges have so many results."""
    made = ChatHistory("the task")
    for number, count in enumerate(results):
        made.add_reply(ModelReply({"content": str(number)}), [{"n": each} for each in range(count)])
        for each in range(count):
            made.next_action()
            made.add_result(f"{number}.{each}")
    return made


@settings(max_examples=30)
@given(st.lists(st.integers(1, 3), min_size=1, max_size=6))
def test_leaving_out_ends_with_the_latest_exchange_whole(results: list[int]) -> None:
    made = history(*results)

    rounds = 0
    while made.omit_oldest():
        rounds += 1

    assert rounds == 2 * (len(results) - 1)
    assert made.omitted == sum(results[:-1])
    assert [list(one.results) for one in made.exchanges()] == [
        [f"{len(results) - 1}.{each}" for each in range(results[-1])]
    ]


@pytest.mark.parametrize(("braces", "is_found"), [(200, True), (201, False)])
def test_a_call_is_searched_for_behind_so_many_broken_objects_and_no_more(
    braces: int, is_found: bool
) -> None:
    text = '{"a" ' * braces + '{"tool_name": "desk_look", "arguments": {}}'

    intent = intent_of(ModelReply({}, content=text), ToolMode.JSON)

    assert (intent.actions[0].get("tool_name") == "desk_look") is is_found
