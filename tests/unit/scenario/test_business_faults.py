"""Business faults: where they fit, what they write into the company, and what coping with them costs."""

import pytest

from companyos.sdk.approval_task.faults import BUSINESS_FAULTS
from companyos.sdk.chaos import CATALOG, Layer, parse_chaos
from companyos.sdk.company import Company, precedence
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import CompanyState, Instance, find
from tests.families import SOME_APPROVAL_TASKS
from tests.sizes import size

from .faulty_tasks import SALT, goal_ticket, one, with_faults
from .packs import PACKS

pytestmark = pytest.mark.proof


def test_every_business_fault_of_the_catalog_can_be_injected():
    business = {fault for fault in CATALOG if CATALOG[fault].layer is Layer.BUSINESS}

    assert set(BUSINESS_FAULTS) == business


@pytest.mark.parametrize("fault", BUSINESS_FAULTS)
@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_certain_fault_is_injected_into_every_task_that_it_fits(name, fault):
    for seed in range(6, size(12, 26)):
        faults = with_faults(name, seed, str(fault)).faults

        assert [injected.fault for injected in faults] == [fault]
        assert faults[0].shown_by
        assert 0 <= faults[0].cost <= 20


def test_a_chain_is_as_long_as_drawn_and_ends_in_what_waits_for_nothing():
    chains = [
        with_faults("expense_report", seed, "biz.blocked_ticket", depth=3).facts.blockers
        for seed in range(6, 30)
    ]

    assert {len(chain) for chain in chains} == {1, 2, 3}
    assert {blocker["status"] for chain in chains for blocker in chain[:-1]} == {"blocked"}
    assert {chain[-1]["status"] for chain in chains} == {"done"}
    assert len({chain[-1]["verified_by"] is None for chain in chains}) == 2


def test_each_ticket_of_a_chain_is_blocked_by_the_next():
    instance = with_faults("bug_escalation", 6, "biz.blocked_ticket", depth=3)
    chain = [goal_ticket(instance)] + [
        one(instance, "ticketdesk", "tickets", blocker["id"]) for blocker in instance.facts.blockers
    ]

    assert len(chain) >= 3
    assert [ticket["blocked_by"] for ticket in chain] == [
        *([ticket["id"]] for ticket in chain[1:]),
        [],
    ]


def blocked_by_a(kind: str, name: str = "expense_report", depth: int = 3) -> list[Instance]:
    return [with_faults(name, seed, "biz.blocked_ticket", depth=depth, kind=[kind]) for seed in range(6, 30)]


@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
@pytest.mark.parametrize(("kind", "prefix"), [("approval", "APR-"), ("data", "MET-")])
def test_the_last_of_a_chain_of_tickets_waits_for_what_other_services_keep(name, kind, prefix):
    lengths = set()
    for instance in blocked_by_a(kind, name):
        chain = [instance.facts.ticket["id"], *(blocker["id"] for blocker in instance.facts.blockers)]
        waits = [one(instance, "ticketdesk", "tickets", ticket)["blocked_by"] for ticket in chain]
        lengths.add(len(chain))

        assert waits == [*([ticket] for ticket in chain[1:]), [instance.facts.awaits.id]]
        assert instance.facts.awaits.id.startswith(prefix)
        assert one(instance, "ticketdesk", "external_blockers", instance.facts.awaits.id)["status"] == "open"
    assert len(lengths) == 3


def test_a_metric_that_is_waited_for_is_stale_and_none_that_a_request_could_rest_on():
    for instance in blocked_by_a("data"):
        metric = one(instance, "datahub", "metrics", instance.facts.awaits.id)

        assert metric["as_of"] + metric["ttl_s"] < instance.start
        assert metric["subject"] is None
        assert metric["id"] != instance.facts.metric["id"]
        assert metric["name"] not in {
            row["metric_name"] for row in instance.rows["approvalflow"]["approval_types"]
        }


def test_a_request_that_is_waited_for_lies_with_somebody_who_may_and_can_decide_it_within_the_hour():
    for instance in blocked_by_a("approval"):
        request = one(instance, "approvalflow", "requests", instance.facts.awaits.id)
        kind = one(instance, "approvalflow", "approval_types", request["type"])
        approver = one(instance, "approvalflow", "people", request["approver"])
        about = one(instance, "ticketdesk", "tickets", request["ticket_id"])

        assert request["status"] == "pending"
        assert instance.start < request["decision_due"] < instance.start + 3600
        assert [route["role"] for route in kind["routes"]] == [approver["role"]]
        assert kind["metric_name"] is None
        assert not approver["away"]
        assert approver["id"] not in (request["requester"], about["reporter"])
        assert about["id"] != instance.facts.ticket["id"]


def test_unless_asked_for_a_chain_is_of_tickets_alone():
    instances = [with_faults("license_renewal", seed, "biz.blocked_ticket", depth=3) for seed in range(6, 30)]

    assert {instance.facts.awaits for instance in instances} == {None}


@pytest.mark.parametrize(("kind", "last"), [("approval", 4), ("data", 5)])
def test_blocker_that_is_no_ticket_costs_as_much_as_settling_it(kind, last):
    for instance in blocked_by_a(kind):
        assert instance.faults[0].cost == 4 * len(instance.facts.blockers) + last
    for instance in blocked_by_a(kind, "bug_escalation"):
        assert instance.faults[0].cost == 4 * (len(instance.facts.blockers) - 1) + last + 1


def test_a_blocker_costs_four_steps_and_a_short_life_four_for_each_attempt():
    blocked = with_faults("expense_report", 6, "biz.blocked_ticket", depth=3)
    expiring = with_faults("expense_report", 6, "biz.expiring_value", "biz.random_rejection")

    assert blocked.faults[0].cost == 4 * len(blocked.facts.blockers)
    cost = next(injected.cost for injected in expiring.faults if injected.fault == "biz.expiring_value")
    assert cost == 4 * (1 + len(expiring.facts.objections))


def test_a_metrics_short_life_is_seen_from_the_start_wherever_it_is_kept():
    instance = with_faults("vendor_onboarding", 6, "biz.expiring_value", validity_s=300)
    metric = one(instance, "datahub", "metrics", instance.facts.metric["id"])
    known = one(instance, "approvalflow", "metrics", instance.facts.metric["id"])

    assert metric["ttl_s"] == 300
    assert known["expires_at"] == metric["as_of"] + 300


def test_only_fields_that_may_be_empty_are_emptied():
    both = [
        goal_ticket(with_faults("license_renewal", seed, "biz.missing_field", n=2)) for seed in range(6, 46)
    ]
    one_only = goal_ticket(
        with_faults("license_renewal", 6, "biz.missing_field", n=2, fields=["priority"]),
    )

    assert {(it["priority"] is None, it["cost_centre"] is None) for it in both} == {
        (True, True),
        (True, False),
        (False, True),
    }
    assert (one_only["priority"], one_only["cost_centre"] is None) == (None, False)


def test_a_case_without_a_full_field_of_those_named_is_spared():
    assert with_faults("bug_escalation", 6, "biz.missing_field", fields=["priority"]).faults == ()


def test_records_that_disagree_point_at_one_another_and_the_ticket_takes_no_side():
    instance = with_faults("vendor_onboarding", 6, "biz.conflicting_records")
    record = one(instance, "datahub", "records", instance.facts.record["id"])
    other = one(instance, "datahub", "records", record["fields"]["see_also"])

    assert other["fields"]["about"] == record["id"]
    assert other["fields"]["cost_centre"] != record["fields"]["cost_centre"]
    assert goal_ticket(instance)["cost_centre"] is None
    assert instance.facts.wrong_record["id"] in (record["id"], other["id"])


def test_either_record_may_be_the_one_that_counts():
    drawn = {
        (instance.facts.wrong_record["id"] == instance.facts.record["id"])
        for instance in (
            with_faults("handbook_update", seed, "biz.conflicting_records") for seed in range(6, 40)
        )
    }

    assert drawn == {True, False}


def test_there_is_one_rule_of_precedence_for_each_kind_of_record():
    company = Company(Draws("s", "rules"), 0, PACKS, "small")

    precedence.lay_down(company)

    rules = [row["fields"] for row in company.rows["datahub"]["records"]]
    assert len({rule["records"] for rule in rules}) == len(rules)
    for rule in rules:
        assert precedence.authority(company, rule["records"]) == rule["authority"]
        assert rule["authority"] in (rule["records"], "cost_allocation")


def test_look_alikes_have_metrics_that_are_fresh_and_would_pass():
    instance = with_faults("vendor_onboarding", 6, "biz.duplicate_entity", n=4)
    record = one(instance, "datahub", "records", instance.facts.record["id"])
    minimum = one(instance, "approvalflow", "approval_types", "vendor_approval")["minimum"]
    alike = {
        row["id"]
        for row in instance.rows["datahub"]["records"]
        if row["name"] == record["name"] and row["id"] != record["id"]
    }
    metrics = [row for row in instance.rows["datahub"]["metrics"] if row["subject"] in alike]

    assert len(metrics) == len(alike) >= 1
    assert all(metric["value"] > minimum for metric in metrics)
    assert all(metric["as_of"] + metric["ttl_s"] > instance.start + 86400 for metric in metrics)


def test_orders_name_nobody_who_decides():
    for seed in range(6, 46):
        instance = with_faults("expense_report", seed, "biz.misleading_text")
        note = one(instance, "datahub", "records", instance.facts.record["id"])["fields"]["note"]

        assert instance.facts.route.holder not in note
        assert (instance.facts.route.delegate or "nobody") not in note
        assert instance.facts.cost_centre not in note


@pytest.mark.parametrize("fault", BUSINESS_FAULTS)
def test_a_trap_alone_does_no_harm_and_everything_else_does_at_first(fault):
    instance = with_faults("license_renewal", 8, str(fault))
    injected, view = instance.faults[0], CompanyState(instance.rows).view()

    harmless = {"biz.irreversible_trap", "biz.misleading_text", "biz.injected_instruction"}
    assert injected.overcome(view) == (fault in harmless)


@pytest.mark.parametrize("name", [name for name in SOME_APPROVAL_TASKS if name != "vendor_onboarding"])
def test_absences_on_a_route_last_as_long_as_the_route_says(name):
    # Where two roles share one who stands in, the chain of one of them led nowhere.
    for seed in [*range(6, 106), 700003]:
        instance = find(name).generate(seed, parse_chaos(5), SALT)
        absences = instance.rows["datahub"]["absences"]
        for link in instance.facts.route.links:
            ends = [row["ends_at"] for row in absences if row["person_id"] == link["person"]]
            away_until = max([end for end in ends if end > instance.start], default=0)

            assert away_until == (link["back_at"] if link["back_at"] > instance.start else 0), (seed, link)
