"""What the oracle states in a request, and what it does until the request is approved."""

from typing import Any

import pytest

from companyos.approval_task import Employee
from companyos.sdk.asking import Refused
from companyos.sdk.simtime import DAY, HOUR, to_iso

from .answering import Played, Refusal, person, played, policy, start
from .made import START


@pytest.mark.parametrize(
    ("at_s", "waits"),
    [(1, True), (2 * HOUR, True), (2 * HOUR + 1, False)],
    ids=["at once", "as a request could be decided", "a second later"],
)
def test_an_announced_change_is_waited_for_if_it_comes_before_the_decision(at_s: int, waits: bool) -> None:
    announced = policy(announced=[{"at": to_iso(START + at_s)}])
    changed = policy(policy_version=2)

    done = played(Employee(start()).in_force(announced), {"approvalflow_get_policy": changed})

    assert done.value == (changed if waits else announced)
    assert ("wait" in done.tools) is waits


def test_of_several_changes_the_last_one_before_the_decision_is_waited_for() -> None:
    announced = [{"at": to_iso(START + hours * HOUR)} for hours in (2, 1, 9)]

    done = played(
        Employee(start()).in_force(policy(announced=announced)), {"approvalflow_get_policy": policy()}
    )

    assert done.arguments("wait") == [{"until": to_iso(START + 2 * HOUR)}]


def form_field(name: str, **columns: Any) -> dict[str, Any]:
    return {"name": name, "renamed_from": None, "scale": 1, "required": True, **columns}


def stated(*fields: dict[str, Any]) -> Any:
    """Return what a request states on a form with these fields."""
    known = {"amount": 12.5, "report_id": "EXP-1"}
    ticket = {"id": "TD-1042", "cost_centre": "CC-1", "reporter": "ben"}
    answers = {"approvalflow_get_approval_type": {"fields": list(fields)}, "ticketdesk_get_ticket": ticket}
    return played(Employee(start()).stated("buying", {"id": "TD-1042"}, known), answers).value


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (form_field("amount"), {"amount": 12.5}),
        (form_field("total", renamed_from="amount"), {"total": 12.5}),
        (form_field("amount", scale=100), {"amount": 1250.0}),
        (form_field("amount", scale=1 / 3), {"amount": 4.166667}),
        (form_field("amount", required=False), {"amount": 12.5}),
        (form_field("cost_centre"), {"cost_centre": "CC-1"}),
        (form_field("cost_centre", required=False), {}),
    ],
    ids=["known", "renamed", "in cents", "rounded", "optional", "from the ticket", "optional and unknown"],
)
def test_a_field_is_stated_by_its_present_name_and_unit(
    field: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert stated(field) == expected


def approved(*statuses: dict[str, Any], requests: list[Any] | None = None, **answers: Any) -> Played:
    """Return how the oracle gets a request approved that goes through these statuses."""
    request = {"id": "APR-1", "ticket_id": "TD-1042", "decision_due_at": to_iso(START + HOUR)}
    shown = [{**request, **one} for one in statuses]
    usual = {
        "approvalflow_get_approval_type": {"fields": [form_field("amount")]},
        "datahub_get_approver": person("ann", others=["zoe"]),
        "datahub_get_person": person("zoe"),
        "approvalflow_submit_approval": requests or shown[:1],
        "approvalflow_resubmit_request": {**request, "status": "pending"},
        "approvalflow_check_status": shown[1:] or shown,
        "approvalflow_get_policy": policy(),
        "ticketdesk_get_ticket": {"id": "TD-1042", "approval": "approved", "cost_centre": "CC-1"},
    }
    metric = {"id": "MET-1", "value": 5.0, "expires_at": to_iso(START + 9 * DAY)}
    ticket = {"id": "TD-1042", "reporter": "ben"}
    play = Employee(start()).get_approved(ticket, policy(), {"amount": 5.0}, metric)
    return played(play, {**usual, **answers})


PENDING, DONE = {"status": "pending"}, {"status": "approved"}


def test_a_request_is_made_awaited_and_seen_on_the_ticket() -> None:
    done = approved(PENDING, DONE)

    assert done.tools == [
        "approvalflow_get_approval_type",
        "datahub_get_approver",
        "approvalflow_submit_approval",
        "wait",
        "approvalflow_check_status",
        "ticketdesk_get_ticket",
    ]
    [request] = done.arguments("approvalflow_submit_approval")
    assert (request["approver"], request["fields"], request["policy_version"]) == ("ann", {"amount": 5.0}, 1)


def test_an_approval_that_the_ticket_does_not_show_yet_is_brought_to_it() -> None:
    tickets = [{"id": "TD-1042", "approval": one} for one in ("pending", "approved")]

    done = approved(PENDING, DONE, ticketdesk_get_ticket=tickets, ticketdesk_replay_events={"coming": 1})

    assert done.arguments("ticketdesk_replay_events") == [{"object_id": "APR-1"}]


def rejected(remedy: str, **columns: Any) -> Played:
    answers = {"status": "rejected", "remedy": remedy, "decided_by": "ann", **columns}
    return approved(PENDING, answers, DONE, approvalflow_add_evidence={})


def resubmitted(done: Played) -> dict[str, Any]:
    [arguments] = done.arguments("approvalflow_resubmit_request")
    assert arguments.pop("request_id") == "APR-1"
    return arguments


def test_a_rejected_request_is_made_again_as_it_was_if_that_is_all_that_is_asked() -> None:
    assert resubmitted(rejected("resubmit")) == {}


def test_evidence_that_is_asked_for_is_attached_first() -> None:
    done = rejected("add_evidence", required_evidence="metric")

    assert resubmitted(done) == {}
    assert done.tools.index("approvalflow_add_evidence") < done.tools.index("approvalflow_resubmit_request")


@pytest.mark.parametrize(("field", "fields"), [("cost_centre", {"cost_centre": "CC-1"}), ("colour", {})])
def test_a_missing_field_is_stated_as_the_ticket_has_it(field: str, fields: dict[str, str]) -> None:
    assert resubmitted(rejected("fix_field", required_field=field)) == {"fields": fields}


def test_a_second_approver_is_somebody_else() -> None:
    assert resubmitted(rejected("second_approver")) == {"approver": "zoe"}


def test_a_voided_request_is_followed_by_a_new_one_under_the_new_policy() -> None:
    again = {"id": "APR-2", "ticket_id": "TD-1042", "status": "approved"}
    changed = policy(policy_version=2)

    done = approved(
        PENDING,
        {"status": "voided"},
        requests=[
            {"id": "APR-1", "ticket_id": "TD-1042", "decision_due_at": to_iso(START + HOUR), **PENDING},
            again,
        ],
        approvalflow_get_policy=changed,
    )

    versions = [one["policy_version"] for one in done.arguments("approvalflow_submit_approval")]
    assert versions == [1, 2]


def test_a_permission_to_submit_is_obtained_and_the_approver_looked_up_again() -> None:
    denied = Refusal("permission_required", permission="submit_requests")
    request = {"id": "APR-1", "ticket_id": "TD-1042", **DONE}

    done = approved(
        PENDING, DONE, requests=[denied, request], datahub_request_access={"due_at": to_iso(START + HOUR)}
    )

    assert done.tools.count("approvalflow_submit_approval") == 2
    assert done.tools.count("datahub_request_access") == 1


def test_another_refusal_of_a_request_is_not_repeated() -> None:
    with pytest.raises(Refused, match="approver_away"):
        approved(PENDING, requests=[Refusal("approver_away")])


@pytest.mark.parametrize(("left_s", "refreshed"), [(HOUR, False), (0, True)], ids=["still fresh", "expired"])
def test_a_held_request_gets_a_fresh_metric_or_the_news_of_the_one_there_is(
    left_s: int, refreshed: bool
) -> None:
    held = {"status": "held", "waiting_for": ["metric_fresh"]}
    reading = {"id": "MET-1", "value": 5.0, "is_stale": False, "expires_at": to_iso(START + left_s)}

    done = approved(
        held,
        DONE,
        datahub_query_metric=[reading, {**reading, "value": 6.0}],
        datahub_refresh_data={"due_at": to_iso(START + 2 * HOUR)},
        approvalflow_replay_events={"coming": 1},
    )

    assert ("datahub_refresh_data" in done.tools) is refreshed
    assert done.arguments("approvalflow_replay_events") == ([] if refreshed else [{"object_id": "MET-1"}])


def test_a_request_held_for_its_ticket_gets_the_news_about_the_ticket() -> None:
    held = {"status": "held", "waiting_for": ["ticket_verified"]}

    done = approved(held, DONE, approvalflow_replay_events={"coming": 1})

    assert done.arguments("approvalflow_replay_events") == [{"object_id": "TD-1042"}]
