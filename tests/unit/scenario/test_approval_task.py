"""The approval task template: who decides when, what chaos costs, and what a careful employee does."""

import pytest

from companyos.sdk.approval_task import Employee, Route
from companyos.sdk.approval_task.route import Absence, lay_route
from companyos.sdk.company import Company, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.scripts.asking import Refused
from companyos.sdk.simtime import DAY, to_iso
from scenarios.packs.finance import EXPENSE_APPROVAL

from .packs import PACKS

START = 60 * DAY


def route_for(absence: Absence, seed: int = 0, amount: int | None = None) -> tuple[Route, dict]:
    company = Company(Draws("s", "route", seed), START, PACKS, "small")
    cast = hire_cast(company, persona_role="analyst", team="Purchasing", original=True)
    route = lay_route(company, cast, "cfo", EXPENSE_APPROVAL, absence, amount=amount)
    return route, next(row for row in company.rows["datahub"]["people"] if row["id"] == "sarah.chen")


def test_a_delegation_can_also_fall_short_of_the_amount():
    holders = [route_for(Absence.UNCOVERED, seed, amount=10_000)[1] for seed in range(20)]

    short = [holder for holder in holders if EXPENSE_APPROVAL in holder["delegate_types"]]
    assert 0 < len(short) < 20
    assert all(holder["delegate_limit"] == 5000 for holder in short)
    assert all(holder["delegate_limit"] == 25_000 for holder in holders if holder not in short)


def shown(now: int, *, result=None, error=None, text=""):
    return {"sim_now": to_iso(now), "result": result, "error": error, "text": text}


def employee() -> Employee:
    return Employee(shown(START, text="You are Ann Lee (ann.lee). Your task: ticket TD-1042."))


def test_an_employee_reads_who_they_are_and_what_it_is_about():
    me = employee()

    assert (me.id, me.ticket_id, me.now) == ("ann.lee", "TD-1042", START)


def test_a_brief_that_names_no_ticket_is_not_understood():
    asker = Employee(shown(START, text="You are Ann Lee (ann.lee)."))

    with pytest.raises(LookupError, match="says nothing like"):
        _ = asker.ticket_id


def test_a_failure_that_passes_is_tried_again():
    asking = employee().ask("datahub_get_job", job_id="JOB-0001")

    first = next(asking)
    second = asking.send(shown(START + 60, error={"code": "unavailable", "message": "…", "retryable": True}))
    with pytest.raises(StopIteration) as answered:
        asking.send(shown(START + 120, result={"status": "running"}))

    assert first == second
    assert answered.value.value == {"status": "running"}


def test_a_refusal_is_not_tried_again():
    asking = employee().ask("datahub_get_job", job_id="JOB-0404")
    next(asking)

    with pytest.raises(Refused, match="job_unknown"):
        asking.send(shown(START, error={"code": "job_unknown", "message": "…", "retryable": False}))


def test_employee_waits_only_for_future_instants():
    assert list(employee().wait_until(START)) == []
    assert next(employee().wait_until(START + 90))["arguments"] == {"until": to_iso(START + 90)}
