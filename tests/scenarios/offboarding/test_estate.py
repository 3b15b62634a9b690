"""What a leaver leaves behind: everything that has to move, and everything like it that must not."""

import pytest

from companyos.company import Company, Row
from companyos.sdk.simtime import HOUR
from scenarios.offboarding.estate import TIME_LEFT_S
from scenarios.offboarding.facts import FREE, HELD, IN_FORCE, LAPSED, Facts
from scenarios.offboarding.people import NEW_TEAM
from scenarios.packs.staffing import DATA_RELEASE, names

from .drawn import drawn

NUMBERS = range(12)
ALL = [(number, cause) for number in NUMBERS for cause in (IN_FORCE, LAPSED)]


def rows(company: Company, service: str, table: str, **equals: object) -> dict[str, Row]:
    """Return the rows whose columns have these values, by id."""
    found = company.rows[service][table]
    return {row["id"]: row for row in found if all(row[name] == one for name, one in equals.items())}


def entitlements(company: Company, facts: Facts) -> dict[str, Row]:
    return rows(company, "datahub", "entitlements", person_id=facts.leaver)


def projects(company: Company, facts: Facts) -> list[str]:
    """Return the projects of the handover form, in its order."""
    title = f"Handover form of {facts.staff.leaver.name}"
    [form] = rows(company, "datahub", "documents", title=title, status="in_force").values()
    return list(form["links"])


def successor_of(company: Company, facts: Facts, project: str | None) -> str:
    """Return who takes over work of a project, worked out from the form."""
    listed = projects(company, facts)
    return facts.staff.takes_over(listed.index(project) if project is not None else None).id


@pytest.mark.parametrize("number", NUMBERS)
def test_each_open_ticket_goes_to_the_successor_for_its_project(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    mine = rows(company, "ticketdesk", "tickets", assignee=facts.leaver)

    wanted = {
        key: successor_of(company, facts, row["subject"])
        for key, row in mine.items()
        if row["status"] != "closed"
    }

    assert wanted == facts.tickets
    assert 2 <= len(wanted) <= 3


@pytest.mark.parametrize("number", NUMBERS)
def test_each_report_goes_to_the_successor_for_its_project(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    owned = rows(company, "datahub", "ownerships", owner=facts.leaver)
    reports = rows(company, "datahub", "records", kind="report")

    wanted = {key: successor_of(company, facts, reports[key]["fields"]["project"]) for key in owned}

    assert wanted == facts.data
    assert 1 <= len(wanted) <= 3


def test_work_of_no_project_occurs_and_so_does_its_absence() -> None:
    tickets = {len(drawn(number, IN_FORCE)[1].tickets) for number in NUMBERS}
    data = {len(drawn(number, IN_FORCE)[1].data) for number in range(60)}

    assert tickets == {2, 3}
    assert data >= {1, 2, 3}


@pytest.mark.parametrize("number", NUMBERS)
def test_look_alikes_of_tickets_stay(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    tickets = rows(company, "ticketdesk", "tickets")
    listed = projects(company, facts)
    others = [row for key, row in tickets.items() if key not in facts.tickets and row["subject"] in listed]

    reported = [row for row in others if row["reporter"] == facts.leaver]
    of_namesake = [row for row in others if row["assignee"] == facts.staff.namesake.id]
    closed = [row for row in others if row["assignee"] == facts.leaver]

    assert [row["assignee"] for row in reported] == [facts.staff.named.id]
    assert [row["status"] for row in of_namesake] == ["triage"]
    assert [row["status"] for row in closed] == ["closed"]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_namesake_has_data_and_access_of_their_own(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    namesake = facts.staff.namesake.id

    assert set(rows(company, "datahub", "ownerships", owner=namesake)) - set(facts.data)
    held = rows(company, "datahub", "entitlements", person_id=namesake)
    assert set(names.COMMON) <= {row["system"] for row in held.values()}
    assert not set(held) & (facts.access.ends | facts.access.stays)


@pytest.mark.parametrize(("number", "cause"), ALL)
def test_one_request_waits_for_the_leaver_and_nobody_decides_it_for_days(number: int, cause: str) -> None:
    company, facts = drawn(number, cause)

    waiting = rows(company, "approvalflow", "requests", approver=facts.leaver, status="pending")

    assert list(waiting) == [facts.request["id"]]
    assert facts.request["type"] == DATA_RELEASE
    assert facts.request["decision_due"] == company.start + TIME_LEFT_S
    assert facts.request["requester"] not in (facts.leaver, facts.decider, facts.staff.steward.id)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_request_was_made_hours_ago_in_every_journal(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    at = facts.request["submitted_at"]

    entries = rows(company, "approvalflow", "audit", request_id=facts.request["id"]).values()
    links = rows(company, "ticketdesk", "links", target=facts.request["id"]).values()

    assert 3 * HOUR <= company.start - at <= 20 * HOUR
    assert {entry["at"] for entry in entries} == {link["created_at"] for link in links} == {at}


@pytest.mark.parametrize("number", NUMBERS)
def test_an_entitlement_ends_or_stays_or_is_shared(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    access = facts.access
    shared = {access.shared} - {None}

    assert access.ends | access.stays | shared == set(entitlements(company, facts))
    assert not access.ends & access.stays
    assert not shared & (access.ends | access.stays)
    assert access.ends


@pytest.mark.parametrize("number", range(24))
def test_access_by_role_ends_unless_the_new_team_has_it_too(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    [text] = rows(company, "datahub", "documents", title="Systems by team").values()
    line = next(one for one in text["body"].splitlines() if one.startswith(f"- {NEW_TEAM}: "))
    remain = line.partition(": ")[2].split(", ") if facts.moves else []
    by_role = {
        key: row["system"]
        for key, row in entitlements(company, facts).items()
        if row["basis"] == "role" and not row["shared_with"]
    }

    assert {key for key, system in by_role.items() if system in remain} == facts.access.stays & set(by_role)
    assert {key for key, system in by_role.items() if system not in remain} == facts.access.ends & set(
        by_role
    )


@pytest.mark.parametrize("number", range(24))
def test_access_by_exception_stays_if_its_document_says_a_day_after_the_last(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    [archive] = [row for row in entitlements(company, facts).values() if row["basis"] == "exception"]
    document = company.row("datahub", "documents", archive["note"].split()[-1].rstrip("."))
    until = document["body"].partition("has to stay until ")[2][:10]
    last_day = facts.employee["fields"]["effective_on"]

    assert until != last_day
    assert (until > last_day) == (archive["id"] in facts.access.stays)
    assert f"`{archive['system']}`" in document["body"]


def test_audits_that_are_open_and_closed_and_shared_accounts_occur_and_so_does_their_absence() -> None:
    accesses = [(drawn(number, IN_FORCE)[0], drawn(number, IN_FORCE)[1]) for number in range(24)]
    kept = {
        bool(rows(company, "datahub", "entitlements", basis="exception").keys() & facts.access.stays)
        for company, facts in accesses
    }

    assert kept == {True, False}
    assert {facts.access.shared is None for _, facts in accesses} == {True, False}


@pytest.mark.parametrize("number", range(24))
def test_a_shared_account_is_used_by_colleagues_who_stay(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    if facts.access.shared is None:
        return

    users = entitlements(company, facts)[facts.access.shared]["shared_with"]

    assert users == [facts.staff.successors[1].id, facts.staff.named.id]


@pytest.mark.parametrize(("number", "cause"), [(number, HELD) for number in NUMBERS] + [(0, FREE)])
def test_a_ticket_that_changed_hands_was_worked_on_by_its_new_assignee(number: int, cause: str) -> None:
    """The background may give the leaver work; it is given away, with its history."""
    company, facts = drawn(number, cause)
    moved = rows(company, "ticketdesk", "tickets", assignee=facts.staff.named.id)

    actors = {
        line["ticket_id"]: line["actor"]
        for line in company.rows["ticketdesk"]["history"]
        if line["ticket_id"] in moved and line["action"] == "assigned"
    }

    assert facts.leaver not in actors.values()


def test_employee_leaves_the_same_estate_whatever_the_cause() -> None:
    estates = [drawn(3, cause)[1] for cause in (IN_FORCE, LAPSED, HELD, FREE)]

    left = [(one.tickets, one.data, one.access, one.request["id"], one.employee) for one in estates]

    assert all(one == left[0] for one in left)
