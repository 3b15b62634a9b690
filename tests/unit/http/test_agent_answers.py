"""What an agent gets: an observation and where it stands, and the stack's troubles in neutral words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from orchestrator.agent.tools import WAIT, Tool
from orchestrator.http import agent_api
from orchestrator.http.agent_api.answers import (
    AgentResult,
    neutral,
    refusal_response,
    result_of,
    tool_response,
)
from orchestrator.protocol.agent_tokens import agent_token_expired, agent_token_invalid
from orchestrator.protocol.problems import Outage, Refusal
from orchestrator.protocol.replies import Reply
from orchestrator.runtime.in_flight import step_in_progress

PLACE = Tool("shop_place_order", "Place.", {}, service="shop", status=201)


def result(value: Any = None, error: dict[str, Any] | None = None) -> AgentResult:
    seen = {"step": 1, "steps_remaining": 9, "sim_now": "2030-01-01T00:00:00Z", "elapsed_s": 60}
    return AgentResult({"result": value, "error": error, **seen}, is_over=False)


def refused(code: str, **facts: Any) -> dict[str, Any]:
    return {"error_type": "execution_error", "code": code, "message": "No.", "retryable": False, **facts}


def document(response: Response) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(bytes(response.body))
    return told


@pytest.mark.parametrize(
    ("tool", "value", "status"),
    [
        (PLACE, {"id": "ORD-1"}, 201),
        (WAIT, {"waited_s": 60}, 200),
        (PLACE, {"status": "accepted", "operation_id": "OP-1", "detail": "Later."}, 202),
        (PLACE, {"id": "ORD-1", "status": "accepted"}, 201),
        (PLACE, [1], 201),
        (PLACE, None, 201),
    ],
)
def test_a_result_is_the_body_under_the_services_status(tool: Tool, value: Any, status: int) -> None:
    response = tool_response(result(value), tool, {})

    assert (response.status_code, json.loads(bytes(response.body))) == (status, value)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("order_delivered", 409),
        ("order_unknown", 404),
        ("invalid_arguments", 422),
        ("tool_not_offered", 403),
        ("operation_unknown", 404),
        ("timeout", 504),
        ("connection_refused", 503),
        ("connection_reset", 502),
        ("incomplete_answer", 502),
        ("internal_error", 500),
        ("answer_lost", 502),
        ("nobody_knows", 409),
    ],
)
def test_a_refusal_has_the_status_of_its_code(code: str, status: int) -> None:
    response = tool_response(
        result(error=refused(code)), PLACE, {"order_unknown": 404, "order_delivered": 409}
    )

    assert response.status_code == document(response)["status"] == status


def test_a_refusal_keeps_the_facts_that_help() -> None:
    error = refused("rate_limited", retry_after_s=120, remedy="wait", outcome="unknown")

    response = tool_response(result(error=error), PLACE, {"rate_limited": 429})

    assert document(response) == {
        "type": "rate_limited",
        "title": "Rate limited",
        "status": 429,
        "detail": "No.",
        "retryable": False,
        "retry_after_s": 120,
        "remedy": "wait",
        "outcome": "unknown",
    }
    # Seconds of the simulated clock, which pass by `wait` and not by waiting.
    assert "retry-after" not in response.headers


def test_agents_receive_only_the_observation_of_a_reply() -> None:
    seen = result({"id": 1}).observation
    reply = Reply(dict(seen), 1.5, True, {"success": True, "trace_hash": "h", "invalid": False})

    got = result_of(reply)

    assert got.observation == seen
    assert got.standing == {
        "step": 1,
        "steps_remaining": 9,
        "sim_now": "2030-01-01T00:00:00Z",
        "elapsed_s": 60,
        "done": True,
    }


def test_an_episode_that_the_stack_failed_is_told_as_that() -> None:
    with pytest.raises(Refusal) as caught:
        result_of(Reply({}, 0.0, True, {"invalid": True}))

    assert caught.value.code == "systems_failed"


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        (agent_token_invalid(), 401, "agent_token_invalid"),
        (agent_token_expired(), 401, "agent_token_expired"),
        (step_in_progress(), 409, "call_in_progress"),
        (Refusal(429, "too_busy", "64 steps of ep-1", retryable=True), 429, "too_busy"),
        (Outage("database", "password failed for orchestrator").refusal(), 503, "temporarily_unavailable"),
        (Refusal(500, "service_rejected_call", "shop: admin token"), 503, "systems_failed"),
        (Refusal(409, "episode_done", "Episode ep-1 is over."), 503, "systems_failed"),
    ],
)
def test_a_refusal_of_the_stack_is_told_in_neutral_words(refusal: Refusal, status: int, code: str) -> None:
    response = refusal_response(refusal)

    told = document(response)
    assert (response.status_code, told["type"]) == (status, code)
    for word in ("database", "password", "shop", "ep-1", "episode"):
        assert word not in told["detail"].lower()
    assert ("retry-after" in response.headers) is told["retryable"]
    assert ("www-authenticate" in response.headers) is (status == 401)


def test_words_for_agents_are_kept() -> None:
    own = Refusal(422, "invalid_action", "tool_name is a text.")

    assert neutral(own) is own


def test_a_refusal_of_a_page_is_not_told_as_a_failure_of_all_systems() -> None:
    pages = Path(agent_api.__file__).parent / "pages"
    raised = {
        code: int(status)
        for file in pages.glob("*.py")
        for status, code in re.findall(
            r'raise Refusal\(\s*(4\d\d), "(\w+)"', file.read_text(encoding="utf-8")
        )
    }

    assert len(raised) > 3
    assert {code: neutral(Refusal(status, code, "No.")).code for code, status in raised.items()} == {
        code: code for code in raised
    }
