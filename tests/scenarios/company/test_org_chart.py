"""Reporting lines: everybody has a manager but whoever is at the top, and nobody manages their own managers."""

import pytest

from companyos.sdk.company import Company, Person, Row, fill, hire_cast
from companyos.sdk.company.areas.org_chart import complete_org_chart, report_to
from scenarios.approver_desk.scenario import SCENARIO as APPROVER_DESK
from scenarios.offboarding.scenario import SCENARIO as OFFBOARDING

from ..conftest import instance_of
from .building import company


def staff(*teams: str) -> tuple[Company, list[Person]]:
    """Return a company with one person in each of these teams, in this order."""
    built = company()
    return built, [built.hire(f"Person {chr(65 + n)}", "clerk", team) for n, team in enumerate(teams)]


def managers_in(built: Company) -> list[str | None]:
    return [row["manager"] for row in built.rows["datahub"]["people"]]


def is_above_themselves(person_id: str, managers: dict[str, str | None]) -> bool:
    seen, above = set[str](), managers[person_id]
    while above is not None and above not in seen:
        seen.add(above)
        above = managers[above]
    return person_id in seen


def chart(people: list[Row]) -> dict[str, str | None]:
    return {row["id"]: row["manager"] for row in people}


def test_members_report_to_the_head_of_their_team_and_heads_to_the_first_head() -> None:
    built, [ada, bea, _] = staff("Hall", "Yard", "Yard")

    complete_org_chart(built)

    assert managers_in(built) == [None, ada.id, bea.id]


def test_the_manager_of_a_teams_head_does_not_report_to_that_head() -> None:
    built, [ada, bea, cid] = staff("Hall", "Yard", "Yard")
    report_to(built, bea, cid)

    complete_org_chart(built)

    assert managers_in(built) == [None, cid.id, ada.id]


def test_somebody_who_manages_the_head_of_the_company_reports_to_nobody() -> None:
    built, [ada, bea, cid] = staff("Hall", "Hall", "Hall")
    report_to(built, ada, bea)
    report_to(built, bea, cid)

    complete_org_chart(built)

    assert managers_in(built) == [bea.id, cid.id, None]


@pytest.mark.parametrize("seed", range(4))
def test_a_team_reports_to_the_holder_of_its_office(seed: int) -> None:
    built = company(seed=seed)
    fill(built, hire_cast(built, persona_role="people_partner", team="People", original=False))

    rows = built.rows["datahub"]["people"]
    lead = next(row["id"] for row in rows if row["role"] == "hr_lead")
    team = [row for row in rows if row["team"] == "People" and row["id"] != lead]
    assert team
    assert {row["manager"] for row in team} == {lead}


@pytest.mark.parametrize("scenario", [APPROVER_DESK, OFFBOARDING], ids=lambda one: one.name)
def test_org_chart_has_no_cycle_and_exactly_one_top(scenario: object) -> None:
    charts = [
        chart(instance_of(scenario, seed, size="small").rows["datahub"]["people"])  # type: ignore[arg-type]
        for seed in range(0, 400, 2)
    ]

    circular = [one for managers in charts for one in managers if is_above_themselves(one, managers)]
    tops = {sum(manager is None for manager in managers.values()) for managers in charts}

    assert circular == []
    assert tops == {1}
