"""The policies of the departments: who decides at each edge, now and under a policy that may follow."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import ApprovalType, Band
from scenarios.packs.engineering import escalation_approval
from scenarios.packs.finance.approvals import budget_release, expense_approval, role_deciding
from scenarios.packs.people import handbook_approval
from scenarios.packs.procurement import license_approval, vendor_approval


def decided_by(routes: Sequence[Band], value: float) -> str:
    """Return the role whose band has the value."""
    return next(band.role for band in routes if band.below is None or value < band.below)


@pytest.mark.parametrize(
    ("amount", "role"),
    [
        (0.0, "manager"),
        (999.99, "manager"),
        (1000.0, "finance_director"),
        (9999.99, "finance_director"),
        (10_000.0, "cfo"),
        (1e6, "cfo"),
    ],
)
def test_an_expense_is_decided_by_the_role_whose_band_has_its_amount(amount: float, role: str) -> None:
    assert role_deciding(amount) == role
    assert decided_by(expense_approval().routes, amount) == role


BANDED = {
    "license": (license_approval(below=200), 200.0),
    "handbook": (handbook_approval(below=50), 50.0),
    "expense, lower edge": (expense_approval(), 1000.0),
    "expense, upper edge": (expense_approval(), 10_000.0),
}


@pytest.mark.parametrize("name", BANDED)
def test_the_role_changes_at_the_edge_itself(name: str) -> None:
    one, edge = BANDED[name]

    below, at, above = (decided_by(one.routes, value) for value in (edge - 1, edge, edge + 1))

    assert below != at == above


@pytest.mark.parametrize("name", BANDED)
def test_under_a_policy_that_follows_both_sides_of_an_edge_still_have_different_roles(name: str) -> None:
    one, edge = BANDED[name]
    before = decided_by(one.routes, edge - 1), decided_by(one.routes, edge)
    fitting = [later for later in one.successions if set(before) <= set(later.successors)]

    assert fitting
    for later in fitting:
        after = decided_by(later.routes, edge - 1), decided_by(later.routes, edge)
        assert after == tuple(later.successors[role] for role in before)
        assert after[0] != after[1]


@pytest.mark.parametrize(
    ("one", "values"),
    [
        (vendor_approval(minimum=80.0), range(81, 96)),
        (escalation_approval(minimum=5.0), [rate / 10 for rate in range(60, 111)]),
    ],
    ids=["vendor", "escalation"],
)
def test_every_value_that_passes_is_decided_by_the_successor_of_the_one_who_decides(
    one: ApprovalType, values: Sequence[float]
) -> None:
    [later] = one.successions
    [role] = one.roles

    assert {decided_by(later.routes, value) for value in values} == {later.successors[role]}
    assert one.minimum is not None
    assert decided_by(later.routes, one.minimum) == role


@given(st.integers(2, 500))
def test_the_threshold_of_a_policy_that_follows_does_not_move(below: int) -> None:
    for one in (license_approval(below=below), handbook_approval(below=below)):
        [later] = one.successions
        assert [band.below for band in one.routes] == [float(below), None]
        assert [band.below for band in later.routes] == [below / 2, float(below), None]


@pytest.mark.parametrize("minimum", [70.0, 80.0])
def test_a_vendors_least_score_is_the_one_given_and_activates_the_vendor(minimum: float) -> None:
    one = vendor_approval(minimum=minimum)

    assert (one.minimum, one.metric_name, one.activates_record) == (minimum, "compliance_score", True)
    assert one.row["maximum"] is None


@pytest.mark.parametrize(
    ("one", "scale"),
    [
        (vendor_approval(minimum=80.0), 10.0),
        (escalation_approval(minimum=5.0), 10.0),
        (expense_approval(), 100.0),
    ],
    ids=["tenths of a point", "per mille", "cents"],
)
def test_a_metric_may_have_to_be_stated_in_another_unit(one: ApprovalType, scale: float) -> None:
    assert one.metric_field is not None
    field = one.field(one.metric_field)
    assert field is not None

    assert field.other_unit is not None
    assert field.other_unit[1] == scale
    assert field.type == "number"


@pytest.mark.parametrize(
    "one", [license_approval(below=9), handbook_approval(below=9)], ids=lambda one: one.id
)
def test_a_count_has_no_other_unit(one: ApprovalType) -> None:
    assert all(field.type == "integer" and field.other_unit is None for field in one.fields)


def test_a_budget_is_released_by_its_owner_on_no_metric_and_no_kind_of_ticket() -> None:
    asked = budget_release()

    assert asked.type.roles == ("budget_owner",)
    assert (asked.type.metric_name, asked.type.ticket_kind) == (None, None)
    assert "{what}" in asked.title
    assert 0 < asked.least < asked.most
    assert asked.type.field(asked.field) is not None
