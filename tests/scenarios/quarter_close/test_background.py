"""The books of other entities around a close, and the tickets about closes and variances."""

from functools import cache

import pytest

from companyos.company import Company, Row
from companyos.sdk.simtime import DAY
from scenarios.quarter_close.books import ENTITY, last_quarter
from scenarios.quarter_close.pack import books_of_others, past_variance
from scenarios.quarter_close.words import ENTITIES

from .closes import empty_company

EVERY_ENTITY = sum(len(pair) for pair in ENTITIES)
SEEDS = range(0, 24, 2)


@cache
def around(seed: int, count: int = 1) -> Company:
    """Return a company with the books of so many other entities; nobody may change it."""
    company, cast = empty_company(seed)
    for number in range(count):
        books_of_others(company, cast, number)
    return company


def rows(company: Company, table: str, service: str = "datahub") -> list[Row]:
    return list(company.rows[service][table])


def tickets(company: Company, kind: str) -> list[Row]:
    return [one for one in rows(company, "tickets", "ticketdesk") if one["kind"] == kind]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_books_of_another_entity_are_its_last_two_quarters_with_tickets_that_fit(seed: int) -> None:
    company = around(seed)
    earlier, last = sorted(rows(company, "periods"), key=lambda one: int(one["starts_at"]))
    lines = rows(company, "period_lines")
    [close], [variance] = tickets(company, "period_close"), tickets(company, "variance")

    assert earlier["ends_at"] == last["starts_at"]
    assert last["ends_at"] < company.start
    assert earlier["status"] == "locked"
    assert {one["period_id"] for one in lines} == {last["id"]}
    assert all((one["locked_value"] is not None) == (last["status"] == "locked") for one in lines)
    assert (close["status"] == "closed") == (last["status"] == "locked")
    assert (close["subject"], last["name"] in close["title"]) == (last["entity"], True)
    assert (variance["status"] == "new") == (last["status"] == "open")
    assert variance["subject"] in {one["metric_id"] for one in lines}


@pytest.mark.parametrize("seed", SEEDS)
def test_books_of_others_are_current_and_close_to_their_references(seed: int) -> None:
    company = around(seed)
    metrics = {one["id"]: one for one in rows(company, "metrics")}

    for line in rows(company, "period_lines"):
        metric = metrics[line["metric_id"]]
        assert abs(metric["value"] - line["reference"]) <= 0.0031 * metric["value"]
        assert company.start - metric["as_of"] < DAY
        assert all(metrics[one]["as_of"] < metric["as_of"] for one in metric["upstream"])


def test_other_quarters_are_open_locked_and_reopened() -> None:
    assert {rows(around(seed), "periods")[-1]["status"] for seed in SEEDS} == {"open", "locked", "reopened"}


def test_entities_have_one_book_and_then_settled_variances_follow() -> None:
    company = around(0, EVERY_ENTITY + 3)
    names = [one["name"] for one in rows(company, "records") if one["kind"] == ENTITY]

    assert len(names) == len({*names}) == EVERY_ENTITY
    assert [one["status"] for one in tickets(company, "variance")[EVERY_ENTITY:]] == ["closed"] * 3


def test_there_is_no_past_variance_before_there_is_a_line() -> None:
    company, cast = empty_company()

    past_variance(company, cast, 0)

    assert tickets(company, "variance") == []


def test_the_last_quarter_is_one_that_has_ended() -> None:
    company = around(0)
    last = rows(company, "periods")[-1]

    assert last_quarter(last["ends_at"] + 1) == last_quarter(company.start)
    assert last_quarter(last["ends_at"]) == last_quarter(company.start) - 1
