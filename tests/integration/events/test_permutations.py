"""However often the events of a step come, in whatever order and however many at once, the state is the same."""

import random
from typing import Any

import pytest

from tests.sizes import size

from .company import Desks
from .story import Outboxes, told, whole_state

ROUNDS = 12
#: Every event that anybody consumes, and others that the story brings up.
KINDS = {
    "ticket.verified",
    "ticket.reopened",
    "ticket.closed",
    "metric.refreshed",
    "metric.expired",
    "person.away",
    "person.back",
    "approval.requested",
    "approval.decided",
    "budget.consumed",
    "record.changed",
    "access.granted",
}


@pytest.fixture(scope="module")
async def in_order(silent: Desks, outboxes: Outboxes) -> dict[str, Any]:
    """What is left where every event came once, in the order in which it was recorded."""
    telling = await told(silent, outboxes, None)
    assert telling.kinds >= KINDS
    return await whole_state(telling.company)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(ROUNDS))
async def test_any_order_and_number_of_deliveries_in_a_story_leaves_the_same_state(
    silent: Desks, outboxes: Outboxes, in_order: dict[str, Any], seed: int
) -> None:
    rng, reordered = random.Random(seed), 0

    while reordered < size(80, 2000) // ROUNDS:
        telling = await told(silent, outboxes, rng)
        assert await whole_state(telling.company) == in_order
        reordered += telling.reordered


async def test_the_story_ends_with_requests_approved_and_voided(in_order: dict[str, Any]) -> None:
    requests, awaited = in_order["approvalflow"]["requests"], in_order["ticketdesk"]["external_blockers"]

    ends = {key: (row["status"], row["reason_code"]) for key, row in requests.items()}
    assert ends == {
        "APR-0001": ("approved", None),
        "APR-0002": ("approved", None),
        "APR-0003": ("voided", "metric_changed"),
        "APR-0004": ("voided", "ticket_reopened"),
    }
    assert {row["status"] for row in awaited.values()} == {"settled"}
