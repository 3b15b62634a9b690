"""Every decision of TicketDesk's domain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ticketdesk.domain import (
    BLOCKABLE,
    ONCE_VERIFIED,
    REOPENABLE,
    TRANSITIONS,
    Approval,
    ExternalStatus,
    Status,
    awaits_approval,
    by_number,
    is_news,
    is_resolved,
    missing_fields,
    once_decided,
    once_refreshed,
    once_unblocked,
    stands_verified,
)

statuses = st.sampled_from(Status)
request_ids = st.integers(1, 20_000).map("APR-{:04d}".format)


def test_every_status_says_where_plain_work_leads():
    assert set(TRANSITIONS) == set(Status)


def test_plain_work_reaches_only_triage_in_progress_and_done():
    assert set().union(*TRANSITIONS.values()) == {Status.TRIAGE, Status.IN_PROGRESS, Status.DONE}


def test_plain_work_leads_out_of_neither_blocked_nor_returned_nor_done_nor_closed():
    assert {status for status, reached in TRANSITIONS.items() if not reached} == {
        Status.BLOCKED,
        Status.RETURNED,
        Status.DONE,
        Status.CLOSED,
    }


@given(statuses)
def test_transitions_never_lead_to_the_current_status(status):
    assert status not in TRANSITIONS[status]


def test_a_new_ticket_can_be_worked_on_to_its_end():
    assert Status.IN_PROGRESS in TRANSITIONS[Status.NEW]
    assert Status.DONE in TRANSITIONS[Status.IN_PROGRESS]


def test_only_blocked_returned_and_verified_tickets_cannot_be_verified():
    assert set(Status) - set(ONCE_VERIFIED) == {Status.BLOCKED, Status.RETURNED, Status.VERIFIED}


@pytest.mark.parametrize("status", [Status.NEW, Status.TRIAGE])
def test_verifying_takes_a_ticket_that_waits_to_verified(status):
    assert ONCE_VERIFIED[status] == Status.VERIFIED


@pytest.mark.parametrize("status", [Status.IN_PROGRESS, Status.DONE, Status.CLOSED])
def test_verifying_leaves_work_that_has_begun_where_it_is(status):
    assert ONCE_VERIFIED[status] == status


def test_done_ticket_is_reopened_instead_of_blocked():
    assert Status.DONE in REOPENABLE - BLOCKABLE


def test_a_closed_ticket_can_be_neither_blocked_nor_reopened():
    assert Status.CLOSED not in BLOCKABLE | REOPENABLE


@pytest.mark.parametrize("to", [Status.IN_PROGRESS, Status.DONE])
@pytest.mark.parametrize("approval", [Approval.NONE, Approval.PENDING, Approval.REJECTED])
def test_work_waits_for_its_approval(to, approval):
    assert awaits_approval(to, requires_approval=True, approval=approval)


@pytest.mark.parametrize("to", [Status.IN_PROGRESS, Status.DONE])
def test_approved_work_waits_no_more(to):
    assert not awaits_approval(to, requires_approval=True, approval=Approval.APPROVED)


@given(statuses, st.sampled_from(Approval))
def test_work_that_needs_no_approval_waits_for_none(to, approval):
    assert not awaits_approval(to, requires_approval=False, approval=approval)


def test_triage_waits_for_no_approval():
    assert not awaits_approval(Status.TRIAGE, requires_approval=True, approval=Approval.NONE)


def test_missing_fields_come_in_the_order_of_the_rule():
    values = {"priority": None, "assignee": "", "cost_centre": "CC-210"}

    assert missing_fields(["assignee", "cost_centre", "priority"], values) == ["assignee", "priority"]


def test_a_field_that_a_ticket_does_not_have_is_missing():
    assert missing_fields(["tax_id"], {}) == ["tax_id"]


@given(st.dictionaries(st.sampled_from(["priority", "assignee", "cost_centre"]), st.none() | st.just("set")))
def test_a_required_field_is_missing_or_set_and_never_both(values):
    required = ["priority", "assignee", "cost_centre"]
    present = [name for name in required if values.get(name)]

    assert sorted(missing_fields(required, values) + present) == sorted(required)


@pytest.mark.parametrize("status", [Status.VERIFIED, Status.IN_PROGRESS, Status.DONE, Status.CLOSED])
def test_a_verification_on_record_stands(status):
    assert stands_verified(status, "ana.lopez")


@pytest.mark.parametrize("status", [Status.NEW, Status.TRIAGE])
def test_back_in_triage_the_facts_are_to_be_checked_again(status):
    assert not stands_verified(status, "ana.lopez")


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.VERIFIED}))
def test_ticket_that_was_not_verified_does_not_count_as_verified(status):
    assert not stands_verified(status, None)


def test_the_status_verified_stands_by_itself():
    assert stands_verified(Status.VERIFIED, None)


@pytest.mark.parametrize("status", [Status.DONE, Status.CLOSED])
def test_a_blocker_is_resolved_once_finished_and_verified(status):
    assert is_resolved(status, "ana.lopez")
    assert not is_resolved(status, None)


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.DONE, Status.CLOSED}))
def test_an_unfinished_blocker_is_not_resolved_however_verified(status):
    assert not is_resolved(status, "ana.lopez")


def test_the_last_blocker_gone_takes_a_ticket_back_to_triage():
    assert once_unblocked(Status.BLOCKED, []) == Status.TRIAGE


def test_a_ticket_with_blockers_left_stays_blocked():
    assert once_unblocked(Status.BLOCKED, ["TD-1007"]) == Status.BLOCKED


def test_a_ticket_that_was_not_blocked_stays_where_it_was():
    assert once_unblocked(Status.IN_PROGRESS, []) == Status.IN_PROGRESS


@given(st.lists(st.integers(1, 9)), st.integers(1, 9))
def test_a_metric_is_settled_by_any_version_newer_than_the_wait_for_it(versions, since):
    status = ExternalStatus.OPEN
    for version in versions:
        status = once_refreshed(status, version=version, since=since)

    assert (status == ExternalStatus.SETTLED) == (max(versions, default=0) > since)


def test_a_request_is_settled_by_its_approval_alone():
    assert once_decided(Approval.APPROVED) == ExternalStatus.SETTLED
    assert once_decided(Approval.REJECTED) == ExternalStatus.REJECTED


def test_a_decision_about_an_older_request_is_no_news():
    assert not is_news("APR-0007", Approval.APPROVED, {"APR-0008"})


def test_a_request_of_more_digits_is_newer():
    assert is_news("APR-10000", Approval.APPROVED, {"APR-9999"})
    assert not is_news("APR-9999", Approval.APPROVED, {"APR-10000"})


def test_that_a_known_request_was_made_is_no_news():
    assert not is_news("APR-0007", Approval.PENDING, {"APR-0007"})


@given(st.dictionaries(request_ids, st.sampled_from([Approval.APPROVED, Approval.REJECTED])), st.randoms())
def test_news_in_any_order_leaves_the_same_approval(decisions, chance):
    told = [(request, Approval.PENDING) for request in decisions] + list(decisions.items())

    in_order = follow(sorted(told))
    chance.shuffle(told)

    assert follow(told) == in_order


def follow(told: list[tuple[str, Approval]]) -> Approval:
    shown, known = Approval.NONE, set()
    for request_id, outcome in told:
        if is_news(request_id, outcome, known):
            shown = outcome
        known.add(request_id)
    return shown


@given(st.sets(st.integers(0, 10**6)))
def test_numbered_ids_sort_by_their_number(numbers):
    ids = [f"TD-{number}" for number in numbers]

    assert sorted(ids, key=by_number) == [f"TD-{number}" for number in sorted(numbers)]
