"""The oracle solves the task under every fault, within the steps budgeted for it."""

import pytest

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

from ..conftest import SALT
from ..play import solve
from .faulty import certain

pytestmark = pytest.mark.proof

KINDS = ("ticket", "approval", "data")
#: Every fault at its worst.
FAULTS = {
    "biz.missing_field": {"n": 2},
    "biz.blocked_ticket": {"depth": 3, "kind": list(KINDS)},
    "biz.stale_metric": {},
    "biz.expiring_value": {"validity_s": 300},
    "biz.conflicting_records": {},
    "biz.duplicate_entity": {"n": 4},
    "biz.irreversible_trap": {},
    "biz.misleading_text": {},
}


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_overcomes_it(url, name, fault):
    scenario, chaos = find(name), certain(fault, **FAULTS[fault])
    for seed in range(6, size(8, 46)):
        instance = scenario.generate(seed, parse_chaos(chaos), SALT)
        episode = solve(url, scenario, seed, chaos=chaos)

        assert [injected.fault for injected in instance.faults] == [fault]
        assert episode.success, seed
        assert len(episode.trace) - 1 <= instance.oracle_steps
        assert all(injected.overcome(episode.state_of(instance).view()) for injected in instance.faults)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_overcomes_every_kind_of_blocker(url, name, kind):
    scenario, chaos = find(name), certain("biz.blocked_ticket", depth=3, kind=[kind])
    for seed in range(6, size(10, 46)):
        instance = scenario.generate(seed, parse_chaos(chaos), SALT)
        episode = solve(url, scenario, seed, chaos=chaos)

        assert episode.success, seed
        assert len(episode.trace) - 1 <= instance.oracle_steps
        if any(one.name == "approved" for one in instance.milestones):
            assert instance.faults[0].overcome(episode.state_of(instance).view())


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_the_oracle_overcomes_all_of_them_at_once(url, name):
    scenario = find(name)
    chaos = {"faults": {fault: {"p": 1.0, "params": params} for fault, params in FAULTS.items()}}
    for seed in range(6, size(8, 46)):
        instance = scenario.generate(seed, parse_chaos(chaos), SALT)
        episode = solve(url, scenario, seed, chaos=chaos)

        assert {injected.fault for injected in instance.faults} == set(FAULTS)
        assert episode.success, seed
        assert len(episode.trace) - 1 <= instance.oracle_steps
