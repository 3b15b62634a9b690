"""The kinds of cases in the pile, each with the right outcome of its invoices."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from companyos.sdk.company import Row
from companyos.sdk.company.areas.payables import expect_receipt
from companyos.sdk.documents import Template
from companyos.sdk.simtime import DAY, HOUR, MINUTE, to_date, to_iso

from . import price_cases, words
from .pack import account_of, add_call_back, confirmed, phone_of, write_from
from .pile import CLOSED, CURRENCY, DUPLICATE, HOLD_BANK, HOLD_GOODS, NO_ORDER, InvoiceCase, Kind, Pile, pay


def add_rest(pile: Pile, *, covers: bool) -> None:
    """Add the invoice for a delivery that is still being counted, and that the count covers or does not."""
    case, draws = pile.case("rest"), pile.company.draws
    note, billed = case.note(), case.line(600, 1800)
    first = max(1, billed.quantity * draws.integer("rest.first", 40, 70) // 100)
    lacking = max(1, (billed.quantity - first) * draws.integer("rest.lacking", 15, 60) // 100)
    order = case.order([billed])
    counted = [billed._replace(quantity=first)]
    case.receive(order, counted, note, age_s=draws.integer("rest.age", 20, 60) * HOUR)
    booked_s = draws.integer("rest.booked", 150, 330) * MINUTE
    come = billed.quantity - first - (0 if covers else lacking)
    expect_receipt(pile.company, order, note, {billed.line: come}, in_s=booked_s)
    right = case.in_full if covers else case.claim_or_hold(billed, lacking)
    case.bill([billed], right, order=order, note=note, age_s=20 * HOUR, asks=True, awaits=True)
    by = to_iso(pile.company.start + booked_s + 5 * MINUTE)[11:16]
    _plan_answer(case, order, draws.choice("rest.says", words.COUNTING).write(note=note, time=by))


def _plan_answer(case: InvoiceCase, order: Row, text: str) -> None:
    delay_s = case.draws.integer("says.after", 15, 80) * MINUTE
    case.company.knows(order["receiver"], order["id"], text, delay_s=delay_s)


def _add_short(case: InvoiceCase, name: str, answers: Sequence[Template], *, comes: bool) -> None:
    """Fewer units came than were billed, and the rest comes another day or never."""
    billed, note = case.line(), case.note()
    lacking = max(1, billed.quantity * case.draws.integer("lacking", 4, 35) // 100)
    order = case.order([billed])
    case.deliver(order, [billed._replace(quantity=billed.quantity - lacking)], note)
    right = HOLD_GOODS if comes else case.claim_or_hold(billed, lacking)
    case.bill([billed], right, order=order, note=note, asks=True)
    day = to_date(case.company.start + case.draws.integer("comes", 2, 9) * DAY)
    answer = case.draws.choice(name, answers)
    _plan_answer(case, order, answer.write(note=note, supplier=case.supplier["name"], day=day))


def _add_plain(case: InvoiceCase) -> None:
    case.deliver_and_bill(case.lines(), case.in_full)


def _add_duplicate(case: InvoiceCase) -> None:
    """A delivery that was billed and paid under another number."""
    billed = case.lines()
    order = case.order(billed)
    earlier = case.part("first").pay_before(order, billed)
    case.bill(billed, DUPLICATE, order=order, note=earlier["delivery_note"])


def _add_twice(case: InvoiceCase) -> None:
    """One delivery, billed in two waiting invoices with different numbers."""
    billed = case.lines()
    order, note = case.order(billed), case.note()
    case.deliver(order, billed, note)
    first, again = case.draws.integer("first", 60, 120) * HOUR, case.draws.integer("again", 12, 50) * HOUR
    ends = ((first, case.in_full), (again, DUPLICATE))
    for number, (age_s, right) in enumerate(case.draws.shuffled("order", ends)):
        case.part(number).bill(billed, right, order=order, note=note, age_s=age_s)


def _add_alike(case: InvoiceCase) -> None:
    """Two equal deliveries, each with its own invoice."""
    billed = case.line()
    order = case.order([billed], more=billed.quantity)
    for part in (case.part(0), case.part(1)):
        note = part.note()
        part.deliver(order, [billed], note)
        part.bill([billed], case.in_full, order=order, note=note)


def _add_closed(case: InvoiceCase) -> None:
    """An order that was closed without this delivery."""
    billed = case.lines()
    order = case.order(billed, closed_age_s=case.draws.integer("closed", 8, 14) * DAY)
    if not any(row["order_id"] == order["id"] for row in case.company.rows["datahub"]["invoices"]):
        case.part("first").pay_before(order, billed)
    case.bill(billed, CLOSED, order=order, note=case.note())


def _add_closed_since(case: InvoiceCase) -> None:
    """An order that was closed after this delivery came."""
    billed, note = case.lines(), case.note()
    closed_age_s = case.draws.integer("closed", 4, 9) * DAY
    order = case.order(billed, closed_age_s=closed_age_s)
    case.receive(order, billed, note, age_s=closed_age_s + 30 * HOUR)
    case.bill(billed, case.in_full, order=order, note=note)


def _add_currency(case: InvoiceCase) -> None:
    currency = case.draws.choice("money", ("USD", "CHF"))
    case.deliver_and_bill(case.lines(), CURRENCY, currency=currency)


def _add_no_order(case: InvoiceCase) -> None:
    """An invoice that names no order, or the number of none."""
    billed, note = case.lines(), case.note()
    order_id = None if case.draws.chance("none", 0.4) else case.company.numbers.reserve("PO")
    case.bill(billed, NO_ORDER, order=None, note=note, order_id=order_id)


def _add_order_of_others(case: InvoiceCase) -> None:
    """An invoice that names another supplier's order."""
    billed, other = case.lines(), case.of_another_supplier()
    order, note = other.order(billed), other.note()
    other.deliver(order, billed, note)
    case.bill(billed, NO_ORDER, order=order, note=note)


def _add_other_account(case: InvoiceCase, confirms: str) -> None:
    """An invoice with another account, and a call-back about it that `confirms` an account, or does not."""
    company, supplier, phone = case.company, case.supplier, case.supplier["fields"]["phone"]
    new, strange = account_of(case.part("new").draws), phone_of(case.part("phone").draws)
    right = {"record": pay(new), "old": case.in_full}.get(confirms, HOLD_BANK)
    case.deliver_and_bill(case.lines(), right, account=case.account if confirms == "old" else new)
    write_from(company, supplier, new, strange, case.draws.integer("mail", 3, 12) * DAY)
    answers = {
        "record": (phone, new),
        "another": (phone, account_of(case.part("another").draws)),
        "mail": (strange, new),
    }
    if confirms in (*answers, "open"):
        resolution = confirmed(company, *answers[confirms], case.key) if confirms in answers else None
        add_call_back(company, supplier, case.key, resolution)


#: The kinds of cases besides the one in every pile, grouped by what an agent has to check.
GROUPS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "price": {"plain": _add_plain, "closed_since": _add_closed_since, **price_cases.PRICES},
    "credit": price_cases.CREDITS,
    "amendment": price_cases.AMENDMENTS,
    "quantity": {
        "short": partial(_add_short, name="never", answers=words.NEVER, comes=False),
        "back_order": partial(_add_short, name="later", answers=words.LATER, comes=True),
    },
    "identity": {
        "duplicate": _add_duplicate,
        "twice": _add_twice,
        "alike": _add_alike,
        "closed": _add_closed,
        "currency": _add_currency,
        "no_order": _add_no_order,
        "others_order": _add_order_of_others,
    },
    "bank": {
        "bank_confirmed": partial(_add_other_account, confirms="record"),
        "bank_unasked": partial(_add_other_account, confirms="none"),
        "bank_by_mail": partial(_add_other_account, confirms="mail"),
        "bank_open": partial(_add_other_account, confirms="open"),
        "bank_another": partial(_add_other_account, confirms="another"),
        "bank_as_before": partial(_add_other_account, confirms="old"),
    },
}


def draw_cases(pile: Pile) -> None:
    """Add one case of every group."""
    draws = pile.company.draws
    chosen = [(group, draws.choice("kind", list(kinds), group)) for group, kinds in GROUPS.items()]
    for group, kind in draws.shuffled("cases", chosen):
        GROUPS[group][kind](pile.case(kind))
    price_cases.add_unrelated_amendments(pile)
