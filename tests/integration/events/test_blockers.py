"""A ticket that waits for a metric and for a request: what happens to them in their services is what frees it."""

import random
from typing import Any

import orjson
import pytest

from companyos.sdk.simtime import HOUR
from tests.sizes import size

from .company import NOW, SUBMISSION, Company, Desks, Row, open_company, replay, vendor_onboarding, wait_for
from .story import Outboxes, Telling, addressed_to, branched

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


@pytest.fixture(scope="module")
async def news(silent: Desks, outboxes: Outboxes) -> tuple[Company, list[str]]:
    """A company where all has happened that the ticket waits for, and that news, which TicketDesk has not heard."""
    company, told = await waiting(silent), []
    approvals = company.worlds["approvalflow"]
    for service, path, body in ACTS:
        await company.post(service, path, body, settles=False)
    for service, instant in (("datahub", NOW + HOUR), ("approvalflow", NOW + 3 * HOUR)):
        company.set_clock(instant)
        await company.worlds[service].advance(0)
        fresh = [text for _, _, text in await outboxes.after(company, {}) if text not in told]
        for text in fresh:
            await replay(approvals, text)
        told += fresh
    told += [text for _, _, text in await outboxes.after(company, {}) if text not in told]
    await outboxes.settle(company)
    return company, told


async def test_news_of_what_a_ticket_waits_for_frees_it_in_any_order_and_number(
    news: tuple[Company, list[str]],
) -> None:
    rng, (company, told) = random.Random(0), news
    heard = [text for text in told if orjson.loads(text)["name"] in ("metric.refreshed", "approval.decided")]

    ends = []
    for number in range(size(12, 100)):
        branch = branched(company, number + 1)
        for text in rng.sample(heard * 3, len(heard) * 3):
            await replay(branch.worlds["ticketdesk"], addressed_to(branch, text))
        answers = [await resolve(branch, blocker) for blocker in (METRIC, REQUEST)]
        ends.append((answers[-1], await branch.worlds["ticketdesk"].rows("external_blockers")))

    assert len(heard) == 2
    assert ends[0][0]["status"] == "triage"
    assert all(end == ends[0] for end in ends)


async def test_late_news_of_one_thing_holds_up_nothing_else(news: tuple[Company, list[str]]) -> None:
    company, told = news
    branch = branched(company, 9_001)
    decided = next(text for text in told if orjson.loads(text)["name"] == "approval.decided")

    await replay(branch.worlds["ticketdesk"], addressed_to(branch, decided))
    early, approved = [await resolve(branch, blocker) for blocker in (METRIC, REQUEST)]

    assert early["type"] == "blocker_unresolved"
    assert approved["blocked_by"] == [METRIC]
