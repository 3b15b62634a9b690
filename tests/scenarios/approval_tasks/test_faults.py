"""Business faults one by one: which tasks they fit, what they change, and at which fact they are overcome."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.sdk.approval_task import TaskBuilder, TaskFacts
from companyos.sdk.approval_task.faults import BUSINESS_FAULTS, apply_faults
from companyos.sdk.chaos import FaultId
from companyos.sdk.company import Office
from companyos.sdk.scenario import InjectedFault

from .made import START, FinishedTask, made


def faulty(
    fault: str, name: str = "expense_report", seed: int = 3, **params: Any
) -> tuple[TaskFacts, TaskBuilder]:
    """Return a task into which this fault is injected."""
    chaos = {"faults": {fault: {"p": 1.0, "params": params}}}
    facts, builder = made(name, seed=seed, chaos=chaos)
    return apply_faults(facts, builder), builder


def injected(facts: TaskFacts) -> InjectedFault:
    [one] = facts.faults
    return one


def offered(fault: FaultId, facts: TaskFacts, builder: TaskBuilder) -> bool:
    return BUSINESS_FAULTS[fault].is_offered(facts, builder)


def planned(*faults: FaultId, name: str = "expense_report", **settings: Any) -> tuple[TaskFacts, TaskBuilder]:
    """Return a task with a plan of faults, none of which is injected yet."""
    chaos = {"faults": {str(fault): {"p": 1.0} for fault in faults}}
    return made(name, chaos=chaos, **settings)


@pytest.mark.parametrize(
    ("part", "value", "kind"),
    [("groundwork", None, "ticket"), ("side_requests", (), "approval"), ("side_metrics", (), "data")],
)
def test_a_kind_of_blocker_is_offered_only_where_the_packs_have_it(part: str, value: Any, kind: str) -> None:
    chaos = {"faults": {"biz.blocked_ticket": {"p": 1.0, "params": {"kind": [kind]}}}}
    facts, builder = made("expense_report", chaos=chaos)

    before = offered(FaultId.BLOCKED_TICKET, facts, builder)
    setattr(builder.company.content, part, value)

    assert (before, offered(FaultId.BLOCKED_TICKET, facts, builder)) == (True, False)


def test_records_can_conflict_only_where_a_ledger_and_a_rule_exist() -> None:
    facts, builder = planned(FaultId.CONFLICTING_RECORDS)
    other = replace(facts, record={**facts.record, "kind": "department"})

    before, unruled = (offered(FaultId.CONFLICTING_RECORDS, one, builder) for one in (facts, other))
    builder.company.content.ledger = None

    assert (before, unruled, offered(FaultId.CONFLICTING_RECORDS, facts, builder)) == (True, False, False)


@pytest.mark.parametrize(("number", "possible"), [("R1", True), ("", False), (None, False)])
def test_a_record_without_a_number_of_its_own_can_have_no_look_alikes(
    number: str | None, possible: bool
) -> None:
    facts, builder = planned(FaultId.DUPLICATE_ENTITY)
    facts = replace(facts, record={**facts.record, "fields": {**facts.record["fields"], facts.mark: number}})

    assert offered(FaultId.DUPLICATE_ENTITY, facts, builder) is possible


def test_a_permission_can_be_missing_only_if_somebody_else_keeps_it() -> None:
    facts, builder = planned(FaultId.PERMISSION_GAP)
    trusted = replace(facts, persona=builder.cast.offices["controller"])

    before, own = (offered(FaultId.PERMISSION_GAP, one, builder) for one in (facts, trusted))
    builder.company.content.offices = {"cfo": Office("cfo", "Finance")}

    assert (before, own, offered(FaultId.PERMISSION_GAP, facts, builder)) == (True, False, False)


@pytest.mark.parametrize("fault", [FaultId.SEPARATION_OF_DUTY, FaultId.OOO_APPROVER])
@pytest.mark.parametrize("original", [True, False])
def test_the_original_tasks_keep_their_approvers(fault: FaultId, original: bool) -> None:
    facts, builder = planned(fault, original=original)

    assert BUSINESS_FAULTS[fault].fits(facts, builder) is not original


@pytest.mark.parametrize(
    ("ticket", "fields", "fits"),
    [
        ({}, ["priority", "cost_centre"], True),
        ({"priority": None}, ["priority"], False),
        ({"priority": None}, ["priority", "cost_centre"], True),
        ({"priority": None, "cost_centre": None}, ["priority", "cost_centre"], False),
    ],
)
def test_a_field_can_be_emptied_only_if_it_is_full(
    ticket: dict[str, None], fields: list[str], fits: bool
) -> None:
    chaos = {"faults": {"biz.missing_field": {"p": 1.0, "params": {"fields": fields}}}}
    facts, builder = made("expense_report", chaos=chaos)
    facts = replace(facts, ticket={**facts.ticket, **ticket})

    assert BUSINESS_FAULTS[FaultId.MISSING_FIELD].fits(facts, builder) is fits


def test_drawn_faults_without_content_are_reported_as_not_offered() -> None:
    facts, builder = planned(FaultId.CONFLICTING_RECORDS, FaultId.OOO_APPROVER, original=True)
    builder.company.content.ledger = None

    facts = apply_faults(facts, builder)

    assert facts.not_offered == ("biz.conflicting_records",)
    assert facts.faults == ()


@pytest.mark.parametrize(
    ("priority", "overcome"), [("low", True), ("high", True), ("urgent", False), (None, False)]
)
def test_an_emptied_field_is_overcome_by_a_value_that_the_rules_allow(
    priority: str | None, overcome: bool
) -> None:
    facts, builder = faulty("biz.missing_field", fields=["priority"], n=1)

    assert injected(facts).overcome(FinishedTask(facts, builder).ticket(priority=priority)) is overcome


def told_apart(*, named: bool, refreshed: bool, requested: bool) -> bool:
    facts, builder = faulty("biz.duplicate_entity")
    task = FinishedTask(facts, builder)
    if not named:
        task.ticket(subject=None)
    if not refreshed:
        task.write("datahub", "metrics", facts.metric)
    if not requested:
        task.erase("approvalflow", "requests", "APR-9001")
    return injected(facts).overcome(task.view)


@pytest.mark.parametrize(
    ("named", "refreshed", "requested", "overcome"),
    [
        (True, False, True, True),
        (False, True, False, True),
        (False, True, True, False),
        (False, False, False, False),
    ],
)
def test_a_look_alike_is_told_apart_by_the_subject_or_by_the_refreshed_metric(
    named: bool, refreshed: bool, requested: bool, overcome: bool
) -> None:
    assert told_apart(named=named, refreshed=refreshed, requested=requested) is overcome


@pytest.mark.parametrize(
    ("status", "refreshed", "overcome"),
    [("approved", True, True), ("held", True, False), ("approved", False, False)],
)
def test_a_short_lifetime_is_overcome_while_no_request_is_held(
    status: str, refreshed: bool, overcome: bool
) -> None:
    facts, builder = faulty("biz.expiring_value")
    task = FinishedTask(facts, builder)
    if not refreshed:
        task.write("datahub", "metrics", facts.metric)

    assert injected(facts).overcome(task.asked(status=status)) is overcome


@pytest.mark.parametrize(("name", "units"), [("license_renewal", False), ("expense_report", True)])
def test_a_unit_can_change_only_where_there_is_another_one(name: str, units: bool) -> None:
    chaos = {"faults": {"biz.schema_drift": {"p": 1.0, "params": {"change": ["unit"]}}}}
    facts, builder = made(name, chaos=chaos)

    assert offered(FaultId.SCHEMA_DRIFT, facts, builder) is units


@pytest.mark.parametrize("seed", range(6))
def test_the_reporter_is_on_every_route_and_decides_on_none(seed: int) -> None:
    facts, builder = faulty("biz.separation_of_duty", seed=seed)

    for route in builder.routes.values():
        assert facts.ticket["reporter"] in {link.person for link in route.links}
        assert not route.decides(facts.ticket["reporter"], START)
        assert route.decides(route.approver(START), START)


@pytest.mark.parametrize(
    ("columns", "ignored"),
    [({}, True), ({"cost_centre": "CC-999"}, False), ({"status": "closed"}, True)],
    ids=["as it is right", "as ordered", "another way to fail"],
)
def test_a_misleading_order_is_ignored_while_the_ticket_is_sound(
    columns: dict[str, Any], ignored: bool
) -> None:
    facts, builder = faulty("biz.misleading_text")

    assert injected(facts).overcome(FinishedTask(facts, builder).ticket(**columns)) is ignored


@pytest.mark.parametrize("blockers", [True, False])
def test_a_trap_suggests_to_close_this_ticket_or_one_that_blocks_it(blockers: bool) -> None:
    suggested = set()
    for seed in range(12):
        facts, _ = faulty("biz.irreversible_trap", "bug_escalation" if blockers else "expense_report", seed)
        text = facts.ticket["description"]
        suggested.add(bool(facts.blockers) and facts.blockers[0]["id"] in text)
        assert "close" in text.lower()

    assert suggested == ({True, False} if blockers else {False})
