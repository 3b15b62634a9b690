"""The people of a company: hired into every service, delegating and absent alike in all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import Company, Content, Person, hire_cast, new_name
from companyos.sdk.simtime import DAY
from scenarios.packs import finance, office, procurement

from .building import PACKS, START, company


def person_in(built: Company, service: str, person: Person) -> dict[str, object]:
    return built.row(service, "people", person.id)


def test_an_id_is_the_name_in_small_letters_with_dots() -> None:
    built = company()

    assert built.hire("Ada  de Moss", "clerk", "Hall").id == "ada.de.moss"


def test_a_new_colleague_delegates_to_nobody_and_is_here() -> None:
    built = company()

    ada = built.hire("Ada Moss", "clerk", "Hall")

    known = person_in(built, "approvalflow", ada)
    assert (known["delegate"], known["delegate_types"], known["delegate_limit"]) == (None, [], None)
    assert (known["away"], known["away_until"], known["by_hand"]) == (False, None, False)


def test_a_later_delegation_replaces_the_one_before() -> None:
    built = company()
    ada, ben = built.hire("Ada Moss", "clerk", "Hall"), built.hire("Ben Reed", "clerk", "Hall")
    built.delegate(ada, ben, ("buying",), limit=500.0)

    built.delegate(ada, ben, ("selling",))

    row = person_in(built, "approvalflow", ada)
    assert (row["delegate_types"], row["delegate_limit"]) == (["selling"], None)


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "away"),
    [
        (START - DAY, START + DAY, True),
        (START, START + DAY, True),
        (START + 1, START + DAY, False),
        (START - DAY, START + 1, True),
        (START - DAY, START, False),
        (START - 2 * DAY, START - DAY, False),
    ],
    ids=["around the start", "from the start", "a second later", "for a second", "until the start", "past"],
)
def test_approvals_know_the_absences_that_include_the_start(starts_at: int, ends_at: int, away: bool) -> None:
    built = company()
    ada = built.hire("Ada Moss", "clerk", "Hall")

    built.send_away(ada, starts_at, ends_at, "annual leave")

    known = person_in(built, "approvalflow", ada)
    assert (known["away"], known["away_until"]) == (away, ends_at if away else None)
    [absence] = built.rows["datahub"]["absences"]
    assert (absence["person_id"], absence["starts_at"], absence["ends_at"]) == (
        "ada.moss",
        starts_at,
        ends_at,
    )


def test_a_recall_ends_every_absence_of_one_person_and_no_other() -> None:
    built = company()
    ada, ben = built.hire("Ada Moss", "clerk", "Hall"), built.hire("Ben Reed", "clerk", "Hall")
    for person, ends_at in ((ada, START - DAY), (ada, START + DAY), (ben, START + DAY)):
        built.send_away(person, START - 3 * DAY, ends_at, "annual leave")

    built.recall(ada)

    assert [row["person_id"] for row in built.rows["datahub"]["absences"]] == ["ben.reed"]
    assert person_in(built, "approvalflow", ada)["away_until"] is None
    assert person_in(built, "approvalflow", ben)["away"] is True


@given(st.integers(0, 10_000))
def test_a_given_family_name_is_kept(number: int) -> None:
    first, family = new_name(company(), "cousin", number, last="Moss").split()

    assert family == "Moss"
    assert first in office.names.FIRST


def test_a_name_is_drawn_again_when_somebody_has_it() -> None:
    built = company()
    wanted = new_name(built, "twin")
    built.hire(wanted, "clerk", "Hall")

    assert new_name(built, "twin") != wanted


@pytest.mark.parametrize("seed", range(6))
def test_a_cast_has_one_holder_of_every_office_and_two_people_more(seed: int) -> None:
    built = company(seed)

    cast = hire_cast(built, persona_role="analyst", team="Purchasing", original=False)

    assert set(cast.offices) == set(Content(PACKS).offices)
    assert all(person.role == role for role, person in cast.offices.items())
    assert len(built.people) == len(cast.offices) + 2
    assert (cast.persona.role, cast.persona.team) == ("analyst", "Purchasing")


@pytest.mark.parametrize("seed", range(6))
def test_a_namesake_shares_the_family_name_and_nothing_else(seed: int) -> None:
    cast = hire_cast(company(seed), persona_role="analyst", team="Purchasing", original=False)

    lead, controller = cast.offices["operations_lead"], cast.offices["controller"]
    assert lead.name.split()[-1] == controller.name.split()[-1]
    assert lead.id != controller.id


def test_original_names_are_those_that_the_offices_give_and_others_are_drawn() -> None:
    original = hire_cast(company(), persona_role="analyst", team="Purchasing", original=True).offices
    drawn = hire_cast(company(), persona_role="analyst", team="Purchasing", original=False).offices

    given_names = {one.role: one.original for one in Content(PACKS).offices.values() if one.original}
    assert {role: original[role].name for role in given_names} == given_names
    assert not {person.name for person in drawn.values()} & set(given_names.values())
    assert original["manager"].name == drawn["manager"].name


@pytest.mark.parametrize("reporter", [None, ("Legal", "paralegal")], ids=["of the workplace", "given"])
def test_a_reporter_is_of_the_team_given_or_of_that_of_the_workplace(
    reporter: tuple[str, str] | None,
) -> None:
    cast = hire_cast(company(), persona_role="analyst", team="Data", original=False, reporter=reporter)

    team, role = reporter or ("Operations", "coordinator")
    assert (cast.reporter.team, cast.reporter.role) == (team, role)


def test_approvers_delegate_all_their_types_to_their_deputy() -> None:
    built = company()

    cast = hire_cast(built, persona_role="analyst", team="Purchasing", original=False)

    for role, person in cast.offices.items():
        row = person_in(built, "datahub", person)
        types = built.content.deciding(role)
        assert row["delegate_types"] == list(types)
        assert row["delegate"] == (cast.deputy(role).id if types else None)
        assert row["delegate_limit"] is None


def test_the_deputy_of_the_chief_of_finance_is_the_controller_and_others_have_the_default_one() -> None:
    cast = hire_cast(company(), persona_role="analyst", team="Purchasing", original=False)

    assert cast.deputy("cfo").role == "controller"
    assert cast.deputy("finance_director").role == "operations_lead"
    assert cast.deputy("cto").role == "chief_of_staff"


def test_agents_role_may_always_verify_groundwork() -> None:
    built = company()

    hire_cast(built, persona_role="stranger", team="Hall", original=False)

    roles = built.row("ticketdesk", "ticket_kinds", "task")["verifier_roles"]
    assert "stranger" in roles
    assert "stranger" not in built.row("ticketdesk", "ticket_kinds", "bug")["verifier_roles"]


def test_the_jobs_around_a_task_are_done_by_those_whom_the_workplace_names() -> None:
    cast = hire_cast(
        company(packs=(office.PACK, finance.PACK, procurement.PACK)),
        persona_role="analyst",
        team="Purchasing",
        original=False,
    )

    assert (cast.worker.role, cast.checker.role, cast.author.role) == (
        "chief_of_staff",
        "operations_lead",
        "operations_lead",
    )
