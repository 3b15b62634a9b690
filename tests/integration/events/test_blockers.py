"""A ticket that waits for a metric and for a request: what happens to them in their services is what frees it."""

from typing import Any

import pytest

from companyos.sdk.simtime import HOUR

from .company import NOW, SUBMISSION, Company, Desks, Row, open_company, vendor_onboarding, wait_for
from .story import Outboxes, Telling

pytestmark = pytest.mark.proof

METRIC, REQUEST = "MET-0104", "APR-0001"
#: What has the metric refreshed and the request decided, as far as people have a hand in it.
ACTS: tuple[tuple[str, str, Row | None], ...] = (
    ("approvalflow", "/requests", SUBMISSION),
    ("ticketdesk", "/tickets/TD-1042/verify", {"evidence": "Read it.", "references": ["V-104"]}),
    ("datahub", f"/catalog/metrics/{METRIC}/refresh", None),
)


async def waiting(desks: Desks) -> Company:
    """Return a company in which TD-1041 waits for the vendor's score, and for the approval that rests on it."""
    rows = vendor_onboarding()
    wait_for(rows, METRIC, REQUEST)
    return await open_company(desks, rows)


async def resolve(company: Company, blocker_id: str) -> Any:
    answer = await company.worlds["ticketdesk"].post(f"/tickets/TD-1041/blockers/{blocker_id}/resolve")
    return answer.json()


async def test_a_refresh_and_a_decision_free_the_ticket_that_waits_for_them(
    silent: Desks, outboxes: Outboxes
) -> None:
    company = await waiting(silent)
    telling = Telling(company, outboxes, None)
    before = [await resolve(company, blocker) for blocker in (METRIC, REQUEST)]

    for service, path, body in ACTS:
        await telling.call(service, "POST", path, body)
    await telling.tick("datahub", NOW + HOUR)
    refreshed, early = [await resolve(company, blocker) for blocker in (METRIC, REQUEST)]
    await telling.tick("approvalflow", NOW + 3 * HOUR)
    approved = await resolve(company, REQUEST)
    await outboxes.settle(company)

    assert [answer["type"] for answer in (*before, early)] == ["blocker_unresolved"] * 3
    assert refreshed["blocked_by"] == [REQUEST]
    assert (approved["status"], approved["blocked_by"]) == ("triage", [])
