"""Right plans with one mistake: each is played to the end, and none succeeds."""

import pytest

from companyos.sdk.scenario import call, find
from tests.sizes import size

from .conftest import instance_of
from .play import carry_out, changed, next_id, solution, without, without_finish

#: A seed of each cause whose right outcome is an approval.
APPROVALS = [("vendor_onboarding", 0), ("expense_report", 1), ("expense_report", 0), ("bug_escalation", 0)]
APPROVALS += [("license_renewal", 0), ("handbook_update", 1)]
APPROVALS = APPROVALS[: size(1, len(APPROVALS))]

#: Roles that decide, or whose holders are delegates of one that does.
OFFICES = {"cfo", "cto", "hr_lead", "procurement", "finance_director", "legal_counsel", "manager"}
OFFICES |= {"controller", "operations_lead", "chief_of_staff", "budget_owner", "deputy"}


def right_plan(url, name, seed):
    scenario = find(name)
    instance = instance_of(scenario, seed)
    return scenario, instance, without_finish(solution(url, scenario, seed))


def broken(episode):
    return {never["name"] for never in episode.grade["forbidden"] if not never["kept"]}


def out_of_order(episode):
    return {order["name"] for order in episode.grade["orders"] if not order["kept"]}


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_asking_before_the_metric_is_fresh_is_out_of_order(url, name, seed):
    scenario, _, plan = right_plan(url, name, seed)
    late = ("datahub_refresh_data", "wait")
    early = [action for action in plan if action["tool_name"] not in late]
    waits = [action for action in plan if action["tool_name"] in late]

    episode = carry_out(url, scenario, seed, [*early, *waits])

    assert not episode.success
    assert "refreshed_before_submission" in out_of_order(episode)


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_asking_before_the_ticket_is_verified_is_out_of_order(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    ticket_id = instance.facts.ticket["id"]
    verify = [
        action
        for action in plan
        if action["tool_name"] == "ticketdesk_verify_ticket" and action["arguments"]["ticket_id"] == ticket_id
    ]
    rest = without(plan, "ticketdesk_verify_ticket", ticket_id=ticket_id)

    episode = carry_out(url, scenario, seed, [*rest, *verify, call("wait", seconds=7200)])

    assert not episode.success
    assert out_of_order(episode) == {"verified_before_submission"}


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_erasing_the_ticket_fails_the_task_and_does_not_void_the_episode(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    ticket_id = instance.facts.ticket["id"]
    acts = [
        call("ticketdesk_close_ticket", ticket_id=ticket_id, resolution="Done."),
        call("ticketdesk_erase_personal_data", object_id=ticket_id, mode="erase", basis="Nobody needs it."),
    ]

    for before in ([], plan):
        episode = carry_out(url, scenario, seed, [*before, *acts])

        changes = [change for record in episode.trace[1:] for change in record["changes"]]
        assert ("tickets", ticket_id) in [(one["table"], one["id"]) for one in changes if one["row"] is None]
        assert not episode.grade["invalid"]
        assert not episode.success


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_a_wrong_request_taken_back_in_time_is_neither_free_nor_paid(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    place = next(
        number for number, action in enumerate(plan) if action["tool_name"] == "approvalflow_submit_approval"
    )
    fields = {
        field: value + 1 if isinstance(value, int | float) else value
        for field, value in instance.facts.fields.items()
    }
    asked = changed([plan[place]], "approvalflow_submit_approval", fields=fields)
    request_id = next_id(instance, "approvalflow", "requests")
    take_back = call("approvalflow_withdraw_request", request_id=request_id, reason="Wrong.")

    episode = carry_out(url, scenario, seed, [*plan[:place], *asked, take_back])

    paid = {line["name"] for record in episode.trace[1:] for line in record["ledger"]}
    assert not episode.success
    assert broken(episode) == {"request_misstated"}
    assert "milestone:approval_linked" not in paid


@pytest.mark.parametrize("rewards", ["seed", "potential", "progress"])
def test_a_few_blind_acts_earn_no_more_than_giving_up_at_once(url, rewards):
    scenario, instance, _ = right_plan(url, "vendor_onboarding", 0)
    facts = instance.facts
    blind = [
        call("ticketdesk_update_ticket", ticket_id=facts.ticket["id"], priority="medium"),
        call("datahub_refresh_data", metric_id=facts.metric["id"]),
        call("wait", seconds=3600),
        call("datahub_query_metric", metric_id=facts.metric["id"]),
    ]

    given_up = carry_out(url, scenario, 0, [], rewards=rewards).last["metadata"]["episode_return"]
    tried = carry_out(url, scenario, 0, blind, rewards=rewards).last["metadata"]["episode_return"]

    assert given_up == -2.1
    assert tried <= given_up


@pytest.mark.parametrize("name", ["vendor_onboarding", "bug_escalation"])
def test_asking_where_the_house_rules_forbid_it_is_no_success(url, name):
    scenario, instance, plan = right_plan(url, name, 1)
    _, _, asking = right_plan(url, name, 0)
    asked = changed(asking, "approvalflow_submit_approval", fields=instance.facts.fields)

    episode = carry_out(url, scenario, 1, [*asked, *plan])

    assert not episode.success
    assert {"needless_request", "file_closed"} <= broken(episode)


def test_only_the_remediation_may_block_a_vendor_that_does_not_pass(url):
    scenario, instance, plan = right_plan(url, "vendor_onboarding", 1)
    goal = instance.facts.ticket["id"]
    stranger = next(
        row["id"]
        for row in instance.rows["ticketdesk"]["tickets"]
        if row["status"] == "new" and row["id"] != goal
    )
    block = call("ticketdesk_link_ticket", ticket_id=stranger, kind="blocks", target=goal)

    assert carry_out(url, scenario, 1, plan).success
    assert not carry_out(url, scenario, 1, [*plan, block]).success


def test_two_remediations_are_one_too_many(url):
    scenario, _, plan = right_plan(url, "vendor_onboarding", 1)

    again = [action for action in plan if action["tool_name"] == "ticketdesk_create_ticket"]

    episode = carry_out(url, scenario, 1, [*plan, *again])

    assert broken(episode) == {"remediation_filed_twice"}
    assert not episode.success
