"""The kinds of cases that need several invoices, deliveries or documents together."""

from collections.abc import Mapping
from math import fsum
from typing import Final

from companyos.company.areas.payables import Article
from companyos.sdk.simtime import DAY, HOUR

from . import words
from .documents import add_amendment, withdraw_amendment
from .pack import article, note_of
from .pile import Kind, Pile, one_line, replace_quantity
from .price_cases import add_credit_note, claim_or_pay, dearer, delivered, too_dear

#: How long before the start the two invoices of a supplier are dated, in hours: the earlier and the later one.
_EARLIER, _LATER = (90, 140), (20, 70)
#: The amendments of these cases apply from so many days ago; deliveries are booked 7 to 12 days ago.
_AMENDED_DAYS: Final = 25
_BETWEEN_DAYS: Final = 14


def _surplus(low: int, high: int, *, is_later: bool) -> Kind:
    """Return a case: two overpriced invoices, and a credit note for more than is to be claimed on one of them.

    Args:
        low: The least surplus, in percent of what is to be claimed on the other invoice.
        high: The most.
        is_later: Whether the other invoice is dated later, so that the surplus lowers its claim.
    """

    def case(pile: Pile, key: str) -> None:
        draws, supplier, now = pile.company.draws, pile.supplier(), pile.terms.now
        keys = f"{key}.credited", f"{key}.other"
        (ordered, billed), (others, other_billed) = (_overpriced(pile, one) for one in keys)
        first, second = (
            now.claim(ordered.amount, billed.amount),
            now.claim(others.amount, other_billed.amount),
        )
        surplus = round(second * draws.integer("surplus", low, high, key) / 100, 2)
        ages = [draws.integer("dated", *hours, key, *hours) * HOUR for hours in (_EARLIER, _LATER)]
        age_s, other_age_s = ages if is_later else reversed(ages)
        right = claim_or_pay(supplier, 0.0)
        credited = delivered(pile, supplier, [ordered], [billed], right, keys[0], age_s=age_s)
        left = claim_or_pay(supplier, second - (surplus if is_later else 0.0))
        delivered(pile, supplier, [others], [other_billed], left, keys[1], age_s=other_age_s)
        add_credit_note(pile, supplier, credited, round(first + surplus, 2), key)

    return case


def _overpriced(pile: Pile, key: str) -> tuple[Article, Article]:
    """Return a line as it was ordered, and as it is billed."""
    [ordered] = one_line(pile, key)
    return ordered, too_dear(pile, ordered, key)


def _withdrawn(from_days: int, *, signed: bool, applies: bool) -> Kind:
    """Return a case: two amended prices, one billed higher and one withdrawn from so many days ago, perhaps late."""

    def case(pile: Pile, key: str) -> None:
        company, supplier = pile.company, pile.supplier()
        wares = company.draws.sample("wares", words.WARES, 2, key)
        ordered = [article(company, line, ware, 300, 1600, key) for line, ware in enumerate(wares, start=1)]
        percent = company.draws.integer("new.price", 60, 95, key) / 1000
        amended = [dearer(one, one.amount * percent, at_least=True) for one in ordered]
        number = company.draws.integer("withdrawn", 0, 1, key)
        billed = [one if at == number else too_dear(pile, one, key) for at, one in enumerate(amended)]
        agreed = [ordered[at] if at == number and applies else one for at, one in enumerate(amended)]
        claims = (
            pile.terms.now.claim(*(one.amount for one in pair)) for pair in zip(agreed, billed, strict=True)
        )
        since = _AMENDED_DAYS * DAY
        papers = [add_amendment(company, pile.people, supplier, amended, from_age_s=since, signed=True)]
        since = from_days * DAY
        papers.append(
            withdraw_amendment(
                company, pile.people, supplier, amended[number], from_age_s=since, signed=signed
            )
        )
        # A draft changes nothing, so nobody has to read it.
        in_force = [paper for paper in papers if paper["status"] == "in_force"]
        right = claim_or_pay(supplier, fsum(claims))
        delivered(pile, supplier, ordered, billed, right, key, papers=in_force)

    return case


def _booked_twice(pile: Pile, key: str) -> None:
    """A delivery of which a part was booked before a new price applied, and the rest after it; all is billed at it."""
    company, supplier, [ordered] = pile.company, pile.supplier(), one_line(pile, key)
    percent = company.draws.integer("new.price", 80, 140, key) / 1000
    billed = dearer(ordered, ordered.amount * percent, at_least=True)
    early = ordered.quantity * company.draws.integer("early", 55, 75, key) // 100
    late = ordered.quantity - early
    costs = early * ordered.unit_price / ordered.price_per, late * billed.unit_price / billed.price_per
    wanted = pile.terms.now.claim(round(fsum(costs), 2), billed.amount)
    order, note = pile.order(supplier, [ordered], key), note_of(company, key)
    early_age_s = company.draws.integer("early.age", _BETWEEN_DAYS + 2, _BETWEEN_DAYS + 5, key) * DAY
    pile.deliver(order, [replace_quantity(ordered, early)], note, key, age_s=early_age_s)
    pile.deliver(order, [replace_quantity(ordered, late)], note, key)
    since = _BETWEEN_DAYS * DAY
    paper = add_amendment(company, pile.people, supplier, [billed], from_age_s=since, signed=True)
    right = claim_or_pay(supplier, wanted)
    pile.bill(supplier, [billed], right, key, order=order, note=note, papers=[paper])


#: The kinds of cases about a credit note and two invoices, and those about amendments that change midway.
CREDITS: Final[Mapping[str, Kind]] = {
    "surplus_reduces": _surplus(30, 70, is_later=True),
    "surplus_covers": _surplus(105, 160, is_later=True),
    "surplus_too_late": _surplus(30, 160, is_later=False),
}
AMENDMENTS: Final[Mapping[str, Kind]] = {
    "booked_twice": _booked_twice,
    "withdrawn": _withdrawn(_BETWEEN_DAYS, signed=True, applies=True),
    "withdrawn_later": _withdrawn(4, signed=True, applies=False),
    "withdrawal_unsigned": _withdrawn(_BETWEEN_DAYS, signed=False, applies=False),
}
