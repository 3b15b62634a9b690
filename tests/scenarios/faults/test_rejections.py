"""Approvers with objections of their own: only a request that does what the reason asks is approved."""

import pytest

from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import call, find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

from ..conftest import SALT
from ..play import changed, solve, without
from .faulty import failed, with_faults
from .test_approvals import refusals

pytestmark = pytest.mark.proof

REJECTION, RESUBMIT = "biz.random_rejection", "approvalflow_resubmit_request"
REMEDIES = ("add_evidence", "fix_field", "resubmit", "second_approver")
#: The other faults that may affect an approval, at their worst.
BESIDES = {
    "biz.ooo_approver": {"params": {"depth": 3, "cycle": True}},
    "biz.separation_of_duty": {},
    "biz.policy_drift": {"params": {"after_s": 3600}},
    "biz.schema_drift": {},
    "biz.expiring_value": {"params": {"validity_s": 300}},
}
COMBINATIONS = (
    *(((remedy,), tuple(BESIDES)) for remedy in REMEDIES),
    *(((remedy,), (fault,)) for remedy in ("fix_field", "second_approver") for fault in size([], [*BESIDES])),
)


def objected(name, remedy):
    return with_faults(name, REJECTION, remedies=[remedy])


def certain(remedies, *besides):
    """Return the profile of two objections at most, and of other faults at their worst, all of them certain."""
    rejection = {"B": 2, "params": {"remedies": list(remedies)}}
    faults = {REJECTION: rejection, **{fault: BESIDES[fault] for fault in besides}}
    return {"faults": {fault: {"p": 1.0, **strength} for fault, strength in faults.items()}}


def last_request(episode, faulty):
    view = episode.state_of(faulty.instance).view()
    return view.rows("approvalflow", "requests", ticket_id=faulty.facts.ticket["id"])[-1]


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("remedy", ["add_evidence", "fix_field", "second_approver"])
def test_asking_again_without_more_settles_nothing(url, name, remedy):
    faulty = objected(name, remedy)
    stubborn = [
        call(RESUBMIT, request_id=action["arguments"]["request_id"])
        if action["tool_name"] == RESUBMIT
        else action
        for action in without(faulty.plan(url), "approvalflow_add_evidence")
    ]

    episode = faulty.play(url, stubborn)

    assert not episode.success
    assert last_request(episode, faulty)["reason_code"] == faulty.facts.objections[0].reason_code
    assert "file_closed" not in failed(episode)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_another_value_of_the_missing_field_is_turned_down_again(url, name):
    faulty = objected(name, "fix_field")
    [(field, _)] = faulty.facts.objections[0].states.items()

    episode = faulty.play(url, changed(faulty.plan(url), RESUBMIT, fields={field: "nonsense"}))

    assert not episode.success
    assert last_request(episode, faulty)["reason_code"] == faulty.facts.objections[0].reason_code


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_first_approver_cannot_be_asked_after_requiring_a_second(url, name):
    faulty = objected(name, "second_approver")
    [asked] = [one for one in faulty.plan(url) if one["tool_name"] == "approvalflow_submit_approval"]

    episode = faulty.play(url, changed(faulty.plan(url), RESUBMIT, approver=asked["arguments"]["approver"]))

    assert "second_approver_required" in refusals(episode)
    assert not episode.success
    assert episode.grade["violations"] == []


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_second_approver_is_somebody_whom_the_policy_leads_to(url, name):
    faulty = objected(name, "second_approver")
    reporter = faulty.row("ticketdesk", "tickets", faulty.facts.ticket["id"])["reporter"]
    anybody = next(
        row["id"]
        for row in faulty.instance.rows["approvalflow"]["people"]
        if row["id"] not in {reporter, faulty.facts.persona.id}
        and row["id"] not in {link.person for link in faulty.facts.route.links}
    )

    episode = faulty.play(url, changed(faulty.plan(url), RESUBMIT, approver=anybody))

    assert not episode.success
    assert "file_closed" in failed(episode)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize(("remedies", "besides"), COMBINATIONS)
def test_the_oracle_overcomes_a_rejection_beside_any_other_fault(url, name, remedies, besides):
    scenario, chaos = find(name), certain(remedies, *besides)
    for seed in range(8, size(9, 60)):
        instance = scenario.generate(seed, parse_chaos(chaos), SALT)
        episode = solve(url, scenario, seed, chaos=chaos)

        assert REJECTION in {injected.fault for injected in instance.faults}
        assert episode.success, (seed, episode.grade)
        assert len(episode.trace) - 1 <= instance.oracle_steps
