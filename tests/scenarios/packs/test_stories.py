"""The past of each department: what one story writes, over many draws, and what of it was approved by whom."""

from collections.abc import Callable
from functools import cache

import pytest

from companyos.sdk.company import Cast, Company, Row, hire_cast
from scenarios.packs import analytics, engineering, finance, office, people, procurement, staffing
from scenarios.packs.engineering.stories import bug
from scenarios.packs.finance.approvals import role_deciding
from scenarios.packs.finance.stories import expense_report
from scenarios.packs.people.stories import handbook_section
from scenarios.packs.procurement.stories import license_renewal, vendor_onboarding
from scenarios.packs.staffing.stories import (
    has_record,
    leaver,
)

from ..company.building import company

PACKS = (
    office.PACK,
    finance.PACK,
    procurement.PACK,
    engineering.PACK,
    people.PACK,
    staffing.PACK,
    analytics.PACK,
)
MANY = 60
Story = Callable[[Company, Cast, int], None]
#: The metrics of a story's record, and the kinds of its record and of its ticket.
STORIES: dict[Story, tuple[set[str], str, str]] = {
    vendor_onboarding: ({"compliance_score"}, "vendor", "vendor_onboarding"),
    license_renewal: ({"active_seats", "days_to_expiry"}, "contract", "license"),
    expense_report: ({"expense_amount"}, "expense", "expense"),
    bug: ({"error_rate"}, "service", "bug"),
    handbook_section: (set(), "handbook_section", "handbook"),
}
BY_NAME = {story.__name__: story for story in STORIES}


def staffed() -> tuple[Company, Cast]:
    built = company(packs=PACKS)
    return built, hire_cast(built, persona_role="analyst", team="Purchasing", original=False)


@cache
def told(name: str) -> tuple[Company, Cast]:
    """Return a company in which one story happened many times; do not change it."""
    built, cast = staffed()
    for number in range(MANY):
        BY_NAME[name](built, cast, number)
    return built, cast


def by_subject(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["subject"], []).append(row)
    return found


@pytest.mark.parametrize("name", BY_NAME)
def test_every_story_writes_one_record_its_metrics_and_one_ticket_about_it(name: str) -> None:
    metrics, kind, ticket_kind = STORIES[BY_NAME[name]]
    built, _ = told(name)
    records = built.rows["datahub"]["records"]
    measured, tickets = (
        by_subject(built.rows["datahub"]["metrics"]),
        by_subject(built.rows["ticketdesk"]["tickets"]),
    )

    assert [row["kind"] for row in records] == [kind] * MANY
    for record in records:
        [ticket] = tickets[record["id"]]
        assert ticket["kind"] == ticket_kind
        assert ticket["cost_centre"] == record["fields"]["cost_centre"]
        assert {row["name"] for row in measured.get(record["id"], [])} == metrics


@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "expense_report"])
def test_background_records_have_unique_names(name: str) -> None:
    names = [row["name"] for row in told(name)[0].rows["datahub"]["records"]]

    assert len(set(names)) == MANY


@pytest.mark.parametrize("name", BY_NAME)
def test_the_titles_of_the_background_are_read_like_those_of_tasks(name: str) -> None:
    built, _ = told(name)
    records = {row["id"]: row["name"] for row in built.rows["datahub"]["records"]}

    assert all(
        records[ticket["subject"]] in ticket["title"] for ticket in built.rows["ticketdesk"]["tickets"]
    )


@pytest.mark.parametrize("name", BY_NAME)
def test_a_past_request_was_approved_by_somebody_who_decides_its_type(name: str) -> None:
    built, cast = told(name)

    requests = built.rows["approvalflow"]["requests"]

    assert requests
    for request in requests:
        deciding = built.content.approval_types[request["type"]].roles
        assert request["decided_by"] in {cast.offices[role].id for role in deciding}
        assert {field.name for field in built.content.approval_types[request["type"]].fields} == set(
            request["fields"]
        )


def test_past_expenses_were_decided_by_the_role_of_their_amount() -> None:
    built, cast = told("expense_report")

    roles = {
        role_deciding(one["fields"]["amount"]): one["decided_by"]
        for one in built.rows["approvalflow"]["requests"]
    }

    assert len(roles) > 1
    assert roles == {role: cast.offices[role].id for role in roles}


def test_past_vendors_had_scores_that_every_policy_accepts() -> None:
    values = [row["value"] for row in told("vendor_onboarding")[0].rows["datahub"]["metrics"]]

    assert min(values) > 80
    assert max(values) <= 98


def test_a_person_has_one_employee_record_at_most() -> None:
    built, cast = staffed()

    for number in range(MANY):
        leaver(built, cast, number)

    people = [row["fields"]["person"] for row in built.rows["datahub"]["records"]]
    assert len(set(people)) == len(people) > 8
    assert all(has_record(built, person) == (person.id in people) for person in built.people)


def test_every_employee_of_the_background_has_access_to_two_systems_and_clean_registers() -> None:
    built, cast = staffed()
    for number in range(20):
        leaver(built, cast, number)
    people = {row["fields"]["person"] for row in built.rows["datahub"]["records"]}

    access = [row["person_id"] for row in built.rows["datahub"]["entitlements"]]

    assert {person: access.count(person) for person in people} == dict.fromkeys(people, 2)
    assert {row["value"] for row in built.rows["datahub"]["metrics"]} == {0.0}
    assert {tuple(row["values"]) for row in built.rows["datahub"]["sources"]} == {(0.0,)}
