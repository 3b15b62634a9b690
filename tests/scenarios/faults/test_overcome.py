"""The oracle solves the task under every fault, and under all at once, within the steps budgeted for them."""

import pytest

from companyos.sdk.chaos import FaultId, Layer, parse_chaos
from companyos.sdk.chaos.catalog import CATALOG
from companyos.sdk.scenario import find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

from ..conftest import SALT
from ..play import solve

pytestmark = pytest.mark.proof

KINDS = ("ticket", "approval", "data")
#: Faults whose worst has other parameters than the usual ones.
WORST = {
    "biz.missing_field": {"params": {"n": 2}},
    "biz.blocked_ticket": {"params": {"depth": 3, "kind": list(KINDS)}},
    "biz.expiring_value": {"params": {"validity_s": 300}},
    "biz.duplicate_entity": {"params": {"n": 4}},
    "biz.ooo_approver": {"params": {"depth": 3, "cycle": True}},
    "biz.random_rejection": {
        "B": 2,
        "params": {"remedies": ["add_evidence", "fix_field", "resubmit", "second_approver"]},
    },
    "biz.policy_drift": {"params": {"after_s": 3600}},
    "biz.permission_gap": {
        "params": {
            "grant_s": 3600,
            "permissions": ["refresh_metrics", "verify_tickets", "submit_requests"],
        }
    },
}
FAULTS = {
    known.value: WORST.get(known.value, {}) for known in FaultId if CATALOG[known].layer is Layer.BUSINESS
}


def solved(url, name, seed, faults):
    chaos = {
        "faults": {fault: {"p": 1.0, **strength} for fault, strength in faults.items()},
        "limits": {"business": [len(faults), len(faults)]},
    }
    instance = find(name).generate(seed, parse_chaos(chaos), SALT)
    episode = solve(url, find(name), seed, chaos=chaos)
    assert episode.success, (seed, episode.grade)
    assert len(episode.trace) - 1 <= instance.oracle_steps
    if any(one.name == "approved" for one in instance.milestones):
        view = episode.state_of(instance).view()
        assert [one.fault for one in instance.faults if not one.overcome(view)] == []
    return instance


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_overcomes_it(url, name, fault):
    for seed in range(8, size(10, 48)):
        instance = solved(url, name, seed, {fault: FAULTS[fault]})

        assert [injected.fault for injected in instance.faults] == [fault]


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_overcomes_every_kind_of_blocker(url, name, kind):
    for seed in range(6, size(8, 46)):
        instance = solved(url, name, seed, {"biz.blocked_ticket": {"params": {"depth": 3, "kind": [kind]}}})

        assert [injected.fault for injected in instance.faults] == ["biz.blocked_ticket"]


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_the_oracle_overcomes_every_business_fault_at_once(url, name):
    for seed in range(8, size(10, 108)):
        instance = solved(url, name, seed, FAULTS)

        assert {injected.fault for injected in instance.faults} == set(FAULTS)
