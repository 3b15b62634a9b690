"""Steps follow each other, but a verification heard of after its reopening ends a request as if it had come in time."""

from typing import Any

import pytest

from .company import Company, Desks, open_company, replay
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
            ("verify", {"evidence": "Read it."}),
            ("reopen", {"reason": "Misread."}),
            ("verify", {"evidence": "Read."}),
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
