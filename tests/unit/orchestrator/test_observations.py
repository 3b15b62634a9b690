"""An observation says what came of the call, where the clock stands and how many steps remain."""

from typing import Any

import pytest

from orchestrator.agent.observations import (
    StepResult,
    answered_badly,
    how_to_repeat,
    observation,
    refused,
    tool_not_found,
    unanswered,
    within_reach,
)
from orchestrator.protocol.failures import Failure


def test_a_result_is_told_with_its_text() -> None:
    seen = observation(StepResult("desk_get", {"id": "T1"}), step=2, max_steps=9, now=3600, elapsed_s=60)

    assert seen == {
        "text": "id: T1",
        "tool_name": "desk_get",
        "result": {"id": "T1"},
        "error": None,
        "step": 2,
        "steps_remaining": 7,
        "sim_now": "2030-01-01T01:00:00Z",
        "elapsed_s": 60,
    }


@pytest.mark.parametrize("failure", sorted({*Failure} - {Failure.REFUSED}))
def test_where_no_answer_came_the_outcome_is_unknown(failure: Failure) -> None:
    error = unanswered("desk_get", "desk", failure, again="Look first.").error

    assert error is not None
    assert (error.document["outcome"], error.document["retryable"]) == ("unknown", True)
    assert error.document["error_type"] == ("timeout" if failure is Failure.TIMEOUT else "transport_error")
    assert error.message.endswith(" Look first.")


@pytest.mark.parametrize("code", ["answer_lost", "answer_late"])
@pytest.mark.parametrize(
    ("arguments", "idempotent", "advice"),
    [
        ({"ticket_id": "TD-1"}, True, "Call again."),
        (
            {"idempotency_key": "k"},
            False,
            "Repeat it exactly, with the same idempotency_key, which does it once; or",
        ),
        (
            {"ticket_id": "TD-1"},
            False,
            "It had no idempotency_key, so read first what came of it, and repeat it only",
        ),
    ],
)
def test_a_call_whose_answer_was_lost_is_repeated_as_is_right_for_it(
    code: str, arguments: dict[str, Any], idempotent: bool, advice: str
) -> None:
    problem = {"type": code, "detail": "Lost. Repeat it with the same idempotency key."}

    error = answered_badly("desk_get", problem, again=how_to_repeat(arguments, idempotent=idempotent)).error

    assert error is not None
    assert advice in error.message
    assert "same idempotency key" not in error.message
    assert (error.outcome, error.retryable) == ("unknown", True)


def test_an_error_says_what_is_known_and_nothing_else() -> None:
    problem = {"type": "rate_limited", "status": 429, "detail": "Too many.", "retry_after_s": 120}
    limited, refusal = (
        answered_badly("desk_get", problem, again="").error,
        refused("desk_get", "no", "No.").error,
    )

    assert limited is not None
    assert refusal is not None
    assert limited.document["retry_after_s"] == 120
    assert "outcome" not in limited.document
    assert {"outcome", "retry_after_s"} & set(refusal.document) == set()


def test_a_call_that_failed_is_not_called_refused() -> None:
    said = unanswered("desk_get", "desk", Failure.RESET, again="Call again.")

    seen = observation(said, step=1, max_steps=9, now=0, elapsed_s=0)

    assert seen["text"] == "Failed (connection_reset): The connection to desk broke off. Call again."


def test_an_unknown_tool_leads_to_the_ones_that_are_near() -> None:
    unknown = tool_not_found("get", ["desk_get", "wait"]).error
    elsewhere = tool_not_found("desk_gets", ["desk_get", "wait"], exists=True).error

    assert unknown is not None
    assert elsewhere is not None
    assert unknown.message == "There is no tool 'get'. Did you mean desk_get?"
    assert (elsewhere.code, elsewhere.error_type) == ("tool_not_offered", "tool_not_found")
    assert elsewhere.message == "You do not have the tool 'desk_gets'. Did you mean desk_get?"


def test_the_name_of_an_unknown_tool_is_cut() -> None:
    said = tool_not_found("x" * 10_000, ["wait"])

    assert said.error is not None
    assert said.tool_name == "x" * 100
    assert len(said.error.message) < 200


def test_guidance_of_a_refusal_is_passed_on_as_fields_and_text() -> None:
    problem = {
        "type": "permission_required",
        "status": 403,
        "detail": "You lack the permission 'refresh_metrics'.",
        "permission": "refresh_metrics",
        "remedy": {"tool": "datahub_request_access"},
        "allowed_values": ["low", "high"],
        "required_field": None,
        "row": {"secret": 1},
    }
    said = refused("desk_get", str(problem["type"]), str(problem["detail"]), problem)

    seen = observation(said, step=1, max_steps=9, now=0, elapsed_s=0)

    assert seen["error"] == {
        "error_type": "execution_error",
        "code": "permission_required",
        "message": "You lack the permission 'refresh_metrics'.",
        "retryable": False,
        "allowed_values": ["low", "high"],
        "permission": "refresh_metrics",
        "remedy": {"tool": "datahub_request_access"},
    }
    assert seen["text"].splitlines()[1:] == [
        "allowed_values: [low, high]",
        "remedy: {tool: datahub_request_access}",
    ]


CATALOG = ("desk_get", "desk_list", "desk_search")


def test_a_refusal_says_that_the_agent_lacks_the_tool_which_would_help() -> None:
    said = refused("desk_get", "unknown", "Find ids with desk_list or desk_search.", {"remedy": "desk_list"})

    seen = within_reach(said, ("desk_get", "desk_search"), CATALOG)

    assert seen.error is not None
    assert seen.error.message == (
        "Find ids with desk_list or desk_search. (Not among your tools: desk_list.)"
    )
    assert seen.error.facts == {}
    assert seen.call == said.call


@pytest.mark.parametrize(
    "said",
    [
        StepResult("desk_get", {"id": "T1"}),
        refused(
            "desk_get", "unknown", "Find ids with desk_list.", {"remedy": "desk_list", "field": "ticket_id"}
        ),
        refused("desk_get", "closed", "A ticket_id of no_tool.", {"remedy": "Ask somebody."}),
    ],
)
def test_a_remedy_that_the_agent_has_stays_as_it_is(said: StepResult) -> None:
    assert within_reach(said, CATALOG, CATALOG) is said


def test_text_and_result_of_a_long_list_show_the_same_items() -> None:
    items = [{"id": f"TD-{number}", "title": "x" * 500} for number in range(200)]
    said = StepResult("desk_list", {"items": items, "total": 999, "next_cursor": "TD-199"})

    seen = observation(said, step=1, max_steps=9, now=0, elapsed_s=0)

    *shown, total, cursor, hint = seen["text"].splitlines()[1:]
    assert len(shown) == len(seen["result"]["items"]) < 200
    assert (total, cursor) == ("total: 999", f"next_cursor: {seen['result']['next_cursor']}")
    assert hint.endswith(
        f"call desk_list again with cursor={seen['result']['next_cursor']} for those that follow]"
    )
    assert len(seen["text"]) < 25_000
