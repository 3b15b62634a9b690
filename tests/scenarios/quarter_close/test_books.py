"""The books of an entity: its periods, and metrics that come to their final values once all is refreshed."""

from math import fsum

import pytest

from companyos.company import Company, Person
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso
from scenarios.quarter_close.books import (
    Books,
    Feed,
    Line,
    ids_for,
    last_quarter,
    new_entity,
    new_period,
    other_lines,
    owners_of,
    write_lines,
)
from scenarios.quarter_close.words import LINES, QUARTERS

from .closes import PAIRS, empty_company, written

OWNER = Person("olga.owner", "Olga Owner", "group_accountant", "Group accounting")
ALPHA = Line("trade_receivables", "balance", (), 1000.0, 900.0, 40.0, 5 * DAY)
BETA = Line("freight_cost", "result", ("trade_receivables", "eur_usd_rate"), 2000.0, 1900.0, -90.0, 0, 2)
RATE = Feed("eur_usd_rate", "USD", 1.1, 1.2, 6 * DAY)
IDS = {"trade_receivables": "MET-0001", "freight_cost": "MET-0002", "eur_usd_rate": "MET-0003"}


def kept(status: str = "open") -> tuple[Company, Books]:
    """Return a company with the books of two lines and a rate in a period with this status."""
    company, _ = empty_company()
    entity = new_entity(company, "Norrland Tools", "major", company.numbers.reserve)
    books = Books(
        entity, new_period(company, entity, 2, company.numbers.reserve, status=status, locked_by=OWNER)
    )
    write_lines(company, books, (ALPHA, BETA), (RATE,), IDS, dict.fromkeys(IDS, OWNER))
    return company, books


@pytest.mark.parametrize("number", range(len(QUARTERS) - 1))
def test_the_last_quarter_is_over_one_second_after_its_end(number: int) -> None:
    ends = from_iso(QUARTERS[number][2])

    assert last_quarter(ends + 1) == number
    assert number == 0 or last_quarter(ends) == number - 1


def test_quarters_follow_each_other_without_a_gap() -> None:
    assert [one[2] for one in QUARTERS[:-1]] == [one[1] for one in QUARTERS[1:]]


@pytest.mark.parametrize(
    ("status", "was_locked"), [("open", False), ("locked", True), ("reopened", True)], ids=str
)
def test_a_period_names_who_locked_it_unless_it_was_never_locked(status: str, was_locked: bool) -> None:
    _, books = kept(status)

    assert (books.period["locked_by"] == OWNER.id) == was_locked
    assert (books.period["locked_at"] is not None) == was_locked
    assert books.period["version"] == (2 if was_locked else 1)


def test_a_period_was_locked_twelve_days_after_its_end_but_before_the_start() -> None:
    company, books = kept("locked")
    earlier = new_period(company, books.entity, 0, company.numbers.reserve, status="locked", locked_by=OWNER)

    assert earlier["locked_at"] == earlier["ends_at"] + 12 * DAY
    assert books.period["locked_at"] == company.start - 2 * DAY


@pytest.mark.parametrize("status", ["open", "reopened", "locked"])
def test_only_a_locked_period_keeps_the_values_of_its_lines(status: str) -> None:
    company, _ = kept(status)

    values = [one["locked_value"] for one in company.rows["datahub"]["period_lines"]]

    assert values == ([ALPHA.shown, BETA.shown] if status == "locked" else [None, None])


def test_a_line_is_reconciled_with_its_final_value_less_its_variance() -> None:
    company, _ = kept()

    assert [one["reference"] for one in company.rows["datahub"]["period_lines"]] == [960.0, 2090.0]


def test_a_rate_has_a_metric_but_is_no_line() -> None:
    company, books = kept()

    listed = [one["metric_id"] for one in company.rows["datahub"]["period_lines"]]
    assert listed == ["MET-0001", "MET-0002"]
    assert books.metrics["eur_usd_rate"]["value"] == RATE.shown
    assert company.source("MET-0003")["values"] == [RATE.final]


def test_a_line_names_its_sources_upstream_and_its_failures_first() -> None:
    company, books = kept()

    assert books.metrics["freight_cost"]["upstream"] == ["MET-0001", "MET-0003"]
    assert company.source("MET-0002")["failures"] == [0, 1]
    assert company.source("MET-0001")["failures"] == []


def recomputed(company: Company, metric_id: str, above: dict[str, float]) -> float:
    """Return what a refresh of a metric comes to if its sources have these values."""
    source = company.source(metric_id)
    return float(
        round(
            fsum([source["values"][0], *(share * above[one] for one, share in source["weights"].items())]), 2
        )
    )


def test_a_refresh_after_its_sources_gives_the_final_value() -> None:
    company, _ = kept()

    assert recomputed(company, "MET-0002", {"MET-0001": ALPHA.final, "MET-0003": RATE.final}) == BETA.final
    assert recomputed(company, "MET-0001", {}) == ALPHA.final


@pytest.mark.parametrize("stale", ["MET-0001", "MET-0003"])
def test_a_refresh_before_one_of_its_sources_gives_another_value(stale: str) -> None:
    company, _ = kept()
    above = {"MET-0001": ALPHA.final, "MET-0003": RATE.final}
    shown = {"MET-0001": ALPHA.shown, "MET-0003": RATE.shown}

    assert recomputed(company, "MET-0002", {**above, stale: shown[stale]}) != BETA.final


def test_every_line_of_a_drawn_close_comes_to_its_final_value_after_its_sources() -> None:
    for seed in PAIRS:
        close = written(seed)
        finals = {
            **close.facts.finals,
            **{close.facts.metric(one.name): one.final for one in close.facts.feeds},
        }
        for line in close.facts.lines:
            metric_id = close.facts.metric(line.name)
            assert recomputed(close.company, metric_id, dict(finals)) == line.final


def test_every_line_of_a_drawn_close_comes_to_another_value_before_one_of_its_needed_sources() -> None:
    for seed in PAIRS:
        facts, company = written(seed).facts, written(seed).company
        finals = {**facts.finals, **{facts.metric(one.name): one.final for one in facts.feeds}}
        shown = {facts.metric(one.name): one.shown for one in facts.lines}
        shown |= {facts.metric(one.name): one.shown for one in facts.feeds}
        for name, above in facts.parents.items():
            for source in {*above} & {*facts.needed}:
                early = {**finals, facts.metric(source): shown[facts.metric(source)]}
                assert recomputed(company, facts.metric(name), early) != finals[facts.metric(name)]


@pytest.mark.parametrize("seed", range(12))
def test_background_books_are_current_and_close_to_their_references(seed: int) -> None:
    lines = other_lines(Draws("companyos-public", "other", seed), LINES[:6], "key")

    ages = [one.age_s for one in lines]
    assert all(one.shown == one.final for one in lines)
    assert all(abs(one.variance) <= 0.0031 * one.final for one in lines)
    assert ages == sorted(ages, reverse=True)
    assert max(ages) < DAY


@pytest.mark.parametrize("seed", range(12))
def test_a_line_of_background_books_is_computed_from_earlier_ones_alone(seed: int) -> None:
    lines = other_lines(Draws("companyos-public", "other", seed), LINES[:6], "key")

    for number, line in enumerate(lines):
        assert {*line.parents} <= {one.name for one in lines[:number]}
        assert len(line.parents) <= 2


def test_every_line_has_an_owner_of_the_company() -> None:
    company, _ = empty_company()
    lines = other_lines(company.draws, LINES[:6], "key")

    owners = owners_of(company, lines, "key")

    assert owners.keys() == {one.name for one in lines}
    assert {*owners.values()} <= {*company.people}


def test_ids_are_given_in_the_order_of_names() -> None:
    company, _ = empty_company()

    assert [*ids_for(["one", "two", "three"], company.numbers.next).values()] == [
        "MET-0101",
        "MET-0102",
        "MET-0103",
    ]


@pytest.mark.parametrize("size_class", ["major", "minor"])
def test_the_record_of_an_entity_names_its_class(size_class: str) -> None:
    company, _ = empty_company()

    record = new_entity(company, "Halden Paper", size_class, company.numbers.reserve)

    assert (record["kind"], record["name"]) == ("legal_entity", "Halden Paper")
    assert record["fields"]["size_class"] == size_class
