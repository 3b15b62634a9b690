"""What the rows of a base bring about by themselves."""

from collections.abc import Mapping

import pytest

from services.approvalflow.domain import OPEN, Status
from services.approvalflow.events import ChangePolicy, DecideRequest, ExpireRequest
from services.approvalflow.handlers import derive_due
from services.approvalflow.models import ApprovalType, PolicyChange, Request

TYPE = ApprovalType("plain", "Plain", "Anything.", 1, fields=[], routes=[], expires_s=100, decision_s=10)
START = 1000


def due(
    *, status: Status, submitted_at: int = START - 5, decision_due: int | None = START + 5
) -> Mapping[str, int]:
    request = Request(
        id="APR-0001",
        type="plain",
        policy_version=1,
        requester="alex.agent",
        approver="mia.boss",
        status=status,
        submitted_at=submitted_at,
        decision_due=decision_due,
    )
    planned = list(derive_due({"approval_types": [TYPE], "requests": [request]}, START))
    assert {plan.request_id for plan, _, _ in planned if isinstance(plan, DecideRequest | ExpireRequest)} <= {
        "APR-0001"
    }
    return {key: at for _, at, key in planned}


@pytest.mark.parametrize("status", [Status.PENDING, Status.ESCALATED])
def test_a_request_at_an_approver_is_decided_and_else_expires(status: Status) -> None:
    assert due(status=status) == {"decision:APR-0001": START + 5, "expiry:APR-0001": START + 95}


def test_a_held_request_expires() -> None:
    assert due(status=Status.HELD, decision_due=None) == {"expiry:APR-0001": START + 95}


@pytest.mark.parametrize("decision_due", [START, START - 1, None])
def test_an_overdue_decision_stays_overdue(decision_due: int | None) -> None:
    assert due(status=Status.PENDING, decision_due=decision_due) == {"expiry:APR-0001": START + 95}


def test_request_that_expired_before_the_start_has_nothing_due() -> None:
    assert due(status=Status.HELD, submitted_at=START - 100) == {}


@pytest.mark.parametrize("status", [status for status in Status if status not in OPEN])
def test_a_request_that_has_ended_brings_nothing_about(status: Status) -> None:
    assert due(status=status) == {}


def test_a_company_without_requests_has_nothing_due() -> None:
    assert list(derive_due({}, START)) == []


def test_a_policy_changes_when_that_was_announced_for_a_time_to_come() -> None:
    changes = [PolicyChange(f"PC-{at}", "plain", at, {}, "It changes.") for at in (START, START + 1)]

    planned = list(derive_due({"policy_changes": changes}, START))

    assert planned == [(ChangePolicy(change_id="PC-1001"), START + 1, "policy:PC-1001")]
