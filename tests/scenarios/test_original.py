"""Seed 0 is the original task: its people, its numbers, its solution."""

from companyos.sdk.scenario import find

from .conftest import instance_of


def original(name: str, seed: int = 0, level: int = 1):
    return instance_of(find(name), seed, level)


def one(instance, service: str, table: str, row_id: str):
    return next(row for row in instance.rows[service][table] if row["id"] == row_id)


def test_the_people_are_those_of_the_original():
    instance = original("vendor_onboarding")

    for person, role in (
        ("sarah.chen", "cfo"),
        ("mike.ross", "cto"),
        ("priya.nair", "hr_lead"),
        ("tom.baker", "procurement"),
    ):
        assert one(instance, "datahub", "people", person)["role"] == role
    assert one(instance, "datahub", "people", "sarah.chen")["delegate"] == "david.kim"


def test_the_vendors_score_is_72_and_four_days_old_where_two_are_allowed_and_a_refresh_gives_85():
    instance = original("vendor_onboarding")
    metric = one(instance, "datahub", "metrics", instance.facts.metric["id"])

    assert (metric["name"], metric["value"]) == ("compliance_score", 72.0)
    assert (instance.start - metric["as_of"], metric["ttl_s"]) == (4 * 86400, 2 * 86400)
    assert one(instance, "datahub", "sources", metric["id"])["values"] == [85.0]
    assert one(instance, "approvalflow", "approval_types", "vendor_approval")["minimum"] == 80.0
    assert original("vendor_onboarding", 1).facts.value == 76.0


def test_the_vendors_ticket_has_no_priority_and_no_assignee_and_is_unverified():
    instance = original("vendor_onboarding")
    ticket = one(instance, "ticketdesk", "tickets", instance.facts.ticket["id"])

    assert (ticket["priority"], ticket["assignee"], ticket["verified_by"]) == (None, None, None)
    assert ticket["status"] == "new"


def test_the_chief_financial_officer_is_away_and_the_delegate_decides():
    for name in ("vendor_onboarding", "expense_report"):
        instance = original(name)

        assert one(instance, "approvalflow", "people", "sarah.chen")["away"] is True
        assert instance.facts.route.holder == "sarah.chen"
        assert instance.facts.route.delegate == "david.kim"
        assert instance.facts.route.back_at > instance.start + 7 * 86400


def test_the_expense_report_is_447_and_its_amount_moves_over_ten_thousand():
    facts = original("expense_report").facts

    assert facts.fields == {"report_id": "EXP-447", "amount": 10050.0}
    assert facts.metric["value"] == 9900.0
    assert original("expense_report", 1).facts.route.role == "finance_director"


def test_the_bug_is_of_the_auth_service_blocked_by_work_that_is_done_and_unverified():
    instance = original("bug_escalation")
    ticket = one(instance, "ticketdesk", "tickets", instance.facts.ticket["id"])
    blocker = one(instance, "ticketdesk", "tickets", instance.facts.blockers[0]["id"])

    assert (ticket["status"], ticket["assignee"]) == ("blocked", None)
    assert ticket["blocked_by"] == [blocker["id"]]
    assert (blocker["status"], blocker["verified_by"]) == ("done", None)
    assert one(instance, "datahub", "records", ticket["subject"])["name"] == "auth service"
    assert instance.facts.route.holder == "mike.ross"


def test_the_licence_of_the_third_quarter_is_for_procurement():
    instance = original("license_renewal")

    assert one(instance, "datahub", "records", instance.facts.record["id"])["name"].endswith("Q3")
    assert instance.facts.fields["days_to_expiry"] == 21
    assert instance.facts.route.holder == "tom.baker"


def test_the_handbook_has_no_priority_and_is_for_the_hr_lead():
    instance = original("handbook_update")
    ticket = one(instance, "ticketdesk", "tickets", instance.facts.ticket["id"])

    assert ticket["priority"] is None
    assert instance.facts.route.holder == "priya.nair"
    assert original("handbook_update", 1).facts.route.role == "legal_counsel"


def test_a_vendor_has_a_namesake_and_a_past():
    for seed in range(6):
        instance = original("vendor_onboarding", seed, 0)
        vendor = one(instance, "datahub", "records", instance.facts.record["id"])
        names = [row["name"] for row in instance.rows["datahub"]["records"] if row["kind"] == "vendor"]
        [past] = [row for row in instance.rows["approvalflow"]["requests"] if row["subject"] == vendor["id"]]

        assert len([name for name in names if name.split()[0] == vendor["name"].split()[0]]) >= 2
        assert past["status"] == "approved"
        assert one(instance, "ticketdesk", "tickets", past["ticket_id"])["status"] == "closed"
