"""The oracle gets a decision from an authorized approver under each fault, and under all at once."""

import pytest

from companyos.sdk.chaos import FaultId, Layer, parse_chaos
from companyos.sdk.chaos.catalog import CATALOG
from companyos.sdk.scenario import find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

from ..conftest import SALT
from ..play import solve

pytestmark = pytest.mark.proof

#: Every fault at its worst.
WORST = {
    "biz.ooo_approver": {"params": {"depth": 3, "cycle": True}},
    "biz.random_rejection": {
        "B": 2,
        "params": {"remedies": ["add_evidence", "fix_field", "resubmit", "second_approver"]},
    },
    "biz.separation_of_duty": {},
    "biz.policy_drift": {"params": {"after_s": 3600}},
    "biz.schema_drift": {},
    "biz.permission_gap": {
        "params": {
            "grant_s": 3600,
            "permissions": ["refresh_metrics", "verify_tickets", "submit_requests"],
        }
    },
}
ALL = {
    **{known.value: {} for known in FaultId if CATALOG[known].layer is Layer.BUSINESS},
    **WORST,
    "biz.blocked_ticket": {"params": {"depth": 3, "kind": ["ticket", "approval", "data"]}},
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
    return instance, episode


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("fault", WORST)
def test_the_oracle_overcomes_it(url, name, fault):
    for seed in range(8, size(10, 48)):
        instance, episode = solved(url, name, seed, {fault: WORST[fault]})

        assert [injected.fault for injected in instance.faults] == [fault]
        if any(one.name == "approved" for one in instance.milestones):
            assert all(injected.overcome(episode.state_of(instance).view()) for injected in instance.faults)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_the_oracle_overcomes_every_business_fault_at_once(url, name):
    for seed in range(8, size(12, 108)):
        instance, _ = solved(url, name, seed, ALL)

        assert {injected.fault for injected in instance.faults} == set(ALL)
