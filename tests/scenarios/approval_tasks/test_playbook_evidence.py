"""How the oracle gets its evidence: fresh metrics, the right record, permissions, and news that is late."""

from typing import Any

import pytest

from companyos.approval_task import Employee
from companyos.sdk.asking import Refused
from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_iso

from .answering import Played, Refusal, played, start
from .made import START

GRANT = {"datahub_request_access": {"due_at": to_iso(START + HOUR)}}
DENIED = Refusal("permission_required", permission="verify_tickets")


def employee() -> Employee:
    return Employee(start())


def reading(*, stale: bool = False, value: float = 5.0, left_s: int = DAY, **columns: Any) -> dict[str, Any]:
    """Return a metric as DataHub shows it."""
    return {
        "id": "MET-1",
        "subject": "V-1",
        "value": value,
        "is_stale": stale,
        "expires_at": to_iso(START + left_s),
        **columns,
    }


def test_a_tool_that_one_may_use_is_called_once() -> None:
    done = played(employee().permitted("ticketdesk_verify_ticket"), {"ticketdesk_verify_ticket": {"ok": 1}})

    assert (done.tools, done.value) == (["ticketdesk_verify_ticket"], {"ok": 1})


def test_a_missing_permission_is_asked_for_awaited_and_used() -> None:
    answers = {"ticketdesk_verify_ticket": [DENIED, {"ok": 1}], **GRANT}

    done = played(employee().permitted("ticketdesk_verify_ticket"), answers)

    assert done.tools == [
        "ticketdesk_verify_ticket",
        "datahub_request_access",
        "wait",
        "ticketdesk_verify_ticket",
    ]
    [asked] = done.arguments("datahub_request_access")
    assert asked == {"permission": "verify_tickets", "reason": "TD-1042 needs ticketdesk_verify_ticket."}
    assert done.arguments("wait") == [{"until": to_iso(START + HOUR)}]


def test_a_permission_that_is_granted_but_unheard_of_is_not_asked_for_again() -> None:
    answers = {
        "ticketdesk_verify_ticket": [DENIED, DENIED, {"ok": 1}],
        "ticketdesk_replay_events": {"coming": 1},
        **GRANT,
    }

    done = played(employee().permitted("ticketdesk_verify_ticket"), answers)

    assert done.tools.count("datahub_request_access") == 1
    assert done.arguments("ticketdesk_replay_events") == [{"object_id": "verify_tickets"}]


def test_another_refusal_is_no_matter_of_permissions() -> None:
    with pytest.raises(Refused, match="ticket_incomplete"):
        played(
            employee().permitted("ticketdesk_verify_ticket"),
            {"ticketdesk_verify_ticket": Refusal("ticket_incomplete")},
        )


@pytest.mark.parametrize(
    ("kind", "reference"), [("metric", "MET-1"), ("record", "V-1"), ("ticket", "TD-1042")]
)
def test_the_evidence_that_an_approver_asks_for_is_attached(kind: str, reference: str) -> None:
    status = {"id": "APR-1", "required_evidence": kind}
    answers = {
        "ticketdesk_get_ticket": {"id": "TD-1042", "subject": "V-1"},
        "approvalflow_add_evidence": {},
    }

    done = played(employee().attach(status, {"id": "TD-1042"}, reading()), answers)

    assert done.arguments("approvalflow_add_evidence") == [
        {"request_id": "APR-1", "kind": kind, "reference": reference}
    ]
    assert ("ticketdesk_get_ticket" in done.tools) == (kind != "metric")


def metric(subject: str | None, items: list[dict[str, Any]], readings: list[dict[str, Any]]) -> Played:
    answers = {
        "datahub_list_metrics": {"items": items},
        "datahub_query_metric": readings,
        "datahub_refresh_data": {"due_at": to_iso(START + 10 * MINUTE)},
    }
    return played(employee().metric("score", subject), answers)


def test_a_fresh_metric_is_read_and_not_refreshed() -> None:
    done = metric("V-1", [reading()], [reading(value=7.0)])

    assert done.tools == ["datahub_list_metrics", "datahub_query_metric"]
    assert done.value["value"] == 7.0


def test_a_stale_metric_is_refreshed_awaited_and_read() -> None:
    done = metric("V-1", [reading(stale=True)], [reading(value=7.0)])

    assert done.tools == ["datahub_list_metrics", "datahub_refresh_data", "wait", "datahub_query_metric"]
    assert done.arguments("wait") == [{"until": to_iso(START + 10 * MINUTE)}]
    assert done.value["value"] == 7.0


def test_a_refresh_that_failed_is_repeated() -> None:
    done = metric("V-1", [reading(stale=True)], [reading(stale=True), reading(value=7.0)])

    assert done.tools.count("datahub_refresh_data") == 2
    assert done.value["value"] == 7.0


@pytest.mark.parametrize("subject", [None, "V-1"])
def test_the_metric_is_that_of_exactly_this_subject(subject: str | None) -> None:
    items = [reading(id="MET-2", subject="ORG-1"), reading(id="MET-3", subject=None), reading(id="MET-4")]

    done = metric(subject, items, [reading()])

    [listed] = done.arguments("datahub_list_metrics")
    assert listed == {"name": "score", **({} if subject is None else {"subject": subject})}
    assert done.arguments("datahub_query_metric") == [{"metric_id": "MET-3" if subject is None else "MET-4"}]


@pytest.mark.parametrize(
    ("left_s", "keeps_s", "renewed"),
    [(119, 120, True), (120, 120, True), (121, 120, False), (0, 0, True), (1, 0, False)],
)
def test_a_reading_is_renewed_unless_it_outlasts_what_it_is_for(
    left_s: int, keeps_s: int, renewed: bool
) -> None:
    old = reading(left_s=left_s)
    answers = {
        "datahub_refresh_data": {"due_at": to_iso(START + MINUTE)},
        "datahub_query_metric": reading(value=7.0),
    }

    done = played(employee().fresh(old, keeps_s=keeps_s), answers)

    assert (done.value is not old) is renewed
    assert ("datahub_refresh_data" in done.tools) is renewed


def record(record_id: str = "V-1", kind: str = "vendor", **fields: Any) -> dict[str, Any]:
    return {"id": record_id, "name": "Acorn", "kind": kind, "fields": {"cost_centre": "CC-1", **fields}}


def found(ticket: dict[str, Any], **answers: Any) -> Played:
    play = employee().record(ticket, kind="vendor", name="Acorn", mark="tax_id")
    return played(play, answers)


def test_a_ticket_that_names_its_record_leads_to_it() -> None:
    done = found({"subject": "V-1", "description": ""}, datahub_get_record=record())

    assert (done.tools, done.value["id"]) == (["datahub_get_record"], "V-1")


@pytest.mark.parametrize(
    ("description", "record_id"),
    [
        ("Please. Tax id: T22.", "V-2"),
        ("T22", "V-2"),
        ("Tax id: T222.", "V-3"),
        ("From 2.22. Tax id: T2.", "V-1"),
    ],
    ids=["at the end", "alone", "a longer number", "a shorter number"],
)
def test_a_ticket_without_a_subject_is_about_the_record_with_its_number(
    description: str, record_id: str
) -> None:
    numbers = {"V-0": None, "V-1": "T2", "V-2": "T22", "V-3": "T222"}
    items = [record(one, tax_id=number) for one, number in numbers.items()]

    done = found({"subject": None, "description": description}, datahub_list_records={"items": items})

    assert done.value["id"] == record_id
    assert done.arguments("datahub_list_records") == [{"kind": "vendor", "q": "Acorn"}]


def rule(records: str, authority: str, field: str = "cost_centre") -> dict[str, Any]:
    return {"fields": {"records": records, "field": field, "authority": authority}}


RULES = [
    rule("contract", "cost_allocation"),
    rule("vendor", "nobody", field="colour"),
    rule("vendor", "vendor"),
]


@pytest.mark.parametrize(
    ("rules", "corrected", "centre"),
    [(RULES, "CA-1", "CC-1"), ([rule("vendor", "cost_allocation")], "V-1", "CC-2")],
    ids=["the record prevails", "the ledger prevails"],
)
def test_of_two_records_that_disagree_the_wrong_one_is_corrected(
    rules: list[dict[str, Any]], corrected: str, centre: str
) -> None:
    shown = {
        "V-1": record(see_also="CA-1"),
        "CA-1": record("CA-1", "cost_allocation", cost_centre="CC-2"),
    }

    done = found(
        {"subject": "V-1", "description": ""},
        datahub_get_record=lambda record_id: shown[record_id],
        datahub_list_records={"items": rules},
        datahub_update_record={},
    )

    assert done.arguments("datahub_update_record") == [
        {"record_id": corrected, "fields": {"cost_centre": centre}}
    ]
    assert (done.value["id"], done.value["fields"]["cost_centre"]) == ("V-1", centre)


def test_records_that_agree_are_left_alone() -> None:
    shown = {"V-1": record(see_also="CA-1"), "CA-1": record("CA-1", "cost_allocation")}

    done = found({"subject": "V-1", "description": ""}, datahub_get_record=lambda record_id: shown[record_id])

    assert done.tools == ["datahub_get_record"] * 2


def news(**answers: Any) -> Played:
    return played(employee().bring_news("ticketdesk", "APR-1", "MET-1"), answers)


def letter(event: str = "approval.decided", object_id: str = "APR-1") -> dict[str, Any]:
    return {"id": "L-1", "event": event, "object_id": object_id, "required_field": "outcome"}


def test_news_that_is_coming_needs_nothing_else() -> None:
    done = news(ticketdesk_replay_events=[{"coming": 0}, {"coming": 2}])

    assert [one["object_id"] for one in done.arguments("ticketdesk_replay_events")] == ["APR-1", "MET-1"]
    assert done.tools == ["ticketdesk_replay_events"] * 2


def test_news_that_nobody_published_yet_is_waited_for() -> None:
    done = news(
        ticketdesk_replay_events={"coming": 0},
        ticketdesk_list_dead_letters={"items": [letter(object_id="APR-7")]},
    )

    assert done.tools[-1] == "wait"
    assert done.arguments("wait") == [{"until": to_iso(START + 3 * MINUTE + 10 * MINUTE)}]


@pytest.mark.parametrize(
    ("event", "tool", "argument"),
    [
        ("approval.decided", "approvalflow_get_request", "request_id"),
        ("metric.refreshed", "datahub_query_metric", "metric_id"),
        ("person.away", "datahub_get_person", "person_id"),
        ("ticket.verified", "ticketdesk_get_ticket", "ticket_id"),
    ],
)
def test_a_dead_letter_is_redriven_with_what_its_publisher_shows(
    event: str, tool: str, argument: str
) -> None:
    done = news(
        ticketdesk_replay_events={"coming": 0},
        ticketdesk_list_dead_letters={"items": [letter(event)]},
        ticketdesk_redrive_dead_letter={},
        **{tool: {"outcome": "approved", "other": 1}},
    )

    assert done.arguments(tool) == [{argument: "APR-1"}]
    assert done.arguments("ticketdesk_redrive_dead_letter") == [
        {"letter_id": "L-1", "corrections": {"outcome": "approved"}}
    ]
    assert "wait" not in done.tools


def redriven(error: Refusal) -> Played:
    """Return how a dead letter is redriven that TicketDesk refuses."""
    return news(
        ticketdesk_replay_events={"coming": 0},
        ticketdesk_list_dead_letters={"items": [letter()]},
        approvalflow_get_request={"outcome": "approved"},
        ticketdesk_redrive_dead_letter=error,
    )


def test_a_letter_that_was_delivered_in_the_meantime_is_no_fault() -> None:
    assert redriven(Refusal("dead_letter_unknown")).tools[-1] == "ticketdesk_redrive_dead_letter"


def test_a_correction_that_is_refused_is_a_refusal() -> None:
    with pytest.raises(Refused, match="field_unknown"):
        redriven(Refusal("field_unknown"))


def test_a_blocker_is_resolved_once_the_news_about_it_is_there() -> None:
    answers = {
        "ticketdesk_resolve_blocker": [Refusal("blocker_unresolved"), Refusal("blocker_unresolved"), {}],
        "ticketdesk_replay_events": {"coming": 1},
    }

    done = played(employee().resolve("TD-1042", "MET-1"), answers)

    assert done.tools.count("ticketdesk_resolve_blocker") == 3
    assert done.arguments("ticketdesk_replay_events") == [{"object_id": "MET-1"}] * 2


def test_a_blocker_that_cannot_be_resolved_for_another_reason_is_a_refusal() -> None:
    with pytest.raises(Refused, match="blocker_unknown"):
        played(employee().resolve("TD-1042", "X"), {"ticketdesk_resolve_blocker": Refusal("blocker_unknown")})
