"""The past of each department: what one story writes, over many draws, and what of it was approved by whom."""

from collections.abc import Callable
from functools import cache

import pytest

from companyos.sdk.company import Cast, Company, Row, hire_cast
from companyos.sdk.simtime import DAY
from scenarios.packs import analytics, engineering, finance, office, people, procurement, staffing
from scenarios.packs.engineering.stories import bug
from scenarios.packs.finance.approvals import role_deciding
from scenarios.packs.finance.stories import expense_report
from scenarios.packs.people.stories import handbook_section
from scenarios.packs.procurement.stories import license_renewal, vendor_onboarding
from scenarios.packs.staffing.stories import (
    add_project,
    add_registers,
    add_report,
    employee,
    has_record,
    leaver,
    project,
    record_of,
    work_on,
)

from ..company.building import START, company

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


def test_the_seats_of_a_past_license_are_those_of_its_contract() -> None:
    built, _ = told("license_renewal")
    seats = {row["id"]: row["fields"]["seats"] for row in built.rows["datahub"]["records"]}

    counted = {
        row["subject"]: row["value"] for row in built.rows["datahub"]["metrics"] if row["unit"] == "seats"
    }

    assert counted == seats


def test_an_expense_report_names_its_employee() -> None:
    built, _ = told("expense_report")
    names = {person.id: person.name for person in built.people}

    for record in built.rows["datahub"]["records"]:
        assert record["name"].endswith(f", {names[record['fields']['employee']]}")


def test_groundwork_of_the_past_is_about_records_with_a_cost_centre() -> None:
    built, cast = staffed()
    groundwork = office.PACK.stories[1]
    groundwork(built, cast, 0)
    without = len(built.rows["ticketdesk"]["tickets"])
    built.add_record("RPT-1", "report", "Energy use", {}, "active")
    vendor = built.add_record("V-1", "vendor", "Acorn", {"cost_centre": "CC-1"}, "active")

    for number in range(20):
        groundwork(built, cast, number)

    tickets = built.rows["ticketdesk"]["tickets"]
    assert without == 0
    assert {ticket["subject"] for ticket in tickets} == {vendor["id"]}
    assert all("Acorn" in ticket["title"] and ticket["kind"] == "task" for ticket in tickets)


def test_a_person_has_one_employee_record_at_most() -> None:
    built, cast = staffed()

    for number in range(MANY):
        leaver(built, cast, number)

    people = [row["fields"]["person"] for row in built.rows["datahub"]["records"]]
    assert len(set(people)) == len(people) > 8
    assert all(has_record(built, person) == (person.id in people) for person in built.people)


def test_people_of_the_past_leave_in_some_weeks_or_stay() -> None:
    built, cast = staffed()
    for number in range(MANY):
        leaver(built, cast, number)
    tickets = by_subject(built.rows["ticketdesk"]["tickets"])

    changes = set()
    for record in built.rows["datahub"]["records"]:
        change, day = record["fields"]["change"], record["fields"]["effective_on"]
        [ticket] = tickets[record["id"]]
        changes.add(change)
        assert (change == "leaves") == (day is not None) == (ticket["kind"] == "offboarding")
    assert changes == {"none", "leaves"}


def test_every_employee_of_the_background_has_access_to_two_systems_and_clean_registers() -> None:
    built, cast = staffed()
    for number in range(20):
        leaver(built, cast, number)
    people = {row["fields"]["person"] for row in built.rows["datahub"]["records"]}

    access = [row["person_id"] for row in built.rows["datahub"]["entitlements"]]

    assert {person: access.count(person) for person in people} == dict.fromkeys(people, 2)
    assert {row["value"] for row in built.rows["datahub"]["metrics"]} == {0.0}
    assert {tuple(row["values"]) for row in built.rows["datahub"]["sources"]} == {(0.0,)}


def test_an_employee_record_says_that_somebody_stays_unless_told_otherwise() -> None:
    built, cast = staffed()

    stays = employee(built, "EMP-1", cast.worker)
    leaves = employee(built, "EMP-2", cast.checker, change="leaves", effective_on="2031-04-01")

    assert (stays["fields"]["change"], stays["fields"]["effective_on"]) == ("none", None)
    assert (leaves["fields"]["change"], leaves["fields"]["effective_on"]) == ("leaves", "2031-04-01")
    assert stays["name"] == f"{cast.worker.name} (EMP-1)"


def test_the_registers_are_stale_and_move_at_a_refresh_to_the_second_number() -> None:
    built, cast = staffed()
    record = employee(built, "EMP-1", cast.worker)

    add_registers(built, record, built.numbers.next, holds=(0, 1), delegations=(2, 3))

    known = {row["name"]: row for row in built.about("EMP-1")}
    assert {name: row["value"] for name, row in known.items()} == {
        "legal_holds": 0.0,
        "delegations_in_force": 2.0,
    }
    assert {name: built.source(row["id"])["values"] for name, row in known.items()} == {
        "legal_holds": [1.0],
        "delegations_in_force": [3.0],
    }
    assert all(row["as_of"] + row["ttl_s"] < START - DAY for row in known.values())


def test_a_project_of_the_past_has_a_report_that_somebody_owns_and_work_about_it() -> None:
    built, cast = staffed()

    project(built, cast, 3)

    made, report = built.rows["datahub"]["records"]
    [owned], [ticket] = built.rows["datahub"]["ownerships"], built.rows["ticketdesk"]["tickets"]
    assert report["fields"]["project"] == made["id"]
    assert owned["id"] == report["id"]
    assert (ticket["kind"], ticket["subject"]) == ("project_work", made["id"])
    assert made["fields"]["team"] in {person.team for person in built.people}


def test_a_report_may_be_of_no_project() -> None:
    built, _ = staffed()

    assert add_report(built, "RPT-1", None)["fields"] == {"project": None}


def test_work_names_its_project_without_the_id() -> None:
    built, _ = staffed()
    made = add_project(built, "PRJ-1", "Data")
    name = made["name"].removesuffix(" (PRJ-1)")

    titles = {work_on(built, made, number) for number in range(40)}

    assert titles == {title.format(project=name) for title in staffing.names.WORK}


def test_a_cost_centre_for_tickets_leaves_the_record_itself_alone() -> None:
    built, _ = staffed()
    made = add_project(built, "PRJ-1", "Data")

    told_apart = record_of(built, made), record_of(built, add_project(built, "PRJ-2", "Data"))

    assert "cost_centre" not in made["fields"]
    assert told_apart[0]["fields"]["cost_centre"] != told_apart[1]["fields"]["cost_centre"]
    assert record_of(built, made) == told_apart[0]
