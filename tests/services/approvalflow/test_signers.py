"""Who signs for a role or a budget: the first who can, a delegate whom the delegation covers, or nobody."""

import pytest

from companyos.sdk.simtime import HOUR
from tests.live_services import Desk

from .company import Row, person, refusal
from .test_signatures import AGENT, ask, away, budget, open_office, requested, share, shown, signers

COVER: Row = {"delegate_types": ["purchase"], "delegate_limit": None}


@pytest.mark.parametrize(
    ("people", "asked"),
    [
        ([person("ada.first", "purchasing_lead")], "ada.first"),
        ([away("paul.purchasing", "purchasing_lead"), person("zoe.last", "purchasing_lead")], "zoe.last"),
        (
            [
                away("paul.purchasing", "purchasing_lead", delegate="dora.deputy", **COVER),
                person("dora.deputy", "x"),
            ],
            "dora.deputy",
        ),
    ],
    ids=["first by id", "the one present", "the delegate of an absent one"],
)
async def test_a_role_signs_by_its_first_holder_who_can(
    approvalflow: Desk, people: list[Row], asked: str
) -> None:
    world = await open_office(approvalflow, *people)

    assert signers(await requested(world))[-1] == (3, asked, "waiting")


@pytest.mark.parametrize(
    "delegation",
    [{"delegate": "dora.deputy", "delegate_types": ["invoice"]}, {"delegate": AGENT, **COVER}, {}],
    ids=["for another type", "to the requester", "to nobody"],
)
async def test_a_role_whose_holder_is_away_without_a_fitting_delegate_is_vacant(
    approvalflow: Desk, delegation: Row
) -> None:
    gone = away("paul.purchasing", "purchasing_lead", **delegation)
    world = await open_office(approvalflow, gone, person("dora.deputy", "deputy"))

    refused = await ask(world)

    assert refusal(refused) == (409, "stage_vacant", None)
    assert "purchasing_lead" in refused.json()["detail"]


async def test_a_requester_who_holds_the_signing_role_does_not_sign(approvalflow: Desk) -> None:
    world = await open_office(approvalflow, person(AGENT, "purchasing_lead"))

    assert signers(await requested(world))[-1] == (3, "paul.purchasing", "waiting")


async def test_the_holder_of_the_role_may_have_signed_as_an_owner_before(approvalflow: Desk) -> None:
    budgets = [budget(1, "paul.purchasing")]
    world = await open_office(approvalflow, known_budgets=budgets)
    await requested(world, share(approver="paul.purchasing"))

    await world.advance(2 * HOUR)
    await world.advance(HOUR)

    assert signers(await shown(world)) == [(1, "paul.purchasing", "signed"), (3, "paul.purchasing", "signed")]


@pytest.mark.parametrize(
    ("also", "named"), [(["fay.finance", "fay.finance"], "fay.finance"), (["olga.owner"], "olga")]
)
async def test_signer_named_twice_by_the_caller_is_refused(
    approvalflow: Desk, also: list[str], named: str
) -> None:
    world = await open_office(approvalflow, person("fay.finance", "director"))

    refused = await ask(world, also=also)

    assert refusal(refused) == (422, "signer_twice", "shares")
    assert named in refused.json()["detail"]


@pytest.mark.parametrize(
    ("limit", "status"),
    [(599.99, "rejected"), (600.0, "signed"), (None, "signed")],
    ids=["less", "equal", "none"],
)
async def test_a_delegation_covers_a_share_up_to_its_limit(
    approvalflow: Desk, limit: float | None, status: str
) -> None:
    cover: Row = {"delegate": "dora.deputy", "delegate_types": ["purchase"], "delegate_limit": limit}
    people = [away("olga.owner", "department_head", **cover), person("dora.deputy", "deputy")]
    world = await open_office(approvalflow, *people)
    await requested(world, share(approver="dora.deputy"))

    await world.advance(2 * HOUR)

    assert signers(await shown(world))[0] == (1, "dora.deputy", status)
