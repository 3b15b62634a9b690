"""Who may submit requests where not everybody may, as far as ApprovalFlow has heard."""

from typing import Any

import pytest

from tests.live_services import Desk, World

from .company import Row, request, start, submission

GRANTED = {"permission": "submit_requests", "person_id": "alex.agent"}
SUBMITTED = ("/requests", submission())
RESUBMITTED = ("/requests/APR-0007/resubmit", {})

acts = pytest.mark.parametrize(("path", "body"), [SUBMITTED, RESUBMITTED], ids=["submit", "resubmit"])


def kept(*roles: str) -> list[Row]:
    return [{"id": "submit_requests", "roles": list(roles), "people": []}]


async def open_world(approvalflow: Desk, permissions: list[Row]) -> World:
    """Return a world with a rejected request and these permissions."""
    rejected = request(status="rejected", decision_due=None, reason_code="missing_attachment")
    return await start(approvalflow, requests=[rejected], permissions=permissions)


@acts
async def test_missing_permission_is_refused_with_a_remedy_and_no_violation(
    approvalflow: Desk, path: str, body: Any
) -> None:
    world = await open_world(approvalflow, kept("controller"))

    answer = await world.post(path, json=body)

    assert (answer.status_code, answer.json()["type"]) == (403, "permission_required")
    assert "your role, analyst, does not have: 'submit_requests'" in answer.json()["detail"]
    assert (answer.json()["permission"], answer.json()["remedy"]) == (
        "submit_requests",
        "datahub_request_access",
    )
    assert "violation" not in answer.json()
    assert await world.events() == []
    assert [await world.rows(table, scope="diff") for table in ("requests", "audit")] == [{}, {}]


@acts
@pytest.mark.parametrize("permissions", [[], kept(), kept("analyst")])
async def test_where_it_is_everybodys_or_ones_roles_a_request_is_taken(
    approvalflow: Desk, path: str, body: Any, permissions: list[Row]
) -> None:
    world = await open_world(approvalflow, permissions)

    assert (await world.post(path, json=body)).status_code == 201


@acts
async def test_a_grant_counts_once_it_is_heard_of_however_often(
    approvalflow: Desk, path: str, body: Any
) -> None:
    world = await open_world(approvalflow, kept("controller"))

    before = (await world.post(path, json=body)).status_code
    for _ in range(2):
        await world.deliver("access.granted", GRANTED)

    assert (before, (await world.post(path, json=body)).status_code) == (403, 201)
    assert (await world.rows("permissions"))["submit_requests"]["people"] == ["alex.agent"]


async def test_attaching_evidence_requires_no_permission(approvalflow: Desk) -> None:
    world = await open_world(approvalflow, kept("controller"))

    attached = await world.post(
        "/requests/APR-0007/evidence", json={"kind": "document", "reference": "quote"}
    )

    assert attached.status_code == 200
