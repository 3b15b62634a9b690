"""How an employee copes with calls that fail, come late, or are answered in part: by what tools say alone."""

from collections.abc import Iterable
from typing import Any

import pytest

from companyos.sdk.approval_task.playbook import Employee
from companyos.sdk.documents import templates
from companyos.sdk.scripts.asking import Play, Refused
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import to_iso

START = 1_000_000
TOOLS = {
    "desk_write": ("id", "idempotency_key"),
    "desk_read": ("id", "min_version"),
    "desk_list": ("cursor",),
    "wait": ("until",),
}


def shown(*, result: Any = None, error: dict[str, Any] | None = None, now: int = START) -> dict[str, Any]:
    return {"sim_now": to_iso(now), "result": result, "error": error, "text": ""}


def failed(code: str, **other: Any) -> dict[str, Any]:
    return shown(error={"code": code, "message": "…", "retryable": True, **other})


def employee() -> Employee:
    cards = [
        {"name": name, "input_schema": {"properties": dict.fromkeys(arguments)}}
        for name, arguments in TOOLS.items()
    ]
    text = "You are Ann Lee (ann.lee). Your task: ticket TD-1042."
    return Employee({**shown(), "text": text, "tools": cards})


def asked(answers: Iterable[dict[str, Any]], tool_name: str, **arguments: Any) -> tuple[list[Any], Any]:
    """Ask, give these answers, and return every call made and what it came to."""
    return played(employee().ask(tool_name, **arguments), answers)


def played(asking: Play[Any], answers: Iterable[dict[str, Any]]) -> tuple[list[Any], Any]:
    """Give these answers to a script, and return every call made and what it came to."""
    calls = [next(asking)]
    with pytest.raises(StopIteration) as ended:
        for answer in answers:
            calls += [asking.send(answer)]
    return [(call["tool_name"], call["arguments"]) for call in calls], ended.value.value


def test_a_change_whose_outcome_is_unknown_is_repeated_under_its_key() -> None:
    calls, answer = asked(
        [failed("timeout", outcome="unknown"), shown(result={"id": "1"})], "desk_write", id="1"
    )

    assert calls == [("desk_write", {"id": "1", "idempotency_key": "call-1"})] * 2
    assert answer == {"id": "1"}


def test_employee_waits_as_long_as_a_refusal_says() -> None:
    calls, _ = asked(
        [failed("rate_limited", retry_after_s=120), shown(now=START + 120), shown(result={})], "desk_list"
    )

    assert calls == [("desk_list", {}), ("wait", {"until": to_iso(START + 120)}), ("desk_list", {})]


def test_employee_waits_at_least_a_minute() -> None:
    calls, _ = asked([failed("read_only", retry_after_s=1), shown(), shown(result={})], "desk_list")

    assert calls[1] == ("wait", {"until": to_iso(START + 60)})


def test_a_session_is_renewed() -> None:
    expired = shown(error={"code": "session_expired", "message": "…", "retryable": False})

    calls, _ = asked([expired, shown(result={"session": "valid"}), shown(result={})], "desk_list")

    assert calls == [("desk_list", {}), ("renew_session", {"service": "desk"}), ("desk_list", {})]


def test_an_operation_is_followed_to_its_end() -> None:
    running = {"operation_id": "op-1", "status": "running", "ready_at": to_iso(START + 240)}
    ready = {"operation_id": "op-1", "status": "succeeded", "result": {"id": "1"}}

    calls, answer = asked(
        [
            shown(result={"status": "accepted", "operation_id": "op-1"}),
            shown(result=running),
            shown(),
            shown(result=ready),
        ],
        "desk_write",
        id="1",
    )

    assert [name for name, _ in calls[1:]] == ["get_operation", "wait", "get_operation"]
    assert answer == {"id": "1"}


def test_an_operation_that_failed_is_a_refusal_of_its_call() -> None:
    asking = employee().ask("desk_write", id="1")
    next(asking)
    asking.send(shown(result={"status": "accepted", "operation_id": "op-1"}))
    error = {"code": "not_yours", "message": "…", "retryable": False}

    with pytest.raises(Refused, match="desk_write: not_yours"):
        asking.send(shown(result={"operation_id": "op-1", "status": "failed", "error": error}))


def test_an_operation_that_stopped_half_way_is_resumed() -> None:
    halfway = {"id": "1", "operation": {"id": "op-1", "status": "incomplete"}}

    calls, answer = asked([shown(result=halfway), shown(result={})], "desk_write", id="1")

    assert calls[1] == ("resume_operation", {"operation_id": "op-1"})
    assert answer == {"id": "1"}


def test_a_page_that_ends_early_is_read_on() -> None:
    first = {"items": [{"id": "1"}], "next_cursor": "1", "partial": True}
    rest = {"items": [{"id": "2"}], "next_cursor": None}

    calls, answer = asked([shown(result=first), shown(result=rest)], "desk_list")

    assert calls[1] == ("desk_list", {"cursor": "1"})
    assert answer == {"items": [{"id": "1"}, {"id": "2"}], "next_cursor": None}


def test_an_answer_that_leaves_fields_out_is_asked_for_again() -> None:
    part = {"id": "1", "partial": True, "omitted": ["size"]}

    _, answer = asked([shown(result=part), shown(result={"id": "1", "size": 3})], "desk_read", id="1")

    assert answer == {"id": "1", "size": 3}


def test_stale_response_is_read_again_with_the_known_version() -> None:
    me = employee()
    writing = me.ask("desk_write", id="1")
    next(writing)
    with pytest.raises(StopIteration):
        writing.send(shown(result={"id": "1", "version": 2}))

    reading = me.ask("desk_read", id="1")
    next(reading)
    again = reading.send(shown(result={"id": "1", "version": 1}))

    assert again["arguments"] == {"id": "1", "min_version": 2}


def test_papers_are_read_until_one_says_what_is_meant_in_one_of_the_wordings() -> None:
    over, lasts = templates("The stop of {team} is over.", "The stop of {team} lasts.")
    bodies = ["Nothing new.", "The stop of Sales is over.", "News: The stop of Legal lasts."]
    papers = [{"id": "MSG-0001"}, {"id": "DOC-0001"}, {"id": "DOC-0002"}, {"id": "DOC-0003"}]
    reading = Skills({**shown(), "text": "(ann.lee)"}).statement(
        papers, over, lasts, is_meant=lambda fields: fields["team"] == "Legal"
    )

    calls, statement = played(reading, [shown(result={"body": body}) for body in bodies])

    assert calls == [
        ("datahub_get_message", {"message_id": "MSG-0001"}),
        ("datahub_get_document", {"document_id": "DOC-0001"}),
        ("datahub_get_document", {"document_id": "DOC-0002"}),
    ]
    assert (statement.paper_id, statement.wording) == ("DOC-0002", lasts)
    assert statement.fields == {"team": "Legal"}


def test_there_is_no_statement_if_every_paper_is_silent() -> None:
    reading = Skills({**shown(), "text": "(ann.lee)"}).statement(
        [{"id": "DOC-0001"}], *templates("It is over.")
    )

    assert played(reading, [shown(result={"body": "Nothing new."})])[1] is None
