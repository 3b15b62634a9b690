"""The kinds of cases about prices: what is claimed of an invoice follows from the rules and the agreed prices."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil, floor, fsum
from typing import Final

from companyos.sdk.company import Row
from companyos.sdk.company.areas.payables import Article
from companyos.sdk.simtime import DAY, HOUR

from .documents import add_amendment, withdraw_amendment
from .pile import SET_OFF, InvoiceCase, Kind, Pile

#: How long before the start the two invoices of a supplier are dated, in hours: the earlier and the later one.
_EARLIER, _LATER = (90, 140), (20, 70)
#: Withdrawn amendments apply from so many days ago; deliveries are booked 7 to 12 days ago.
_AMENDED_DAYS: Final = 25
_BETWEEN_DAYS: Final = 14


def _bill_claim(
    case: InvoiceCase,
    ordered: Sequence[Article],
    billed: Sequence[Article],
    *,
    agreed: Sequence[Article] | None = None,
    credited: float = 0.0,
    age_s: int | None = None,
    papers: Sequence[Row] = (),
) -> Row:
    """Add an order that was delivered in full and is billed at other prices.

    Args:
        agreed: The lines at the prices that apply, if these are not the ordered ones.
        credited: What credit notes take from the claim.
        age_s: How long ago the invoice is dated.
        papers: The documents that decide about the prices.
    """
    pairs = zip(agreed or ordered, billed, strict=True)
    claimed = fsum(case.pile.terms.now.claim(right.amount, one.amount) for right, one in pairs) - credited
    return case.deliver_and_bill(ordered, case.claim_or_pay(claimed), billed, age_s=age_s, papers=papers)


def _add_line(case: InvoiceCase, price: Callable[[InvoiceCase, Article], Article]) -> None:
    """One line, billed at another price than ordered."""
    ordered = case.line()
    _bill_claim(case, [ordered], [price(case, ordered)])


def _tolerated_price(case: InvoiceCase, ordered: Article) -> Article:
    share = case.draws.integer("share", 40, 88) / 100
    by = case.pile.terms.now.tolerated(ordered.amount) * share
    return _restate_perhaps(case, _raise_by(ordered, by, at_most=True))


def _add_capped(case: InvoiceCase) -> None:
    """A price within the percentage, but above the cap."""
    now = case.pile.terms.now
    least = int(now.cap * 150 / now.percent)
    ordered = case.line(least, least + 1500)
    billed = _raise_by(ordered, (now.cap + ordered.amount * now.percent / 100) / 2)
    _bill_claim(case, [ordered], [_restate_perhaps(case, billed)])


def _add_credited(case: InvoiceCase, *, in_part: bool) -> None:
    """A price that is too high, and a credit note for the whole difference or for a part of the claim."""
    ordered = case.line()
    billed = _raise_above_tolerance(case, ordered)
    given_back = round(billed.amount - ordered.amount, 2)
    if in_part:
        billed = _raise_by(billed, ordered.amount * 0.05)
        claimed = case.pile.terms.now.claim(ordered.amount, billed.amount)
        given_back = round(claimed * case.draws.integer("given.back", 30, 65) / 100, 2)
    _add_credit_note(case, _bill_claim(case, [ordered], [billed], credited=given_back), given_back)


def _add_credit_note(case: InvoiceCase, invoice: Row, amount: float) -> None:
    """Add a credit note that gives back a part of an invoice's only line."""
    given_back = Article(1, f"Price correction, {invoice['lines'][0]['text']}", 1, "item", amount, 1)
    order, number = case.company.row("datahub", "purchase_orders", invoice["order_id"]), invoice["number"]
    credit = case.part("credit")
    credit.bill([given_back], SET_OFF, order=order, note=None, age_s=8 * HOUR, credits=number)


def _add_surplus(case: InvoiceCase, low: int, high: int, *, is_later: bool) -> None:
    """Two overpriced invoices, and a credit note for more than is to be claimed on one of them.

    Args:
        low: The least surplus, in percent of what is to be claimed on the other invoice.
        high: The most.
        is_later: Whether the other invoice is dated later, so that the surplus lowers its claim.
    """
    now, credited, other = case.pile.terms.now, case.part("credited"), case.part("other")
    line, other_line = credited.line(), other.line()
    billed = _raise_above_tolerance(credited, line)
    other_billed = _raise_above_tolerance(other, other_line)
    claimed = now.claim(other_line.amount, other_billed.amount)
    surplus = round(claimed * case.draws.integer("surplus", low, high) / 100, 2)
    given_back = round(now.claim(line.amount, billed.amount) + surplus, 2)
    ages_s = [case.draws.integer("dated", *hours, *hours) * HOUR for hours in (_EARLIER, _LATER)]
    age_s, other_age_s = ages_s if is_later else reversed(ages_s)
    invoice = _bill_claim(credited, [line], [billed], credited=given_back, age_s=age_s)
    taken = surplus if is_later else 0.0
    _bill_claim(other, [other_line], [other_billed], credited=taken, age_s=other_age_s)
    _add_credit_note(case, invoice, given_back)


def _add_amended(case: InvoiceCase, from_days: int, *, signed: bool, applies: bool) -> None:
    """A new price from so many days ago, in time for the delivery or not, or announced only."""
    ordered = case.line()
    billed = _amend(case, ordered)
    paper = add_amendment(case, [billed], from_age_s=from_days * DAY, signed=signed)
    agreed, papers = [billed] if applies else None, [paper] if signed else []
    _bill_claim(case, [ordered], [billed], agreed=agreed, papers=papers)


def _add_withdrawn(case: InvoiceCase, from_days: int, *, signed: bool, applies: bool) -> None:
    """Two amended prices, one billed higher and one withdrawn from so many days ago, perhaps late."""
    ordered = case.lines(300, 1600, count=2)
    amended = [_amend(case, one) for one in ordered]
    number = case.draws.integer("withdrawn", 0, 1)
    billed = [one if at == number else _raise_above_tolerance(case, one) for at, one in enumerate(amended)]
    agreed = [ordered[at] if at == number and applies else one for at, one in enumerate(amended)]
    papers = [
        add_amendment(case, amended, from_age_s=_AMENDED_DAYS * DAY, signed=True),
        withdraw_amendment(case, amended[number], from_age_s=from_days * DAY, signed=signed),
    ]
    # A draft changes nothing, so nobody has to read it.
    in_force = [paper for paper in papers if paper["status"] == "in_force"]
    _bill_claim(case, ordered, billed, agreed=agreed, papers=in_force)


def _add_booked_twice(case: InvoiceCase) -> None:
    """A delivery of which a part was booked before a new price applied, and the rest after it; all is billed at it."""
    ordered = case.line()
    billed = _amend(case, ordered, 80, 140)
    early = ordered.quantity * case.draws.integer("early", 55, 75) // 100
    late = ordered.quantity - early
    costs = early * ordered.unit_price / ordered.price_per, late * billed.unit_price / billed.price_per
    claimed = case.pile.terms.now.claim(round(fsum(costs), 2), billed.amount)
    order, note = case.order([ordered]), case.note()
    early_age_s = case.draws.integer("early.age", _BETWEEN_DAYS + 2, _BETWEEN_DAYS + 5) * DAY
    case.receive(order, [ordered._replace(quantity=early)], note, age_s=early_age_s)
    case.deliver(order, [ordered._replace(quantity=late)], note)
    paper = add_amendment(case, [billed], from_age_s=_BETWEEN_DAYS * DAY, signed=True)
    case.bill([billed], case.claim_or_pay(claimed), order=order, note=note, papers=[paper])


def add_unrelated_amendments(pile: Pile) -> None:
    """Add price amendments of suppliers that bill nothing this week, unsigned, or withdrawn in part."""
    for number, (signed, is_withdrawn) in enumerate(((True, True), (True, False), (False, False))):
        case = pile.case(f"unrelated.{number}")
        age_s, lines = case.draws.integer("unrelated", 8, 60) * DAY, case.lines()
        add_amendment(case, lines, from_age_s=age_s, signed=signed)
        if is_withdrawn:
            withdraw_amendment(case, lines[0], from_age_s=age_s // 2, signed=True)


def _amend(case: InvoiceCase, ordered: Article, low: int = 60, high: int = 95) -> Article:
    """Return a line with a new price, which is higher by `low` to `high` per mille."""
    percent = case.draws.integer("new.price", low, high) / 1000
    return _raise_by(ordered, ordered.amount * percent)


def _raise_above_tolerance(case: InvoiceCase, ordered: Article) -> Article:
    """Return a line with a price above the current tolerance, but within the former one."""
    terms = case.pile.terms
    now, before = (version.tolerated(ordered.amount) for version in (terms.now, terms.before))
    return _raise_by(ordered, now + (before - now) * case.draws.integer("beyond", 25, 85) / 100)


def _raise_by(billed: Article, by: float, *, at_most: bool = False) -> Article:
    """Return a line with its price raised so that it costs about `by` more, at least or at most."""
    cents = by * billed.price_per * 100 / billed.quantity
    step = floor(cents + 1e-9) if at_most else ceil(cents - 1e-9)
    return billed._replace(unit_price=round(billed.unit_price + step / 100, 2))


def _restate_perhaps(case: InvoiceCase, billed: Article) -> Article:
    """Return a line whose price is sometimes stated for another number of units."""
    return _restate(billed) if case.draws.chance("per", 0.5) else billed


def _restate(one: Article) -> Article:
    """Return a line with the same price, for one unit in place of a hundred, or vice versa."""
    if one.price_per == 1:
        return one._replace(unit_price=round(one.unit_price * 100, 2), price_per=100)
    return one._replace(unit_price=round(one.unit_price / one.price_per, 4), price_per=1)


#: The kinds of cases about the price of one line: right, or dearer than ordered, amended or credited.
PRICES: Final[Mapping[str, Kind]] = {
    "per_hundred": partial(_add_line, price=lambda case, ordered: _restate(ordered)),
    "cheaper": partial(
        _add_line, price=lambda case, ordered: _raise_by(ordered, -ordered.amount * 0.06, at_most=True)
    ),
    "tolerated": partial(_add_line, price=_tolerated_price),
    "overpriced": partial(
        _add_line,
        price=lambda case, ordered: _restate_perhaps(case, _raise_above_tolerance(case, ordered)),
    ),
    "capped": _add_capped,
    "credited": partial(_add_credited, in_part=False),
    "partly_credited": partial(_add_credited, in_part=True),
    "amended": partial(_add_amended, from_days=20, signed=True, applies=True),
    "amended_later": partial(_add_amended, from_days=3, signed=True, applies=False),
    "announced": partial(_add_amended, from_days=20, signed=False, applies=False),
}
#: Those about a credit note and two invoices, and those about amendments that change midway.
CREDITS: Final[Mapping[str, Kind]] = {
    "surplus_reduces": partial(_add_surplus, low=30, high=70, is_later=True),
    "surplus_covers": partial(_add_surplus, low=105, high=160, is_later=True),
    "surplus_too_late": partial(_add_surplus, low=30, high=160, is_later=False),
}
AMENDMENTS: Final[Mapping[str, Kind]] = {
    "booked_twice": _add_booked_twice,
    "withdrawn": partial(_add_withdrawn, from_days=_BETWEEN_DAYS, signed=True, applies=True),
    "withdrawn_later": partial(_add_withdrawn, from_days=4, signed=True, applies=False),
    "withdrawal_unsigned": partial(_add_withdrawn, from_days=_BETWEEN_DAYS, signed=False, applies=False),
}
