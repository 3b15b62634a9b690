"""What a request must say, what it waits for, and who may decide it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.approvalflow.chains import Colleague, may_decide
from services.approvalflow.domain import (
    FieldSpec,
    FieldType,
    FieldValue,
    Policy,
    Route,
    amount_of,
    fits,
    missing_fields,
    mistyped_fields,
    stated_metric,
    unknown_fields,
)

NAME = FieldSpec("vendor_name", FieldType.STRING, "Name of the vendor.", True)
SCORE = FieldSpec("score", FieldType.NUMBER, "Its score.", True)
URGENT = FieldSpec("urgent", FieldType.BOOLEAN, "Whether it is urgent.", False)
SPECS = (NAME, SCORE, URGENT)
BANDS = (Route("manager", 1000), Route("finance_director", 10000), Route("cfo"))

SARAH = Colleague("sarah.chen", "cfo", delegate="david.kim", delegate_types=("vendor_approval",))
AWAY = Colleague("sarah.chen", "cfo", True, 100, "david.kim", ("vendor_approval",), 5000.0)
DAVID = Colleague("david.kim", "finance_director")

values = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)


def on_duty(
    *people: Colleague, amount: float | None = None, now: int = 0, role: str | None = "cfo"
) -> list[str]:
    known = {person.id: person for person in people}
    return may_decide(known, role=role, type_id="vendor_approval", amount=amount, now=now)


def test_fields_that_a_type_does_not_have_are_named_in_order() -> None:
    assert unknown_fields(SPECS, ["score", "zeal", "age"]) == ["age", "zeal"]


def test_an_optional_field_and_a_zero_are_not_missing() -> None:
    assert missing_fields(SPECS, {"vendor_name": "Acme", "score": 0}) == []


@pytest.mark.parametrize(
    ("kind", "fitting", "others"),
    [
        (FieldType.STRING, ["", "85"], [85, 8.5, True]),
        (FieldType.NUMBER, [85, 8.5, -1], ["85", True, False]),
        (FieldType.INTEGER, [85, 85.0, -3], [8.5, "85", True]),
        (FieldType.BOOLEAN, [True, False], [0, 1, "true"]),
    ],
)
def test_a_value_fits_its_type_and_no_other(
    kind: FieldType, fitting: list[FieldValue], others: list[FieldValue]
) -> None:
    assert [value for value in fitting if not fits(kind, value)] == []
    assert [value for value in others if fits(kind, value)] == []


def test_fields_of_another_type_are_found_in_the_order_of_the_type() -> None:
    assert mistyped_fields(SPECS, {"urgent": "yes", "score": "85", "vendor_name": "Acme"}) == [SCORE, URGENT]


@given(st.dictionaries(st.sampled_from(["vendor_name", "score", "urgent", "zeal"]), values))
def test_field_checks_accept_exactly_complete_and_well_typed_fields(fields: dict[str, FieldValue]) -> None:
    objected = (
        unknown_fields(SPECS, fields) or missing_fields(SPECS, fields) or mistyped_fields(SPECS, fields)
    )

    well_made = (
        set(fields) <= {"vendor_name", "score", "urgent"}
        and str(fields.get("vendor_name") or "").strip() != ""
        and isinstance(fields.get("vendor_name"), str)
        and type(fields.get("score")) in (int, float)
        and type(fields.get("urgent")) in (bool, type(None))
    )
    assert bool(objected) is not well_made


def test_the_amount_is_the_field_that_the_policy_names() -> None:
    policy = Policy("expense", routes=BANDS, route_field="amount", metric_name="expense_amount")

    assert amount_of(policy, {"amount": 12}, metric=50.0) == 12.0
    assert amount_of(policy, {"amount": "12"}, metric=50.0) is None
    assert amount_of(policy, {"amount": True}, metric=50.0) is None


def test_the_amount_is_the_metric_where_bands_differ_and_nothing_where_they_do_not() -> None:
    assert amount_of(Policy("banded", routes=BANDS), {}, metric=50.0) == 50.0
    assert amount_of(Policy("single", routes=(Route("cfo"),)), {}, metric=50.0) is None


def test_a_stated_metric_is_the_number_in_the_metrics_field() -> None:
    policy = Policy("vendor", metric_field="score")

    assert stated_metric(policy, {"score": 85}) == 85.0
    assert stated_metric(policy, {"score": "85"}) is None
    assert stated_metric(Policy("plain"), {"score": 85}) is None


def test_every_holder_decides_and_a_shared_delegate_is_named_once() -> None:
    other = Colleague("ada.king", "cfo", True, 100, "david.kim", ("vendor_approval",))
    third = Colleague("zoe.ash", "cfo")

    assert on_duty(third, AWAY, other, DAVID) == ["david.kim", "zoe.ash"]


people = st.builds(
    Colleague,
    id=st.sampled_from(["a", "b", "c", "d"]),
    role=st.sampled_from(["cfo", "cto"]),
    away=st.booleans(),
    away_until=st.none() | st.integers(0, 5),
    delegate=st.none() | st.sampled_from(["a", "b", "c", "d"]),
    delegate_types=st.sampled_from([(), ("vendor_approval",)]),
    delegate_limit=st.none() | st.floats(0, 10),
)


@given(st.lists(people), st.integers(0, 6), st.none() | st.floats(0, 10))
def test_approvers_on_duty_are_present_and_hold_the_role_or_stand_in(
    colleagues: list[Colleague], now: int, amount: float | None
) -> None:
    known = {colleague.id: colleague for colleague in colleagues}

    for decider in on_duty(*colleagues, amount=amount, now=now):
        absent = [person for person in known.values() if person.is_away(now)]
        assert not known[decider].is_away(now)
        assert known[decider].role == "cfo" or decider in [person.delegate for person in absent]


@given(st.permutations([SARAH, DAVID, Colleague("ada.king", "cfo"), Colleague("zoe.ash", "cfo")]))
def test_the_order_in_which_people_are_known_does_not_matter(order: list[Colleague]) -> None:
    assert on_duty(*order) == ["ada.king", "sarah.chen", "zoe.ash"]
