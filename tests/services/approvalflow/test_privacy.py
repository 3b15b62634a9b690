"""Requests that mention a person are found and redacted, and what becomes of those about an erased ticket."""

from typing import Any

import pytest

from tests.live_services import Desk, World

from .company import NOW, read, request, start, trail

NAME = "Ada King"
ERASED = ("ticket.erased", {"ticket_id": "TD-1042"})


def decided(**changes: Any) -> dict[str, Any]:
    """Return a request that was approved, whose fields name somebody."""
    return request(
        status="approved", decision_due=None, fields={"vendor_name": NAME, "compliance_score": 85}, **changes
    )


async def redact(world: World, request_id: str = "APR-0007", *identifiers: str) -> Any:
    body = {"basis": "TD-1001", "identifiers": list(identifiers or (NAME,))}
    return await world.post(f"/personal-data/{request_id}/redact", json=body)


async def test_requests_that_mention_a_person_are_found(approvalflow: Desk) -> None:
    others = request(id="APR-0009", fields={"vendor_name": "Ada Kingsley", "compliance_score": 85})
    world = await start(approvalflow, requests=[decided(), others])

    listed = (await world.post("/personal-data/find", json={"identifiers": [NAME, "K-482"]})).json()

    assert listed["items"] == [
        {"id": "APR-0007", "kind": "vendor_approval", "status": "approved", "matches": [NAME]}
    ]


async def test_a_decided_request_is_redacted_with_its_audit(approvalflow: Desk) -> None:
    entry = {"id": "APR-0007-A1", "request_id": "APR-0007", "at": NOW, "actor": "sarah.chen"}
    entry |= {"action": "submitted", "detail": f"Submitted. Note: for {NAME}."}
    world = await start(approvalflow, requests=[decided()], audit=[entry])

    answer = await redact(world)

    assert answer.status_code == 200
    row = (await world.rows("requests"))["APR-0007"]
    assert row["fields"] == {"vendor_name": "[redacted]", "compliance_score": 85}
    assert (await world.rows("audit"))["APR-0007-A1"]["detail"] == "Submitted. Note: for [redacted]."
    erasure = (await world.rows("erasures"))["APR-0007"]
    assert (erasure["mode"], erasure["erased_at"], erasure["basis"]) == ("redact", NOW, "TD-1001")
    assert await world.events() == []


@pytest.mark.parametrize(
    ("row", "identifier", "code"),
    [
        (request(), NAME, "request_still_open"),
        (decided(), "Ben Okafor", "nothing_to_redact"),
        (decided(id="APR-0008"), NAME, "request_unknown"),
    ],
)
async def test_request_that_cannot_be_redacted_stays_unchanged(
    approvalflow: Desk, row: dict[str, Any], identifier: str, code: str
) -> None:
    world = await start(approvalflow, requests=[row])

    answer = await redact(world, "APR-0007", identifier)

    assert answer.json()["type"] == code
    assert await world.rows("erasures") == {}


async def test_open_requests_about_an_erased_ticket_are_void(approvalflow: Desk) -> None:
    others = request(id="APR-0009", ticket_id="TD-1043"), decided(id="APR-0010")
    world = await start(approvalflow, requests=[request(), *others])

    await world.deliver(*ERASED)
    await world.deliver(*ERASED)

    told = await read(world, "APR-0007")
    assert (told["status"], told["reason_code"], told["reason"]) == (
        "voided",
        "ticket_erased",
        "TD-1042 was erased.",
    )
    assert (await trail(world, "APR-0007")).count("voided") == 1
    assert (await read(world, "APR-0009"))["status"] == "pending"
    assert (await read(world, "APR-0010"))["status"] == "approved"
