"""The people around a leaver: who reports to whom, who is away, and who takes over what."""

from functools import cache

import pytest

from companyos.company import Company
from scenarios.offboarding.documents import LAST_NAMED, MANAGER, SENIOR
from scenarios.offboarding.people import NEW_TEAM, TEAM, Staff, hire_staff
from scenarios.packs.staffing import DATA_RELEASE, STEWARD

from .drawn import founded

COMPANIES = range(8)
HEIRS = {MANAGER: "manager", SENIOR: "head", LAST_NAMED: "second"}


@cache
def hired(number: int, heir: str = MANAGER) -> tuple[Company, Staff]:
    company, cast = founded(number)
    return company, hire_staff(company, cast, heir)


def with_first(*, away: bool) -> Staff:
    """Return the staff of a company in which the first successor is away, or is not."""
    return next(staff for number in range(40) if (staff := hired(number)[1]).first_is_away == away)


def away_now(company: Company) -> set[str]:
    """Return the people who are away at the start and still the next day."""
    return {
        row["person_id"]
        for row in company.rows["datahub"]["absences"]
        if row["starts_at"] <= company.start and row["ends_at"] > company.start + 86_400
    }


@pytest.mark.parametrize(("number", "who"), [(0, "first"), (1, "second"), (None, "heir")])
def test_work_goes_to_the_successor_of_its_project_or_else_to_the_heir(number: int | None, who: str) -> None:
    staff = with_first(away=False)
    people = {"first": staff.successors[0], "second": staff.successors[1], "heir": staff.heir}

    assert staff.takes_over(number) is people[who]


@pytest.mark.parametrize(("number", "who"), [(0, "heir"), (1, "second"), (None, "heir")])
def test_work_of_a_successor_on_leave_goes_to_the_heir(number: int | None, who: str) -> None:
    staff = with_first(away=True)
    people = {"second": staff.successors[1], "heir": staff.heir}

    assert staff.takes_over(number) is people[who]


@pytest.mark.parametrize("heir", HEIRS)
def test_the_heir_is_the_person_of_whom_the_checklist_speaks(heir: str) -> None:
    _, staff = hired(0, heir)
    people = {"manager": staff.manager, "head": staff.head, "second": staff.successors[1]}

    assert staff.heir is people[HEIRS[heir]]


@pytest.mark.parametrize("number", COMPANIES)
def test_the_team_reports_to_its_manager_and_the_manager_and_the_stewards_to_the_head(number: int) -> None:
    company, staff = hired(number)
    manager_of = {row["id"]: row["manager"] for row in company.rows["datahub"]["people"]}

    team = (staff.leaver, staff.namesake, *staff.successors, staff.named)

    assert {manager_of[one.id] for one in team} == {staff.manager.id}
    assert {manager_of[one.id] for one in (staff.manager, staff.absent, staff.steward)} == {staff.head.id}
    assert {one.team for one in team} == {TEAM} != {NEW_TEAM}


@pytest.mark.parametrize("number", COMPANIES)
def test_staff_of_an_offboarding_are_different_people(number: int) -> None:
    _, staff = hired(number)
    people = (
        staff.leaver,
        staff.namesake,
        staff.manager,
        *staff.successors,
        staff.named,
        staff.absent,
        staff.steward,
        staff.head,
    )

    assert len({person.id for person in people}) == len(people)


@pytest.mark.parametrize("number", COMPANIES)
def test_the_namesake_shares_the_family_name_alone(number: int) -> None:
    _, staff = hired(number)

    assert staff.namesake.name.split()[-1] == staff.leaver.name.split()[-1]
    assert staff.namesake.name != staff.leaver.name


@pytest.mark.parametrize("number", COMPANIES)
def test_the_leaver_stands_in_for_one_steward_on_leave_and_for_nobody_else(number: int) -> None:
    company, staff = hired(number)

    for service in ("datahub", "approvalflow"):
        delegating = [row for row in company.rows[service]["people"] if row["delegate"] == staff.leaver.id]
        assert [(row["id"], row["delegate_types"]) for row in delegating] == [
            (staff.absent.id, [DATA_RELEASE])
        ]
    assert staff.absent.id in away_now(company)


@pytest.mark.parametrize("number", COMPANIES)
def test_another_steward_is_there_to_decide(number: int) -> None:
    company, staff = hired(number)

    stewards = {row["id"] for row in company.rows["datahub"]["people"] if row["role"] == STEWARD}

    assert stewards - away_now(company) == {staff.steward.id}


@pytest.mark.parametrize("number", range(16))
def test_the_first_successor_is_away_exactly_where_the_facts_say_so(number: int) -> None:
    company, staff = hired(number)
    expected = {staff.absent.id} | ({staff.successors[0].id} if staff.first_is_away else set())

    known = {row["id"] for row in company.rows["approvalflow"]["people"] if row["away"]}

    assert away_now(company) == expected
    assert known == expected


def test_the_first_successor_is_away_in_some_companies_and_present_in_others() -> None:
    assert 0.2 <= sum(hired(number)[1].first_is_away for number in range(40)) / 40 <= 0.6
