"""An agent over chat completions: what it sends, what it makes of answers, and how it fails."""

import pytest

from companyos.evaluation.agents.turn import AgentFailed, Usage
from tests.scripted_endpoint import Scripted, completion, function_call, shown

LOOK = function_call("desk_look", '{"ticket_id": "TD-1"}')


async def test_a_native_call_is_played_and_its_result_sent_back(endpoint, openai, play):
    endpoint.will_answer(completion("I look.", LOOK), completion("Done.", function_call("finish")))

    first, second = await play(openai(), "priority: high")

    assert first.output == {"tool_name": "desk_look", "arguments": '{"ticket_id": "TD-1"}'}
    assert first.text == "I look."
    assert second.output["tool_name"] == "finish"
    assert [message["role"] for message in endpoint.requests[1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert endpoint.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": "I look.", "tool_calls": [LOOK]},
        {"role": "tool", "tool_call_id": "call_a", "content": "priority: high"},
    ]


async def test_tools_are_sent_natively_or_told_in_the_system_prompt(endpoint, openai, play):
    endpoint.will_answer(completion('{"tool_name": "finish", "arguments": {}}'))
    native, text = openai(tool_mode="native"), openai(tool_mode="json")

    for agent in (native, text):
        await play(agent)

    assert [tool["function"]["name"] for tool in endpoint.requests[0]["tools"]] == ["desk_look"]
    assert "desk_look" not in native.system_prompt
    assert "tools" not in endpoint.requests[1]
    assert "desk_look" in text.system_prompt
    assert native.tools == text.tools
    assert endpoint.requests[1]["messages"][0]["content"] == text.system_prompt


async def test_an_empty_system_prompt_is_not_sent(endpoint, openai, play):
    endpoint.will_answer(completion("", LOOK))

    await play(openai(system_prompt=""))

    assert [message["role"] for message in endpoint.requests[0]["messages"]] == ["user"]


async def test_sampling_limits_and_other_fields_are_sent_only_where_they_are_set(endpoint, openai, play):
    endpoint.will_answer(completion("", LOOK))

    await play(openai())
    await play(openai(temperature=0, seed=7, max_tokens=99, extra_body={"reasoning_effort": "low"}))

    assert set(endpoint.requests[0]) == {"model", "messages", "tools", "tool_choice"}
    sent = endpoint.requests[1]
    assert (sent["temperature"], sent["seed"], sent["max_tokens"], sent["reasoning_effort"]) == (
        0,
        7,
        99,
        "low",
    )


async def test_the_key_is_sent_from_its_variable(endpoint, openai, play, monkeypatch):
    monkeypatch.setenv("MY_KEY", "mine")
    endpoint.will_answer(completion("", LOOK))

    await play(openai(api_key_variable="MY_KEY"))

    assert endpoint.headers[0]["authorization"] == "Bearer mine"
    assert endpoint.paths == ["/v1/chat/completions"]


async def test_usage_and_cost_are_told_with_each_turn(endpoint, openai, play):
    endpoint.will_answer(completion("", LOOK))

    [turn] = await play(openai(prices={"prompt": 10, "completion": 100, "cached": 1}))

    assert turn.usage == Usage(1000, 50, 400, pytest.approx((600 * 10 + 400 * 1 + 50 * 100) / 1e6))


async def test_several_calls_are_turns_one_after_another_for_one_request(endpoint, openai, play):
    calls = [function_call("desk_look", id="a"), function_call("desk_solve", id="b")]
    endpoint.will_answer(completion(None, *calls), completion("", function_call("finish")))

    turns = await play(openai(), "first result", "second result")

    assert [turn.output["tool_name"] for turn in turns] == ["desk_look", "desk_solve", "finish"]
    assert [turn.usage.prompt_tokens for turn in turns] == [1000, 0, 1000]
    results = [message for message in endpoint.requests[1]["messages"] if message["role"] == "tool"]
    assert [(each["tool_call_id"], each["content"]) for each in results] == [
        ("a", "first result"),
        ("b", "second result"),
    ]


async def test_plain_text_is_an_invalid_action_and_the_refusal_is_sent_as_the_users_message(
    endpoint, openai, play
):
    endpoint.will_answer(completion("I am thinking."))

    turns = await play(openai(), "That is not a tool call.")

    assert turns[0].output == {"type": "invalid", "raw": "I am thinking."}
    assert endpoint.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": "I am thinking."},
        {"role": "user", "content": "That is not a tool call."},
    ]


async def test_calls_without_ids_and_names_are_sent_back_with_some(endpoint, openai, play):
    endpoint.will_answer(
        completion(None, {"function": {"arguments": "{}"}}, {"function": {"name": "desk_look"}})
    )

    await play(openai(), "one", "two")

    message, *results = endpoint.requests[1]["messages"][2:]
    assert [call["id"] for call in message["tool_calls"]] == [result["tool_call_id"] for result in results]
    assert message["tool_calls"][0]["function"]["name"] == "unnamed"


async def test_characters_that_cannot_be_sent_back_are_replaced(endpoint, openai, play):
    endpoint.will_answer(completion("half a character: \ud800"))

    [turn, _] = await play(openai(), "That is no tool call.")

    assert turn.output == {"type": "invalid", "raw": "half a character: ?"}
    assert endpoint.requests[1]["messages"][2]["content"] == "half a character: ?"


@pytest.mark.parametrize(
    "nothing", [completion(), completion(""), completion(" \n"), completion(None, tool_calls=[])]
)
async def test_a_model_that_says_nothing_is_asked_again_and_then_fails(endpoint, openai, play, nothing):
    endpoint.will_answer(nothing, nothing, completion("", LOOK), nothing)
    agent = openai()

    [turn] = await play(agent)
    assert turn.usage.prompt_tokens == 3000

    with pytest.raises(
        AgentFailed, match=r"scripted said nothing, 3 times in a row \(it stopped for: stop\)"
    ):
        await agent.act(shown("next"))


async def test_a_rate_limit_and_an_outage_are_waited_out(endpoint, openai, play):
    busy = Scripted({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0.01"})
    broken = Scripted(b"<html>", status=503, headers={"Retry-After": "0.01", "Content-Type": "text/html"})
    endpoint.will_answer(busy, broken, completion("", LOOK))

    [turn] = await play(openai(max_retries=2))

    assert turn.output["tool_name"] == "desk_look"
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Scripted({"error": {"message": "no such key sk-secret-key"}}, status=401), "no such key …"),
        (Scripted({"error": {"message": "no model scripted"}}, status=404), "no model scripted"),
        (Scripted({"error": {"message": "bad field"}}, status=400), "bad field"),
        (Scripted({"error": {"message": "slow down"}}, status=429), "RateLimitError"),
        (Scripted(b"oops", status=500), "InternalServerError"),
        (Scripted(b'{"choices": [', status=200), "JSONDecodeError"),
        (
            Scripted(b"<html>hello", headers={"Content-Type": "text/html"}),
            "a page for people",
        ),
        (Scripted({"choices": []}), "something else than a chat message"),
        (Scripted({"choices": [{"message": None}]}), "something else than a chat message"),
        (Scripted([1]), "something else than a chat message"),
        (Scripted({"error": "out of memory"}), "out of memory"),
    ],
)
async def test_an_endpoint_that_refuses_or_answers_nonsense_fails_the_agent_and_tells_no_key(
    endpoint, openai, play, answer, told
):
    endpoint.will_answer(answer)

    with pytest.raises(AgentFailed, match=r"scripted at http://127\.0\.0\.1") as failure:
        await play(openai())

    assert told in str(failure.value)
    assert "sk-secret-key" not in str(failure.value)


async def test_an_endpoint_that_is_not_there_fails_the_agent(openai, play):
    with pytest.raises(AgentFailed, match="APIConnectionError"):
        await play(openai(base_url="http://127.0.0.1:1/v1"))


async def test_an_agent_begins_each_episode_anew(endpoint, openai, play):
    endpoint.will_answer(completion("", LOOK))
    agent = openai()

    await play(agent, "a result of the first episode")
    await play(agent)

    assert len(endpoint.requests[2]["messages"]) == 2
