"""Answers that break their protocol in part: equal ids, arguments that are nearly JSON, cut calls, and pages."""

import json

import pytest

from companyos.evaluation.agents.turn import AgentFailed
from tests.scripted_endpoint import Scripted, anthropic_message, completion, function_call

LOOK = function_call("desk_look", '{"ticket_id": "TD-1"}')


async def test_equal_ids_of_calls_are_told_apart_when_they_are_sent_back(endpoint, openai, play):
    endpoint.will_answer(
        completion(None, LOOK, function_call("finish", id=LOOK["id"])), completion(None, LOOK)
    )

    await play(openai(), "one", "two", "three")

    messages = endpoint.requests[-1]["messages"]
    called = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert called == answered
    assert called[0] == LOOK["id"]
    assert len(set(called)) == 3
    assert all(len(name) == 9 and name.isalnum() for name in called[1:])


async def test_equal_ids_of_calls_are_told_apart_in_anthropics_format(endpoint, anthropic, play):
    used = {"type": "tool_use", "id": "grep:3", "name": "desk_look", "input": {}}
    endpoint.will_answer(anthropic_message(used, used), anthropic_message(used))

    await play(anthropic(), "one", "two", "three")

    blocks = [block for message in endpoint.requests[-1]["messages"][1:] for block in message["content"]]
    called = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert called == [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert len(set(called)) == 3


async def test_arguments_near_json_are_played_and_sent_back_as_json(endpoint, openai, play):
    endpoint.will_answer(completion(None, function_call("desk_look", "{ticket_id: 'TD-1',}")))

    [turn, _] = await play(openai(), "ok")

    assert turn.output == {"tool_name": "desk_look", "arguments": {"ticket_id": "TD-1"}}
    sent = endpoint.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"ticket_id": "TD-1"}


CUT_CALL = completion(None, function_call("desk_look", '{"ticket_id": "TD-'))


@pytest.mark.parametrize(
    "said", [CUT_CALL, completion("I look at the ticket"), completion('{"tool_name": "desk_')]
)
@pytest.mark.parametrize(
    ("reason", "told"), [("length", "raise --answer-tokens"), ("content_filter", "content_filter")]
)
async def test_an_answer_that_its_endpoint_stopped_is_told_with_why(
    endpoint, openai, play, said, reason, told
):
    endpoint.will_answer({**said, "choices": [{**said["choices"][0], "finish_reason": reason}]})

    [turn] = await play(openai(tool_mode="json"))

    assert told in turn.hint


async def test_a_whole_call_at_the_limit_of_tokens_is_no_cut_answer(endpoint, openai, play):
    said = completion(None, LOOK)
    endpoint.will_answer({**said, "choices": [{**said["choices"][0], "finish_reason": "length"}]})

    [turn] = await play(openai())

    assert turn.hint == ""


PAGE = b"""<!DOCTYPE html>
<html><head><title>Bad gateway</title><style>body { color: red }</style></head>
<body><h1>502</h1><!-- padding --></body></html>"""


@pytest.mark.parametrize("status", [200, 403, 502])
async def test_a_page_for_people_is_told_in_its_words(endpoint, openai, play, status):
    endpoint.will_answer(Scripted(PAGE, status=status, headers={"Content-Type": "text/html"}))

    with pytest.raises(AgentFailed) as failure:
        await play(openai())

    assert "Bad gateway 502" in str(failure.value)
    assert "<" not in str(failure.value)
    assert ("--base-url" in str(failure.value)) == (status == 200)
