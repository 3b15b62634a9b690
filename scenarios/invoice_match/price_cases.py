"""The kinds of cases about prices, each with the right outcome of its invoices."""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Final

from companyos.company import Row
from companyos.company.areas.payables import Article
from companyos.sdk.simtime import DAY, HOUR

from .documents import add_amendment, withdraw_amendment
from .pack import articles, note_of
from .pile import SET_OFF, Kind, Pile, claim, one_line, pay_on_record

_REASON: Final = "price_difference"


def _per_hundred(pile: Pile, key: str) -> None:
    """A price per unit where the order has one per hundred, or vice versa: the same price."""
    supplier, [ordered] = pile.supplier(), one_line(pile, key)
    delivered(pile, supplier, [ordered], [_per_other_number(ordered)], pay_on_record(supplier), key)


def _cheaper(pile: Pile, key: str) -> None:
    supplier, [ordered] = pile.supplier(), one_line(pile, key)
    billed = dearer(ordered, -ordered.amount * 0.06, at_least=False)
    delivered(pile, supplier, [ordered], [billed], pay_on_record(supplier), key)


def _tolerated(pile: Pile, key: str) -> None:
    supplier, [ordered] = pile.supplier(), one_line(pile, key)
    share = pile.company.draws.integer("share", 40, 88, key) / 100
    billed = dearer(ordered, pile.terms.now.tolerated(ordered.amount) * share, at_least=False)
    delivered(pile, supplier, [ordered], [_per(pile, billed, key)], pay_on_record(supplier), key)


def _overpriced(pile: Pile, key: str) -> None:
    """A price above the current tolerance, but within the former one."""
    supplier, [ordered] = pile.supplier(), one_line(pile, key)
    billed = too_dear(pile, ordered, key)
    right = price_claim(pile, supplier, ordered, billed)
    delivered(pile, supplier, [ordered], [_per(pile, billed, key)], right, key)


def _capped(pile: Pile, key: str) -> None:
    """A price within the percentage, but above the cap."""
    terms, least = pile.terms, int(pile.terms.now.cap * 150 / pile.terms.now.percent)
    supplier, [ordered] = pile.supplier(), one_line(pile, key, least, least + 1500)
    between = (terms.now.cap + ordered.amount * terms.now.percent / 100) / 2
    billed = dearer(ordered, between, at_least=True)
    right = price_claim(pile, supplier, ordered, billed)
    delivered(pile, supplier, [ordered], [_per(pile, billed, key)], right, key)


def _credited(pile: Pile, key: str) -> None:
    """A price that is too high, and a credit note for the whole difference."""
    supplier, [ordered] = pile.supplier(), one_line(pile, key)
    billed = too_dear(pile, ordered, key)
    _with_credit(pile, supplier, ordered, billed, round(billed.amount - ordered.amount, 2), key)


def _partly_credited(pile: Pile, key: str) -> None:
    """A price that is much too high, and a credit note for a part of the claim."""
    supplier, [ordered] = pile.supplier(), one_line(pile, key)
    billed = dearer(too_dear(pile, ordered, key), ordered.amount * 0.05, at_least=True)
    wanted = pile.terms.now.claim(ordered.amount, billed.amount)
    share = pile.company.draws.integer("given.back", 30, 65, key)
    _with_credit(pile, supplier, ordered, billed, round(wanted * share / 100, 2), key)


def _amended(from_days: int, *, signed: bool, applies: bool) -> Kind:
    """Return a case: a new price from so many days ago, in time for the delivery or not, or announced only."""

    def case(pile: Pile, key: str) -> None:
        company, supplier, [ordered] = pile.company, pile.supplier(), one_line(pile, key)
        percent = company.draws.integer("new.price", 60, 95, key) / 1000
        billed = dearer(ordered, ordered.amount * percent, at_least=True)
        since = from_days * DAY
        paper = add_amendment(company, pile.people, supplier, [billed], from_age_s=since, signed=signed)
        right = pay_on_record(supplier) if applies else price_claim(pile, supplier, ordered, billed)
        papers = [paper] if signed else []
        delivered(pile, supplier, [ordered], [billed], right, key, papers=papers)

    return case


def _with_credit(
    pile: Pile, supplier: Row, ordered: Article, billed: Article, amount: float, key: str
) -> None:
    right = price_claim(pile, supplier, ordered, billed, amount)
    add_credit_note(pile, supplier, delivered(pile, supplier, [ordered], [billed], right, key), amount, key)


def add_credit_note(pile: Pile, supplier: Row, invoice: Row, amount: float, key: str) -> None:
    """Add a credit note that gives back a part of an invoice's only line."""
    given_back = Article(1, f"Price correction, {invoice['lines'][0]['text']}", 1, "item", amount, 1)
    pile.bill(
        supplier,
        [given_back],
        SET_OFF,
        f"{key}.credit",
        order=pile.company.row("datahub", "purchase_orders", invoice["order_id"]),
        note=None,
        age_s=8 * HOUR,
        credits=invoice["number"],
    )


def delivered(
    pile: Pile,
    supplier: Row,
    ordered: Sequence[Article],
    billed: Sequence[Article],
    right: str,
    key: str,
    *,
    age_s: int | None = None,
    papers: Sequence[Row] = (),
) -> Row:
    """Add an order that was delivered in full, and an invoice with its own prices, dated `age_s` ago."""
    order, note = pile.order(supplier, ordered, key), note_of(pile.company, key)
    pile.deliver(order, ordered, note, key)
    return pile.bill(supplier, billed, right, key, order=order, note=note, age_s=age_s, papers=papers)


def price_claim(pile: Pile, supplier: Row, ordered: Article, billed: Article, credited: float = 0.0) -> str:
    """Return the disposition of an invoice with one line, of which something was credited."""
    return claim_or_pay(supplier, pile.terms.now.claim(ordered.amount, billed.amount) - credited)


def claim_or_pay(supplier: Row, amount: float) -> str:
    """Return the disposition of an invoice of which an amount is to be claimed, unless nothing is left of it."""
    left = round(amount, 2)
    return claim(_REASON, left, supplier["fields"]["account"]) if left > 0 else pay_on_record(supplier)


def too_dear(pile: Pile, ordered: Article, key: str) -> Article:
    """Return a line with a price above the current tolerance, but within the former one."""
    now, before = (version.tolerated(ordered.amount) for version in (pile.terms.now, pile.terms.before))
    share = pile.company.draws.integer("beyond", 25, 85, key) / 100
    return dearer(ordered, now + (before - now) * share, at_least=True)


def dearer(billed: Article, by: float, *, at_least: bool) -> Article:
    """Return a line with its price raised so that it costs about `by` more, at least or at most."""
    cents = by * billed.price_per * 100 / billed.quantity
    step = ceil(cents - 1e-9) if at_least else floor(cents + 1e-9)
    return billed._replace(unit_price=round(billed.unit_price + step / 100, 2))


def _per(pile: Pile, billed: Article, key: str) -> Article:
    """Return a line whose price is sometimes stated for another number of units."""
    return _per_other_number(billed) if pile.company.draws.chance("per", 0.5, key) else billed


def _per_other_number(one: Article) -> Article:
    """Return a line with the same price, for one unit in place of a hundred, or vice versa."""
    if one.price_per == 1:
        return one._replace(unit_price=round(one.unit_price * 100, 2), price_per=100)
    return one._replace(unit_price=round(one.unit_price / one.price_per, 4), price_per=1)


def add_unrelated_amendments(pile: Pile) -> None:
    """Add price amendments of suppliers that bill nothing this week, unsigned, or withdrawn in part."""
    company, people = pile.company, pile.people
    for number, (signed, is_withdrawn) in enumerate(((True, True), (True, False), (False, False))):
        key, supplier = f"unrelated.{number}", pile.supplier()
        days, lines = company.draws.integer("unrelated", 8, 60, key), articles(company, key)
        add_amendment(company, people, supplier, lines, from_age_s=days * DAY, signed=signed)
        if is_withdrawn:
            age_s = days * DAY // 2
            withdraw_amendment(company, people, supplier, lines[0], from_age_s=age_s, signed=True)


#: The kinds of cases in which the prices are right, and those in which they look wrong or are wrong.
RIGHT: Final[Mapping[str, Kind]] = {"per_hundred": _per_hundred, "cheaper": _cheaper}
DOUBTFUL: Final[Mapping[str, Kind]] = {
    "tolerated": _tolerated,
    "overpriced": _overpriced,
    "capped": _capped,
    "credited": _credited,
    "partly_credited": _partly_credited,
    "amended": _amended(20, signed=True, applies=True),
    "amended_later": _amended(3, signed=True, applies=False),
    "announced": _amended(20, signed=False, applies=False),
}
