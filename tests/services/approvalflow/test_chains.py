"""Chains of delegates and the separation of duties, as requests meet them."""

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk, World

from .company import (
    NOW,
    away_cfo,
    cfo,
    person,
    read,
    refusal,
    request,
    start,
    submission,
    submit,
    ticket,
    trail,
    vendor_approval,
)

TYPES = {"delegate_types": ["vendor_approval"], "delegate_limit": None}
AWAY = {"away": True, "away_until": NOW + 90 * HOUR}
CHAIN = [
    away_cfo(delegate="david.kim", away_until=NOW + 90 * HOUR),
    person("david.kim", "finance_director", delegate="mia.boss", **AWAY, **TYPES),
    person("mia.boss", "manager"),
    person("alex.agent", "analyst"),
]
REPORTED = {"reporter": "sarah.chen"}


async def decided(world: World, request_id: str = "APR-0001") -> tuple[str, str | None]:
    await world.advance(2 * HOUR)
    found = await read(world, request_id)
    return found["status"], found["reason_code"]


async def test_delegate_of_an_absent_delegate_decides(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=CHAIN)

    await submit(world, approver="mia.boss")

    assert await decided(world) == ("approved", None)


async def test_a_holder_next_to_a_circle_decides_and_nobody_of_the_circle(approvalflow: Desk) -> None:
    circle = [CHAIN[0], {**CHAIN[1], "delegate": "sarah.chen"}, *CHAIN[2:], person("zoe.ash", "cfo")]
    world = await start(approvalflow, people=circle)

    await submit(world, approver="zoe.ash")

    assert await decided(world) == ("approved", None)
    astray = await start(approvalflow, people=circle)
    await submit(astray, approver="mia.boss")
    assert "misdirected" in await trail(astray, "APR-0001")


async def test_a_request_is_escalated_along_the_chain(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=CHAIN, requests=[request()])

    answer = await world.post("/requests/APR-0007/escalate", json={"reason": "Away."})

    assert answer.json()["approver"] == "mia.boss"


async def test_asking_who_reported_or_verified_the_ticket_is_refused_and_no_violation(
    approvalflow: Desk,
) -> None:
    for involved in ({"reporter": "sarah.chen"}, {"verified_by": "sarah.chen"}):
        world = await start(approvalflow, tickets=[ticket(**involved)])

        answer = await world.post("/requests", json=submission())

        assert refusal(answer) == (403, "separation_of_duties", "approver")
        assert "violation" not in answer.json()
        assert await world.rows("requests", scope="diff") == {}


async def test_the_delegate_of_who_reported_the_ticket_decides(approvalflow: Desk) -> None:
    world = await start(approvalflow, tickets=[ticket(**REPORTED)])

    await submit(world, approver="david.kim")

    assert await decided(world) == ("approved", None)


async def test_a_type_without_separation_of_duties_lets_the_reporter_decide(approvalflow: Desk) -> None:
    world = await start(
        approvalflow, approval_types=[vendor_approval(sod=False)], tickets=[ticket(**REPORTED)]
    )

    await submit(world, approver="sarah.chen")

    assert await decided(world) == ("approved", None)


async def test_a_verifier_heard_of_later_may_not_decide(approvalflow: Desk) -> None:
    world = await start(approvalflow, people=[cfo(), *CHAIN[2:]], tickets=[ticket(verified=False)])
    await submit(world)

    await world.deliver(
        "ticket.verified",
        {
            "ticket_id": "TD-1042",
            "kind": "vendor_onboarding",
            "subject": "V-104",
            "reporter": "rob.ito",
            "verified_by": "sarah.chen",
            "version": 5,
        },
    )

    assert await decided(world) == ("rejected", "not_my_approval")
