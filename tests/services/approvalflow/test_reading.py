"""Reading types, policies, requests, their status and their audit."""

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk

from .company import (
    NOW,
    Row,
    away_cfo,
    expense_approval,
    refusal,
    rejection,
    request,
    start,
    submit,
    ticket,
    vendor_approval,
)


async def test_types_are_listed_with_what_they_are_for(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    listed = (await world.get("/types")).json()

    assert [item["id"] for item in listed["items"]] == [
        "expense_approval",
        "plain_approval",
        "vendor_approval",
    ]
    assert listed["items"][2] == {
        "id": "vendor_approval",
        "name": "Vendor approval",
        "description": "Lets a new vendor deliver.",
        "policy_version": 3,
        "ticket_kind": "vendor_onboarding",
    }


async def test_a_type_tells_what_a_request_must_say(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    type_ = (await world.get("/types/vendor_approval")).json()

    as_ever = {"unit": None, "scale": 1.0, "renamed_from": None}
    assert type_["fields"] == [{**field, **as_ever} for field in vendor_approval()["fields"]]
    assert (type_["metric_name"], type_["metric_field"]) == ("compliance_score", "compliance_score")


async def test_a_policy_is_told_in_words_and_as_data(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    policy = (await world.get("/types/expense_approval/policy")).json()

    assert policy["routes"] == expense_approval()["routes"]
    assert (policy["route_field"], policy["decision_s"], policy["expires_s"]) == ("amount", HOUR, 7 * DAY)
    assert (policy["sod"], policy["minimum"], policy["activates_record"]) == (True, None, False)
    assert "The role manager decides if amount is below 1000." in policy["rules"]


async def test_unknown_types_and_requests_are_refused(approvalflow: Desk) -> None:
    world, acts = await start(approvalflow), {"resubmit": {}, "withdraw": {"reason": "x"}}
    acts |= {"escalate": {"reason": "x"}, "evidence": {"kind": "document", "reference": "x"}}

    types = [await world.get(f"/types/nothing{page}") for page in ("", "/policy")]
    requests = [await world.get(f"/requests/APR-0404{page}") for page in ("", "/status", "/audit")]
    requests += [await world.post(f"/requests/APR-0404/{act}", json=body) for act, body in acts.items()]

    assert {refusal(answer) for answer in types} == {(404, "approval_type_unknown", "type_id")}
    assert {refusal(answer) for answer in requests} == {(404, "request_unknown", "request_id")}


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, ["APR-0001", "APR-0002", "APR-0003"]),
        ({"status": "approved"}, ["APR-0001"]),
        ({"type": "expense_approval"}, ["APR-0003"]),
        ({"ticket_id": "TD-1042"}, ["APR-0002"]),
        ({"ticket_id": "TD-1042", "status": "approved"}, []),
        ({"limit": "1", "cursor": "APR-0001"}, ["APR-0002"]),
        ({"cursor": ""}, ["APR-0001", "APR-0002", "APR-0003"]),
    ],
)
async def test_requests_are_listed_by_status_type_and_ticket(
    approvalflow: Desk, params: dict[str, str], found: list[str]
) -> None:
    rows = [
        request(id="APR-0001", ticket_id="TD-1", status="approved"),
        request(id="APR-0002"),
        request(id="APR-0003", ticket_id="TD-3", type="expense_approval"),
    ]
    world = await start(approvalflow, requests=rows)

    listed = await world.get("/requests", params=params)

    assert [item["id"] for item in listed.json()["items"]] == found


async def test_the_status_of_a_held_request_says_what_it_waits_for(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(verified=False)], metrics=[])
    await submit(world)

    status = (await world.get("/requests/APR-0001/status")).json()

    assert status == {
        "id": "APR-0001",
        "status": "held",
        "policy_version": 3,
        "approver": "sarah.chen",
        "waiting_for": ["ticket_verified", "metric_fresh"],
        "decision_due_at": None,
        "decided_by": None,
        "reason_code": None,
        "remedy": None,
        "required_field": None,
        "required_evidence": None,
        "explanation": "Held until TD-1042 is verified in TicketDesk and compliance_score of V-104 is fresh in "
        "DataHub. It is then passed to sarah.chen automatically.",
    }


@pytest.mark.parametrize(
    ("people", "changes", "said"),
    [
        (None, {}, "sarah.chen decides at"),
        ([away_cfo()], {}, "sarah.chen is away until"),
        (None, {"status": "approved"}, "Approved by sarah.chen."),
        (None, {"status": "rejected", "reason": "Too low."}, "Rejected by sarah.chen. Too low."),
        (None, {"status": "voided", "reason": "It changed."}, "Voided. It changed."),
    ],
)
async def test_the_status_explains_itself(
    approvalflow: Desk, people: list[Row] | None, changes: Row, said: str
) -> None:
    tables = {"people": people} if people else {}
    world = await start(approvalflow, requests=[request(**changes)], **tables)

    status = (await world.get("/requests/APR-0007/status")).json()

    assert status["explanation"].startswith(said)


async def test_looking_changes_nothing(approvalflow: Desk) -> None:
    world = await start(approvalflow, requests=[request()])

    for path in ("/types", "/requests", "/requests/APR-0007", "/requests/APR-0007/status"):
        effects = await world.effects("GET", path)
        assert (effects["changes"], effects["events"]) == ([], [])


async def test_an_audit_is_read_in_the_order_of_what_happened(approvalflow: Desk) -> None:
    entries = [
        {
            "id": f"APR-0007-A{n}",
            "request_id": "APR-0007",
            "at": NOW,
            "actor": "x",
            "action": "held",
            "detail": "-",
        }
        for n in range(1, 13)
    ]
    world = await start(approvalflow, requests=[request()], audit=entries)
    await world.post("/requests/APR-0007/withdraw", json={"reason": "x"})

    first = (await world.get("/requests/APR-0007/audit", params={"limit": 9})).json()
    rest = (await world.get("/requests/APR-0007/audit", params={"cursor": first["next_cursor"]})).json()

    assert (first["total"], rest["total"]) == (13, 13)
    assert [entry["id"] for entry in first["items"]] == [f"APR-0007-A{n}" for n in range(1, 10)]
    assert [entry["id"] for entry in rest["items"]] == [f"APR-0007-A{n}" for n in range(10, 14)]


async def test_responses_do_not_reveal_a_rejection_before_it_happens(approvalflow: Desk) -> None:
    whim = rejection(reason_code="canary_reason")
    world = await start(approvalflow, rejections=[whim])
    await submit(world)

    paths = ["/types", "/types/vendor_approval/policy", "/requests", "/requests/APR-0001"]
    paths += ["/requests/APR-0001/status", "/requests/APR-0001/audit"]

    for path in paths:
        assert "canary_reason" not in (await world.get(path)).text
