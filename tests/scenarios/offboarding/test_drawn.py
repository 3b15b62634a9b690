"""Off-boardings as they are drawn: who takes over what, what the documents say, and what must stay as it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.sdk.company import Company, Row
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, from_iso
from scenarios.offboarding.documents import (
    ABSENT_MANAGER,
    ACCESS,
    CHECKLIST,
    CLOSERS,
    FORM,
    LAST_NAMED,
    LEAVERS_MANAGER,
    MANAGER,
    PRIORITIES,
    REASONS,
    RETENTION,
    SENIOR,
    SYSTEMS,
    Rules,
    draw_rules,
    write_handbook,
)
from scenarios.offboarding.estate import TIME_LEFT_S
from scenarios.offboarding.facts import FREE, HELD, IN_FORCE, LAPSED, Facts
from scenarios.offboarding.people import NEW_TEAM
from scenarios.offboarding.playing import _rules
from scenarios.packs.staffing import DATA_RELEASE, STEWARD
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS

from .stages import case_drawn_with, founded

NUMBERS = range(12)
CAUSES = (IN_FORCE, LAPSED, HELD, FREE)
RULES = st.builds(
    Rules,
    heir=st.sampled_from([MANAGER, SENIOR, LAST_NAMED]),
    delegate=st.sampled_from([LEAVERS_MANAGER, ABSENT_MANAGER]),
    closer=st.sampled_from(CLOSERS),
    priority=st.sampled_from(PRIORITIES),
    reason=st.sampled_from(REASONS),
)


def rows(company: Company, service: str, table: str, **equals: object) -> dict[str, Row]:
    """Return the rows whose columns have these values, by id."""
    return {
        row["id"]: row
        for row in company.rows[service][table]
        if all(row[name] == one for name, one in equals.items())
    }


def document(company: Company, title: str) -> Row:
    """Return the edition of a document that is in force."""
    [found] = rows(company, "datahub", "documents", title=title, status="in_force").values()
    return found


def ids_by_use(company: Company, facts: Facts) -> dict[str, str]:
    """Return who the handover form in force names, by project."""
    form = document(company, f"Handover form of {facts.staff.leaver.name}")
    return {line["project"]: line["person"] for line in FORM.read(form["body"])["successors"]}


@settings(max_examples=25)
@given(RULES, RULES)
def test_only_the_checklist_in_force_decides(rules: Rules, before: Rules) -> None:
    company, cast = founded()
    write_handbook(company, cast.offices["hr_lead"], rules, before)
    editions = {row["status"]: row["body"] for row in company.rows["datahub"]["documents"]}

    assert _rules(editions.pop("in_force")) == rules
    assert editions.keys() == {"superseded", "draft"}
    for body in editions.values():
        with pytest.raises(LookupError, match="not of the form"):
            _rules(body)


@given(st.integers(0, 10_000))
def test_a_former_checklist_says_everything_otherwise(seed: int) -> None:
    rules, former = (vars(one) for one in draw_rules(Draws("test", seed)))

    assert not [point for point in rules if rules[point] == former[point]]


@pytest.mark.parametrize("number", NUMBERS)
def test_work_goes_to_whom_the_form_names_for_its_project_or_to_the_heir(number: int) -> None:
    company, facts = case_drawn_with(number, IN_FORCE)
    staff, form = facts.staff, ids_by_use(company, facts)
    people = {person.name: person.id for person in company.people}
    away = staff.successors[0].name if staff.first_is_away else ""
    heirs = {MANAGER: staff.manager, SENIOR: staff.head, LAST_NAMED: staff.successors[1]}

    def takes_over(project: str | None) -> str:
        name = form.get(project or "", "")
        return people[name] if name not in ("", away) else heirs[facts.rules.heir].id

    mine = rows(company, "ticketdesk", "tickets", assignee=facts.leaver)
    reports = rows(company, "datahub", "records", kind="report")
    owned = rows(company, "datahub", "ownerships", owner=facts.leaver)
    still_open = {key: row for key, row in mine.items() if row["status"] != "closed"}
    assert facts.tickets == {key: takes_over(row["subject"]) for key, row in still_open.items()}
    assert facts.data == {key: takes_over(reports[key]["fields"]["project"]) for key in owned}
    assert staff.named.id not in {*facts.tickets.values(), *facts.data.values(), facts.decider, facts.closer}
    assert 2 <= len(facts.tickets) <= 3
    assert 1 <= len(facts.data) <= 3


@pytest.mark.parametrize("number", NUMBERS)
def test_look_alikes_stay_where_they_are(number: int) -> None:
    company, facts = case_drawn_with(number, IN_FORCE)
    tickets, namesake = rows(company, "ticketdesk", "tickets"), facts.staff.namesake
    form = ids_by_use(company, facts)
    others = [row for key, row in tickets.items() if key not in facts.tickets and row["subject"] in form]

    assert [row["assignee"] for row in others if row["reporter"] == facts.leaver] == [facts.staff.named.id]
    assert [row["status"] for row in others if row["assignee"] == facts.leaver] == ["closed"]
    assert [row["status"] for row in others if row["assignee"] == namesake.id] == ["triage"]
    assert namesake.name.split()[-1] == facts.staff.leaver.name.split()[-1]
    assert rows(company, "datahub", "ownerships", owner=namesake.id).keys() - facts.data.keys()
    assert rows(company, "datahub", "entitlements", person_id=namesake.id)


@pytest.mark.parametrize("number", range(24))
def test_access_ends_unless_the_new_team_or_a_document_needs_it(number: int) -> None:
    company, facts = case_drawn_with(number, IN_FORCE)
    access, held = facts.access, rows(company, "datahub", "entitlements", person_id=facts.leaver)
    teams = {one["team"]: one["systems"] for one in ACCESS.read(document(company, SYSTEMS)["body"])["teams"]}
    until = RETENTION.read(company.row("datahub", "documents", access.paper)["body"])["until"]
    remain = teams[NEW_TEAM] if facts.moves else []

    for key, row in held.items():
        stays = (
            until > facts.employee["fields"]["effective_on"]
            if row["basis"] == "exception"
            else row["system"] in remain
        )
        assert key == access.shared or (key in access.stays) is stays is (key not in access.ends)
    assert access.ends | access.stays | ({access.shared} - {None}) == held.keys()
    assert access.ends


@pytest.mark.parametrize("number", NUMBERS[:6])
@pytest.mark.parametrize("cause", CAUSES)
def test_the_registers_show_the_cause_after_a_refresh_alone(number: int, cause: str) -> None:
    company, facts = case_drawn_with(number, cause)
    fresh = {name: company.source(row["id"])["values"] for name, row in facts.metrics.items()}
    manager = facts.staff.manager if facts.rules.delegate == LEAVERS_MANAGER else facts.staff.head

    assert facts.metrics[HOLDS]["value"] == 0
    assert fresh == {HOLDS: [cause == HELD], DELEGATIONS: [facts.in_force]}
    assert all(row["as_of"] + row["ttl_s"] < company.start for row in facts.metrics.values())
    assert facts.delegate == (manager.id if facts.in_force else None)
    assert facts.decider == (facts.delegate or facts.staff.steward.id)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_leaver_stands_in_for_one_absent_steward_and_another_may_decide(number: int) -> None:
    company, facts = case_drawn_with(number, IN_FORCE)
    waiting = rows(company, "approvalflow", "requests", approver=facts.leaver, status="pending")
    people = rows(company, "approvalflow", "people", delegate=facts.leaver)
    stewards = rows(company, "datahub", "people", role=STEWARD)
    away = {key for key, row in rows(company, "approvalflow", "people").items() if row["away"]}

    assert [row["delegate_types"] for row in people.values()] == [[DATA_RELEASE]]
    assert people.keys() == {facts.staff.absent.id}
    assert stewards.keys() - away == {facts.staff.steward.id}
    assert waiting.keys() == {facts.request["id"]}
    assert facts.request["decision_due"] == company.start + TIME_LEFT_S
    assert 3 * HOUR <= company.start - facts.request["submitted_at"] <= 20 * HOUR


@pytest.mark.parametrize("number", NUMBERS)
def test_the_employee_record_and_not_the_ticket_says_what_happens_and_when(number: int) -> None:
    company, facts = case_drawn_with(number, IN_FORCE)
    fields = facts.employee["fields"]
    days = from_iso(fields["effective_on"]) - company.start // DAY * DAY

    assert (fields["person"], fields["change"]) == (facts.leaver, "moves" if facts.moves else "leaves")
    assert fields["new_team"] == (NEW_TEAM if facts.moves else None)
    assert 3 * DAY <= days <= 9 * DAY
    assert facts.staff.named.name in facts.ticket["description"]
    assert list(rows(company, "datahub", "people", role=facts.rules.closer)) == [facts.closer]


def test_background_work_of_the_leaver_is_given_away_with_its_history() -> None:
    for number in NUMBERS:
        company, facts = case_drawn_with(number, HELD)
        moved = rows(company, "ticketdesk", "tickets", assignee=facts.staff.named.id)
        lines = rows(company, "ticketdesk", "history", action="assigned").values()
        assert facts.leaver not in {line["actor"] for line in lines if line["ticket_id"] in moved}


def test_every_case_occurs() -> None:
    found = [case_drawn_with(number, IN_FORCE)[1] for number in range(60)]

    assert {one.moves for one in found} == {one.staff.first_is_away for one in found} == {True, False}
    assert {one.access.shared is None for one in found} == {True, False}
    assert {one.rules.heir for one in found} == {MANAGER, SENIOR, LAST_NAMED}
    assert {case_drawn_with(number, FREE)[1].in_force for number in NUMBERS} == {True, False}
    assert CHECKLIST
