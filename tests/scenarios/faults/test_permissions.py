"""Missing permissions: an agent has to request one, and can continue once it is granted."""

import pytest

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

from ..conftest import SALT
from ..play import solve, without
from .faulty import certain, with_faults

pytestmark = pytest.mark.proof

GAP = "biz.permission_gap"
#: The tools that need each permission.
TAKEN_BY = {
    "refresh_metrics": "datahub_refresh_data",
    "verify_tickets": "ticketdesk_verify_ticket",
    "submit_requests": "approvalflow_submit_approval",
}

everywhere = pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
each = pytest.mark.parametrize("permission", TAKEN_BY)


def refused(episode):
    """Return the tools that were refused for want of a permission."""
    return {
        record["action"]["tool_name"]
        for record in episode.trace[1:]
        if (record["observation"]["error"] or {}).get("code") == "permission_required"
    }


@everywhere
@each
def test_agent_that_never_requests_access_fails_without_a_violation(url, name, permission):
    faulty = with_faults(name, GAP, permissions=[permission])

    episode = faulty.play(url, without(faulty.plan(url), "datahub_request_access"))

    assert TAKEN_BY[permission] in refused(episode)
    assert not episode.success
    assert episode.grade["violations"] == []


@everywhere
@each
def test_the_oracle_overcomes_it_within_its_steps(url, name, permission):
    chaos = certain(GAP, permissions=[permission], grant_s=3600)
    chaos["faults"]["biz.expiring_value"] = {"p": 1.0, "params": {"validity_s": 300}}
    for seed in range(8, size(9, 48)):
        instance = find(name).generate(seed, parse_chaos(chaos), SALT)
        episode = solve(url, find(name), seed, chaos=chaos)

        assert episode.success, (seed, episode.grade)
        assert len(episode.trace) - 1 <= instance.oracle_steps
        if any(one.name == "approved" for one in instance.milestones):
            assert refused(episode) == {TAKEN_BY[permission]}
            assert all(injected.overcome(episode.state_of(instance).view()) for injected in instance.faults)
