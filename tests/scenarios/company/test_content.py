"""Packs are combined only if they form a company: nothing twice, and nothing named that no pack has."""

from dataclasses import replace

import pytest

from companyos.sdk.company import (
    ApprovalType,
    Band,
    Content,
    FormField,
    Groundwork,
    Ledger,
    Office,
    Pack,
    PacksDoNotFit,
    SideRequest,
    Succession,
    TicketKind,
    Workplace,
)

WORKPLACE = Workplace(
    first_names=("Ada", "Ben"),
    last_names=("Moss", "Reed"),
    employers=("Kestrel",),
    reporter=("clerk", "Hall"),
    deputy="lead",
    worker="lead",
    checker="auditor",
    author="auditor",
    leaves=("leave",),
    absences=("leave",),
    remarks=("Any news?",),
)
KIND = TicketKind("order", "Order", ("low",), ("lead",))
TYPE = ApprovalType(
    "buying", "Buying", "Lets buy.", (FormField("amount", "number", "How much."),), (Band("chief"),), "order"
)
HALL = Pack(
    "hall",
    ticket_kinds=(KIND,),
    approval_types=(TYPE,),
    record_kinds=("thing",),
    offices=(Office("lead", "Hall"), Office("auditor", "Hall"), Office("chief", "Hall")),
    teams=(("Hall", "clerk"),),
    workplace=WORKPLACE,
)
SIDE = SideRequest(replace(TYPE, id="side"), "Hall", "order", "Wait for {what}", ("it",), "", "amount", 1, 9)


def hall(**parts: object) -> Pack:
    """Return the pack with other parts."""
    return replace(HALL, **parts)  # type: ignore[arg-type]


def test_one_pack_can_be_a_company() -> None:
    content = Content((HALL,))

    assert set(content.ticket_kinds) == {"order"}
    assert set(content.approval_types) == {"buying"}
    assert set(content.offices) == {"lead", "auditor", "chief"}
    assert (content.workplace, content.groundwork, content.ledger) == (WORKPLACE, None, None)


@pytest.mark.parametrize(
    ("second", "twice"),
    [
        (Pack("hall"), "pack hall"),
        (Pack("yard", ticket_kinds=(KIND,)), "ticket kind order"),
        (Pack("yard", approval_types=(TYPE,)), "approval type buying"),
        (Pack("yard", offices=(Office("lead", "Yard"),)), "role lead"),
        (Pack("yard", record_kinds=("thing",)), "record kind thing"),
    ],
    ids=["pack", "ticket kind", "approval type", "office", "record kind"],
)
def test_duplicate_content_of_two_packs_is_refused_by_name(second: Pack, twice: str) -> None:
    with pytest.raises(PacksDoNotFit, match=f"two of {twice}"):
        Content((HALL, second))


@pytest.mark.parametrize(
    ("part", "value", "named"),
    [
        ("workplace", WORKPLACE, "a workplace"),
        ("groundwork", Groundwork("order", ()), "a groundwork"),
        ("ledger", Ledger("entry", "LE", "{name}"), "a ledger"),
    ],
)
def test_only_one_pack_has_what_a_company_has_once(part: str, value: object, named: str) -> None:
    first, second = hall(**{part: value}), replace(Pack("yard"), **{part: value})  # type: ignore[arg-type]

    with pytest.raises(PacksDoNotFit, match=f"More than one pack has {named}: hall, yard"):
        Content((first, second))


def test_the_one_ledger_may_be_in_any_pack() -> None:
    ledger = Ledger("entry", "LE", "Entry of {name}")

    assert Content((HALL, Pack("yard", ledger=ledger))).ledger is ledger


@pytest.mark.parametrize(
    ("packs", "named"), [((), "none"), ((Pack("yard"), Pack("loft")), "yard, loft")], ids=["none", "two"]
)
def test_without_a_workplace_the_refusal_lists_the_packs_that_there_are(
    packs: tuple[Pack, ...], named: str
) -> None:
    with pytest.raises(PacksDoNotFit, match=f"No pack has a workplace; the scenario names: {named}"):
        Content(packs)


@pytest.mark.parametrize("job", ["deputy", "worker", "checker", "author"])
def test_every_job_of_the_workplace_needs_an_office(job: str) -> None:
    workplace = replace(WORKPLACE, **{job: "ghost"})  # type: ignore[arg-type]

    with pytest.raises(PacksDoNotFit, match="No pack has an office for ghost, named by the workplace"):
        Content((hall(workplace=workplace),))


def test_the_role_of_a_reporter_needs_no_office() -> None:
    assert "clerk" not in Content((HALL,)).offices


SUCCESSION = Succession((Band("ghost"),), {"chief": "ghost"})


@pytest.mark.parametrize(
    ("parts", "by"),
    [
        ({"offices": (*HALL.offices, Office("cook", "Hall", deputy="ghost"))}, "role cook"),
        ({"approval_types": (replace(TYPE, routes=(Band("ghost"),)),)}, "approval type buying"),
        ({"approval_types": (replace(TYPE, successions=(SUCCESSION,)),)}, "approval type buying"),
    ],
    ids=["deputy", "route", "route of a successor policy"],
)
def test_a_role_that_nobody_holds_is_refused_with_what_names_it(parts: dict[str, object], by: str) -> None:
    with pytest.raises(PacksDoNotFit, match=f"office for ghost, named by {by}"):
        Content((hall(**parts),))


def test_missing_roles_are_listed_in_alphabetical_order() -> None:
    routes = (Band("zebra", 5.0), Band("ape"))

    with pytest.raises(PacksDoNotFit, match="office for ape, zebra, named by"):
        Content((hall(approval_types=(replace(TYPE, routes=routes),)),))


def test_an_office_may_be_in_another_pack_than_the_route_that_names_it() -> None:
    offices = tuple(office for office in HALL.offices if office.role != "chief")

    assert Content((hall(offices=offices), Pack("yard", offices=(Office("chief", "Yard"),))))


@pytest.mark.parametrize(
    "type_",
    [
        replace(TYPE, routes=(Band("lead"),)),
        replace(TYPE, successions=(Succession((Band("lead"),), {"chief": "lead"}),)),
    ],
    ids=["now", "under a successor policy"],
)
def test_a_role_that_decides_must_not_deputize_for_itself(type_: ApprovalType) -> None:
    with pytest.raises(PacksDoNotFit, match="The role lead decides about approvals, and needs a deputy"):
        Content((hall(approval_types=(type_,)),))


def test_a_role_that_decides_nothing_may_be_its_own_default_deputy() -> None:
    assert Content((HALL,)).deputy("lead") == "lead"


@pytest.mark.parametrize(
    ("parts", "by"),
    [
        ({"approval_types": (replace(TYPE, ticket_kind="ghost"),)}, "approval type buying"),
        ({"side_requests": (replace(SIDE, ticket_kind="ghost"),)}, "side request side"),
        ({"groundwork": Groundwork("ghost", ())}, "the groundwork"),
    ],
    ids=["approval type", "side request", "groundwork"],
)
def test_a_ticket_kind_that_no_pack_has_is_refused_with_what_names_it(
    parts: dict[str, object], by: str
) -> None:
    with pytest.raises(PacksDoNotFit, match=f"No pack has a ticket kind ghost, named by {by}"):
        Content((hall(**parts),))


def test_an_approval_type_may_be_for_any_kind_of_ticket() -> None:
    assert Content((hall(approval_types=(replace(TYPE, ticket_kind=None),)),)).approval_types["buying"]


def test_the_types_that_a_role_decides_are_those_whose_present_bands_name_it() -> None:
    later = Succession((Band("auditor"),), {"chief": "auditor"})
    banded = replace(TYPE, id="selling", routes=(Band("auditor", 10.0), Band("chief")))
    content = Content((hall(approval_types=(replace(TYPE, successions=(later,)), banded)),))

    assert content.deciding("chief") == ("buying", "selling")
    assert content.deciding("auditor") == ("selling",)
    assert content.deciding("lead") == ()


def test_an_office_names_its_deputy_or_has_that_of_the_workplace() -> None:
    content = Content((hall(offices=(*HALL.offices, Office("cook", "Hall", deputy="chief"))),))

    assert content.deputy("cook") == "chief"
    assert content.deputy("chief") == "lead"
    assert content.deputy("a role without an office") == "lead"


def test_parts_come_in_the_order_of_their_packs() -> None:
    yard = Pack("yard", teams=(("Yard", "guard"),), record_kinds=("plant", "tool"))

    forward, backward = Content((HALL, yard)), Content((yard, HALL))

    assert forward.record_kinds == ("thing", "plant", "tool")
    assert backward.record_kinds == ("plant", "tool", "thing")
    assert backward.teams == (("Yard", "guard"), ("Hall", "clerk"))


def test_a_story_that_is_listed_twice_is_kept_twice() -> None:
    def story(*_: object) -> None: ...

    assert Content((hall(stories=(story, story)),)).stories == (story, story)
