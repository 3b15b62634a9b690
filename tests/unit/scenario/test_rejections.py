"""What approvers object to: as drawn, each settled by something of its own, and always with somebody left to decide."""

from typing import Any

import pytest

from companyos.sdk.chaos import CATALOG, FaultId, parse_chaos
from companyos.sdk.company import DECISION_S
from companyos.sdk.scenario import Instance, find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

pytestmark = pytest.mark.proof

SALT = "companyos-public"
REJECTION = "biz.random_rejection"
REMEDIES = ("add_evidence", "fix_field", "resubmit", "second_approver")
REASONS = {
    "record_not_attached": "add_evidence",
    "metric_not_attached": "add_evidence",
    "budget_code_missing": "fix_field",
    "reporter_not_named": "fix_field",
    "needs_second_look": "resubmit",
    "wording_unclear": "resubmit",
    "second_opinion_wanted": "second_approver",
    "four_eyes_wanted": "second_approver",
}
WAYS = {
    "nothing": {},
    "absences": {"biz.ooo_approver": {"params": {"depth": 3, "cycle": True}}},
    "duties": {"biz.separation_of_duty": {}},
    "policies": {"biz.policy_drift": {"params": {"rule": ["threshold"]}}},
}
WAYS["all"] = {fault: strength for way in WAYS.values() for fault, strength in way.items()}


def objected(name: str, seed: int, remedies: Any = REMEDIES, burst: int = 2, **besides: Any) -> Instance:
    """Return an instance with objections, and with other faults that are certain too."""
    rejection = {"p": 1.0, "B": burst, "params": {"remedies": list(remedies)}}
    faults = {REJECTION: rejection, **{fault: {"p": 1.0, **given} for fault, given in besides.items()}}
    return find(name).generate(seed, parse_chaos({"faults": faults}), SALT)


def offered(instance: Instance) -> dict[str, bool]:
    """Return the fields of the goal's approval type with whether they are required."""
    types = instance.rows["approvalflow"]["approval_types"]
    fields = next(row["fields"] for row in types if row["id"] == instance.facts.type_id)
    return {field["name"]: field["required"] for field in fields}


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_each_reason_has_the_remedy_it_always_had_and_all_of_them_come_up(name):
    drawn = [one for seed in range(6, 86) for one in objected(name, seed).facts.objections]

    assert {one.reason_code: one.remedy for one in drawn} == REASONS


def test_two_attempts_may_meet_different_remedies():
    pairs = [objected("expense_report", seed).facts.objections for seed in range(6, size(66, 206))]

    assert {len(pair) for pair in pairs} == {1, 2}
    assert {len({one.remedy for one in pair}) for pair in pairs if len(pair) == 2} == {1, 2}
    wanted = [[one.evidence for one in pair if one.evidence] for pair in pairs]
    assert all(len(set(kinds)) == len(kinds) for kinds in wanted)


@pytest.mark.parametrize("remedy", REMEDIES)
def test_only_the_remedies_asked_for_are_drawn_and_one_objection_there_always_is(remedy):
    for seed in range(6, 36):
        drawn = objected("license_renewal", seed, [remedy]).facts.objections

        assert [one.remedy for one in drawn] == [remedy] * len(drawn)
        assert drawn


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_missing_field_is_one_that_the_type_has_from_the_start_and_asks_nobody_for(name):
    for seed in range(6, 26):
        instance = objected(name, seed, ["fix_field"])
        states = [one.states for one in instance.facts.objections]
        reporter = next(
            row["reporter"]
            for row in instance.rows["ticketdesk"]["tickets"]
            if row["id"] == instance.facts.ticket["id"]
        )
        right = {"cost_centre": instance.facts.cost_centre, "reporter": reporter}

        assert {field: offered(instance)[field] for field in right} == dict.fromkeys(right, False)
        assert all(right[field] == value for one in states for field, value in one.items())
        assert not set(instance.facts.fields) & set(right)
        assert len({field for one in states for field in one}) == len(states)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_field_that_a_new_policy_requires_is_not_the_one_that_is_missed(name):
    drift = {"biz.policy_drift": {"params": {"rule": ["required_field"]}}}
    for seed in range(6, 26):
        instance = objected(name, seed, ["fix_field"], **drift)
        [change] = instance.rows["approvalflow"]["policy_changes"]
        later = {field["name"]: field["required"] for field in change["changes"]["fields"]}

        assert [one.states.keys() for one in instance.facts.objections] == [{"reporter"}]
        assert later == {**offered(instance), "cost_centre": True}


def test_where_no_field_may_be_missed_a_type_has_no_further_fields():
    shown = offered(objected("expense_report", 6, ["add_evidence", "resubmit", "second_approver"]))

    assert set(shown) == {"report_id", "amount"}


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_required_second_approver_is_available_in_time(name, way):
    for seed in range(6, size(16, 56)):
        instance = objected(name, seed, ["second_approver"], **WAYS[way])
        route, hour = instance.facts.route, DECISION_S
        asked_at = max(route.opening(instance.start), instance.facts.settled_at or 0)
        first = route.approver(asked_at + hour)
        rest = route.without([first])
        second = rest.approver(asked_at + 2 * hour)

        assert route.decides(first, asked_at + hour)
        assert not rest.decides(first, asked_at + 2 * hour)
        assert second != first
        assert all(rest.decides(second, asked_at + later * hour) for later in (1, 2, 3))


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_objections_cost_no_more_than_the_catalog_states(name):
    spec = CATALOG[FaultId.RANDOM_REJECTION]
    besides = {**WAYS["all"], "biz.policy_drift": {}}
    costs = [
        injected.cost
        for seed in range(6, 66)
        for injected in objected(name, seed, **besides).faults
        if injected.fault == REJECTION
    ]

    assert max(costs) <= spec.cost + spec.longest_burst - 1
    assert objected(name, 6, ["add_evidence", "resubmit"], burst=1).faults[0].cost == 4


def test_the_first_levels_ask_for_evidence_or_another_look_and_the_others_for_everything():
    asked = [
        parse_chaos(level).settings[FaultId.RANDOM_REJECTION].params["remedies"] for level in range(1, 6)
    ]

    assert asked == [["add_evidence", "resubmit"]] * 2 + [list(REMEDIES)] * 3
