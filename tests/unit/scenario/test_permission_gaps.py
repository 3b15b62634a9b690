"""The business fault that takes a permission away from the agent."""

import pytest

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Instance, find
from tests.families import SOME_APPROVAL_TASKS

from .faulty_tasks import SALT, with_faults

pytestmark = pytest.mark.proof

PERMISSIONS = ("refresh_metrics", "verify_tickets", "submit_requests")


def kept(instance: Instance) -> dict[str, list[str]]:
    """Return the services in which each permission that not everybody has is kept to roles."""
    found: dict[str, list[str]] = {}
    for service in sorted(instance.rows):
        for row in instance.rows[service]["permissions"]:
            if row["roles"]:
                found.setdefault(row["id"], []).append(service)
    return found


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_gap_is_one_of_refreshing_unless_the_profile_says_otherwise(name):
    for seed in range(6, 16):
        instance = with_faults(name, seed, "biz.permission_gap")

        assert (instance.facts.lacks["id"], instance.facts.lacks["grant_s"]) == ("refresh_metrics", 600)
        assert kept(instance) == {"refresh_metrics": ["datahub"]}


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_one_permission_is_drawn_for_a_pair_and_kept_wherever_it_is_known(name):
    drawn = []
    for pair in range(3, 23):
        twins = [
            with_faults(name, 2 * pair + twin, "biz.permission_gap", permissions=list(PERMISSIONS))
            for twin in (0, 1)
        ]
        lacks = [twin.facts.lacks["id"] for twin in twins]
        assert lacks[0] == lacks[1]
        drawn.append(lacks[0])
        for twin in twins:
            assert [one.shown_by for one in twin.faults] == [(lacks[0],)]
            assert kept(twin) == {lacks[0]: KNOWN_TO[lacks[0]]}

    assert set(drawn) == set(PERMISSIONS)


KNOWN_TO = {
    "refresh_metrics": ["datahub"],
    "verify_tickets": ["datahub", "ticketdesk"],
    "submit_requests": ["approvalflow", "datahub"],
}


def test_a_request_that_waits_for_a_permission_may_need_its_metric_anew():
    costs = {}
    for permission in PERMISSIONS:
        chaos = {
            "biz.permission_gap": {"p": 1.0, "params": {"permissions": [permission]}},
            "biz.expiring_value": {"p": 1.0},
        }
        instance = find("expense_report").generate(6, parse_chaos({"faults": chaos}), SALT)
        costs[permission] = {one.fault: one.cost for one in instance.faults}["biz.expiring_value"]

    assert costs == {"refresh_metrics": 4, "verify_tickets": 4, "submit_requests": 12}
