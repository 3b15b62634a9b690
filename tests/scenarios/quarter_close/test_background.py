"""The books of other entities around a close, and the tickets about closes and variances."""

from functools import cache

import pytest

from companyos.company import Company, Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.quarter_close.books import ENTITY
from scenarios.quarter_close.pack import (
    books_of_others,
    open_close_ticket,
    open_variance_ticket,
    past_variance,
)
from scenarios.quarter_close.words import ENDS, ENTITIES

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


def metric() -> tuple[Company, Row]:
    company, _ = empty_company()
    return company, company.add_metric("scrap_cost", None, 5.0, "EUR", age_s=HOUR, ttl_s=DAY)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_books_of_another_entity_are_its_last_two_quarters_of_which_the_later_has_lines(
    seed: int,
) -> None:
    company = around(seed)
    earlier, last = sorted(rows(company, "periods"), key=lambda one: int(one["starts_at"]))

    assert earlier["ends_at"] == last["starts_at"]
    assert last["ends_at"] < company.start
    assert earlier["status"] == "locked"
    assert {one["period_id"] for one in rows(company, "period_lines")} == {last["id"]}
    assert 3 <= len(rows(company, "period_lines")) <= 6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ticket_about_a_close_is_done_exactly_if_its_quarter_is_locked(seed: int) -> None:
    company = around(seed)
    [ticket], last = tickets(company, "period_close"), rows(company, "periods")[-1]

    assert (ticket["status"] == "closed") == (last["status"] == "locked")
    assert last["name"] in ticket["title"]
    assert ticket["subject"] == last["entity"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_variance_is_open_exactly_if_the_quarter_is(seed: int) -> None:
    company = around(seed)
    [ticket], last = tickets(company, "variance"), rows(company, "periods")[-1]

    assert (ticket["status"] == "new") == (last["status"] == "open")
    assert ticket["subject"] in {one["metric_id"] for one in rows(company, "period_lines")}


def test_other_quarters_are_open_locked_and_reopened() -> None:
    assert {rows(around(seed), "periods")[-1]["status"] for seed in SEEDS} == {"open", "locked", "reopened"}


def test_entities_have_one_book_and_then_past_variances_follow() -> None:
    company = around(0, EVERY_ENTITY + 3)
    names = [one["name"] for one in rows(company, "records") if one["kind"] == ENTITY]

    assert len(names) == len({*names}) == EVERY_ENTITY
    assert len(tickets(company, "variance")) == EVERY_ENTITY + 3


def test_there_is_no_past_variance_before_there_is_a_line() -> None:
    company, cast = empty_company()

    past_variance(company, cast, 0)

    assert tickets(company, "variance") == []


def test_a_past_variance_is_settled() -> None:
    company, cast = empty_company()
    books_of_others(company, cast, 0)
    before = {one["id"] for one in tickets(company, "variance")}

    past_variance(company, cast, 1)

    [ticket] = [one for one in tickets(company, "variance") if one["id"] not in before]
    assert ticket["status"] == "closed"
    assert ticket["resolution"] in ENDS


def test_an_open_variance_was_found_this_morning_and_nobody_has_it() -> None:
    company, about = metric()

    ticket = open_variance_ticket(company, about, "TD-1500", is_open=True)

    assert (ticket["status"], ticket["assignee"], ticket["resolution"]) == ("new", None, None)
    assert ticket["created_at"] == company.start - 3 * HOUR
    assert ticket["subject"] == about["id"]


def test_a_settled_variance_has_an_assignee_and_an_end() -> None:
    company, about = metric()

    ticket = open_variance_ticket(company, about, "TD-1500", is_open=False)

    assert ticket["status"] == "closed"
    assert ticket["assignee"] in {one.id for one in company.people}
    assert ticket["resolution"] in ENDS
    assert "scrap cost" in ticket["title"]


def test_the_ticket_of_a_close_names_quarter_and_entity_and_its_cost_centre() -> None:
    company, _ = empty_company()
    fields = {"cost_centre": "CC-7"}

    ticket = open_close_ticket(
        company, {"id": "LE-1", "name": "Halden Paper", "fields": fields}, "Q2 2031", "TD-1500"
    )

    assert ticket["title"] == "Close Q2 2031 of Halden Paper"
    assert (ticket["subject"], ticket["cost_centre"], ticket["status"]) == ("LE-1", "CC-7", "new")
