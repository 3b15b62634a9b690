"""Prompts within a budget: which results are left out, what is told of it, and what never is left out."""

import json

import pytest

from companyos.evaluation.agents.turn import AgentFailed
from companyos.evaluation.models.chat_history import OMITTED
from companyos.evaluation.models.token_estimate import TokenEstimate
from tests.scripted_endpoint import Scripted, completion, function_call, shown

RESULT = "row " * 250
#: What endpoints say of a prompt that is too long: OpenAI's and llama-cpp-python, vLLM, llama.cpp, a gateway.
OVERFLOWS = [
    Scripted({"error": {"message": "Please reduce it.", "code": "context_length_exceeded"}}, status=400),
    Scripted(
        {"message": "This model's maximum context length is 8192 tokens. However, …", "code": 400}, status=400
    ),
    Scripted(
        {"error": {"message": "the request exceeds the available context size", "code": 400}}, status=400
    ),
    Scripted(b"too large", status=413),
]


def counted(request):
    """Answer with a call and with the number of tokens, one for four bytes."""
    tokens = len(json.dumps(request).encode()) // 4
    return Scripted({**completion(None, function_call("desk_look")), "usage": {"prompt_tokens": tokens}})


def results_in(request):
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]


async def test_the_oldest_results_are_left_out_so_that_every_prompt_stays_within_the_budget(
    endpoint, openai, play
):
    endpoint.decides = counted

    turns = await play(openai(context_tokens=2000, max_tokens=200), *[f"{n} {RESULT}" for n in range(12)])

    omitted = [turn.omitted_results for turn in turns]
    assert all(len(json.dumps(request)) / 4 <= 1800 for request in endpoint.requests)
    assert omitted == sorted(omitted)
    assert omitted[0] == 0 < omitted[-1] < 12
    last = results_in(endpoint.requests[-1])
    assert last == [OMITTED] * omitted[-1] + [f"{n} {RESULT}" for n in range(omitted[-1], 12)]


async def test_context_omits_no_more_results_than_the_budget_requires(endpoint, openai, play):
    endpoint.decides = counted

    await play(openai(context_tokens=2000, max_tokens=200), *[RESULT] * 12)

    # One more result would not have fitted: a result is 250 tokens, and the estimate 10 % cautious.
    assert len(json.dumps(endpoint.requests[-1])) / 4 > 1800 / 1.1 - 2 * 250


async def test_once_all_results_are_out_the_oldest_exchanges_go(endpoint, openai, play):
    endpoint.decides = counted

    turns = await play(openai(context_tokens=700, max_tokens=100), *["short"] * 30)

    first, *_, last = endpoint.requests
    assert all(len(json.dumps(request)) / 4 <= 600 for request in endpoint.requests)
    assert last["messages"][:2] == first["messages"]
    assert results_in(last)[-1] == "short"
    assert turns[-1].omitted_results == 29


async def test_without_a_budget_nothing_is_left_out(endpoint, openai, play):
    endpoint.decides = counted

    turns = await play(openai(), *[RESULT] * 12)

    assert {turn.omitted_results for turn in turns} == {0}
    assert results_in(endpoint.requests[-1]) == [RESULT] * 12


@pytest.mark.parametrize("overflow", OVERFLOWS)
async def test_a_prompt_that_the_endpoint_refuses_is_shortened_until_it_fits(
    endpoint, openai, play, overflow
):
    endpoint.decides = lambda request: overflow if len(json.dumps(request)) > 4000 else counted(request)

    turns = await play(openai(), *[RESULT] * 6)

    assert turns[-1].omitted_results >= 4
    assert results_in(endpoint.requests[-1])[-1] == RESULT


async def test_a_task_that_does_not_fit_at_all_fails_the_agent(endpoint, openai, play):
    endpoint.will_answer(OVERFLOWS[0])

    with pytest.raises(AgentFailed, match="scripted cannot read the task and the latest result together"):
        await play(openai())


async def test_omitted_results_do_not_carry_over_to_the_next_episode(endpoint, openai, play):
    endpoint.decides = counted
    agent = openai(context_tokens=2000, max_tokens=200)
    await play(agent, *[RESULT] * 12)

    [turn] = await play(agent)

    assert turn.omitted_results == 0
    assert endpoint.requests[-1]["messages"][1]["content"] == shown()["text"]


def test_an_estimate_keeps_its_guess_where_the_endpoint_does_not_count():
    estimate = TokenEstimate()
    at_first = estimate.tokens_of({"messages": "x"})

    estimate.learn({"messages": "x"}, 0)

    assert estimate.tokens_of({"messages": "x"}) == at_first
