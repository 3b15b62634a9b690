"""Revised policies, repeated attempts and announced absences: what each of them counts, and from when."""

from itertools import permutations
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from tests.live_services import Desk, World

from .company import (
    NOW,
    Row,
    away_cfo,
    cfo,
    person,
    plain_approval,
    read,
    refusal,
    request,
    start,
    submission,
    submit,
    trail,
    vendor_approval,
)

DAVID = person("david.kim", "finance_director")
MANAGERS = [person("mia.boss", "manager"), person("zoe.ash", "manager"), person("alex.agent", "analyst")]
NAME, SCORE, URGENT = vendor_approval()["fields"]
PENDING = ("pending", None)


def change(number: int, at: int, type_id: str = "vendor_approval", **changes: Any) -> Row:
    row = {"id": f"PC-{number}", "type_id": type_id, "at": at, "notice": f"Change {number}."}
    return {**row, "changes": changes or {"minimum": 70.0}}


def plain(request_id: str = "APR-0007", **changes: Any) -> Row:
    """A request without a ticket that a manager rejected."""
    row: Row = {"id": request_id, "type": "plain_approval", "ticket_id": None, "subject": None, "fields": {}}
    ended: Row = {"evidence": {}, "approver": "mia.boss", "status": "rejected", "decision_due": None}
    return request(**{**row, **ended, "decided_by": "mia.boss", **changes})


async def act(world: World, path: str, **body: Any) -> Any:
    return await world.post(f"/requests/{path}", json=body)


async def outcome(world: World, request_id: str = "APR-0007") -> tuple[str, str | None]:
    found = await read(world, request_id)
    return found["status"], found["reason_code"]


async def test_changes_of_a_policy_are_announced_with_the_next_one_first(approvalflow: Desk) -> None:
    coming = [
        change(1, NOW + 3 * DAY),
        change(2, NOW + DAY),
        change(3, NOW + DAY, "plain_approval"),
        change(4, NOW - DAY),
    ]
    world = await start(approvalflow, policy_changes=coming)

    announced = (await world.get("/types/vendor_approval")).json()["announced"]

    assert announced == [
        {"at": to_iso(NOW + DAY), "notice": "Change 2."},
        {"at": to_iso(NOW + 3 * DAY), "notice": "Change 1."},
    ]


async def test_each_change_comes_into_force_in_its_own_time(approvalflow: Desk) -> None:
    coming = [change(1, NOW + 2 * DAY, minimum=60.0), change(2, NOW + DAY, minimum=70.0)]
    world = await start(approvalflow, policy_changes=coming)

    seen = []
    for seconds in (DAY - 1, 1, DAY):
        await world.advance(seconds)
        policy = (await world.get("/types/vendor_approval/policy")).json()
        seen.append((policy["policy_version"], policy["minimum"], len(policy["announced"])))

    assert seen == [(3, 80.0, 2), (4, 70.0, 1), (5, 60.0, 0)]


@pytest.mark.parametrize("status", ["held", "pending", "escalated"])
async def test_a_request_that_still_stands_is_counted_up_and_put_on_record(
    approvalflow: Desk, status: str
) -> None:
    world = await start(
        approvalflow,
        policy_changes=[change(1, NOW + 60)],
        requests=[request(status=status)],
    )

    await world.advance(60)

    stands = await read(world, "APR-0007")
    assert (stands["status"], stands["policy_version"], stands["version"]) == (status, 4, 3)
    [entry] = (await world.get("/requests/APR-0007/audit")).json()["items"]
    assert (entry["actor"], entry["action"]) == ("approvalflow", "revalidated")
    assert entry["detail"] == "Still valid under version 4."


@pytest.mark.parametrize(
    ("changes", "is_void"),
    [
        ({"fields": [NAME, SCORE]}, False),
        ({"fields": [NAME]}, True),
        ({"fields": [NAME, SCORE, {**URGENT, "required": True}]}, True),
        ({"routes": [{"role": "cfo", "below": None}]}, False),
        ({"routes": [{"role": "manager", "below": None}]}, True),
    ],
    ids=["optional field gone", "stated field gone", "field required", "same role", "other role"],
)
async def test_a_request_stands_if_its_fields_and_its_approver_still_fit(
    approvalflow: Desk, changes: Row, is_void: bool
) -> None:
    world = await start(approvalflow, policy_changes=[change(1, NOW + 60, **changes)], requests=[request()])

    await world.advance(60)

    assert await outcome(world) == (("voided", "policy_changed") if is_void else PENDING)


async def test_a_change_of_one_policy_leaves_requests_of_other_types_and_ended_ones(
    approvalflow: Desk,
) -> None:
    requests = [plain("APR-0001", status="pending", decision_due=NOW + DAY), request(status="approved")]
    world = await start(approvalflow, policy_changes=[change(1, NOW + 60, routes=[])], requests=requests)

    await world.advance(60)

    assert await world.rows("requests", scope="diff") == {}


@pytest.mark.parametrize(
    ("earlier", "attempt"),
    [
        ([], 1),
        ([("rejected", 1)], 2),
        ([("rejected", 1), ("rejected", 2)], 3),
        ([("approved", 4)], 1),
        ([("withdrawn", 2), ("rejected", 1)], 2),
        ([("expired", 3), ("voided", 2)], 1),
    ],
    ids=["none", "one", "two", "approved", "withdrawn", "expired and voided"],
)
async def test_only_rejections_count_as_attempts(
    approvalflow: Desk, earlier: list[tuple[str, int]], attempt: int
) -> None:
    requests = [
        request(id=f"APR-000{number}", status=status, attempt=count, decision_due=None)
        for number, (status, count) in enumerate(earlier, start=1)
    ]
    world = await start(approvalflow, requests=requests)

    assert (await submit(world))["attempt"] == attempt


@pytest.mark.parametrize(
    ("status", "code"), [("pending", "duplicate_request"), ("rejected", None)], ids=["open", "rejected"]
)
async def test_about_a_ticket_the_requests_of_colleagues_count_like_ones_own(
    approvalflow: Desk, status: str, code: str | None
) -> None:
    theirs = request(requester="ana.lopez", status=status)
    world = await start(approvalflow, requests=[theirs])

    made = (await world.post("/requests", json=submission())).json()

    assert (made["type"], made.get("attempt")) == ((code, None) if code else ("vendor_approval", 2))


@pytest.mark.parametrize("people", [[], [person("kay.new", "manager")]], ids=["nobody", "another"])
async def test_without_a_ticket_the_wish_for_a_second_approver_lasts_too(
    approvalflow: Desk, people: list[Row]
) -> None:
    wished = plain(remedy="second_approver")
    world = await start(approvalflow, people=[*MANAGERS, *people], requests=[wished])
    again = (await act(world, "APR-0007/resubmit", approver="zoe.ash")).json()
    await world.deliver("person.away", {"person_id": "zoe.ash", "until": NOW + DAY, "version": 1})

    escalated = await act(world, f"{again['id']}/escalate", reason="Away.")

    if people:
        assert escalated.json()["approver"] == "kay.new"
    else:
        assert refusal(escalated) == (409, "nobody_to_escalate_to", None)


async def test_without_a_ticket_the_wish_is_about_the_requesters_own_requests(approvalflow: Desk) -> None:
    others = plain("APR-0001", remedy="second_approver", requester="ana.lopez")
    world = await start(approvalflow, people=MANAGERS, requests=[others, plain()])

    again = (await act(world, "APR-0007/resubmit")).json()
    await world.advance(HOUR)

    assert (await read(world, again["id"]))["decided_by"] == "mia.boss"


@pytest.mark.parametrize(
    ("decision_due", "code"),
    [(NOW - 1, None), (NOW, None), (NOW + 1, "not_overdue")],
    ids=["overdue", "due", "not yet"],
)
async def test_a_request_is_escalated_from_the_instant_at_which_its_decision_is_due(
    approvalflow: Desk, decision_due: int, code: str | None
) -> None:
    people = [cfo(), person("zoe.ash", "cfo")]
    world = await start(approvalflow, people=people, requests=[request(decision_due=decision_due)])

    escalated = await act(world, "APR-0007/escalate", reason="Overdue.")

    assert escalated.json().get("type") == (code if code else "vendor_approval")


async def test_an_absent_approvers_delegate_goes_before_other_holders(approvalflow: Desk) -> None:
    people = [away_cfo(), DAVID, person("ada.first", "cfo")]
    world = await start(approvalflow, people=people, requests=[request()])

    escalated = (await act(world, "APR-0007/escalate", reason="Away.")).json()

    assert escalated["approver"] == "david.kim"


@pytest.mark.parametrize("order", list(permutations(range(2))))
async def test_of_a_return_and_a_later_absence_the_absence_counts(
    approvalflow: Desk, order: tuple[int, ...]
) -> None:
    world = await start(approvalflow)
    news = [
        ("person.back", {"person_id": "sarah.chen", "version": 1}),
        ("person.away", {"person_id": "sarah.chen", "until": NOW + DAY, "version": 2}),
    ]

    for number in order:
        await world.deliver(*news[number])

    row = (await world.rows("people"))["sarah.chen"]
    assert (row["away"], row["away_until"], row["version"]) == (True, NOW + DAY, 2)


async def test_two_announcements_of_one_version_count_as_the_first(approvalflow: Desk) -> None:
    world = await start(approvalflow)
    away = {"person_id": "sarah.chen", "until": NOW + DAY, "version": 1}
    await world.deliver("person.away", away)

    await world.deliver("person.away", {**away, "until": NOW + 2 * DAY})
    await world.deliver("person.back", {"person_id": "sarah.chen", "version": 1})

    row = (await world.rows("people"))["sarah.chen"]
    assert (row["away"], row["away_until"]) == (True, NOW + DAY)


@pytest.mark.parametrize("status", ["approved", "rejected", "withdrawn", "expired", "voided"])
async def test_a_redaction_of_an_ended_request_counts_up_its_version(approvalflow: Desk, status: str) -> None:
    fields = {"vendor_name": "Ada King", "compliance_score": 85}
    ended = request(status=status, fields=fields, reason="For Ada King.", decision_due=None)
    world = await start(approvalflow, requests=[ended])

    body = {"basis": "TD-1001", "identifiers": ["Ada King"]}
    await world.post("/personal-data/APR-0007/redact", json=body)

    redacted = await read(world, "APR-0007")
    assert (redacted["version"], redacted["reason"]) == (3, "For [redacted].")


@pytest.mark.parametrize(
    ("budget_field", "fields", "amounts"),
    [
        ("cost_centre", {"cost_centre": "CC-1", "amount": 5}, [5.0]),
        ("cost_centre", {"amount": 5}, []),
        ("cost_centre", {"cost_centre": "CC-1"}, []),
        (None, {"cost_centre": "CC-1", "amount": 5}, []),
    ],
    ids=["both", "no cost centre", "no amount", "spends nothing"],
)
async def test_an_approval_commits_an_amount_only_if_it_names_who_pays_how_much(
    approvalflow: Desk, budget_field: str | None, fields: Row, amounts: list[float]
) -> None:
    specs = [
        {"name": "cost_centre", "type": "string", "description": "Who pays.", "required": False},
        {"name": "amount", "type": "number", "description": "How much.", "required": False},
    ]
    type_ = plain_approval(fields=specs, route_field="amount", budget_field=budget_field)
    world = await start(approvalflow, approval_types=[type_])
    body = submission(type="plain_approval", ticket_id=None, approver="mia.boss", fields=fields)
    made = (await world.post("/requests", json=body)).json()

    await world.advance(HOUR)

    assert await outcome(world, made["id"]) == ("approved", None)
    spent = [event["payload"] for event in await world.events() if event["name"] == "budget.consumed"]
    assert [(one["amount"], one["cost_centre"]) for one in spent] == [(one, "CC-1") for one in amounts]
    assert (await trail(world, made["id"]))[-1] == "approved"
