"""What a refused act says in fields: the argument at fault, the tool that helps, and what would be accepted."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, to_iso
from tests.live_services import Desk

from .company import NOON, a_complete_ticket, a_ticket, open_company
from .support import QUEUES

Row = dict[str, Any]
VERIFY = {"evidence": "Checked.", "references": ["V-104"]}
STEP = {"to": "done", "reason": "Please."}


@dataclass(frozen=True)
class Refusal:
    """A call about TD-1042 that is refused, and the fields of its refusal.

    Attributes:
        columns: How the ticket differs from a complete new one.
        tables: Further rows of the company.
        facts: The fields that the refusal must have.
        absent: Fields that it must not have.
    """

    code: str
    path: str
    body: Row
    facts: Row
    columns: Row = field(default_factory=dict)
    tables: Row = field(default_factory=dict)
    absent: tuple[str, ...] = ()


def blocked(*blockers: str) -> Row:
    return {"status": "blocked", "blocked_by": list(blockers)}


def a_change(**columns: Any) -> Row:
    row = {"id": "CHG-101", "ticket_id": "TD-1042", "system": "SYS-7", "procedure": "restart"}
    return {**row, "category": "emergency", "planned_by": "x", "planned_at": 100, **columns}


WAITS = {"id": "MET-1", "kind": "metric", "since": 3}
REFUSALS = [
    Refusal(
        "transition_not_allowed",
        "/transition",
        STEP,
        {"field": "to", "allowed_values": ["in_progress", "triage"]},
    ),
    Refusal(
        "approval_required",
        "/transition",
        {**STEP, "to": "in_progress"},
        {"remedy": "approvalflow_submit_approval", "required_field": "approval"},
    ),
    Refusal(
        "role_not_allowed",
        "/verify",
        VERIFY,
        {"allowed_values": ["auditor"]},
        tables={"ticket_kinds": ["auditor"]},
        absent=("violation",),
    ),
    Refusal(
        "ticket_blocked", "/verify", VERIFY, {"remedy": "ticketdesk_resolve_blocker"}, blocked("TD-1", "TD-2")
    ),
    Refusal(
        "ticket_incomplete",
        "/verify",
        VERIFY,
        {"field": "assignee", "required_field": "assignee", "remedy": "ticketdesk_assign_ticket"},
        {"assignee": None},
    ),
    Refusal(
        "ticket_incomplete",
        "/verify",
        VERIFY,
        {"field": "priority", "remedy": "ticketdesk_update_ticket"},
        {"priority": None, "assignee": None},
    ),
    Refusal(
        "not_a_blocker",
        "/blockers/TD-9/resolve",
        {},
        {"field": "blocker_id", "allowed_values": ["TD-1", "TD-2"]},
        blocked("TD-1", "TD-2"),
    ),
    Refusal(
        "blocker_unresolved",
        "/blockers/TD-1001/resolve",
        {},
        {"field": "blocker_id", "remedy": "ticketdesk_verify_ticket"},
        blocked("TD-1001"),
    ),
    Refusal(
        "blocker_unresolved",
        "/blockers/TD-1002/resolve",
        {},
        {"field": "blocker_id", "remedy": "ticketdesk_transition_ticket"},
        blocked("TD-1002"),
    ),
    Refusal(
        "blocker_unresolved",
        "/blockers/MET-1/resolve",
        {},
        {"remedy": "datahub_refresh_data"},
        blocked("MET-1"),
        {"external_blockers": [WAITS]},
    ),
    Refusal(
        "blocker_unresolved",
        "/blockers/APR-1/resolve",
        {},
        {"remedy": "approvalflow_check_status"},
        blocked("APR-1"),
        {"external_blockers": [{"id": "APR-1", "kind": "request"}]},
    ),
    Refusal(
        "blocker_unresolved",
        "/blockers/APR-1/resolve",
        {},
        {"remedy": "ticketdesk_create_ticket"},
        blocked("APR-1"),
        {"external_blockers": [{"id": "APR-1", "kind": "request", "status": "rejected"}]},
    ),
    Refusal("link_to_itself", "/links", {"kind": "relates", "target": "TD-1042"}, {"field": "target"}),
    Refusal(
        "blocker_cycle",
        "/links",
        {"kind": "blocks", "target": "TD-1001"},
        {"field": "target", "remedy": "ticketdesk_resolve_blocker"},
        blocked("TD-1001"),
    ),
    Refusal(
        "queue_unknown",
        "/queue",
        {"queue": "sales"},
        {"field": "queue", "remedy": "ticketdesk_list_queues", "allowed_values": ["billing", "intake"]},
        tables={"queues": QUEUES},
    ),
    Refusal("queue_unknown", "/queue", {"queue": "sales"}, {"allowed_values": []}),
    Refusal("merged_into_itself", "/merge", {"into": "TD-1042"}, {"field": "into"}),
    Refusal(
        "work_has_begun",
        "/merge",
        {"into": "TD-1001"},
        {"field": "ticket_id", "remedy": "ticketdesk_link_ticket"},
        {"status": "done"},
    ),
    Refusal(
        "change_in_production",
        "/changes",
        {"system": "SYS-7", "procedure": "restart", "category": "emergency"},
        {"field": "ticket_id", "remedy": "ticketdesk_roll_back_change"},
        tables={"changes": [a_change(status="rolled_out")]},
    ),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: f"{one.code}{one.path}")
async def test_a_refusal_says_what_is_at_fault_and_what_helps(desk: Desk, refusal: Refusal) -> None:
    tables = dict(refusal.tables)
    others = [a_ticket("TD-1001"), a_ticket("TD-1002", status="new", verified_by="ana.lopez")]
    if roles := tables.pop("ticket_kinds", None):
        kind = {"id": "vendor_onboarding", "name": "Vendor", "allowed": ["high"], "required_fields": []}
        tables["ticket_kinds"] = [{**kind, "verifier_roles": roles}]
    world = await open_company(desk, a_complete_ticket(**refusal.columns), *others, **tables)

    refused = await world.post(f"/tickets/TD-1042{refusal.path}", json=refusal.body)

    told = refused.json()
    assert (refused.status_code >= 400, told["type"]) == (True, refusal.code)
    assert {name: told.get(name) for name in refusal.facts} == refusal.facts
    assert [name for name in refusal.absent if name in told] == []
    assert await world.rows("tickets", scope="diff") == {}


@pytest.mark.parametrize(
    ("path", "columns", "code", "remedy"),
    [
        ("/changes/CHG-9/roll-out", {}, "change_unknown", "ticketdesk_list_changes"),
        (
            "/changes/CHG-101/roll-out",
            {"status": "rolled_back"},
            "change_not_planned",
            "ticketdesk_plan_change",
        ),
        ("/changes/CHG-101/roll-back", {}, "change_not_live", "ticketdesk_list_changes"),
        (
            "/changes/CHG-101/roll-out",
            {"category": "ordinary", "starts_at": NOON + DAY},
            "change_not_due",
            None,
        ),
    ],
)
async def test_a_refused_change_names_the_change_and_the_tool_that_helps(
    desk: Desk, path: str, columns: Row, code: str, remedy: str | None
) -> None:
    world = await open_company(desk, a_ticket(), changes=[a_change(**columns)])

    body = {"json": {"reason": "No."}} if path.endswith("back") else {}
    refused = (await world.post(path, **body)).json()

    assert (refused["type"], refused["field"], refused.get("remedy")) == (code, "change_id", remedy)


@pytest.mark.parametrize(
    ("columns", "seconds", "is_rolled_out"),
    [
        ({"category": "ordinary", "starts_at": NOON + DAY}, DAY - 1, False),
        ({"category": "ordinary", "starts_at": NOON + DAY}, DAY, True),
        ({"category": "emergency", "starts_at": NOON + DAY}, 0, True),
        ({"category": "ordinary", "starts_at": None}, 0, True),
    ],
    ids=["a second early", "in time", "emergency", "without a time"],
)
async def test_only_an_ordinary_change_waits_for_its_time(
    desk: Desk, columns: Row, seconds: int, is_rolled_out: bool
) -> None:
    world = await open_company(desk, a_ticket(), changes=[a_change(**columns)])
    await world.advance(seconds)

    answer = await world.post("/changes/CHG-101/roll-out")

    assert (answer.status_code == 200) == is_rolled_out
    if is_rolled_out:
        assert answer.json()["rolled_out_at"] == to_iso(NOON + seconds)


async def test_a_verification_that_stands_names_who_made_it_if_that_is_known(desk: Desk) -> None:
    known = a_complete_ticket(status="verified", verified_by="ana.lopez")
    world = await open_company(desk, known, a_complete_ticket("TD-1043", status="verified"))

    named, unnamed = [
        (await world.post(f"/tickets/{one}/verify", json=VERIFY)).json()["detail"]
        for one in ("TD-1042", "TD-1043")
    ]

    assert named.startswith("TD-1042 has already been verified by ana.lopez.")
    assert unnamed.startswith("TD-1043 has already been verified.")


@pytest.mark.parametrize(
    ("subject", "said"), [("V-104", "TD-1042 is about V-104."), (None, "TD-1042 is about no object.")]
)
async def test_the_subject_of_a_verified_ticket_is_named(desk: Desk, subject: str | None, said: str) -> None:
    world = await open_company(desk, a_ticket(status="verified", subject=subject))

    refused = (await world.patch("/tickets/TD-1042", json={"subject": "V-105"})).json()

    assert (refused["type"], refused["remedy"]) == ("subject_verified", "ticketdesk_reopen_ticket")
    assert said in refused["detail"]


async def test_the_history_of_a_ticket_begins_with_its_filing_and_keeps_reasons(desk: Desk) -> None:
    world = await open_company(desk)
    await world.post("/tickets", json={"kind": "task", "title": "x", "description": "x"})
    await world.post("/tickets/TD-1001/transition", json={"to": "in_progress", "reason": "It is time."})

    lines = (await world.get("/tickets/TD-1001/history")).json()["items"]

    assert [(one["action"], one["field"], one["before"], one["after"]) for one in lines] == [
        ("created", "status", None, "new"),
        ("transitioned", "status", "new", "in_progress"),
        ("transitioned", "reason", None, "It is time."),
    ]


async def test_a_ticket_with_blockers_is_not_verified_whatever_its_status(desk: Desk) -> None:
    world = await open_company(desk, a_complete_ticket(status="triage", blocked_by=["TD-1"]))

    assert (await world.post("/tickets/TD-1042/verify", json=VERIFY)).json()["type"] == "ticket_blocked"
