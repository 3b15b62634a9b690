"""The people of a company: hired into every service, delegating and absent alike in all of them."""

import pytest

from companyos.sdk.company import Company, Content, Person, hire_cast, new_name
from companyos.sdk.simtime import DAY

from .building import PACKS, START, company


def person_in(built: Company, service: str, person: Person) -> dict[str, object]:
    return built.row(service, "people", person.id)


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


def test_a_name_is_drawn_again_when_somebody_has_it() -> None:
    built = company()
    wanted = new_name(built, "twin")
    built.hire(wanted, "clerk", "Hall")

    assert new_name(built, "twin") != wanted


def test_a_cast_has_one_holder_of_every_office_and_two_people_more() -> None:
    built = company()

    cast = hire_cast(built, persona_role="analyst", team="Purchasing", original=False)

    assert set(cast.offices) == set(Content(PACKS).offices)
    assert all(person.role == role for role, person in cast.offices.items())
    assert len(built.people) == len(cast.offices) + 2
    assert (cast.persona.role, cast.persona.team) == ("analyst", "Purchasing")


def test_approvers_delegate_all_their_types_to_their_deputy() -> None:
    built = company()

    cast = hire_cast(built, persona_role="analyst", team="Purchasing", original=False)

    for role, person in cast.offices.items():
        row = person_in(built, "datahub", person)
        types = built.content.deciding(role)
        assert row["delegate_types"] == list(types)
        assert row["delegate"] == (cast.deputy(role).id if types else None)
        assert row["delegate_limit"] is None


def test_agents_role_may_always_verify_groundwork() -> None:
    built = company()

    hire_cast(built, persona_role="stranger", team="Hall", original=False)

    roles = built.row("ticketdesk", "ticket_kinds", "task")["verifier_roles"]
    assert "stranger" in roles
    assert "stranger" not in built.row("ticketdesk", "ticket_kinds", "bug")["verifier_roles"]
