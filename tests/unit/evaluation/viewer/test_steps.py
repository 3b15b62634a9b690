"""A step as a page shows it, whatever the agent did."""

from typing import Any

import pytest

from companyos.evaluation.viewer.steps import AgentTurn, StepView, step_views

from .records import step, wrote


def view(record: dict[str, Any], *turns: dict[str, Any]) -> StepView:
    return next(iter(step_views([record], turns)))


def test_a_step_tells_what_was_called_and_what_was_read() -> None:
    shown = view(step())

    assert (shown.number, shown.tool, shown.arguments) == (1, "ticketdesk_get_ticket", {"ticket_id": "TD-1"})
    assert (shown.text, shown.outcome, shown.is_trouble) == ("id: TD-1", "done", False)


@pytest.mark.parametrize(
    ("action", "tool", "raw"),
    [
        ({"type": "invalid", "raw": "I give up"}, "no call", "I give up"),
        ({"type": "list_tools"}, "list tools", ""),
        ({}, "action", ""),
        ({"type": "call_tool", "tool_name": "x", "arguments": "no object"}, "x", ""),
    ],
)
def test_anything_an_agent_may_do_has_a_name(action: dict[str, Any], tool: str, raw: str) -> None:
    shown = view(step(action=action))

    assert (shown.tool, shown.raw) == (tool, raw)
    assert all(isinstance(name, str) for name in shown.arguments)


def test_an_error_and_a_failed_outcome_are_trouble() -> None:
    error = {"code": "timeout", "message": "No answer."}

    assert view(step(observation={**step()["observation"], "error": error})).is_trouble
    assert view(step(outcome="no_call")).outcome == "no call"


def test_the_turn_of_a_step_tells_what_was_said_and_used() -> None:
    turn = {
        "message": "I look first.",
        "reasoning_content": "Why not.",
        "metrics": {"prompt_tokens": 900, "completion_tokens": 20, "cost_usd": 0.002},
    }

    assert view(step(), turn).turn == AgentTurn("I look first.", "Why not.", 900, 20, 0.002)
    assert view(step()).turn == AgentTurn()


def test_a_message_of_several_parts_is_their_text() -> None:
    parts = [
        {"type": "text", "text": "one"},
        {"type": "image", "source": {}},
        {"type": "text", "text": "two"},
    ]

    assert view(step(), {"message": parts}).turn.text == "one\ntwo"
    assert view(step(), {"message": None}).turn.text == ""


def test_gains_leave_out_what_each_step_costs() -> None:
    ledger = [
        {"name": "step", "amount": -0.1, "evidence": []},
        {"name": "milestone:approved", "amount": 3.0, "evidence": ["approvalflow/requests/APR-1"]},
    ]

    (gain,) = view(step(ledger=ledger)).gains

    assert (gain.name, gain.amount, gain.evidence) == (
        "milestone:approved",
        3.0,
        ("approvalflow/requests/APR-1",),
    )


def test_a_fault_tells_where_it_hit_and_what_ended_it() -> None:
    faults = [
        {"fault": "svc.latency", "where": ["datahub", "get_job", ""], "state": "landed"},
        {"fault": "evt.delay", "where": ["a.b", "X-1", "datahub"], "state": "delivered", "by": "waiting"},
    ]

    assert [(each.name, each.where, each.state) for each in view(step(faults=faults)).faults] == [
        ("svc.latency", "datahub · get_job", "landed"),
        ("evt.delay", "a.b · X-1 · datahub", "delivered, ended by waiting"),
    ]


def test_rows_are_compared_over_the_steps() -> None:
    records = [
        step(number, changes=[wrote("datahub", "jobs", "J", {"status": status}, f"s{number}")])
        for number, status in enumerate(("running", "done"), start=1)
    ]

    first, second = step_views(records)

    assert [first.changes[0].is_known, second.changes[0].is_known] == [False, True]
    assert second.changes[0].fields[0].before == "running"
