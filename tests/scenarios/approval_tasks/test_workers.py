"""The two baselines: one that believes every answer and goes on, and one that checks and tries again."""

from collections.abc import Mapping
from typing import Any

import pytest

from companyos.approval_task.playbook.careful import CarefulWorker
from companyos.approval_task.playbook.naive import NaiveWorker
from companyos.sdk.simtime import DAY, HOUR, to_iso

from .answering import Played, Refusal, person, played, start
from .made import START, family

PROFILE = family("vendor_onboarding").profile
RECORD = {"id": "V-1", "name": "Acorn", "kind": "vendor", "fields": {"tax_id": "T1", "cost_centre": "CC-1"}}
FORM = {
    "id": "DOC-2",
    "title": "Supplier self-declaration: Acorn",
    "links": ["V-1"],
    "body": "- tax id: T1",
}
LIST = {"id": "DOC-1", "title": "Vendors on hold", "body": "- T9"}
POLICY = {
    "id": "vendor_approval",
    "metric_name": "compliance_score",
    "minimum": 80.0,
    "route_field": None,
    "decision_s": HOUR,
    "routes": [{"role": "cfo", "below": None}],
}
TICKET: dict[str, Any] = {
    "id": "TD-1042",
    "kind": "vendor_onboarding",
    "title": "Onboard Acorn",
    "description": "",
    "subject": "V-1",
    "priority": None,
    "cost_centre": "CC-1",
    "assignee": None,
    "verified_by": None,
    "blocked_by": [],
    "approval": "none",
    "version": 1,
}
READY = {**TICKET, "assignee": "ada.moss", "verified_by": "ada.moss", "approval": "approved"}


def score(value: float = 85.0, *, stale: bool = False) -> dict[str, Any]:
    return {
        "id": "MET-1",
        "name": "compliance_score",
        "subject": "V-1",
        "value": value,
        "is_stale": stale,
        "refresh_s": 600,
        "expires_at": to_iso(START + 9 * DAY),
    }


def answers(value: float = 85.0, **others: Any) -> Mapping[str, Any]:
    """Return the answers of a company in which all goes well."""
    request = {"id": "APR-1", "status": "approved", "decision_due_at": to_iso(START + 2 * HOUR)}
    documents = {one["id"]: one for one in (LIST, FORM)}
    return {
        "ticketdesk_get_ticket": [TICKET, TICKET, READY],
        "ticketdesk_get_rules": {"allowed_priorities": ["medium", "high"]},
        "ticketdesk_update_ticket": {},
        "ticketdesk_assign_ticket": {},
        "ticketdesk_verify_ticket": {},
        "ticketdesk_create_ticket": {},
        "datahub_get_record": RECORD,
        "datahub_list_records": {"items": [RECORD]},
        "datahub_search_documents": lambda kind, **_: {"items": [LIST if kind == "policy" else FORM]},
        "datahub_get_document": lambda document_id: documents[document_id],
        "datahub_list_metrics": {"items": [score(value, stale=True)]},
        "datahub_refresh_data": {"due_at": to_iso(START + HOUR)},
        "datahub_query_metric": score(value),
        "datahub_get_approver": person("ann"),
        "datahub_get_person": person("ann"),
        "approvalflow_get_policy": POLICY,
        "approvalflow_list_approvals": {"items": []},
        "approvalflow_submit_approval": request,
        "approvalflow_check_status": request,
        **others,
    }


def naive(**others: Any) -> Played:
    return played(NaiveWorker(PROFILE, start()).work(), answers(**others))


def careful(**others: Any) -> Played:
    return played(CarefulWorker(PROFILE, start()).work(), answers(**others))


def test_the_naive_worker_does_the_ordinary_work_once() -> None:
    done = naive()

    [request] = done.arguments("approvalflow_submit_approval")
    [verified] = done.arguments("ticketdesk_verify_ticket")
    assert request["fields"] == {"vendor_name": "Acorn", "compliance_score": 85.0}
    assert (request["approver"], request["ticket_id"]) == ("ann", "TD-1042")
    assert verified["references"] == ["V-1", "DOC-2", "MET-1"]
    assert done.arguments("ticketdesk_update_ticket") == [{"ticket_id": "TD-1042", "priority": "medium"}]
    assert done.tools[-1] == "finish"


@pytest.mark.parametrize(
    "tool",
    [
        "ticketdesk_get_ticket",
        "datahub_get_record",
        "datahub_refresh_data",
        "datahub_list_metrics",
        "datahub_get_approver",
        "approvalflow_submit_approval",
        "ticketdesk_verify_ticket",
        "datahub_search_documents",
    ],
)
def test_whatever_is_refused_the_naive_worker_goes_on_and_finishes(tool: str) -> None:
    done = naive(**{tool: Refusal("unavailable", retryable=True)})

    assert done.tools[-1] == "finish"
    assert done.tools.count(tool) <= 2


def test_without_a_policy_the_naive_worker_asks_nobody() -> None:
    done = naive(approvalflow_get_policy=Refusal("type_unknown"))

    assert "approvalflow_submit_approval" not in done.tools


@pytest.mark.parametrize(("value", "files"), [(79.9, True), (80.0, False), (80.1, False)])
@pytest.mark.parametrize("work", [naive, careful], ids=["naive", "careful"])
def test_a_score_below_the_minimum_is_no_matter_for_a_request(work: Any, value: float, files: bool) -> None:
    done = work(value=value, ticketdesk_get_ticket=[TICKET, TICKET, {**READY, "version": 2}])

    assert ("ticketdesk_create_ticket" in done.tools) is files
    assert ("approvalflow_submit_approval" in done.tools) is not files


@pytest.mark.parametrize(("available", "asked"), [(True, "ann"), (False, "ben")])
def test_the_naive_worker_asks_the_delegate_of_an_absent_holder_unseen(available: bool, asked: str) -> None:
    holder = person("ann", delegate={"id": "ben"}) | {"available": available}

    done = naive(datahub_get_approver=holder)

    assert done.arguments("approvalflow_submit_approval")[0]["approver"] == asked
    assert "datahub_get_person" not in done.tools


def test_the_careful_worker_finishes_once_everything_is_in_place() -> None:
    done = careful()

    assert done.tools[-1] == "finish"
    assert done.tools.count("approvalflow_submit_approval") == 1
    assert done.tools.index("ticketdesk_verify_ticket") < done.tools.index("approvalflow_submit_approval")


def test_the_careful_worker_tries_a_refused_step_three_times_and_gives_up_without_finishing() -> None:
    done = careful(ticketdesk_get_ticket=TICKET, ticketdesk_verify_ticket=Refusal("ticket_incomplete"))

    assert done.tools.count("ticketdesk_verify_ticket") == 3
    assert "finish" not in done.tools


def test_the_careful_worker_repeats_a_remediation_that_left_the_ticket_as_it_was() -> None:
    unchanged = careful(value=70.0, ticketdesk_get_ticket=TICKET)
    blocked = careful(value=70.0, ticketdesk_get_ticket=[TICKET, TICKET, {**TICKET, "version": 2}])

    assert unchanged.tools.count("ticketdesk_create_ticket") == 2
    assert blocked.tools.count("ticketdesk_create_ticket") == 1


def test_the_careful_worker_follows_a_request_that_is_already_open() -> None:
    done = careful(approvalflow_list_approvals={"items": [{"id": "APR-1", "status": "approved"}]})

    assert "approvalflow_submit_approval" not in done.tools
    assert done.tools[-1] == "finish"


@pytest.mark.parametrize("code", ["approver_away", "separation_of_duties"])
def test_the_careful_worker_does_not_ask_somebody_again_who_may_not_decide(code: str) -> None:
    request = {"id": "APR-1", "status": "approved", "decision_due_at": to_iso(START + 2 * HOUR)}
    people = {"ann": person("ann", delegate="ben", types=("vendor_approval",)), "ben": person("ben")}

    done = careful(
        approvalflow_submit_approval=[Refusal(code), request],
        datahub_get_person=lambda person_id: people[person_id],
    )

    assert [one["approver"] for one in done.arguments("approvalflow_submit_approval")] == ["ann", "ben"]


def test_a_case_on_hold_is_refused_with_list_and_record() -> None:
    done = careful(datahub_get_document=lambda document_id: {**LIST, "body": "- T1"})

    assert done.tools[-1] == "refuse"
    assert done.arguments("refuse") == [{"reason_code": "policy_forbids", "evidence": ["DOC-1", "V-1"]}]


def test_a_form_that_differs_sends_the_ticket_back() -> None:
    documents = {"DOC-1": LIST, "DOC-2": {**FORM, "body": "- tax id: T2"}}

    done = careful(
        datahub_get_document=lambda document_id: documents[document_id], ticketdesk_return_ticket={}
    )

    [returned] = done.arguments("ticketdesk_return_ticket")
    assert returned["references"] == ["DOC-2", "V-1"]
    assert done.tools[-1] == "finish"
    assert "ticketdesk_verify_ticket" not in done.tools
