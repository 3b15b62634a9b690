"""The plan: decided by what it is about and nothing else, and never more than its budgets."""

import random
from itertools import pairwise, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.chaos import CATALOG, FaultId, FaultPlan, History, Layer, Reach, parse_chaos
from companyos.sdk.chaos.plan import Operation
from companyos.sdk.draws import Draws

from .profiles import profiles

SEEDS = st.integers(0, 10**6)
REACHES = (Reach.ANY, Reach.READS)
CALLS: list[Operation] = list(product(("desk", "hub"), ("get", "list", "set"), ("", "TD-1", "MET-2")))
AT_CALLS = profiles(Layer.SERVICE)


def plan_of(profile: Any, seed: int = 0) -> FaultPlan:
    chaos = parse_chaos(profile)
    return FaultPlan(Draws("salt", "scenario", 1, seed, chaos.digest), chaos)


def played(plan: FaultPlan, calls: list[Operation]) -> tuple[History, dict[tuple[Operation, int], FaultId]]:
    """Call one operation after another and return what became of it."""
    history, met = History(), {}
    for step, where in enumerate(calls, start=1):
        attempt = history.attempts.get(where, 0)
        incident = plan.decide(where, REACHES, history, step=step)
        if incident is not None:
            met[where, attempt] = incident.fault
            history.landed.setdefault((incident.fault, where), step)
        history.attempts[where] = attempt + 1
    return history, met


@given(AT_CALLS, SEEDS, st.integers(0, 10))
def test_an_attempt_beyond_all_bursts_of_an_operation_never_fails(profile: Any, seed: int, later: int):
    plan = plan_of(profile, seed)

    for where in CALLS:
        spoilt = sum(incident.length for incident in plan.incidents(where, REACHES))
        assert plan.decide(where, REACHES, History({where: spoilt + later}), step=1) is None


@given(AT_CALLS, SEEDS)
def test_an_operation_with_one_incident_fails_at_first_and_then_no_more(profile: Any, seed: int):
    profile["limits"]["stack"] = 1
    _, met = played(plan_of(profile, seed), CALLS * 12)

    for where in CALLS:
        attempts = sorted(attempt for called, attempt in met if called == where)
        assert attempts == list(range(len(attempts)))


@given(AT_CALLS, SEEDS)
def test_landed_faults_stay_within_their_own_and_the_common_budgets(profile: Any, seed: int):
    plan = plan_of(profile, seed)

    history, met = played(plan, CALLS * 12)

    assert len(history.landed) <= plan.chaos.limits.service
    for fault, setting in plan.chaos.settings.items():
        assert history.count_of(fault) <= setting.F
        lengths = [sum(met.get((where, attempt)) is fault for attempt in range(12)) for where in CALLS]
        assert max(lengths) <= setting.B


@given(AT_CALLS, SEEDS)
def test_incidents_stacked_on_an_operation_stay_within_the_limit(profile: Any, seed: int):
    plan = plan_of(profile, seed)

    assert max(len(plan.incidents(where, REACHES)) for where in CALLS) <= plan.chaos.limits.stack


@given(AT_CALLS, SEEDS, st.randoms(use_true_random=False))
def test_planned_incidents_do_not_depend_on_the_order_of_calls(profile: Any, seed: int, order: random.Random):
    shuffled = list(CALLS)
    order.shuffle(shuffled)

    in_order = {where: plan_of(profile, seed).incidents(where, REACHES) for where in CALLS}
    plan = plan_of(profile, seed)

    assert {where: plan.incidents(where, REACHES) for where in shuffled} == in_order


@given(AT_CALLS, SEEDS)
def test_a_fault_happens_only_where_it_matches_and_can_reach(profile: Any, seed: int):
    plan = plan_of(profile, seed)

    for where in CALLS:
        for incident in plan.incidents(where, [Reach.WRITES]):
            assert CATALOG[incident.fault].reach is Reach.WRITES
            match = plan.chaos.settings[incident.fault].match
            names = dict(zip(("service", "operation", "object"), where, strict=True))
            assert all(names[key] in wanted for key, wanted in match.items() if key in names)


def test_a_fault_that_matches_steps_happens_only_at_these():
    plan = plan_of(
        {"faults": {"svc.http_5xx": {"p": 1, "F": 20, "match": {"steps": [3, 4]}}}, "limits": {"service": 20}}
    )

    _, met = played(plan, CALLS)

    assert [where for where, _ in met] == CALLS[2:4]


def test_incidents_keep_their_distance():
    profile = {"faults": {"svc.http_5xx": {"p": 1, "F": 20}}, "limits": {"service": 20, "cooldown": 3}}

    history, _ = played(plan_of(profile), CALLS)

    steps = sorted(history.landed.values())
    assert [later - earlier for earlier, later in pairwise(steps)] == [4] * (len(steps) - 1)


def test_another_seed_or_another_profile_draws_something_else():
    profile = {"faults": {"svc.http_5xx": {"p": 0.5, "F": 20}}, "limits": {"service": 20}}
    other = {"faults": {"svc.http_5xx": {"p": 0.5, "F": 19}}, "limits": {"service": 20}}

    drawn = [
        tuple(bool(plan.incidents(where, REACHES)) for where in CALLS)
        for plan in (plan_of(profile, 1), plan_of(profile, 2), plan_of(other, 1), plan_of(profile, 1))
    ]

    assert len(set(drawn)) == 3
    assert drawn[0] == drawn[3]


@given(
    profiles(Layer.BUSINESS),
    SEEDS,
    st.sets(st.sampled_from(list(FaultId))),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_a_company_has_as_many_faults_as_said_of_those_it_has_room_for(
    profile: Any, seed: int, possible: set[FaultId], least: int, more: int
):
    profile["limits"] = {"business": [least, least + more]}
    plan = plan_of(profile, seed)

    chosen = plan.business(possible)

    room = set(plan.chaos.settings) & possible
    assert set(chosen) <= room
    assert min(least, len(room)) <= len(chosen) <= least + more


@given(
    profiles(Layer.EVENT),
    SEEDS,
    st.lists(st.sampled_from([f for f in FaultId if f.startswith("evt.")]), max_size=5),
)
def test_events_meet_no_more_than_their_budgets_allow(profile: Any, seed: int, landed: list[FaultId]):
    plan = plan_of(profile, seed)

    incident = plan.event("ticket.verified", "TD-1", "flow", landed)

    if incident is not None:
        assert len(landed) < plan.chaos.limits.event
        assert landed.count(incident.fault) < plan.chaos.settings[incident.fault].F
        assert incident == plan.event("ticket.verified", "TD-1", "flow", landed)


def test_about_as_many_operations_fail_as_the_chance_says():
    plan = plan_of({"faults": {"svc.http_5xx": {"p": 0.05}}})

    failed = sum(bool(plan.incidents(("desk", "get", f"TD-{number}"), REACHES)) for number in range(4000))

    assert 150 < failed < 250


def test_a_history_is_copied_whole():
    history = History({CALLS[0]: 1}, {(FaultId.HTTP_5XX, CALLS[0]): 1})
    copy = history.copy()
    copy.attempts[CALLS[1]] = 1
    copy.landed[FaultId.HTTP_5XX, CALLS[1]] = 2

    assert (history.count(Layer.SERVICE), copy.count(Layer.SERVICE)) == (1, 2)
    assert history.attempts == {CALLS[0]: 1}


@given(profiles(Layer.EVENT), SEEDS)
def test_armed_plan_decides_as_the_original_plan_does(profile: Any, seed: int):
    plan = plan_of(profile, seed)

    if plan.armed is None:
        assert not plan.chaos.of(Layer.EVENT) or plan.chaos.limits.event == 0
        return
    armed = FaultPlan.of_armed(plan.armed)
    for number in range(20):
        where = ("ticket.verified", f"TD-{number}", "flow", [])
        assert armed.event(*where) == plan.event(*where)


def test_a_fault_that_cannot_hit_an_event_leaves_it_to_the_others():
    plan = plan_of({"faults": {"evt.poison": {"p": 1.0}, "evt.delay": {"p": 0.001}}})

    possible = [fault for fault in FaultId if fault is not FaultId.POISON]
    met = [plan.event("x.done", f"X-{number}", "flow", [], possible) for number in range(20)]

    assert met == [None] * 20
