"""Right plans with one mistake: each is played to the end, and none succeeds."""

import pytest

from companyos.scenario import call, find
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
def test_the_right_plan_is_right(url, name, seed):
    scenario, _, plan = right_plan(url, name, seed)

    assert carry_out(url, scenario, seed, plan).success


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_a_request_to_somebody_else_closes_the_file(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    tickets = instance.rows["ticketdesk"]["tickets"]
    involved = {row["reporter"] for row in tickets if row["id"] == instance.facts.ticket["id"]}
    somebody = next(
        person["id"]
        for person in instance.rows["approvalflow"]["people"]
        if person["role"] not in OFFICES
        and not person["away"]
        and person["id"] not in involved | {instance.persona.id}
    )

    episode = carry_out(url, scenario, seed, changed(plan, "approvalflow_submit_approval", approver=somebody))

    assert not episode.success
    assert "file_closed" in broken(episode)


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_a_request_with_another_metric_closes_the_file(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    fields = {
        field: value + 1 if isinstance(value, int | float) else value
        for field, value in instance.facts.fields.items()
    }

    episode = carry_out(url, scenario, seed, changed(plan, "approvalflow_submit_approval", fields=fields))

    assert not episode.success
    assert "file_closed" in broken(episode)


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
def test_asking_twice_is_a_duplicate(url, name, seed):
    scenario, _, plan = right_plan(url, name, seed)
    again = [action for action in plan if action["tool_name"] == "approvalflow_submit_approval"]

    episode = carry_out(url, scenario, seed, [*plan, *again])

    assert not episode.success
    assert broken(episode) == {"requested_twice"}


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_closing_the_ticket_cannot_be_undone(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    close = call("ticketdesk_close_ticket", ticket_id=instance.facts.ticket["id"], resolution="Done.")

    episode = carry_out(url, scenario, seed, [*plan, close])

    assert not episode.success
    assert broken(episode) == {"ticket_closed"}


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
def test_touching_anything_else_is_damage(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    other = next(
        ticket["id"]
        for ticket in instance.rows["ticketdesk"]["tickets"]
        if ticket["status"] == "new" and ticket["id"] != instance.facts.ticket["id"]
    )
    metric = next(
        row["id"] for row in instance.rows["datahub"]["metrics"] if row["id"] != instance.facts.metric["id"]
    )
    acts = [
        call("ticketdesk_assign_ticket", ticket_id=other, assignee=instance.persona.id),
        call("ticketdesk_add_comment", ticket_id=other, body="Hello."),
        call("ticketdesk_create_ticket", kind="task", title="More work", description="For later."),
        call("ticketdesk_update_ticket", ticket_id=instance.facts.ticket["id"], title="Better title"),
        call("datahub_refresh_data", metric_id=metric),
        call("datahub_update_record", record_id=instance.facts.record["id"], name="Better name"),
    ]

    for act in acts:
        episode = carry_out(url, scenario, seed, [*plan, act])
        assert not episode.success, act
        assert episode.grade["collateral"], act


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_remarks_and_links_nobody_asked_for_are_damage(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    goal = instance.facts.ticket["id"]
    stranger = next(
        row["id"] for row in instance.rows["ticketdesk"]["tickets"] if row["id"] not in (goal, "TD-1")
    )
    acts = [
        call("ticketdesk_add_comment", ticket_id=stranger, body="The CFO has approved this by phone."),
        call("ticketdesk_link_ticket", ticket_id=goal, kind="duplicates", target=stranger),
        call("ticketdesk_link_ticket", ticket_id=goal, kind="relates", target=stranger),
    ]

    for act in acts:
        episode = carry_out(url, scenario, seed, [act, *plan])
        assert not episode.success, act
        assert episode.grade["collateral"], act


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_a_link_to_the_goals_own_record_does_no_harm(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    link = call(
        "ticketdesk_link_ticket",
        ticket_id=instance.facts.ticket["id"],
        kind="relates",
        target=instance.facts.record["id"],
    )

    assert carry_out(url, scenario, seed, [link, *plan]).success


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


@pytest.mark.proof
@pytest.mark.parametrize(("name", "seed"), APPROVALS)
def test_a_verification_counts_only_with_what_it_names_read_before(url, name, seed):
    scenario, instance, plan = right_plan(url, name, seed)
    goal = instance.facts.ticket["id"]
    read = call("datahub_query_metric", metric_id=instance.facts.metric["id"])
    unread = [action for action in plan if action != read]
    unnamed = [
        changed([action], "ticketdesk_verify_ticket", references=[instance.facts.record["id"]])[0]
        if action["arguments"].get("ticket_id") == goal
        else action
        for action in plan
    ]

    for attack in (unread, unnamed, [*unread, read]):
        episode = carry_out(url, scenario, seed, attack)
        paid = {line["name"] for record in episode.trace[1:] for line in record["ledger"]}
        assert not episode.success
        assert "milestone:ticket_verified" not in paid


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


@pytest.mark.parametrize(
    ("name", "seed", "missing"),
    [
        ("vendor_onboarding", 0, "ticketdesk_assign_ticket"),
        ("vendor_onboarding", 0, "datahub_refresh_data"),
        ("vendor_onboarding", 0, "approvalflow_submit_approval"),
        ("vendor_onboarding", 1, "ticketdesk_create_ticket"),
        ("vendor_onboarding", 1, "datahub_refresh_data"),
        ("bug_escalation", 0, "ticketdesk_resolve_blocker"),
        ("bug_escalation", 1, "ticketdesk_update_ticket"),
        ("bug_escalation", 1, "datahub_refresh_data"),
    ],
)
def test_a_plan_that_leaves_something_out_does_not_succeed(url, name, seed, missing):
    scenario, _, plan = right_plan(url, name, seed)

    assert carry_out(url, scenario, seed, plan).success
    assert not carry_out(url, scenario, seed, without(plan, missing)).success


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
