"""The case in every pile of a transfer that paid several invoices of a supplier without saying which."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from companyos.sdk.company import Row
from companyos.sdk.company.areas.payables import Article
from companyos.sdk.simtime import DAY, HOUR, to_date

from . import words
from .pack import TEAM
from .pile import HOLD_PAID, InvoiceCase, Pile
from .transfer_sums import Subset, after_discount, first_fit, has_half_cent, isolated_subsets

#: How many invoices of the supplier wait, how many of them are paid, and how far every other sum is, in cents.
_INVOICES, _PAID, _MARGIN = (11, 13), range(4, 8), 100
#: The range of what one of the two lines of an invoice costs, in EUR.
_WORTH: Final = (330, 670)
#: How much older or newer than the last day of the discount an invoice is at least, in days.
_CLEAR_DAYS: Final = 2


@dataclass(frozen=True)
class _Bill:
    """An invoice of the supplier; `counts` is the amount in cents with which it counts towards the transfer."""

    lines: Sequence[Article]
    age_s: int
    counts: int


def add_transfer(pile: Pile) -> None:
    """Add the invoices of one supplier, each as it should be, and the mail about a transfer that paid some of them."""
    case = pile.case("transfer")
    transfer_age_s = case.draws.integer("age", 30, 70) * HOUR
    bills, paid = _draw_bills(case, transfer_age_s)
    columns = zip(*(bill.lines for bill in bills), strict=True)
    order = case.order([one[0]._replace(quantity=sum(line.quantity for line in one)) for one in columns])
    mail = _write_mail(case, sum(bills[number].counts for number in paid), transfer_age_s)
    for number, bill in enumerate(bills):
        part = case.part(number)
        note = part.note()
        part.receive(order, bill.lines, note, age_s=bill.age_s + DAY)
        right = HOLD_PAID if number in paid else case.in_full
        part.bill(bill.lines, right, order=order, note=note, age_s=bill.age_s, papers=[mail])


def _draw_bills(case: InvoiceCase, transfer_age_s: int) -> tuple[list[_Bill], Subset]:
    """Return the invoices and which of them are paid; draws again until their sum is clear of all others."""
    halves = [number % 2 == 0 for number in range(case.draws.integer("count", *_INVOICES))]
    attempts = (_bills(case.part(attempt), halves, transfer_age_s) for attempt in count())
    return next((bills, paid) for bills in attempts if (paid := _choose_paid(case, bills)) is not None)


def _choose_paid(case: InvoiceCase, bills: Sequence[_Bill]) -> Subset | None:
    """Choose the paid invoices, or return None if no choice is clear of all others and hard to guess."""
    percent = case.supplier["fields"]["discount_percent"]
    if any(has_half_cent(_cents(bill.lines), percent) for bill in bills):
        return None
    found = isolated_subsets([bill.counts for bill in bills], _PAID, _MARGIN)
    shuffled = case.draws.shuffled("paid", found)
    return next((one for one in shuffled if not _is_guessed(bills, one)), None)


def _bills(attempt: InvoiceCase, halves: Sequence[bool], transfer_age_s: int) -> list[_Bill]:
    """Draw invoices, of which `halves` says how many are recent enough for the discount."""
    draws, fields = attempt.draws, attempt.supplier["fields"]
    priced, limit = attempt.lines(*_WORTH, count=2), fields["discount_days"]
    takes, bills = attempt.pile.terms.now.takes_discount, []
    for number, is_recent in enumerate(draws.shuffled("recent", halves)):
        lines = [_worth(one, draws.integer("worth", *_WORTH, number, one.line)) for one in priced]
        span = (1, limit - _CLEAR_DAYS) if is_recent else (limit + _CLEAR_DAYS, limit + 8)
        days, hours = draws.integer("days", *span, number), draws.integer("hours", 0, 9, number)
        cents = _cents(lines)
        counts = after_discount(cents, fields["discount_percent"]) if takes and is_recent else cents
        bills.append(_Bill(lines, transfer_age_s + days * DAY + hours * HOUR, counts))
    return bills


def _worth(one: Article, euros: int) -> Article:
    """Return a line with as many units as cost about so much."""
    return one._replace(quantity=round(euros * one.price_per / one.unit_price))


def _is_guessed(bills: Sequence[_Bill], paid: Subset) -> bool:
    """Return whether the paid invoices are those found by taking the oldest, newest, largest or smallest that fit."""
    target = sum(bills[number].counts for number in paid)
    every = range(len(bills))
    by_age = sorted(every, key=lambda number: -bills[number].age_s)
    by_amount = sorted(every, key=lambda number: -bills[number].counts)
    for numbers in (by_age, by_age[::-1], by_amount, by_amount[::-1]):
        taken = first_fit([bills[number].counts for number in numbers], target)
        if {numbers[at] for at in taken} == {*paid}:
            return True
    return False


def _cents(lines: Sequence[Article]) -> int:
    return sum(round(one.amount * 100) for one in lines)


def _write_mail(case: InvoiceCase, cents: int, age_s: int) -> Row:
    company, people, supplier = case.company, case.pile.people, case.supplier
    body = case.draws.choice("says", words.TRANSFERS).write(
        day=to_date(company.start - age_s),
        amount=cents / 100,
        supplier=supplier["name"],
        clerk=people.me.name,
    )
    sent_age_s = age_s - case.draws.integer("sent", 2, 20) * HOUR
    subject = f"Transfer to {supplier['name']}"
    return company.add_message(people.treasurer, TEAM, subject, body, age_s=sent_age_s, about=supplier["id"])
