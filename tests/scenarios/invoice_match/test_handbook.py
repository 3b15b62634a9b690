"""The documents of a week against the agent's reading of them: what is written comes back, and nothing else."""

import pytest

from companyos.company import Row
from companyos.company.areas.payables import Article
from companyos.sdk.asking import Asker, Play
from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.invoice_match import reading
from scenarios.invoice_match.documents import add_amendment, withdraw_amendment, write_documents
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.reading import Amendment, Rules
from scenarios.invoice_match.terms import Version
from tests.scenarios.stack import Stack

from .piles import EXCESS, SPARING, empty_pile, rows

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


def chapters(pile: Pile) -> dict[str, Row]:
    """Return the editions of the handbook's chapter by status."""
    return {one["status"]: one for one in rows(pile, "documents") if one["kind"] == "handbook"}


def notices(pile: Pile) -> list[Row]:
    """Return the notices, newest first."""
    every = [one for one in rows(pile, "documents") if one["kind"] == "notice"]
    return sorted(every, key=lambda one: int(one["written_at"]), reverse=True)


@pytest.mark.parametrize("name", VERSIONS)
def test_the_rules_and_the_stop_are_read_as_they_were_written(stack: Stack, name: str) -> None:
    version = VERSIONS[name]
    pile, notice = written(version, stopped=version.claims_missing)

    def read_handbook(me: Asker) -> Play[tuple[Rules, str | None]]:
        rules = yield from reading.read_rules(me)
        return rules, (yield from reading.read_stop(me))

    rules, stop = stack.find_out(pile.company, pile.people.me, read_handbook)

    assert (rules.percent, rules.cap, rules.spared) == (version.percent, version.cap, version.spared)
    assert (rules.claims_missing, rules.takes_discount) == (version.claims_missing, version.takes_discount)
    assert rules.stopped_code == "payment_stop"
    assert stop == (notice["id"] if version.claims_missing else None)


def test_every_edition_says_that_the_cost_of_a_line_is_rounded_once() -> None:
    editions = chapters(written()[0])

    assert len(editions) == 3
    assert all("rounded to the cent once, for the whole line" in one["body"] for one in editions.values())


def test_an_edition_supersedes_the_one_that_was_written_before_it() -> None:
    editions = chapters(written()[0])

    old, now, draft = (editions[status] for status in ("superseded", "in_force", "draft"))
    assert [old["supersedes"], now["supersedes"], draft["supersedes"]] == [None, old["id"], now["id"]]
    assert old["written_at"] < now["written_at"] < draft["written_at"]


def test_the_chapter_names_every_reason_code_that_an_invoice_may_need() -> None:
    body = chapters(written()[0])["in_force"]["body"]

    codes = ("no_order", "wrong_currency", "duplicate", "order_closed", "bank_unconfirmed", "goods_missing")
    assert [
        one
        for one in (*codes, "short_delivery", "price_difference", "already_paid")
        if f"({one})" not in body
    ] == []


def test_the_notice_that_decides_is_the_newest_and_names_the_day_on_which_the_stop_began() -> None:
    pile, notice = written()
    [began] = [one for one in notices(pile) if "there is a payment stop" in one["body"]]

    assert notices(pile)[0] == notice
    assert to_iso(began["written_at"])[:10] in notice["body"]


def test_the_notices_of_a_pair_differ_in_nothing_but_what_the_newest_says() -> None:
    one, other = (notices(written(stopped=stopped)[0]) for stopped in (True, False))

    assert one[1:] == other[1:]
    assert {name for name in one[0] if one[0][name] != other[0][name]} == {"body"}


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


def test_an_amendment_and_its_withdrawal_are_read_as_they_were_written(stack: Stack) -> None:
    """Those of a supplier with a longer name are not read."""
    pile = empty_pile()
    company, people, supplier = pile.company, pile.people, pile.supplier()
    longer = {**pile.supplier(), "name": f"Greater {supplier['name']}"}
    add_amendment(company, people, supplier, [BOLTS, GREASE], from_age_s=20 * DAY, signed=True)
    withdraw_amendment(company, people, supplier, BOLTS, from_age_s=14 * DAY, signed=True)
    add_amendment(company, people, longer, [BOLTS], from_age_s=DAY, signed=True)

    read = stack.find_out(company, people.me, lambda me: reading.read_amendments(me, supplier["name"]))

    prices = {one.since: one.prices for one in read}
    assert prices == {
        (company.start - 20 * DAY) // DAY * DAY: {BOLTS.text: (19.25, 100), GREASE.text: (8.6, 1)},
        (company.start - 14 * DAY) // DAY * DAY: {BOLTS.text: None},
    }


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
