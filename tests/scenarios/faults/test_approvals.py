"""Approval faults: asking the obvious approver, or asking in the usual way, fails."""

import pytest

from companyos.sdk.scenario import call
from companyos.sdk.simtime import to_iso
from tests.families import SOME_APPROVAL_TASKS

from ..play import changed, without, without_finish
from .faulty import failed, with_faults

pytestmark = pytest.mark.proof

SUBMIT = "approvalflow_submit_approval"


def approver(url, faulty):
    """Return whom it is right to ask."""
    [asked] = [
        action["arguments"]["approver"] for action in faulty.plan(url) if action.get("tool_name") == SUBMIT
    ]
    return asked


def refusals(episode):
    """Return the codes of what was refused."""
    errors = [record["observation"]["error"] for record in episode.trace[1:]]
    return {error["code"] for error in errors if error}


def link(faulty, place):
    return faulty.facts.route.links[place]


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_none_of_those_who_are_away_in_line_can_be_asked(url, name, place):
    faulty = with_faults(name, "biz.ooo_approver", depth=3, accepts=is_long)

    asked = faulty.play(url, changed(faulty.plan(url), SUBMIT, approver=link(faulty, place).person))

    assert "approver_away" in refusals(asked)
    assert not asked.success


def is_long(instance):
    """Say whether three are away for days, and the fourth decides."""
    links, later = instance.facts.route.links, instance.start + 7 * 86400
    return len(links) == 4 and all(one.covers and one.back_at > later for one in links[:3])


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_last_delegate_may_not_decide_if_the_chain_is_broken(url, name):
    faulty = with_faults(name, "biz.ooo_approver", depth=3, accepts=is_broken)
    impatient = changed(without(faulty.plan(url), "wait"), SUBMIT, approver=link(faulty, -1).person)

    episode = faulty.play(url, impatient)

    assert not episode.success
    assert "file_closed" in failed(episode)


def is_broken(instance):
    links = instance.facts.route.links
    return len(links) >= 3 and not all(one.covers for one in links[:-1])


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_where_the_line_comes_back_to_itself_only_another_holder_of_the_role_decides(url, name):
    faulty = with_faults(
        name, "biz.ooo_approver", depth=3, cycle=True, accepts=lambda it: it.facts.route.others
    )

    assert [approver(url, faulty)] == [*faulty.facts.route.others]
    assert not faulty.play(url, changed(faulty.plan(url), SUBMIT, approver=faulty.facts.route.holder)).success


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_asking_the_reporter_is_refused_without_a_violation(url, name):
    faulty = with_faults(name, "biz.separation_of_duty")
    reporter = faulty.row("ticketdesk", "tickets", faulty.facts.ticket["id"])["reporter"]

    episode = faulty.play(url, changed(faulty.plan(url), SUBMIT, approver=reporter))

    assert reporter in [one.person for one in faulty.facts.route.links if one.barred]
    assert "separation_of_duties" in refusals(episode)
    assert not episode.success
    assert episode.grade["violations"] == []


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_request_without_what_the_new_policy_asks_for_is_refused(url, name):
    faulty = with_faults(name, "biz.policy_drift", rule=["required_field"])
    fields = {key: value for key, value in faulty.facts.fields.items() if key != "cost_centre"}

    episode = faulty.play(url, changed(faulty.plan(url), SUBMIT, fields=fields))

    assert "fields_missing" in refusals(episode)
    assert not episode.success


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_approver_under_the_old_policy_cannot_decide_after_its_change(url, name):
    faulty = with_faults(name, "biz.policy_drift", rule=["threshold"])
    [change] = faulty.instance.rows["approvalflow"]["policy_changes"]

    episode = faulty.play(url, changed(faulty.plan(url), SUBMIT, approver=decided_before(faulty)))

    assert change["at"] == faulty.facts.settled_at
    assert not episode.success
    assert "file_closed" in failed(episode)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_request_made_before_the_policy_changes_is_void_and_no_harm_done(url, name):
    faulty = with_faults(name, "biz.policy_drift", rule=["threshold"], after_s=3600)
    changes_at = to_iso(faulty.facts.settled_at)
    asked = {
        "type": faulty.facts.type_id,
        "ticket_id": faulty.facts.ticket["id"],
        "fields": faulty.facts.fields,
    }
    early = [
        call(SUBMIT, **asked, approver=decided_before(faulty)) if action["tool_name"] == SUBMIT else action
        for action in faulty.plan(url)
        if action["arguments"].get("until") != changes_at
    ]

    episode = faulty.play(url, [*without_finish(early), call("wait", seconds=7200)])

    assert not episode.success
    assert "file_closed" not in failed(episode)
    assert "voided" in [
        row["status"]
        for row in episode.state_of(faulty.instance)
        .view()
        .rows("approvalflow", "requests", type=faulty.facts.type_id)
    ]


def decided_before(faulty):
    """Return who decides by the policy as it is at the start."""
    metric, people = faulty.facts.value, faulty.instance.rows["approvalflow"]["people"]
    routes = of_type(faulty)["routes"]
    role = next(one["role"] for one in routes if one["below"] is None or metric < one["below"])
    [holder] = [one for one in people if one["role"] == role]
    return holder["delegate"] if holder["away"] else holder["id"]


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_the_old_name_of_a_field_is_refused(url, name):
    faulty = with_faults(name, "biz.schema_drift", change=["rename"])
    [field] = [one for one in of_type(faulty)["fields"] if one.get("renamed_from")]
    fields = {
        (field["renamed_from"] if key == field["name"] else key): it
        for key, it in faulty.facts.fields.items()
    }

    episode = faulty.play(url, changed(faulty.plan(url), SUBMIT, fields=fields))

    assert "field_unknown" in refusals(episode)
    assert not episode.success


@pytest.mark.parametrize("name", ["bug_escalation", "expense_report", "vendor_onboarding"])
def test_a_metric_in_its_old_unit_closes_the_file(url, name):
    faulty = with_faults(name, "biz.schema_drift", change=["unit"])
    fields = {**faulty.facts.fields, of_type(faulty)["metric_field"]: faulty.facts.value}

    episode = faulty.play(url, changed(faulty.plan(url), SUBMIT, fields=fields))

    assert not episode.success
    assert "file_closed" in failed(episode)


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_older_requests_show_the_old_names(name):
    faulty = with_faults(name, "biz.schema_drift", accepts=older_requests, change=["rename"])
    asked = {one["name"] for one in of_type(faulty)["fields"]}

    assert all(set(one["fields"]) - asked for one in older_requests(faulty.instance))


def older_requests(instance):
    """Requests of the goal's type that the company has from before."""
    requests = instance.rows["approvalflow"]["requests"]
    return [one for one in requests if one["type"] == instance.facts.type_id]


def of_type(faulty):
    return faulty.row("approvalflow", "approval_types", faulty.facts.type_id)
