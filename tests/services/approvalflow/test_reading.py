"""Reading types, policies, requests, their status and their audit."""

import pytest

from companyos.sdk.simtime import DAY, HOUR
from tests.live_services import Desk

from ..tools import explains_itself
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


async def test_lists_are_paged_to_their_end(approvalflow: Desk) -> None:
    world = await start(approvalflow)

    first = (await world.get("/types", params={"limit": 2})).json()
    last = (await world.get("/types", params={"limit": 2, "cursor": first["next_cursor"]})).json()

    assert [item["id"] for item in first["items"]] == ["expense_approval", "plain_approval"]
    assert ([item["id"] for item in last["items"]], last["next_cursor"]) == (["vendor_approval"], None)


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


@pytest.mark.parametrize("path", ["/types/nothing", "/types/nothing/policy"])
async def test_an_unknown_type_is_refused(approvalflow: Desk, path: str) -> None:
    answer = await (await start(approvalflow)).get(path)

    assert refusal(answer) == (404, "approval_type_unknown", "type_id")


@pytest.mark.parametrize("path", ["APR-0404", "APR-0404/status", "APR-0404/audit"])
async def test_an_unknown_request_is_refused(approvalflow: Desk, path: str) -> None:
    answer = await (await start(approvalflow)).get(f"/requests/{path}")

    assert refusal(answer) == (404, "request_unknown", "request_id")


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


async def test_the_manifest_names_the_tools(approvalflow: Desk) -> None:
    manifest = await manifest_of(approvalflow)

    assert {tool["operation"] for tool in manifest["tools"]} == {
        "list_approval_types",
        "get_approval_type",
        "get_policy",
        "submit_approval",
        "check_status",
        "get_request",
        "list_approvals",
        "escalate",
        "withdraw_request",
        "list_undelivered",
        "replay_events",
        "list_dead_letters",
        "redrive_dead_letter",
        "resubmit_request",
        "add_evidence",
        "get_audit",
        "list_inbox",
        "get_dossier",
        "decide_request",
        "ask_requester",
        "pass_on",
        "reassign_request",
        "list_automations",
        "find_personal_data",
        "redact_personal_data",
        "request_purchase",
        "list_purchases",
        "withdraw_purchase",
        "place_order",
    }


async def test_every_tool_and_argument_is_described(approvalflow: Desk) -> None:
    manifest = await manifest_of(approvalflow)

    silent = [
        f"{tool['name']}.{name}"
        for tool in manifest["tools"]
        for name, schema in tool["parameters"]["properties"].items()
        if not (schema.get("description") or explains_itself(name, schema))
    ]
    assert silent == []
    assert [tool["name"] for tool in manifest["tools"] if not 20 < len(tool["description"]) <= 300] == []


async def test_the_manifest_marks_tables_that_are_hidden_and_journals(approvalflow: Desk) -> None:
    manifest = await manifest_of(approvalflow)

    assert {table["name"] for table in manifest["tables"] if table["hidden"]} == {
        "rejections",
        "answers",
        "automation_runs",
        "planned_orders",
    }
    assert {table["name"] for table in manifest["tables"] if table["journal"]} == {
        "audit",
        "automation_runs",
    }


async def manifest_of(approvalflow: Desk) -> Row:
    answer = await approvalflow.client.get("/admin/manifest", headers=approvalflow.admin)
    manifest: Row = answer.json()
    return manifest


async def test_every_field_of_every_answer_is_described(approvalflow: Desk) -> None:
    document = (await approvalflow.client.get("/admin/openapi", headers=approvalflow.admin)).json()

    silent = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        if name not in ("Problem", "HTTPValidationError", "ValidationError") and not name.startswith("Page_")
        for field, described in schema.get("properties", {}).items()
        if not described.get("description")
    ]
    assert silent == []
