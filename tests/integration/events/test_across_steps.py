"""Steps follow each other, but news can be late: requests end as if it had come in time, and the newest counts."""

from itertools import permutations
from typing import Any

import pytest

from companyos.sdk.simtime import HOUR

from .company import NOW, Company, Desks, open_company, replay, vendor_onboarding
from .story import (
    INSTANT,
    Outboxes,
    Telling,
    addressed_to,
    begin,
    branched,
    crowded_company,
    whole_state,
)

MINUTE = 60
TICKET = "/tickets/TD-1042"
VERIFIED, REOPENED, VERIFIED_AGAIN = range(3)


async def three_steps(desks: Desks, outboxes: Outboxes) -> tuple[Company, list[str]]:
    """Return a company where a ticket was verified, reopened and verified, and its news, which nobody has heard."""
    telling = Telling(await open_company(desks, crowded_company()), outboxes, None)
    await begin(telling)
    await telling.tick("datahub", INSTANT)
    company = telling.company
    for step, (act, body) in enumerate(
        [
            ("verify", {"evidence": "Read it.", "references": ["V-104"]}),
            ("reopen", {"reason": "Misread."}),
            ("verify", {"evidence": "Read.", "references": ["V-104"]}),
        ]
    ):
        company.set_clock(INSTANT + step * MINUTE)
        await company.post("ticketdesk", f"{TICKET}/{act}", body, settles=False)
    texts = [text for _, _, text in await outboxes.after(company, telling.told)]
    await outboxes.settle(company)
    return company, texts


async def heard(company: Company, texts: list[str], number: int) -> dict[str, Any]:
    """Return what a branch of the company has come to when ApprovalFlow has heard these, in this order."""
    branch = branched(company, number)
    for text in texts:
        await replay(branch.worlds["approvalflow"], addressed_to(branch, text))
    state = await whole_state(branch)
    for entry in state["approvalflow"]["audit"].values():
        if entry["action"] == "voided":
            entry["at"] = "when it was heard"
    return state


@pytest.mark.parametrize(
    "order",
    [
        (VERIFIED, REOPENED),
        (VERIFIED, REOPENED, VERIFIED_AGAIN),
    ],
)
async def test_a_request_that_met_a_verification_is_void_in_whatever_order_it_is_heard_of(
    silent: Desks, outboxes: Outboxes, order: tuple[int, ...]
) -> None:
    company, texts = await three_steps(silent, outboxes)
    expected = await heard(company, [texts[place] for place in order], 1)

    swapped = [(REOPENED, VERIFIED, *order[2:]), (REOPENED, VERIFIED, *order[2:], VERIFIED, REOPENED)]
    if VERIFIED_AGAIN in order:
        swapped.append((VERIFIED, VERIFIED_AGAIN, REOPENED))
    for number, places in enumerate(swapped, start=2):
        assert await heard(company, [texts[place] for place in places], number) == expected

    request = expected["approvalflow"]["requests"]["APR-0001"]
    assert (request["status"], request["reason_code"]) == ("voided", "ticket_reopened")


async def test_a_request_made_after_the_reopening_waits_for_the_next_verification(
    silent: Desks, outboxes: Outboxes
) -> None:
    company, texts = await three_steps(silent, outboxes)
    approvals = company.worlds["approvalflow"]
    await replay(approvals, texts[REOPENED])
    await company.post("approvalflow", "/requests/APR-0001/withdraw", {"reason": "Not yet."}, settles=False)
    fields = {"vendor_name": "Acme", "compliance_score": 85}
    request = {"type": "vendor_approval", "ticket_id": "TD-1042", "approver": "david.kim", "fields": fields}
    made = await company.post("approvalflow", "/requests", request, settles=False)

    await replay(approvals, texts[VERIFIED])
    waiting = await company.get("approvalflow", f"/requests/{made['id']}")
    await replay(approvals, texts[VERIFIED_AGAIN])
    released = await company.get("approvalflow", f"/requests/{made['id']}")

    assert (waiting["status"], released["status"]) == ("held", "pending")


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
async def test_a_verification_heard_of_before_the_first_pair_ends_the_request_like_all_orders(
    silent: Desks, outboxes: Outboxes, order: tuple[int, ...]
) -> None:
    company, texts = await three_steps(silent, outboxes)

    state = await heard(company, [texts[place] for place in order], 1)

    request = state["approvalflow"]["requests"]["APR-0001"]
    ticket = state["approvalflow"]["tickets"]["TD-1042"]
    assert (request["status"], request["reason_code"]) == ("voided", "ticket_reopened")
    assert ticket["verified"]


async def two_refreshes(
    desks: Desks, outboxes: Outboxes, *, verified_first: bool
) -> tuple[Company, list[str]]:
    """Return a company whose request waits for a metric, and the two values of it that were announced."""
    rows = crowded_company()
    rows["datahub"]["sources"][0]["values"] = [85.0, 91.0]
    telling = Telling(await open_company(desks, rows), outboxes, None)
    await begin(telling)
    company = telling.company
    if verified_first:
        await telling.call(
            "ticketdesk", "POST", f"{TICKET}/verify", {"evidence": "Read it.", "references": ["V-104"]}
        )
    for instant in (INSTANT, INSTANT + 2 * HOUR):
        company.set_clock(instant)
        await company.worlds["datahub"].advance(0)
        await company.post("datahub", "/catalog/metrics/MET-0104/refresh", settles=False)
    company.set_clock(INSTANT + 4 * HOUR)
    found = [text for _, _, text in await outboxes.after(company, telling.told)]
    await outboxes.settle(company)
    return company, [text for text in found if b"MET-0104" in text.encode() and "metric.refreshed" in text]


@pytest.mark.parametrize(("verified_first", "ends"), [(True, "voided"), (False, "held")])
async def test_two_refreshes_end_a_request_alike_in_either_order(
    silent: Desks, outboxes: Outboxes, *, verified_first: bool, ends: str
) -> None:
    company, texts = await two_refreshes(silent, outboxes, verified_first=verified_first)

    states = [
        await heard(company, list(order), number) for number, order in enumerate(permutations(texts), 1)
    ]

    requests = [state["approvalflow"]["requests"]["APR-0001"] for state in states]
    assert [request["status"] for request in requests] == [ends, ends]
    metrics = [state["approvalflow"]["metrics"]["MET-0104"] for state in states]
    assert metrics[0] == metrics[1]
    assert (len(texts), metrics[0]["value"]) == (2, 91.0)


async def test_late_absence_event_does_not_undo_a_return(silent: Desks, outboxes: Outboxes) -> None:
    rows = vendor_onboarding()
    leave = {"id": "A-0002", "person_id": "david.kim", "reason": "leave"}
    rows["datahub"]["absences"].append({**leave, "starts_at": NOW + HOUR, "ends_at": NOW + 2 * HOUR})
    company = await open_company(silent, rows)
    for instant in (NOW + HOUR, NOW + 2 * HOUR):
        company.set_clock(instant)
        await company.worlds["datahub"].advance(0)
    away, back = [text for _, _, text in await outboxes.after(company, {})]
    await outboxes.settle(company)

    states = [
        await heard(company, list(order), number)
        for number, order in enumerate(((away, back), (back, away)), 1)
    ]

    assert states[0] == states[1]
    assert states[0]["approvalflow"]["people"]["david.kim"]["away"] is False
