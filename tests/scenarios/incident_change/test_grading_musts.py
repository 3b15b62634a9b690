"""What must hold at the end of an incident: each fact that a must requires, missing or wrong by itself."""

from typing import Any

import pytest

from scenarios.incident_change import grading
from scenarios.incident_change.plans import Plan

from .incidents import (
    EXEMPT,
    HOPELESS,
    HOPELESS_EXEMPT,
    MINOR,
    ONCE,
    PROVIDER,
    TWICE_EXEMPT,
    Rows,
    changed,
    drawn,
    faults,
    graded,
    solution,
    unmet,
    without,
)

ENDINGS = {
    "recovered": ONCE,
    "recovered by an exception": EXEMPT,
    "recovered at the second attempt": TWICE_EXEMPT,
    "handed over": HOPELESS,
    "handed over in a freeze": HOPELESS_EXEMPT,
    "scheduled": MINOR,
    "run by a provider": PROVIDER,
}
HOUR_S = 3600


def rows_of(plan: Plan) -> Rows:
    return solution(drawn(plan).facts)


@pytest.mark.parametrize("plan", ENDINGS.values(), ids=list(ENDINGS))
def test_the_right_acts_leave_nothing_open_and_violate_nothing(plan: Plan) -> None:
    one = drawn(plan)

    assert unmet(one, solution(one.facts)) == set()
    assert faults(one, solution(one.facts)) == set()


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        (ONCE, {"approved", "rollouts_right", "result_known", "incident_closed"}),
        (HOPELESS, {"approved", "rollouts_right", "result_known", "handed_to_owner"}),
        (MINOR, {"change_scheduled", "handed_to_owner"}),
        (PROVIDER, set()),
    ],
    ids=["recovered", "handed over", "scheduled", "run by a provider"],
)
def test_an_ending_requires_its_own_acts_and_those_that_all_endings_share(
    plan: Plan, names: set[str]
) -> None:
    required = {must.name for must in grading.musts(drawn(plan).facts)}

    assert required == {"readings_taken", "readings_known", "incident_opened", *names}


@pytest.mark.parametrize("plan", ENDINGS.values(), ids=list(ENDINGS))
def test_requirements_are_all_unmet_at_the_start(plan: Plan) -> None:
    one = drawn(plan)

    assert unmet(one, {}) == {must.name for must in grading.musts(one.facts)}


@pytest.mark.parametrize("plan", ENDINGS.values(), ids=list(ENDINGS))
def test_each_must_is_paid_as_a_milestone_as_soon_as_it_holds(plan: Plan) -> None:
    one = drawn(plan)
    rows = list(solution(one.facts).items())

    for count in range(len(rows) + 1):
        grader = graded(one, dict(rows[:count]))
        paid = (must for must in grader.instance.musts if must.name != "readings_known")
        held = [must.holds(grader.view) for must in paid]
        assert [paid.holds(grader.view) for paid in grader.instance.milestones] == held
        assert len(grader.standing) == sum(held)


@pytest.mark.parametrize("missing", ["rate", "cause_rate"])
def test_the_rates_of_the_system_and_of_the_cause_must_both_be_taken(missing: str) -> None:
    assert unmet(drawn(ONCE), without(rows_of(ONCE), missing)) == {"readings_taken"}


@pytest.mark.parametrize("missing", ["rate_read", "cause_rate_read"])
def test_the_new_rates_must_both_be_read(missing: str) -> None:
    rows = rows_of(MINOR)

    assert unmet(drawn(MINOR), without(rows, missing)) == {"readings_known"}
    assert unmet(drawn(MINOR), changed(rows, missing, version=0)) == {"readings_known"}
    assert unmet(drawn(MINOR), changed(rows, missing, reader="ann.lee")) == {"readings_known"}


@pytest.mark.parametrize(("after_s", "is_taken"), [(-1, False), (0, False), (1, True)])
def test_a_reading_counts_if_it_was_taken_after_the_start(after_s: int, is_taken: bool) -> None:
    one = drawn(ONCE)

    open_ones = unmet(one, changed(rows_of(ONCE), "rate", as_of=one.facts.start + after_s))

    assert ("readings_taken" not in open_ones) is is_taken


@pytest.mark.parametrize(
    "wrong",
    [{"subject": "SYS-1"}, {"priority": "low"}, {"priority": None}, {"subject": None}],
    ids=["another system", "another severity", "no priority", "no subject"],
)
def test_the_incident_is_about_the_system_that_people_complain_about_with_its_severity(
    wrong: dict[str, Any],
) -> None:
    rows = changed(rows_of(MINOR), "incident", **wrong)

    assert unmet(drawn(MINOR), changed(rows, "end", **wrong)) == {"incident_opened"}


def test_an_incident_about_the_cause_is_about_the_wrong_system() -> None:
    one = drawn(PROVIDER)

    rows = changed(rows_of(PROVIDER), "incident", subject=one.facts.root.id)

    assert unmet(one, rows) == {"incident_opened"}


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "task"}, {"reporter": "ann.lee"}, {"created_at": 0}],
    ids=["another kind", "somebody else's", "from before the start"],
)
def test_only_an_incident_that_the_agent_has_opened_counts(wrong: dict[str, Any]) -> None:
    rows = changed(rows_of(PROVIDER), "incident", **wrong)

    assert unmet(drawn(PROVIDER), rows) == {"incident_opened"}


def test_an_incident_opened_in_the_first_second_counts() -> None:
    one = drawn(PROVIDER)

    rows = changed(rows_of(PROVIDER), "incident", created_at=one.facts.start)

    assert unmet(one, rows) == set()


def test_a_second_incident_that_is_right_as_well_is_one_too_many() -> None:
    one, rows = drawn(PROVIDER), rows_of(PROVIDER)
    service, table, row = rows["incident"]

    twice = {**rows, "again": (service, table, {**row, "id": "TD-9002"})}

    assert unmet(one, twice) == {"incident_opened"}
    assert faults(one, twice) == {"second_incident"}


@pytest.mark.parametrize(
    "wrong",
    [{"assignee": None}, {"assignee": "ann.lee"}, {"status": "closed"}],
    ids=["with nobody", "with somebody else", "closed"],
)
@pytest.mark.parametrize("plan", [HOPELESS, MINOR], ids=["handed over", "scheduled"])
def test_an_incident_that_stays_open_is_with_the_owner_of_the_cause(
    plan: Plan, wrong: dict[str, Any]
) -> None:
    one = drawn(plan)

    assert unmet(one, changed(rows_of(plan), "end", **wrong)) == {"handed_to_owner"}


def test_the_owner_of_the_system_that_people_complain_about_is_the_wrong_owner() -> None:
    one = drawn(HOPELESS)

    rows = changed(rows_of(HOPELESS), "end", assignee=one.facts.victim.owner.id)

    assert unmet(one, rows) == {"handed_to_owner"}


def test_an_incident_that_recovered_must_be_closed() -> None:
    assert unmet(drawn(ONCE), without(rows_of(ONCE), "end")) == {"incident_closed"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"system": "SYS-1"},
        {"procedure": "reboot"},
        {"category": "emergency"},
        {"starts_at": 0},
        {"status": "rolled_out"},
        {"ticket_id": "TD-1"},
        {"planned_by": "ann.lee"},
        {"planned_at": 0},
    ],
    ids=[
        "another system",
        "another procedure",
        "an emergency",
        "another time",
        "live already",
        "another ticket",
        "somebody else's plan",
        "planned before the start",
    ],
)
def test_a_change_that_waits_is_the_right_one_at_the_right_time(wrong: dict[str, Any]) -> None:
    assert unmet(drawn(MINOR), changed(rows_of(MINOR), "change", **wrong)) == {"change_scheduled"}


@pytest.mark.parametrize("off_s", [-HOUR_S, -1, 1, HOUR_S])
def test_a_change_planned_beside_its_window_is_not_scheduled(off_s: int) -> None:
    one = drawn(MINOR)

    rows = changed(rows_of(MINOR), "change", starts_at=one.facts.starts_at + off_s)

    assert unmet(one, rows) == {"change_scheduled"}


def test_a_second_planned_change_leaves_it_open_which_one_goes_live() -> None:
    rows = rows_of(MINOR)
    service, table, row = rows["change"]

    twice = {**rows, "again": (service, table, {**row, "id": "CHG-9009"})}

    assert unmet(drawn(MINOR), twice) == {"change_scheduled"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "pending"},
        {"status": "rejected"},
        {"decided_by": "ann.lee"},
        {"decided_by": None},
        {"type": "goodwill"},
        {"requester": "ann.lee"},
    ],
    ids=["undecided", "rejected", "by somebody else", "by nobody", "another type", "somebody else's request"],
)
@pytest.mark.parametrize("plan", [ONCE, EXEMPT], ids=["emergency", "exception"])
def test_an_approval_is_the_right_persons_yes_to_the_agents_request(
    plan: Plan, wrong: dict[str, Any]
) -> None:
    assert unmet(drawn(plan), changed(rows_of(plan), "request", **wrong)) == {"approved"}


@pytest.mark.parametrize(
    "wrong",
    [{"system": "SYS-1"}, {"severity": 2}, {"severity": "1"}, {"incident": "TD-1"}],
    ids=["another system", "another severity", "a severity in words", "another incident"],
)
def test_an_approval_states_the_system_the_severity_and_the_incident(wrong: dict[str, Any]) -> None:
    rows = rows_of(ONCE)
    fields = {**rows["request"][2]["fields"], **wrong}

    assert unmet(drawn(ONCE), changed(rows, "request", fields=fields)) == {"approved"}


def test_an_exception_is_approved_by_the_technology_officer_and_not_by_the_manager_on_call() -> None:
    one = drawn(EXEMPT)

    rows = changed(rows_of(EXEMPT), "request", decided_by=one.facts.papers.on_call.id)

    assert unmet(one, rows) == {"approved"}


def test_a_rejected_request_beside_the_approved_one_does_no_harm() -> None:
    rows = rows_of(ONCE)
    service, table, row = rows["request"]
    rejected = (service, table, {**row, "id": "APR-9000", "status": "rejected"})

    assert unmet(drawn(ONCE), {"rejected": rejected, **rows}) == set()


def test_the_last_procedure_stays_live_only_if_it_helped() -> None:
    open_ones = {
        plan: unmet(drawn(plan), changed(rows_of(plan), "change1", status=status))
        for plan, status in ((ONCE, "rolled_back"), (HOPELESS, "rolled_out"))
    }

    assert open_ones == {ONCE: {"rollouts_right"}, HOPELESS: {"rollouts_right"}}


def test_a_procedure_that_did_not_help_must_be_rolled_back_before_the_end() -> None:
    rows = changed(rows_of(TWICE_EXEMPT), "change1", status="rolled_out")

    assert unmet(drawn(TWICE_EXEMPT), rows) == {"rollouts_right"}


@pytest.mark.parametrize(
    "wrong", [{"category": "ordinary"}, {"ticket_id": "TD-1"}], ids=["no emergency", "another ticket"]
)
def test_a_rollout_is_an_emergency_change_of_the_incident(wrong: dict[str, Any]) -> None:
    assert unmet(drawn(ONCE), changed(rows_of(ONCE), "change1", **wrong)) == {"rollouts_right"}


def test_procedures_that_went_live_in_the_wrong_order_are_not_right() -> None:
    rows = rows_of(TWICE_EXEMPT)
    first, second = (rows[name][2]["rolled_out_at"] for name in ("change1", "change2"))

    swapped = changed(changed(rows, "change1", rolled_out_at=second), "change2", rolled_out_at=first)

    assert "rollouts_right" in unmet(drawn(TWICE_EXEMPT), swapped)


@pytest.mark.parametrize("missing", ["change1", "change2"])
def test_every_procedure_up_to_the_one_that_helps_must_have_been_live(missing: str) -> None:
    open_ones = unmet(drawn(TWICE_EXEMPT), without(rows_of(TWICE_EXEMPT), missing))

    assert open_ones == {"rollouts_right", "result_known"}


def test_a_change_that_was_planned_and_never_went_live_is_no_rollout() -> None:
    one, rows = drawn(ONCE), rows_of(ONCE)
    service, table, row = rows["change1"]
    dormant = {**row, "id": "CHG-9009", "status": "planned", "rolled_out_at": None, "rolled_out_by": None}

    assert unmet(one, {**rows, "dormant": (service, table, dormant)}) == set()


@pytest.mark.parametrize(("after_s", "is_known"), [(-1, False), (0, False), (1, True)])
def test_a_result_is_known_by_a_rate_taken_after_the_last_rollout(after_s: int, is_known: bool) -> None:
    rows = rows_of(TWICE_EXEMPT)
    taken = changed(rows, "taken", at=rows["change2"][2]["rolled_out_at"] + after_s)

    assert ("result_known" not in unmet(drawn(TWICE_EXEMPT), taken)) is is_known


@pytest.mark.parametrize(
    "wrong",
    [{"version": 8}, {"reader": "ann.lee"}, {"object_id": "MET-1"}],
    ids=["an older version", "another reader", "another metric"],
)
def test_a_rate_that_the_agent_has_not_read_is_not_known(wrong: dict[str, Any]) -> None:
    assert unmet(drawn(ONCE), changed(rows_of(ONCE), "receipt", **wrong)) == {"result_known"}


def test_the_rate_of_the_cause_does_not_show_that_the_system_has_recovered() -> None:
    one, rows = drawn(ONCE), rows_of(ONCE)
    metric_id = one.facts.root.metric["id"]

    other = changed(changed(rows, "taken", object_id=metric_id), "receipt", object_id=metric_id)

    assert unmet(one, other) == {"result_known"}
