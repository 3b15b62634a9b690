"""How long an agent waits for an endpoint that puts it off, and what is told of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest

from companyos.evaluation.agents.turn import AgentUnavailable
from companyos.evaluation.models import pauses
from companyos.evaluation.models.pauses import WaitNews, asked_wait_s
from tests.scripted_endpoint import Scripted, anthropic_message, completion, function_call

LOOK = function_call("desk_look", '{"ticket_id": "TD-1"}')
RETRY_INFO = [{"error": {"code": 429, "details": [{"@type": "…RetryInfo", "retryDelay": "0.2s"}]}}]


def busy(seconds: str, status: int = 429) -> Scripted:
    return Scripted({"error": {"message": "slow down"}}, status=status, headers={"Retry-After": seconds})


@pytest.mark.parametrize(
    "answer", [busy("0.2"), busy("0.2", status=529), Scripted(RETRY_INFO, status=429)], ids=str
)
async def test_an_endpoint_is_given_the_time_that_it_asks_for(endpoint, openai, play, monkeypatch, answer):
    monkeypatch.setattr(pauses, "TOLD_S", 0)
    told: list[str] = []
    endpoint.will_answer(answer, completion("", LOOK))

    [turn] = await play(openai(max_retries=1, news=WaitNews(told.append)))

    assert turn.output["tool_name"] == "desk_look"
    assert [line.rpartition(". ")[2] for line in told] == ["The request is repeated in 0.2 s."]


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
async def test_a_wait_that_is_longer_than_allowed_is_not_begun(endpoint, openai, anthropic, play, vendor):
    endpoint.will_answer(busy("90"))
    make = {"openai": openai, "anthropic": anthropic}[vendor]

    with pytest.raises(AgentUnavailable, match=r"slow down.* It asks to wait 90 s; --max-wait allows 60 s"):
        await play(make(max_retries=5, max_wait_s=60))

    assert len(endpoint.requests) == 1


async def test_the_pauses_of_one_answer_together_stay_within_the_limit(endpoint, openai, play):
    endpoint.will_answer(busy("0.2"))

    with pytest.raises(AgentUnavailable, match="--max-wait allows"):
        await play(openai(max_retries=20, max_wait_s=0.5))

    assert len(endpoint.requests) == 3


async def test_an_endpoint_that_forbids_another_try_is_asked_once(endpoint, openai, play):
    endpoint.will_answer(Scripted({"error": "down"}, status=503, headers={"x-should-retry": "false"}))

    with pytest.raises(AgentUnavailable, match="down"):
        await play(openai(max_retries=3))

    assert len(endpoint.requests) == 1


async def test_a_long_wait_is_told_once_for_all_agents_of_a_run(
    endpoint, openai, anthropic, play, monkeypatch
):
    monkeypatch.setattr(pauses, "TOLD_S", 0.1)
    told: list[str] = []
    news = WaitNews(told.append)
    endpoint.will_answer(busy("0.05"), busy("0.2"), completion("", LOOK))
    await play(openai(max_retries=2, news=news))
    endpoint.answers[:] = [busy("0.2"), Scripted(anthropic_message({"type": "text", "text": "hm"}))]
    await play(anthropic(max_retries=2, news=news))

    [line] = told
    assert line.startswith("scripted at http://127.0.0.1")
    assert "slow down" in line
    assert line.endswith("The request is repeated in 0.2 s.")


def refusal(headers: dict[str, str], body: Any = None) -> float | None:
    return asked_wait_s(httpx.Headers(headers), body)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        *(({"Retry-After": text}, None) for text in ("", "0", "-3", "nan", "inf", "1e999", "soon", "٣٠ s")),
        ({}, None),
    ],
)
def test_a_header_tells_seconds_or_nothing(headers, seconds):
    assert refusal({name: value for name, value in headers.items() if value.isascii()}) == seconds


@pytest.mark.parametrize(("ahead_s", "is_told"), [(60, True), (-60, False)])
def test_a_header_may_tell_an_instant(ahead_s, is_told):
    instant = datetime.now(UTC) + timedelta(seconds=ahead_s)

    found = refusal({"Retry-After": format_datetime(instant, usegmt=True)})

    assert (found is not None and 55 <= found <= 60) if is_told else found is None


@pytest.mark.parametrize("delay", ["34s", "34.0s", "34"])
def test_a_body_may_tell_the_wait(delay):
    body = [{"error": {"details": [{"links": []}, {"@type": "…RetryInfo", "retryDelay": delay}]}}]

    assert refusal({}, body) == 34.0
    assert refusal({"Retry-After": "2"}, body) == 2.0
    assert refusal({}, {"error": {"details": "34s"}}) is None
