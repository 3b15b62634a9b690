"""What a unit that spends money consists of: amounts, line items, invoices and past decisions."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.company import Company, Row
from companyos.company.areas.spending import Line, add_waiting_request, total
from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import words
from scenarios.approver_desk.pack import (
    INVOICE,
    PACK,
    PAID,
    PURCHASE,
    TRAINING,
    VERSION,
    Scale,
    amount_between,
    drawn_value,
    invoice_number,
    lines_of,
    settle_past,
    stated,
    texts_of,
)
from scenarios.approver_desk.scenario import SCENARIO

from ..conftest import instance_of
from .piles import ends_of, hired, new_company


@cache
def any_company() -> Company:
    return new_company(0)


def past_request(company: Company, number: str | None) -> tuple[Row, str]:
    """Return a request that was made ten days ago, and the head who decides it."""
    _, people = hired(company)
    fields = stated(240.0, "CC-310", "Linden Works", 2, "Needed.")
    if number is not None:
        fields["invoice_number"] = number
    made = add_waiting_request(
        company,
        "APR-0001",
        INVOICE if number else PURCHASE,
        fields,
        [Line("Cleaning", 1, 240.0)],
        people.boss,
        people.head,
        age_s=10 * DAY,
        due=company.start,
    )
    settle_past(company, made, people.head)
    return made, people.head.id


texts = st.lists(st.sampled_from(words.THINGS), min_size=1, max_size=3, unique=True)


@given(tens=st.integers(10, 1500), texts=texts, key=st.integers(0, 99))
def test_lines_add_up_to_the_amount_and_none_is_free(tens: int, texts: list[str], key: int) -> None:
    lines = lines_of(any_company(), 10.0 * tens, texts, f"{key}")

    assert total(lines) == 10.0 * tens
    assert all(line.amount > 0 and line.quantity >= 1 for line in lines)


@given(texts=texts, key=st.integers(0, 99))
def test_every_text_is_one_line_in_its_place(texts: list[str], key: int) -> None:
    assert [line.text for line in lines_of(any_company(), 900.0, texts, f"{key}")] == texts


@given(low=st.integers(1, 100), more=st.integers(0, 100), key=st.integers(0, 99))
def test_an_amount_is_a_multiple_of_ten_within_its_bounds(low: int, more: int, key: int) -> None:
    amount = amount_between(any_company(), "past.amount", 10.0 * low, 10.0 * (low + more), key)

    assert 10 * low <= amount <= 10 * (low + more)
    assert amount % 10 == 0


def test_a_purchase_is_of_one_to_three_different_things() -> None:
    drawn = [texts_of(any_company(), PURCHASE, f"{key}") for key in range(60)]

    assert {len(one) for one in drawn} == {1, 2, 3}
    assert all(len(set(one)) == len(one) and set(one) <= set(words.THINGS) for one in drawn)


@pytest.mark.parametrize(("type_id", "names"), [(TRAINING, words.COURSES), (INVOICE, words.SERVICES)])
def test_a_course_or_a_service_is_one_line(type_id: str, names: tuple[str, ...]) -> None:
    drawn = [texts_of(any_company(), type_id, f"{key}") for key in range(60)]

    assert all(len(one) == 1 for one in drawn)
    assert {text for [text] in drawn} == set(names)


def test_harmless_goods_do_not_begin_with_excluded_names() -> None:
    harmless = (*words.THINGS, *words.COURSES, *words.SERVICES)

    assert not any(
        text.casefold().startswith(name.casefold()) for text in harmless for name in words.EXCLUDED
    )


def test_invoices_of_a_supplier_have_different_numbers_even_if_the_same_is_drawn() -> None:
    company = new_company(0)

    numbers = [invoice_number(company, "Ahrens", "same key") for _ in range(200)]

    assert len(set(numbers)) == 200
    assert all(number.startswith("RE-") and len(number) == 8 for number in numbers)


def test_invoices_of_two_suppliers_may_have_one_number() -> None:
    company = new_company(0)

    assert invoice_number(company, "Ahrens", "key") == invoice_number(company, "Borgen", "key")


def test_an_approved_invoice_of_the_past_is_on_record_as_paid() -> None:
    company = new_company(0)

    made, _ = past_request(company, "RE-30001")

    [record] = company.rows["datahub"]["records"]
    assert (record["kind"], record["status"]) == (PAID, "active")
    assert record["name"] == "Invoice RE-30001, Linden Works"
    assert record["fields"] == {
        "supplier": "Linden Works",
        "amount": 240.0,
        "cost_centre": "CC-310",
        "request": made["id"],
    }


def test_a_purchase_of_the_past_leaves_no_record() -> None:
    company = new_company(0)

    past_request(company, None)

    assert not company.rows["datahub"].get("records")


def test_a_rejected_invoice_is_not_on_record_as_paid() -> None:
    company = new_company(0)
    made, head = past_request(company, "RE-30001")
    company.rows["datahub"]["records"].clear()

    settle_past(company, made, next(one for one in company.people if one.id == head), rejected=True)

    assert made["status"] == "rejected"
    assert company.rows["datahub"]["records"] == []


def test_a_past_decision_is_the_heads_three_hours_after_the_request() -> None:
    company = new_company(0)

    made, head = past_request(company, None)

    assert (made["status"], made["decided_by"]) == ("approved", head)
    assert made["decided_at"] == made["submitted_at"] + 3 * HOUR
    assert made["decision_due"] is None


def test_the_past_of_a_company_is_decided_under_earlier_versions_and_before_the_cover() -> None:
    for seed in range(6):
        instance = instance_of(SCENARIO, seed, size="default")
        waiting = ends_of(instance).keys()
        past = [row for row in instance.rows["approvalflow"]["requests"] if row["id"] not in waiting]

        assert len(past) > 10
        for row in past:
            assert row["status"] in ("approved", "rejected")
            assert row["policy_version"] < VERSION
            assert row["submitted_at"] <= instance.start - 12 * DAY
            assert (row["status"] == "rejected") == (row["reason_code"] is not None)


def test_every_paid_invoice_of_the_past_and_no_other_is_on_record() -> None:
    for seed in range(6):
        instance = instance_of(SCENARIO, seed, size="default")
        requests = instance.rows["approvalflow"]["requests"]
        approved = {
            row["id"]
            for row in requests
            if row["status"] == "approved" and row["fields"].get("invoice_number")
        }

        recorded = [
            row["fields"]["request"] for row in instance.rows["datahub"]["records"] if row["kind"] == PAID
        ]
        assert len(recorded) == len(set(recorded))
        assert set(recorded) == approved


def test_a_request_has_to_state_what_its_type_needs_but_never_its_purpose() -> None:
    required = {one.id: {field.name for field in one.fields if field.required} for one in PACK.approval_types}

    common = {"amount", "cost_centre", "supplier", "priority"}
    assert required == {
        PURCHASE: {*common, "benefit_points", "setup_hours"},
        INVOICE: {*common, "invoice_number"},
        TRAINING: common,
    }


@given(tens=st.integers(30, 1200), key=st.integers(0, 99))
def test_the_value_of_a_purchase_is_within_its_scale(tens: int, key: int) -> None:
    amount, scale = 10.0 * tens, Scale(points=(50, 60), hours=(2, 4))

    drawn = drawn_value(any_company(), amount, scale, f"{key}")

    assert drawn.keys() == {"benefit_points", "setup_hours"}
    assert amount * 0.05 - 0.5 <= drawn["benefit_points"] <= amount * 0.06 + 0.5
    assert 2 <= drawn["setup_hours"] <= 4


def test_only_purchases_of_the_past_have_points_and_setup_hours() -> None:
    requests = instance_of(SCENARIO, 0, size="default").rows["approvalflow"]["requests"]

    for row in requests:
        is_purchase = row["type"] == PURCHASE
        assert ("benefit_points" in row["fields"]) == ("setup_hours" in row["fields"]) == is_purchase
