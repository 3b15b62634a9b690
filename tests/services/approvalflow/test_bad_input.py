"""Input that no rule should ever see is refused with a stable code, and nothing changes."""

import json
from typing import Any

import pytest

from tests.live_services import Desk

from .company import NOW, read, request, start, submission

JSON = {"content-type": "application/json"}


def with_fields(**fields: Any) -> bytes:
    return json.dumps(submission(fields=fields)).encode()


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(submission(status="approved")).encode(),
        json.dumps(submission(requester="sarah.chen")).encode(),
        json.dumps(submission(fields={f"f{n}": 1 for n in range(51)})).encode(),
        with_fields(compliance_score=float("nan")),
        with_fields(compliance_score=float("inf")),
        with_fields(compliance_score=[85]),
        with_fields(compliance_score={"value": 85}),
        with_fields(vendor_name="x" * 4001),
        with_fields(vendor_name="\ud800"),
        with_fields(**{"\ud800": 1}),
        b'{"type": "vendor_approval", "approver": "sarah.chen", "fields": {"compliance_score": 1e400}}',
    ],
    ids=lambda body: repr(body)[:60],
)
async def test_a_submission_that_cannot_be_meant_is_refused(approvalflow: Desk, body: bytes) -> None:
    world = await start(approvalflow)

    answer = await world.post("/requests", content=body, headers=JSON)

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")
    assert await world.rows("requests", scope="diff") == {}


@pytest.mark.parametrize("number", ["9" * 30, "-" + "9" * 30, "9" * 400, "9007199254740993", "1e308"])
async def test_a_huge_number_is_a_number_or_refused_and_never_an_outage(
    approvalflow: Desk, number: str
) -> None:
    world = await start(approvalflow)
    body = json.dumps(submission(fields={"vendor_name": "Acme", "compliance_score": 0}))

    answer = await world.post("/requests", content=body.replace(": 0}", f": {number}}}"), headers=JSON)

    assert answer.status_code in (201, 422)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("escalate", {"reason": "x", "version": 0}),
        ("withdraw", {"reason": None}),
        ("evidence", {"kind": "rumour", "reference": "x"}),
        ("resubmit", {"ticket_id": "TD-9"}),
        ("resubmit", {"fields": {"": 1}}),
    ],
)
async def test_an_act_that_cannot_be_meant_is_refused(
    approvalflow: Desk, path: str, body: dict[str, Any]
) -> None:
    world = await start(approvalflow, requests=[request()])

    answer = await world.post(f"/requests/APR-0007/{path}", json=body)

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")
    assert (await read(world, "APR-0007"))["version"] == 2


async def test_the_cursor_of_another_audit_trail_is_refused(approvalflow: Desk) -> None:
    entry = {
        "id": "APR-0008-A1",
        "request_id": "APR-0008",
        "at": NOW,
        "actor": "x",
        "action": "held",
        "detail": "-",
    }
    world = await start(approvalflow, requests=[request(), request(id="APR-0008")], audit=[entry])

    own = await world.get("/requests/APR-0008/audit", params={"cursor": "APR-0008-A1"})
    other = await world.get("/requests/APR-0007/audit", params={"cursor": "APR-0008-A1"})

    assert own.json()["items"] == []
    assert other.json()["type"] == "cursor_unknown"


async def test_another_world_sees_nothing_of_this_one(approvalflow: Desk) -> None:
    world, other = await start(approvalflow), await start(approvalflow)

    await world.post("/requests", json=submission())

    assert (await other.get("/requests")).json()["items"] == []
    assert (await other.get("/requests/APR-0001")).status_code == 404
    assert (await other.post("/requests", json=submission())).json()["id"] == "APR-0001"
