"""Reading the documents of the desk: what the writer writes is what an agent finds in the library."""

import pytest

from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import reading, words
from scenarios.approver_desk.documents import add_quote, write_documents
from scenarios.approver_desk.reading import Cover, Rules
from scenarios.approver_desk.terms import ENDED, IN_FORCE_S, Terms, draw_terms
from tests.scenarios.stack import Stack

from .piles import APART, hired, new_company


def read_versions(stack: Stack, seed: int) -> tuple[list[Rules], Terms, int]:
    """Return all versions of the rules that an agent reads, newest first, the drawn terms, and the start."""
    company = new_company(seed)
    _, people = hired(company)
    terms = draw_terms(company, apart=APART, ended=False)
    write_documents(company, people, terms)
    read = stack.find_out(company, people.me, reading.read_rules)
    return read, terms, company.start


@pytest.mark.parametrize("seed", range(3))
def test_all_versions_that_were_ever_in_force_are_read_newest_first_as_they_were_drawn(
    stack: Stack, seed: int
) -> None:
    (now, before, first), terms, start = read_versions(stack, seed)

    assert now.since == start - IN_FORCE_S
    assert (now.quotes_from, now.window_days) == (terms.now.quotes_from, terms.window_days)
    assert (now.setup_hours, now.ended_code) == (terms.setup_hours, ENDED)
    assert before.quotes_from == terms.before.quotes_from
    assert start - 30 * DAY > before.since > first.since
    assert (before.setup_hours, first.setup_hours) == (None, None)
    for read, drawn in ((now, terms.now), (before, terms.before)):
        things = (*words.EXCLUDED, *words.THINGS)
        assert {thing for thing in things if reading.is_excluded(thing, read.excluded)} == set(drawn.excluded)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("ended", [True, False])
def test_the_cover_and_its_end_are_read_as_they_were_drawn(stack: Stack, seed: int, *, ended: bool) -> None:
    company = new_company(seed)
    _, people = hired(company)
    terms = draw_terms(company, apart=APART, ended=ended)
    _, counts = write_documents(company, people, terms)

    cover = stack.find_out(company, people.me, lambda me: reading.read_cover(me, people.head.id))
    ending = stack.find_out(company, people.me, lambda me: reading.read_ending(me, people.head.name))

    assert cover == Cover(limits=terms.limits, second=people.second.id, apart=APART, keeper=people.keeper.id)
    assert ending == (counts["id"] if ended else None)


def test_the_end_of_the_second_heads_cover_was_written_too(stack: Stack) -> None:
    company = new_company(0)
    _, people = hired(company)
    _, counts = write_documents(company, people, draw_terms(company, apart=APART, ended=False))

    found = stack.find_out(company, people.me, lambda me: reading.read_ending(me, people.second.name))

    assert found is not None
    assert found != counts["id"]
    assert company.row("datahub", "documents", found)["written_at"] == company.start - 7 * DAY


def test_the_supplier_of_a_quote_is_read_as_it_was_written() -> None:
    company = new_company(0)
    _, people = hired(company)

    for supplier in words.SUPPLIERS:
        quote_id = add_quote(company, supplier, "Hand scanner", 1234.0, people.boss, HOUR)
        assert reading.supplier_of(company.row("datahub", "documents", quote_id)) == supplier


@pytest.mark.parametrize(
    ("thing", "is_excluded"),
    [
        ("Gift card", True),
        ("gift cards", True),
        ("Gift card, 50 EUR", True),
        ("Card for a gift", False),
        ("A gift card", False),
        ("Gift", False),
    ],
)
def test_a_thing_is_excluded_by_how_it_begins(thing: str, *, is_excluded: bool) -> None:
    assert reading.is_excluded(thing, ("mobile phones", "gift cards")) is is_excluded


def test_empty_exclusion_list_excludes_nothing() -> None:
    assert not any(reading.is_excluded(thing, ()) for thing in words.EXCLUDED)
