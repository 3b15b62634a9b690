"""Policies: who may verify, what requests state, what is announced, and permissions that all services know."""

import pytest

from companyos.sdk.company import (
    REFRESH_METRICS,
    SUBMIT_REQUESTS,
    VERIFY_TICKETS,
    ApprovalType,
    Band,
    Company,
    cost_centre_field,
    reporter_field,
)
from companyos.sdk.company.rows import Row
from companyos.sdk.simtime import DAY
from scenarios.packs.finance import EXPENSE_APPROVAL
from scenarios.packs.procurement import LICENSE_APPROVAL, license_approval

from .building import START, company

LUNCH = ApprovalType("lunch", "Lunch", "Pays lunch.", (), (Band("cfo"),))
KNOWN_TO = {
    REFRESH_METRICS: {"datahub"},
    VERIFY_TICKETS: {"datahub", "ticketdesk"},
    SUBMIT_REQUESTS: {"datahub", "approvalflow"},
}


def permissions(built: Company, name: str) -> dict[str, Row]:
    """Return a permission's row in every service that has one."""
    return {
        service: row
        for service, tables in built.rows.items()
        for row in tables["permissions"]
        if row["id"] == name
    }


def stated(built: Company, type_id: str) -> list[str]:
    """Return the names of the fields of a type's requests."""
    return [field["name"] for field in built.row("approvalflow", "approval_types", type_id)["fields"]]


def test_a_role_may_verify_once_it_is_allowed_and_those_before_still_may() -> None:
    built = company()
    kind = built.row("ticketdesk", "ticket_kinds", "bug")
    before = list(kind["verifier_roles"])

    built.let_verify("bug", "gardener")
    built.let_verify("bug", "gardener")

    assert kind["verifier_roles"] == [*before, "gardener"]


def test_allowing_a_role_in_one_company_allows_it_in_no_other() -> None:
    company().let_verify("bug", "gardener")

    assert "gardener" not in company().row("ticketdesk", "ticket_kinds", "bug")["verifier_roles"]


def test_a_replaced_type_is_the_one_that_is_applied() -> None:
    built = company()
    kept = built.row("approvalflow", "approval_types", EXPENSE_APPROVAL).copy()

    built.set_approval_type(license_approval(below=77))

    row = built.row("approvalflow", "approval_types", LICENSE_APPROVAL)
    assert row["routes"][0]["below"] == 77.0
    assert built.approval_types[LICENSE_APPROVAL].routes[0].below == 77.0
    assert built.row("approvalflow", "approval_types", EXPENSE_APPROVAL) == kept


def test_a_type_is_replaced_in_one_company_only() -> None:
    company().set_approval_type(license_approval(below=77))

    assert company().approval_types[LICENSE_APPROVAL].routes[0].below == 200.0


def test_a_type_is_added_once() -> None:
    built = company()

    built.add_approval_type(LUNCH)
    built.add_approval_type(LUNCH)

    rows = built.rows["approvalflow"]["approval_types"]
    assert [row["id"] for row in rows].count("lunch") == 1
    assert built.approval_types["lunch"] is LUNCH


def test_a_type_that_the_packs_have_is_not_replaced_by_adding_it() -> None:
    built = company()

    built.add_approval_type(license_approval(below=77))

    assert built.row("approvalflow", "approval_types", LICENSE_APPROVAL)["routes"][0]["below"] == 200.0


def test_an_announced_change_leaves_the_present_terms_alone() -> None:
    built = company()

    change = built.announce("license_approval", START + DAY, "Lower from tomorrow on.", minimum=5.0)

    assert change == built.rows["approvalflow"]["policy_changes"][0]
    assert (change["at"], change["type_id"], change["changes"]) == (
        START + DAY,
        "license_approval",
        {"minimum": 5.0},
    )
    assert built.row("approvalflow", "approval_types", LICENSE_APPROVAL)["minimum"] is None


def test_everybody_has_every_permission_at_first() -> None:
    built = company()

    for name, services in KNOWN_TO.items():
        rows = permissions(built, name)
        assert set(rows) == services
        assert all(row["roles"] == [] for row in rows.values())


@pytest.mark.parametrize("name", KNOWN_TO)
def test_a_restriction_holds_in_every_service_that_knows_the_permission(name: str) -> None:
    built = company()

    owned = built.restrict(name, ("cfo", "cto"), grant_s=900)

    assert all(row["roles"] == ["cfo", "cto"] for row in permissions(built, name).values())
    assert owned is permissions(built, name)["datahub"]
    assert owned["grant_s"] == 900


def test_a_restriction_leaves_other_permissions_to_everybody() -> None:
    built = company()

    built.restrict(VERIFY_TICKETS, ("cfo",), grant_s=900)

    for name in (REFRESH_METRICS, SUBMIT_REQUESTS):
        assert all(row["roles"] == [] for row in permissions(built, name).values())
    assert permissions(built, REFRESH_METRICS)["datahub"]["grant_s"] == 600


def test_offered_fields_come_after_those_that_there_are() -> None:
    built = company()
    before = stated(built, EXPENSE_APPROVAL)

    built.offer(EXPENSE_APPROVAL, [cost_centre_field(required=False).row, reporter_field(required=False).row])

    assert stated(built, EXPENSE_APPROVAL) == [*before, "cost_centre", "reporter"]
    assert "reporter" not in stated(built, LICENSE_APPROVAL)


def test_an_announced_form_has_the_offered_fields_too() -> None:
    built = company()
    asked = cost_centre_field(required=True).row
    change = built.announce(EXPENSE_APPROVAL, START + DAY, "More is asked.", fields=[asked])

    built.offer(EXPENSE_APPROVAL, [reporter_field(required=False).row])

    assert [field["name"] for field in change["changes"]["fields"]] == ["cost_centre", "reporter"]


@pytest.mark.parametrize(
    ("type_id", "changes"),
    [(EXPENSE_APPROVAL, {"routes": []}), (LICENSE_APPROVAL, {"fields": []})],
    ids=["a change of other columns", "a change of another type"],
)
def test_other_announcements_stay_as_they_are(type_id: str, changes: dict[str, object]) -> None:
    built = company()
    change = built.announce(type_id, START + DAY, "Something changes.", **changes)

    built.offer(EXPENSE_APPROVAL, [reporter_field(required=False).row])

    assert change["changes"] == changes
