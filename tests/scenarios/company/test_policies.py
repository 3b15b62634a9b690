"""Policies: who may verify, what requests state, what is announced, and permissions that all services know."""

import pytest

from companyos.sdk.company import (
    REFRESH_METRICS,
    SUBMIT_REQUESTS,
    VERIFY_TICKETS,
    Company,
    cost_centre_field,
    reporter_field,
)
from companyos.sdk.company.rows import Row
from companyos.sdk.simtime import DAY
from scenarios.packs.finance import EXPENSE_APPROVAL
from scenarios.packs.procurement import LICENSE_APPROVAL, license_approval

from .building import START, company

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


@pytest.mark.parametrize("name", KNOWN_TO)
def test_a_restriction_holds_in_every_service_that_knows_the_permission(name: str) -> None:
    built = company()

    owned = built.restrict(name, ("cfo", "cto"), grant_s=900)

    assert all(row["roles"] == ["cfo", "cto"] for row in permissions(built, name).values())
    assert owned is permissions(built, name)["datahub"]
    assert owned["grant_s"] == 900


def test_an_announced_form_has_the_offered_fields_too() -> None:
    built = company()
    asked = cost_centre_field(required=True).row
    change = built.announce(EXPENSE_APPROVAL, START + DAY, "More is asked.", fields=[asked])

    built.offer(EXPENSE_APPROVAL, [reporter_field(required=False).row])

    assert [field["name"] for field in change["changes"]["fields"]] == ["cost_centre", "reporter"]
