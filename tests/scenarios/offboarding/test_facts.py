"""The facts of an off-boarding: who decides what, what the registers hide, and what the agent is told."""

from collections.abc import Callable

import pytest

from companyos.company import Company
from companyos.sdk.simtime import DAY, from_iso
from scenarios.offboarding.documents import LEAVERS_MANAGER
from scenarios.offboarding.facts import FREE, HELD, IN_FORCE, LAPSED, Facts
from scenarios.offboarding.people import NEW_TEAM
from scenarios.packs.staffing.stories import DELEGATIONS, HOLDS, REFRESH_S

from .drawn import drawn

NUMBERS = range(16)
CAUSES = (IN_FORCE, LAPSED, HELD, FREE)
ALL = [(number, cause) for number in NUMBERS[:6] for cause in CAUSES]


def first(cause: str, holds: Callable[[Facts], bool]) -> Facts:
    """Return the first facts of a cause of which this holds."""
    return next(facts for number in range(60) if holds(facts := drawn(number, cause)[1]))


def fresh(company: Company, facts: Facts, name: str) -> float:
    """Return what a refresh of a register brings."""
    [value] = company.source(facts.metrics[name]["id"])["values"]
    return float(value)


def test_a_delegation_in_force_goes_to_the_leavers_manager_where_the_checklist_says_so() -> None:
    facts = first(IN_FORCE, lambda one: one.rules.delegate == LEAVERS_MANAGER)

    assert facts.delegate == facts.decider == facts.staff.manager.id


def test_a_delegation_in_force_goes_to_the_manager_of_the_absent_person_where_the_checklist_says_so() -> None:
    facts = first(IN_FORCE, lambda one: one.rules.delegate != LEAVERS_MANAGER)

    assert facts.delegate == facts.decider == facts.staff.head.id


@pytest.mark.parametrize("number", NUMBERS)
def test_a_lapsed_delegation_goes_to_nobody_and_the_other_steward_decides(number: int) -> None:
    _, facts = drawn(number, LAPSED)

    assert (facts.delegate, facts.decider) == (None, facts.staff.steward.id)


def test_a_pair_about_holds_has_delegations_of_both_kinds() -> None:
    assert {drawn(number, FREE)[1].in_force for number in NUMBERS} == {True, False}
    assert all(drawn(number, FREE)[1].in_force == drawn(number, HELD)[1].in_force for number in NUMBERS)


@pytest.mark.parametrize(("number", "cause"), ALL)
def test_the_registers_show_the_cause_after_a_refresh_and_no_hold_before(number: int, cause: str) -> None:
    company, facts = drawn(number, cause)

    assert facts.metrics[HOLDS]["value"] == 0
    assert fresh(company, facts, HOLDS) == (cause == HELD)
    assert fresh(company, facts, DELEGATIONS) == facts.in_force
    assert facts.in_force == (facts.delegate is not None)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_registers_are_old_and_quick_to_refresh(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)

    for metric in facts.metrics.values():
        assert metric["as_of"] + metric["ttl_s"] < company.start
        assert metric["refresh_s"] == REFRESH_S
        assert metric["subject"] == facts.employee["id"]


def test_outdated_register_of_delegations_reveals_nothing() -> None:
    known = {(drawn(number, IN_FORCE)[1].metrics[DELEGATIONS]["value"]) for number in NUMBERS}

    assert known == {0, 1}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_employee_record_says_whether_the_person_leaves_or_moves_and_when(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    fields = facts.employee["fields"]

    last_day = from_iso(fields["effective_on"]) - (company.start - company.start % DAY)

    assert fields["person"] == facts.leaver
    assert (fields["change"], fields["new_team"]) == (
        ("moves", NEW_TEAM) if facts.moves else ("leaves", None)
    )
    assert 3 * DAY <= last_day <= 9 * DAY


@pytest.mark.parametrize("number", NUMBERS)
def test_the_namesake_has_a_record_as_well_and_stays(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)

    [changes] = [
        row["fields"]["change"]
        for row in company.rows["datahub"]["records"]
        if row["kind"] == "employee" and row["fields"]["person"] == facts.staff.namesake.id
    ]

    assert changes == "none"


@pytest.mark.parametrize("number", NUMBERS)
def test_the_ticket_names_a_colleague_who_gets_nothing(number: int) -> None:
    _, facts = drawn(number, IN_FORCE)
    named = facts.staff.named

    assert named.name in facts.ticket["description"].partition(". ")[2]
    assert facts.ticket["subject"] == facts.employee["id"]
    assert facts.ticket["assignee"] == facts.me.id
    assert named.id not in {*facts.tickets.values(), *facts.data.values(), facts.decider, facts.closer}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_role_that_closes_the_ticket_has_one_holder(number: int) -> None:
    company, facts = drawn(number, IN_FORCE)
    people = company.rows["datahub"]["people"]

    assert [row["id"] for row in people if row["role"] == facts.rules.closer] == [facts.closer]
