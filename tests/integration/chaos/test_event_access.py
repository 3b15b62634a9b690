"""A permission is granted in one service and used in another: whatever happens to the news, the end is the same."""

from typing import Any, Final

import pytest

from companyos.evaluation.agents import Oracle
from companyos.sdk.chaos import FaultId, cost_bound, parse_chaos
from companyos.sdk.scenario import Instance

from .events import SALT, SCENARIO, Episode, Told

#: The faults that the news of a grant can meet. It cannot be damaged: no tool shows the grants of others to correct it.
POSSIBLE: Final = {
    FaultId.DELAY: {"ticks_s": 600},
    FaultId.REORDER: {"window_s": 600},
    FaultId.DROP: {},
    FaultId.CONSUMER_DOWN: {"window_s": 3600},
    FaultId.DUPLICATE: {"copies": 4},
    FaultId.BROKER_LOSS: {},
}
permissions = pytest.mark.parametrize("permission", ["verify_tickets", "submit_requests"])


EXPIRING: Final = {"biz.expiring_value": {"p": 1.0, "params": {"validity_s": 300}}}


def lacking(permission: str, others: Told | None = None) -> Told:
    """Return the profile in which the agent lacks this permission, and nothing but the others goes wrong."""
    gap = {"biz.permission_gap": {"p": 1.0, "params": {"permissions": [permission]}}}
    return {"faults": {**gap, **(others or {})}}


def meeting(fault: FaultId) -> Told:
    """Return the profile in which the news of a grant meets this fault at every consumer."""
    setting = {"p": 1.0, "params": POSSIBLE[fault], "match": {"event": ["access.granted"]}}
    return {"faults": {str(fault): setting}}


def asking(befell: Told) -> tuple[int, Instance]:
    """Return the first seed whose vendor passes, so that it is verified and a request made, and its instance."""
    for seed in range(4, 40):
        instance = SCENARIO.generate(seed, parse_chaos(befell), SALT)
        if any(one.name == "approved" for one in instance.milestones):
            return seed, instance
    raise LookupError("no seed will do")


def end(played: Episode) -> dict[str, Any]:
    """Return what is left in the end of whom permissions were granted to, of tickets and of requests, but for times."""
    rows = {
        (change["table"], change["id"]): change["row"]
        for record in played.trace
        for change in record["changes"]
        if change["table"] in ("permissions", "tickets", "requests")
    }
    told = ("status", "people", "approval", "verified", "verified_by", "approver", "decided_by", "evidence")
    return {
        f"{table}/{key}": {name: row[name] for name in told if name in row}
        for (table, key), row in rows.items()
    }


@permissions
@pytest.mark.parametrize("fault", POSSIBLE)
def test_the_oracle_comes_to_the_same_end_within_what_it_may_cost(
    url: str, fault: FaultId, permission: str
) -> None:
    befell, chaos = lacking(permission), meeting(fault)
    seed, instance = asking(befell)

    in_peace = Episode(url, seed, Oracle(SCENARIO), befell=befell)
    hit = Episode(url, seed, Oracle(SCENARIO), chaos, befell=befell)

    assert (in_peace.success, hit.success) == (True, True)
    assert (fault, "landed") in hit.states()
    assert end(hit) == end(in_peace)
    assert len(hit.trace) <= instance.oracle_steps + cost_bound(parse_chaos(chaos), business=())


@permissions
@pytest.mark.parametrize("fault", POSSIBLE)
def test_a_metric_that_expires_meanwhile_costs_no_more_than_was_reckoned_with(
    url: str, fault: FaultId, permission: str
) -> None:
    befell, chaos = lacking(permission, EXPIRING), meeting(fault)
    seed, instance = asking(befell)

    hit = Episode(url, seed, Oracle(SCENARIO), chaos, befell=befell)

    assert hit.success
    assert len(hit.trace) <= instance.oracle_steps + cost_bound(parse_chaos(chaos), business=())
