"""Orders, invoices, budgets and purchases of the past: amounts to the cent, and times before the start."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import Company, Person
from companyos.sdk.company.areas.payables import (
    Article,
    add_invoice,
    add_order,
    add_receipt,
    expect_receipt,
    pay_in_the_past,
)
from companyos.sdk.company.areas.purchasing import let_pay, order_in_the_past
from companyos.sdk.company.areas.spending import (
    LEDGER,
    Line,
    add_budget,
    add_waiting_request,
    decide_in_the_past,
    total,
)
from companyos.sdk.company.rows import Row
from companyos.sdk.simtime import DAY, HOUR

from .building import START, company

SCREWS = Article(1, "Screws", 240, "piece", 3.99, 100)
BOARDS = Article(2, "Boards", 3, "piece", 19.9, 1)
CENTS = st.integers(1, 100_000).map(lambda cents: cents / 100)


def staffed() -> tuple[Company, Person, Person]:
    built = company()
    return built, built.hire("Ada Moss", "buyer", "Purchasing"), built.hire("Ben Reed", "cfo", "Finance")


def order(built: Company, ada: Person, closed_age_s: int | None = None) -> Row:
    return add_order(
        built,
        "PO-1",
        "V-1",
        (SCREWS, BOARDS),
        ordered_by=ada,
        receiver=ada,
        age_s=9 * DAY,
        closed_age_s=closed_age_s,
    )


def invoice(built: Company, ada: Person, *articles: Article, age_s: int = 5 * DAY, **columns: str) -> Row:
    return add_invoice(
        built,
        columns.get("id", "INV-1"),
        "2031/7",
        "V-1",
        articles,
        clerk=ada,
        age_s=age_s,
        account="DE01",
        order_id="PO-1",
        credits=columns.get("credits"),
    )


@pytest.mark.parametrize(
    ("article", "amount"),
    [
        (SCREWS, 9.58),
        (BOARDS, 59.7),
        (Article(1, "One", 1, "piece", 0.01, 1), 0.01),
        (Article(1, "None", 0, "piece", 5.0, 1), 0.0),
        (Article(1, "Tiny", 1, "piece", 0.4, 100), 0.0),
    ],
    ids=["by the hundred", "by the piece", "a cent", "nothing", "below half a cent"],
)
def test_an_article_costs_its_units_at_the_price_per_so_many_to_the_cent(
    article: Article, amount: float
) -> None:
    assert article.amount == amount


def test_an_invoice_adds_up_its_lines_as_they_are_rounded() -> None:
    built, ada, _ = staffed()

    row = invoice(built, ada, SCREWS, BOARDS)

    assert [line["amount"] for line in row["lines"]] == [9.58, 59.7]
    assert row["total"] == 69.28
    assert (row["kind"], row["status"], row["paid_amount"], row["settled_at"]) == (
        "invoice",
        "open",
        None,
        None,
    )


def test_a_receipt_changes_its_order_and_an_expected_one_does_not() -> None:
    built, ada, _ = staffed()
    ordered = order(built, ada)

    expected = expect_receipt(built, ordered, "DN-2", {2: 3}, in_s=HOUR)
    booked = add_receipt(built, "GR-1", ordered, "DN-1", {1: 200}, age_s=DAY)

    assert ordered["version"] == 2
    assert (expected["id"], expected["at"]) == ("PO-1:DN-2", START + HOUR)
    assert (booked["at"], booked["lines"]) == (START - DAY, [{"line": 1, "quantity": 200}])
    assert built.rows["datahub"]["expected_receipts"] == [expected]
    assert built.rows["datahub"]["goods_receipts"] == [booked]


@pytest.mark.parametrize(
    ("after_s", "settled_at"),
    [(DAY, START - 4 * DAY), (5 * DAY - 1, START - 1), (5 * DAY, START - 1), (9 * DAY, START - 1)],
    ids=["long ago", "just before", "at the start", "later"],
)
def test_past_payments_were_settled_before_the_start(after_s: int, settled_at: int) -> None:
    built, ada, ben = staffed()
    row = invoice(built, ada, BOARDS)

    pay_in_the_past(built, row, ben, after_s=after_s)

    assert (row["status"], row["paid_amount"], row["paid_to"]) == ("paid", 59.7, "DE01")
    assert (row["settled_at"], row["settled_by"], row["version"]) == (settled_at, "ben.reed", 2)


@given(st.lists(st.builds(Line, st.just("Thing"), st.integers(1, 50), CENTS), max_size=8))
def test_the_total_of_lines_is_their_sum_in_whole_cents(lines: list[Line]) -> None:
    cents = sum(round(line.quantity * round(line.unit_price * 100)) for line in lines)

    assert round(total(lines) * 100) == cents


def test_a_budget_of_the_year_has_begun_a_quarter_of_a_year_ago() -> None:
    built, ada, _ = staffed()

    now = add_budget(built, "CC-1", "Tools", ada, 1000.0, committed=400.0)
    before = add_budget(built, "CC-1", "Tools", ada, 900.0, committed=900.0, years_ago=1)

    assert now["starts_at"] < START < now["ends_at"]
    assert before["ends_at"] == now["starts_at"]
    assert now["ends_at"] - now["starts_at"] == before["ends_at"] - before["starts_at"] == 365 * DAY


@pytest.mark.parametrize(("refreshed", "values"), [(None, []), (450.0, [[450.0]]), (0.0, [[0.0]])])
def test_the_ledger_of_a_budget_moves_at_a_refresh_only_if_it_is_said_how(
    refreshed: float | None, values: list[list[float]]
) -> None:
    built, ada, _ = staffed()

    row = add_budget(built, "CC-1", "Tools", ada, 1000.0, committed=400.0, refreshed=refreshed)

    [metric] = built.about(row["id"])
    assert (metric["name"], metric["value"]) == (LEDGER, 400.0)
    assert [source["values"] for source in built.rows["datahub"]["sources"]] == values


def waiting(built: Company, ada: Person, ben: Person, **others: object) -> Row:
    lines = (Line("Lamp", 2, 30.5), Line("Cable", 1, 9.0))
    return add_waiting_request(
        built,
        "APR-0007",
        "buying",
        {"amount": 70.0},
        lines,
        ada,
        ben,
        age_s=DAY,
        due=START + DAY,
        **others,  # type: ignore[arg-type]
    )


def test_a_decision_of_the_past_ends_the_wait() -> None:
    built, ada, ben = staffed()
    row = waiting(built, ada, ben)

    decide_in_the_past(built, row, ben, "rejected", after_s=HOUR)

    assert (row["status"], row["decision_due"], row["decided_by"]) == ("rejected", None, "ben.reed")
    assert row["decided_at"] == START - DAY + HOUR
    assert built.rows["approvalflow"]["audit"][-1]["action"] == "rejected"


def test_a_purchase_of_the_past_is_committed_in_the_budget_that_paid() -> None:
    built, ada, _ = staffed()
    budget = let_pay(built, add_budget(built, "CC-1", "Tools", ada, 1000.0, committed=0.0))

    purchase = order_in_the_past(built, budget, ada, "Lamp", 2, 61.0, age_s=3 * DAY)

    [commitment], [share] = (
        built.rows["datahub"]["commitments"],
        built.rows["approvalflow"]["purchase_shares"],
    )
    [placed] = built.rows["approvalflow"]["purchase_orders"]
    assert (commitment["id"], commitment["budget_id"], commitment["amount"]) == (
        share["id"],
        budget["id"],
        61.0,
    )
    assert (purchase["order_id"], purchase["status"]) == (placed["id"], "ordered")
    assert purchase["requested_at"] < placed["at"] == commitment["at"] == START - 3 * DAY
