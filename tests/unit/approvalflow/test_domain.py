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
    Waiting,
    amount_of,
    fits,
    is_fresh,
    missing_fields,
    mistyped_fields,
    role_for,
    stated_metric,
    unknown_fields,
    waits_for,
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


@pytest.mark.parametrize("blank", [None, "", "   ", "\t\n"])
def test_a_required_field_that_is_blank_is_missing(blank: FieldValue) -> None:
    assert missing_fields(SPECS, {"vendor_name": blank}) == ["vendor_name", "score"]


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


@pytest.mark.parametrize("kind", list(FieldType))
def test_null_fits_any_type(kind: FieldType) -> None:
    assert fits(kind, None)


@given(values)
def test_a_number_that_fits_an_integer_fits_a_number_too(value: FieldValue) -> None:
    assert fits(FieldType.NUMBER, value) or not fits(FieldType.INTEGER, value)


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


@pytest.mark.parametrize(
    ("value", "expires_at", "fresh"),
    [(85.0, 101, True), (85.0, 100, False), (None, 101, False), (0.0, 101, True)],
)
def test_a_metric_counts_until_the_second_of_its_expiry(
    value: float | None, expires_at: int, fresh: bool
) -> None:
    assert is_fresh(value, expires_at, now=100) is fresh


@pytest.mark.parametrize(
    ("kind", "metric", "verified", "fresh", "waiting"),
    [
        ("bug", "error_rate", False, False, [Waiting.TICKET_VERIFIED, Waiting.METRIC_FRESH]),
        ("bug", "error_rate", True, False, [Waiting.METRIC_FRESH]),
        ("bug", "error_rate", False, True, [Waiting.TICKET_VERIFIED]),
        ("bug", "error_rate", True, True, []),
        (None, "error_rate", False, True, []),
        ("bug", None, True, False, []),
        (None, None, False, False, []),
    ],
)
def test_a_request_waits_for_the_facts_that_its_policy_asks_for(
    kind: str | None, metric: str | None, verified: bool, fresh: bool, waiting: list[Waiting]
) -> None:
    policy = Policy("any", ticket_kind=kind, metric_name=metric)

    assert waits_for(policy, ticket_is_verified=verified, metric_is_fresh=fresh) == waiting


@pytest.mark.parametrize(
    ("amount", "role"),
    [
        (0, "manager"),
        (999.99, "manager"),
        (1000, "finance_director"),
        (9999, "finance_director"),
        (10000, "cfo"),
        (None, "cfo"),
    ],
)
def test_the_first_band_above_the_amount_decides(amount: float | None, role: str) -> None:
    assert role_for(BANDS, amount) == role


def test_an_amount_above_every_band_has_no_role() -> None:
    assert role_for(BANDS[:2], 10000) is None
    assert role_for(BANDS[:2], None) is None
    assert role_for((), 5) is None


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


def test_the_holder_of_the_role_decides_and_the_delegate_does_not() -> None:
    assert on_duty(SARAH, DAVID) == ["sarah.chen"]


def test_the_delegate_of_a_holder_who_is_away_decides() -> None:
    assert on_duty(AWAY, DAVID) == ["david.kim"]


def test_the_delegation_ends_at_the_second_of_the_return() -> None:
    assert on_duty(AWAY, DAVID, now=99) == ["david.kim"]
    assert on_duty(AWAY, DAVID, now=100) == ["sarah.chen"]


def test_an_absence_without_a_known_end_lasts() -> None:
    gone = Colleague("sarah.chen", "cfo", away=True)

    assert gone.is_away(10**9)
    assert on_duty(gone, DAVID) == []


def test_somebody_whose_absence_is_not_marked_is_here() -> None:
    assert not Colleague("sarah.chen", "cfo", away=False, away_until=100).is_away(0)


@pytest.mark.parametrize(
    ("amount", "deciders"), [(5000, ["david.kim"]), (5000.01, []), (None, ["david.kim"])]
)
def test_a_delegate_decides_up_to_the_limit(amount: float | None, deciders: list[str]) -> None:
    assert on_duty(AWAY, DAVID, amount=amount) == deciders


def test_a_delegate_decides_only_the_types_of_the_delegation() -> None:
    people = {AWAY.id: AWAY, DAVID.id: DAVID}

    assert may_decide(people, role="cfo", type_id="expense_approval", amount=None, now=0) == []


def test_a_delegate_who_is_away_or_unknown_decides_nothing() -> None:
    assert on_duty(AWAY, Colleague("david.kim", "finance_director", away=True, away_until=5)) == []
    assert on_duty(AWAY) == []


def test_every_holder_decides_and_a_shared_delegate_is_named_once() -> None:
    other = Colleague("ada.king", "cfo", True, 100, "david.kim", ("vendor_approval",))
    third = Colleague("zoe.ash", "cfo")

    assert on_duty(third, AWAY, other, DAVID) == ["david.kim", "zoe.ash"]


def test_missing_role_has_no_approver_on_duty() -> None:
    assert on_duty(SARAH, DAVID, role=None) == []


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
