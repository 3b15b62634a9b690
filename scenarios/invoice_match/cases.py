"""The kinds of cases in the pile, each with the right outcome of its invoices."""

from collections.abc import Mapping
from typing import Final

from companyos.company import Row
from companyos.company.areas.payables import Article
from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_iso

from . import joint_cases, price_cases, words
from .pack import account_of, add_call_back, articles, confirmed, note_of, phone_of, write_from
from .pile import (
    CLOSED,
    CURRENCY,
    DUPLICATE,
    HOLD_BANK,
    HOLD_GOODS,
    NO_ORDER,
    Kind,
    Pile,
    one_line,
    pay,
    pay_on_record,
    replace_quantity,
)


def rest(pile: Pile, *, covers: bool) -> None:
    """Add the invoice for a delivery that is still being counted, and that the count covers or does not."""
    company, draws, key = pile.company, pile.company.draws, "rest"
    supplier, note = pile.supplier(), note_of(company, key)
    [billed] = one_line(pile, key, 600, 1800)
    first = max(1, billed.quantity * draws.integer("rest.first", 40, 70) // 100)
    lacking = max(1, (billed.quantity - first) * draws.integer("rest.lacking", 15, 60) // 100)
    order = pile.order(supplier, [billed], key)
    pile.deliver(
        order, [replace_quantity(billed, first)], note, key, age_s=draws.integer("rest.age", 20, 60) * HOUR
    )
    booked_s = draws.integer("rest.booked", 150, 330) * MINUTE
    come = billed.quantity - first - (0 if covers else lacking)
    pile.expect(order, replace_quantity(billed, come), note, in_s=booked_s)
    right = pay_on_record(supplier) if covers else pile.missing(supplier, billed, lacking)
    pile.bill(supplier, [billed], right, key, order=order, note=note, age_s=20 * HOUR, asks=True, awaits=True)
    by = to_iso(company.start + booked_s + 5 * MINUTE)[11:16]
    _will_say(pile, order, draws.choice("rest.says", words.COUNTING).write(note=note, time=by), key)


def _will_say(pile: Pile, order: Row, text: str, key: str) -> None:
    delay_s = pile.company.draws.integer("says.after", 15, 80, key) * MINUTE
    pile.company.knows(order["receiver"], order["id"], text, delay_s=delay_s)


def _plain(pile: Pile, key: str) -> None:
    supplier = pile.supplier()
    pile.whole(supplier, articles(pile.company, key), pay_on_record(supplier), key)


def _short(pile: Pile, key: str) -> None:
    """Fewer units came than were billed, and no more will come."""
    supplier, order, billed, lacking, note = _incomplete(pile, key)
    pile.bill(
        supplier, [billed], pile.missing(supplier, billed, lacking), key, order=order, note=note, asks=True
    )
    sentence = pile.company.draws.choice("never", words.NEVER, key)
    _will_say(pile, order, sentence.write(note=note, supplier=supplier["name"]), key)


def _back_order(pile: Pile, key: str) -> None:
    """Fewer units came than were billed, and the rest comes another day."""
    supplier, order, billed, _, note = _incomplete(pile, key)
    pile.bill(supplier, [billed], HOLD_GOODS, key, order=order, note=note, asks=True)
    day = to_iso(pile.company.start + pile.company.draws.integer("comes", 2, 9, key) * DAY)[:10]
    sentence = pile.company.draws.choice("later", words.LATER, key)
    _will_say(pile, order, sentence.write(note=note, supplier=supplier["name"], day=day), key)


def _incomplete(pile: Pile, key: str) -> tuple[Row, Row, Article, int, str]:
    supplier, [billed], note = pile.supplier(), one_line(pile, key), note_of(pile.company, key)
    lacking = max(1, billed.quantity * pile.company.draws.integer("lacking", 4, 35, key) // 100)
    order = pile.order(supplier, [billed], key)
    pile.deliver(order, [replace_quantity(billed, billed.quantity - lacking)], note, key)
    return supplier, order, billed, lacking, note


def _duplicate(pile: Pile, key: str) -> None:
    """A delivery that was billed and paid under another number."""
    supplier, billed = pile.supplier(), articles(pile.company, key)
    order = pile.order(supplier, billed, key)
    earlier = pile.paid_before(order, supplier, billed, f"{key}.first")
    pile.bill(supplier, billed, DUPLICATE, key, order=order, note=earlier["delivery_note"])


def _twice(pile: Pile, key: str) -> None:
    """One delivery, billed in two waiting invoices with different numbers."""
    draws, supplier, billed = pile.company.draws, pile.supplier(), articles(pile.company, key)
    order, note = pile.order(supplier, billed, key), note_of(pile.company, key)
    pile.deliver(order, billed, note, key)
    ages = draws.integer("first", 60, 120, key) * HOUR, draws.integer("again", 12, 50, key) * HOUR
    ends = ((ages[0], pay_on_record(supplier)), (ages[1], DUPLICATE))
    for number, (age_s, right) in enumerate(draws.shuffled("order", ends, key)):
        pile.bill(supplier, billed, right, f"{key}.{number}", order=order, note=note, age_s=age_s)


def _alike(pile: Pile, key: str) -> None:
    """Two equal deliveries, each with its own invoice."""
    supplier, [billed] = pile.supplier(), one_line(pile, key)
    order = pile.order(supplier, [billed], key, more=billed.quantity)
    for number in range(2):
        note = note_of(pile.company, f"{key}.{number}")
        pile.deliver(order, [billed], note, f"{key}.{number}")
        pile.bill(supplier, [billed], pay_on_record(supplier), f"{key}.{number}", order=order, note=note)


def _closed(pile: Pile, key: str) -> None:
    """An order that was closed without this delivery."""
    supplier, billed = pile.supplier(), articles(pile.company, key)
    closed_age_s = pile.company.draws.integer("closed", 8, 14, key) * DAY
    order = pile.order(supplier, billed, key, closed_age_s=closed_age_s)
    if not any(row["order_id"] == order["id"] for row in pile.company.rows["datahub"]["invoices"]):
        pile.paid_before(order, supplier, billed, f"{key}.first")
    pile.bill(supplier, billed, CLOSED, key, order=order, note=note_of(pile.company, key))


def _closed_since(pile: Pile, key: str) -> None:
    """An order that was closed after this delivery came."""
    supplier, billed, note = pile.supplier(), articles(pile.company, key), note_of(pile.company, key)
    closed_age_s = pile.company.draws.integer("closed", 4, 9, key) * DAY
    order = pile.order(supplier, billed, key, closed_age_s=closed_age_s)
    pile.deliver(order, billed, note, key, age_s=closed_age_s + 30 * HOUR)
    pile.bill(supplier, billed, pay_on_record(supplier), key, order=order, note=note)


def _currency(pile: Pile, key: str) -> None:
    supplier, billed = pile.supplier(), articles(pile.company, key)
    pile.whole(
        supplier, billed, CURRENCY, key, currency=pile.company.draws.choice("money", ("USD", "CHF"), key)
    )


def _no_order(pile: Pile, key: str) -> None:
    supplier, billed, note = pile.supplier(), articles(pile.company, key), note_of(pile.company, key)
    names_none = pile.company.draws.chance("none", 0.4, key)
    order = None if names_none else pile.company.numbers.reserve("PO")
    pile.bill(supplier, billed, NO_ORDER, key, order=order, note=note)


def _others_order(pile: Pile, key: str) -> None:
    """An invoice that names another supplier's order."""
    supplier, other, billed = pile.supplier(), pile.supplier(), articles(pile.company, key)
    order, note = pile.order(other, billed, key), note_of(pile.company, key)
    pile.deliver(order, billed, note, key)
    pile.bill(supplier, billed, NO_ORDER, key, order=order, note=note)


def _bank(confirms: str) -> Kind:
    """Return a case: an invoice with another account, and a call-back about it."""

    def case(pile: Pile, key: str) -> None:
        company, supplier = pile.company, pile.supplier()
        new, strange = account_of(company, f"{key}.new"), phone_of(company, f"{key}.phone")
        held = confirms not in ("record", "old")
        right = HOLD_BANK if held else pay(new if confirms == "record" else supplier["fields"]["account"])
        printed = {} if confirms == "old" else {"account": new}
        pile.whole(supplier, articles(company, key), right, key, **printed)
        write_from(company, supplier, new, strange, company.draws.integer("mail", 3, 12, key) * DAY)
        phone, account = supplier["fields"]["phone"], new
        if confirms == "another":
            account = account_of(company, f"{key}.another")
        if confirms in ("record", "another", "mail"):
            by = strange if confirms == "mail" else phone
            add_call_back(company, supplier, key, confirmed(company, by, account, key))
        elif confirms == "open":
            add_call_back(company, supplier, key, None)

    return case


#: The kinds of cases besides the one in every pile, grouped by what an agent has to check.
GROUPS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "price": {
        "plain": _plain,
        "closed_since": _closed_since,
        **price_cases.RIGHT,
        **price_cases.DOUBTFUL,
    },
    "credit": joint_cases.CREDITS,
    "amendment": joint_cases.AMENDMENTS,
    "quantity": {"short": _short, "back_order": _back_order},
    "identity": {
        "duplicate": _duplicate,
        "twice": _twice,
        "alike": _alike,
        "closed": _closed,
        "currency": _currency,
        "no_order": _no_order,
        "others_order": _others_order,
    },
    "bank": {
        "bank_confirmed": _bank("record"),
        "bank_unasked": _bank("none"),
        "bank_by_mail": _bank("mail"),
        "bank_open": _bank("open"),
        "bank_another": _bank("another"),
        "bank_as_before": _bank("old"),
    },
}


def draw_cases(pile: Pile) -> None:
    """Add one case of every group."""
    draws = pile.company.draws
    chosen = [(group, draws.choice("kind", list(kinds), group)) for group, kinds in GROUPS.items()]
    for group, kind in draws.shuffled("cases", chosen):
        GROUPS[group][kind](pile, kind)
    price_cases.add_unrelated_amendments(pile)
