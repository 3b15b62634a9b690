"""The documents of a week against the agent's reading of them: what is written comes back, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from companyos.company import Row
from companyos.company.areas.payables import Article
from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.invoice_match import reading
from scenarios.invoice_match.documents import add_amendment, withdraw_amendment, write_documents
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.reading import Amendment, Rules
from scenarios.invoice_match.terms import Version

from ..replies import told
from .piles import BEFORE, DRAFT, EXCESS, SPARING, empty_pile, rows
from .weeks import asker

BOLTS = Article(1, "Hex bolts M8 x 40", 400, "piece", 19.25, 100)
GREASE = Article(2, "Gear oil", 30, "liter", 8.6, 1)
VERSIONS = {
    "sparing": SPARING,
    "excess": EXCESS,
    "sparing, held": Version(2.7, 44.0, 0.5, claims_missing=False),
    "excess, claimed": Version(1.4, 22.0, None, claims_missing=True),
}


def written(now: Version = SPARING, *, stopped: bool = False) -> tuple[Pile, Row]:
    """Return a pile whose handbook and notices are written, and the notice about the payment stop."""
    pile = empty_pile(now=now, stopped=stopped)
    return pile, write_documents(pile.company, pile.people, pile.terms)


def shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as the service shows it."""
    since = row["effective_from"]
    return {
        **row,
        "written_at": to_iso(row["written_at"]),
        "effective_from": None if since is None else to_iso(since),
    }


def found(*documents: Mapping[str, Any]) -> dict[str, Any]:
    return {"items": [shown(one) for one in documents]}


def chapters(pile: Pile) -> dict[str, Row]:
    """Return the editions of the handbook's chapter by status."""
    return {one["status"]: one for one in rows(pile, "documents") if one["kind"] == "handbook"}


def notices(pile: Pile) -> list[Row]:
    """Return the notices, newest first."""
    every = [one for one in rows(pile, "documents") if one["kind"] == "notice"]
    return sorted(every, key=lambda one: int(one["written_at"]), reverse=True)


def read_rules(chapter: Mapping[str, Any]) -> Rules:
    return told(reading.read_rules(asker()), found(chapter), shown(chapter))[0]


def read_stop(documents: Sequence[Mapping[str, Any]]) -> str | None:
    return told(reading.read_stop(asker()), found(*documents), *map(shown, documents))[0]


def read_amendments(supplier: str, *documents: Mapping[str, Any]) -> list[Amendment]:
    return told(
        reading.read_amendments(asker(), supplier), found(*documents), *(shown(one) for one in documents)
    )[0]


@pytest.mark.parametrize("name", VERSIONS)
def test_the_rules_that_the_handbook_states_are_the_rules_that_an_agent_reads(name: str) -> None:
    version = VERSIONS[name]
    pile, _ = written(version)

    read = read_rules(chapters(pile)["in_force"])

    assert (read.percent, read.cap, read.spared, read.claims_missing) == (
        version.percent,
        version.cap,
        version.spared,
        version.claims_missing,
    )
    assert read.stopped_code == "payment_stop"


def test_every_edition_says_that_the_cost_of_a_line_is_rounded_once() -> None:
    editions = chapters(written()[0])

    assert len(editions) == 3
    assert all("rounded to the cent once, for the whole line" in one["body"] for one in editions.values())


@pytest.mark.parametrize("takes", [True, False])
def test_an_agent_reads_whether_a_transfer_takes_the_cash_discount(takes: bool) -> None:
    pile, _ = written(replace(SPARING, takes_discount=takes))

    assert read_rules(chapters(pile)["in_force"]).takes_discount == takes


@pytest.mark.parametrize(("status", "version"), [("superseded", BEFORE), ("draft", DRAFT)])
def test_the_other_editions_state_their_own_rules(status: str, version: Version) -> None:
    pile, _ = written()

    read = read_rules(chapters(pile)[status])

    assert (read.percent, read.cap, read.spared) == (version.percent, version.cap, version.spared)


def test_an_edition_supersedes_the_one_that_was_written_before_it() -> None:
    editions = chapters(written()[0])

    old, now, draft = (editions[status] for status in ("superseded", "in_force", "draft"))
    assert [old["supersedes"], now["supersedes"], draft["supersedes"]] == [None, old["id"], now["id"]]
    assert old["written_at"] < now["written_at"] < draft["written_at"]


def test_only_the_edition_in_force_is_searched_for() -> None:
    pile, _ = written()
    chapter = chapters(pile)["in_force"]

    _, [search, _] = told(reading.read_rules(asker()), found(chapter), shown(chapter))

    assert search["arguments"]["status"] == "in_force"
    assert search["arguments"]["kind"] == "handbook"


def test_another_chapter_in_force_is_passed_over() -> None:
    pile, _ = written()
    chapter = chapters(pile)["in_force"]
    other = {**chapter, "id": "DOC-0000", "title": "Matching supplier invoices abroad", "written_at": 10**8}

    _, [_, get] = told(reading.read_rules(asker()), found(other, chapter), shown(chapter))

    assert get["arguments"] == {"document_id": chapter["id"]}


def test_a_text_that_names_no_percentage_is_no_chapter_about_matching() -> None:
    pile, _ = written()
    chapter = chapters(pile)["in_force"]
    poorer = {**chapter, "body": chapter["body"].replace("percent more", "percent less")}

    with pytest.raises(LookupError, match="percent more"):
        read_rules(poorer)


def test_the_chapter_names_every_reason_code_that_an_invoice_may_need() -> None:
    body = chapters(written()[0])["in_force"]["body"]

    codes = ("no_order", "wrong_currency", "duplicate", "order_closed", "bank_unconfirmed", "goods_missing")
    assert [
        one
        for one in (*codes, "short_delivery", "price_difference", "already_paid")
        if f"({one})" not in body
    ] == []


@pytest.mark.parametrize("stopped", [True, False], ids=["lasts", "is over"])
def test_an_agent_stops_exactly_if_the_newest_notice_says_that_the_stop_lasts(stopped: bool) -> None:
    pile, notice = written(stopped=stopped)

    assert read_stop(notices(pile)) == (notice["id"] if stopped else None)


def test_the_notice_that_decides_is_the_newest_and_names_the_day_on_which_the_stop_began() -> None:
    pile, notice = written()
    [began] = [one for one in notices(pile) if "there is a payment stop" in one["body"]]

    assert notices(pile)[0] == notice
    assert to_iso(began["written_at"])[:10] in notice["body"]


def test_the_notices_of_a_pair_differ_in_nothing_but_what_the_newest_says() -> None:
    one, other = (notices(written(stopped=stopped)[0]) for stopped in (True, False))

    assert one[1:] == other[1:]
    assert {name for name in one[0] if one[0][name] != other[0][name]} == {"body"}


def test_a_stop_that_began_lasts_while_nobody_says_that_it_is_over() -> None:
    pile, _ = written()
    began = [one for one in notices(pile) if "From today on" in one["body"]]

    assert read_stop(began) == began[0]["id"]


def test_a_newer_notice_about_something_else_says_nothing_about_the_stop() -> None:
    pile, notice = written(stopped=True)
    [began] = [one for one in notices(pile) if "From today on" in one["body"]]
    newer = {**notice, "id": "DOC-9999", "body": "The archive is closed.", "written_at": 10**9}

    assert read_stop([newer, notice, began]) == notice["id"]
    assert read_stop([newer]) is None


def test_the_newest_notice_counts_in_whatever_order_the_search_lists_them() -> None:
    pile, notice = written(stopped=False)
    [began] = [one for one in notices(pile) if "From today on" in one["body"]]

    assert told(reading.read_stop(asker()), found(began, notice), shown(notice))[0] is None


def test_an_amendment_is_read_as_it_was_written() -> None:
    pile = empty_pile()
    supplier = pile.supplier()

    row = add_amendment(
        pile.company, pile.people, supplier, [BOLTS, GREASE], from_age_s=20 * DAY, signed=True
    )

    [read] = read_amendments(supplier["name"], row)
    assert read.prices == {BOLTS.text: (19.25, 100), GREASE.text: (8.6, 1)}
    assert read.since == (pile.company.start - 20 * DAY) // DAY * DAY


def test_a_withdrawal_is_read_as_the_price_of_the_order_again() -> None:
    pile = empty_pile()
    supplier = pile.supplier()

    row = withdraw_amendment(pile.company, pile.people, supplier, BOLTS, from_age_s=14 * DAY, signed=True)

    [read] = read_amendments(supplier["name"], row)
    assert read.prices == {BOLTS.text: None}


@pytest.mark.parametrize("from_days", [3, 14, 25])
def test_an_amendment_is_written_before_the_day_from_which_it_applies(from_days: int) -> None:
    pile = empty_pile()
    supplier = pile.supplier()

    one = add_amendment(pile.company, pile.people, supplier, [BOLTS], from_age_s=from_days * DAY, signed=True)
    other = withdraw_amendment(
        pile.company, pile.people, supplier, BOLTS, from_age_s=from_days * DAY, signed=True
    )

    for row in (one, other):
        assert row["written_at"] < row["effective_from"] <= pile.company.start
        assert to_iso(row["effective_from"])[:10] in row["body"]
        assert row["effective_from"] % DAY == 0


@pytest.mark.parametrize(
    ("signed", "status", "words"),
    [(True, "in_force", "Signed for Purchasing: "), (False, "draft", "Not signed yet.")],
    ids=["signed", "unsigned"],
)
def test_only_a_signature_puts_an_amendment_and_its_withdrawal_in_force(
    signed: bool, status: str, words: str
) -> None:
    pile = empty_pile()
    supplier = pile.supplier()

    one = add_amendment(pile.company, pile.people, supplier, [BOLTS], from_age_s=DAY, signed=signed)
    other = withdraw_amendment(pile.company, pile.people, supplier, BOLTS, from_age_s=DAY, signed=signed)

    for row in (one, other):
        assert row["status"] == status
        assert words in row["body"]
        assert (pile.people.buyer.name in row["body"]) == signed


def test_the_amendments_of_a_supplier_with_a_longer_name_are_not_read() -> None:
    pile = empty_pile()
    supplier, other = pile.supplier(), pile.supplier()
    longer = {**other, "name": f"Greater {supplier['name']}"}

    row = add_amendment(pile.company, pile.people, longer, [BOLTS], from_age_s=DAY, signed=True)

    assert read_amendments(supplier["name"], row) == []
    assert len(read_amendments(longer["name"], row)) == 1


def test_an_amendment_without_a_day_applies_from_when_it_was_written() -> None:
    pile = empty_pile()
    supplier = pile.supplier()
    row = add_amendment(pile.company, pile.people, supplier, [BOLTS], from_age_s=DAY, signed=True)

    [read] = read_amendments(supplier["name"], {**row, "effective_from": None})

    assert read.since == row["written_at"]


@pytest.mark.parametrize(
    "prose",
    [
        "We may raise Hex bolts M8 x 40 to 19.25 EUR for 100 of them.",
        "Hex bolts M8 x 40 cost 19.25 EUR for 100 pieces.",
        "Hex bolts M8 x 40: 19.25 USD for 100 pieces.",
        "Hex bolts M8 x 40: as agreed",
    ],
)
def test_prose_about_prices_is_no_price(prose: str) -> None:
    pile = empty_pile()
    supplier = pile.supplier()
    row = add_amendment(pile.company, pile.people, supplier, [BOLTS], from_age_s=DAY, signed=True)

    [read] = read_amendments(supplier["name"], {**row, "body": prose})

    assert read.prices == {}


NEW = Amendment(1000, {"Gear oil": (9.0, 1), "Cable ties": (8.0, 100)})
WITHDRAWN = Amendment(2000, {"Gear oil": None})
NEWER = Amendment(3000, {"Gear oil": (9.5, 1)})


@pytest.mark.parametrize(
    ("booked_at", "price"),
    [
        (999, None),
        (1000, (9.0, 1)),
        (1999, (9.0, 1)),
        (2000, None),
        (2999, None),
        (3000, (9.5, 1)),
        (9000, (9.5, 1)),
    ],
)
def test_goods_have_the_price_in_force_when_they_were_booked(
    booked_at: int, price: tuple[float, int] | None
) -> None:
    known = [NEWER, NEW, WITHDRAWN]

    assert reading.price_at(known, "Gear oil", booked_at) == price


def test_a_withdrawal_of_one_article_leaves_the_price_of_the_others() -> None:
    assert reading.price_at([NEW, WITHDRAWN], "Cable ties", 5000) == (8.0, 100)
    assert reading.price_at([NEW, WITHDRAWN], "Hex bolts", 5000) is None
    assert reading.price_at([], "Gear oil", 5000) is None


def test_the_notice_about_the_stop_came_this_morning_and_the_others_days_ago() -> None:
    pile, notice = written()

    ages = [pile.company.start - one["written_at"] for one in notices(pile)]
    assert notice["written_at"] == pile.company.start - 2 * HOUR
    assert all(age >= 2 * DAY for age in ages[1:])
