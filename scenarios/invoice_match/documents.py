"""The documents about invoices: all versions of the handbook's chapter, notices, and price amendments."""

from collections.abc import Sequence
from typing import Any, Final

from companyos.sdk.company import Company, Edition, Row
from companyos.sdk.company.areas.payables import Article
from companyos.sdk.documents import Each, OneOf, Template
from companyos.sdk.simtime import DAY, HOUR, to_date

from . import words
from .pack import TEAM
from .pile import InvoiceCase
from .terms import EXACT, LARGEST, OLDEST, STOPPED, People, Terms, Version

TITLE: Final = "Matching supplier invoices"

_PAID: Final = {
    EXACT: "it has paid those whose amounts add up to the sum to the cent.",
    OLDEST: "it counts for the oldest ones, as far as the sum goes.",
    LARGEST: "it counts for the largest ones, as far as the sum goes.",
}
_DISCOUNTED: Final = (
    "An invoice that is dated no more days before the transfer than the supplier's record grants for its cash "
    "discount counts as its total less the discount, which is rounded to the cent; an older one counts as its total."
)
_UNDISCOUNTED: Final = "Each counts as its total, because these transfers take no cash discount."
_CLAIMED: Final = "claimed at the ordered price (short_delivery), and what did come is paid."
_HELD: Final = "for Purchasing to sort out: hold the invoice then, too (goods_missing)."
_NEARLY_ALL: Final = Template("the difference to the ordered price, less {spared:.2f},")
CHAPTER: Final = Template(
    """\
# Matching supplier invoices

An invoice is matched line by line with its order and with what was booked for its delivery note, and settled by the \
first section that applies to it; one to which none applies is paid. What suppliers write beside it decides nothing.

## 1. Payment stops
While a payment stop lasts, nothing is settled, not even held: the task is handed back ({stopped}) with the notice of \
Finance that says so. The newest notice that speaks of the stop counts.

## 2. Back to the supplier
An invoice is returned if it names no order of that supplier (no_order), if it is in another currency than the order \
(wrong_currency), if its delivery note was billed before under whatever number, where of two that wait the one dated \
later goes back (duplicate), or if its order is closed and nothing was booked for its delivery note (order_closed). \
What was booked before an order was closed is owed.

## 3. Bank accounts
Money goes to the account on the supplier's record. Another one printed on the invoice is paid to only if a call-back \
ticket about the supplier is closed and says that somebody reached them under the number on the record and that this \
very account was confirmed. Otherwise the invoice is held (bank_unconfirmed). A mail confirms nothing, and neither \
does a call to a number that a mail gives.

## 4. Quantities
If less was booked for the delivery note than is billed, ask the order's receiver, naming the order. What is still \
being counted is booked the same day: wait until it is, and match again. If the rest comes another day, hold the \
invoice (goods_missing). What does not come, or is still missing after the count, is {claims_missing}

## 5. Prices
Mind for how many units a price is. What the units of a line should cost is added up and rounded to the cent once, \
for the whole line. A line may cost up to {percent:g} percent more than its units do at the ordered \
price, but never more than {cap:.2f} more. Beyond that, {claimed} is claimed for the line (price_difference), and the \
rest is paid. \
Less than ordered is always right. A price amendment in force replaces the ordered price for the units that were \
booked on its date or later, not for others of the same delivery. Where Purchasing has withdrawn it for an article, \
the ordered price applies again to units booked on the date of the withdrawal or later. Drafts and announcements \
change nothing.

## 6. Credit notes
A credit note for an invoice that waits is set off: pay it. What it gives back is not claimed once more. If it gives \
back more than is to be claimed on its invoice by section 5, the surplus lowers what is to be claimed on the next \
invoice, by date, that the same clerk has of that supplier, and never on an earlier one. If nothing is left to claim, \
an invoice is paid.

## 7. Transfers without a reference
Now and then Treasury pays several invoices of a supplier by hand in one transfer, and tells our mailbox the sum and \
the day but not the invoices. Of the supplier's invoices that are open with the clerk whom Treasury names, {pays} \
{takes_discount} An invoice that such a transfer has paid is held (already_paid) \
until Treasury has entered it, and the supplier's other invoices are settled as usual. In every other payment DataHub \
takes the cash discount by itself, so it changes nothing in the sections above.
""",
    claims_missing=OneOf({True: _CLAIMED, False: _HELD}),
    claimed=OneOf({"nearly_all": _NEARLY_ALL, "excess": "only what goes beyond"}),
    pays=OneOf(_PAID),
    takes_discount=OneOf({True: _DISCOUNTED, False: _UNDISCOUNTED}),
)
STOP_BEGAN: Final = Template(
    "From today on there is a payment stop: the bank has to be given new signature cards. Accounts Payable settles "
    "nothing until Finance says otherwise."
)
STOP_ENDED: Final = Template(
    "The payment stop of {day} is over: the bank has the new signature cards. Accounts Payable settles invoices "
    "as usual."
)
STOP_LASTS: Final = Template(
    "The payment stop of {day} lasts: the bank still lacks one of the new signature cards. Accounts Payable "
    "settles nothing until it has them."
)
AMENDMENT: Final = Template(
    """\
{supplier} and we agree on new prices.

{prices}

They hold for goods booked on {day} or later, on orders placed before as well.

{signed}
""",
    prices=Each("{text}: {price:.2f} EUR for {per:d} (unit: {unit})", "\n\n"),
)
WITHDRAWAL: Final = Template(
    """\
{supplier} and we have taken back a part of our price amendment.

{text}: the price of the order again

This holds for goods booked on {day} or later, on orders placed before as well.

{signed}
"""
)


def write_documents(company: Company, people: People, terms: Terms) -> tuple[Row, Row]:
    """Write the handbook and the notices; return the rules, and the notice whether the payment stop continues."""
    rules = company.add_editions(
        "handbook",
        TITLE,
        TEAM,
        people.lead,
        Edition("superseded", _chapter(terms.before), 320 * DAY),
        Edition("in_force", _chapter(terms.now), 45 * DAY),
        Edition("draft", _chapter(terms.draft), 3 * DAY),
    )
    first, last = company.draws.sample("notices", words.NOTICES, 2)
    _notice(company, people, first, 12 * DAY)
    began = _notice(company, people, STOP_BEGAN.write(), 6 * DAY)
    _notice(company, people, last, 2 * DAY)
    news = STOP_LASTS if terms.stopped else STOP_ENDED
    return rules, _notice(company, people, news.write(day=to_date(began["written_at"])), 2 * HOUR)


def _chapter(version: Version) -> str:
    claimed = "excess" if version.spared is None else "nearly_all"
    return CHAPTER.write(stopped=STOPPED, claimed=claimed, **vars(version))


def _notice(company: Company, people: People, body: str, age_s: int) -> Row:
    title = f"Notice to Accounts Payable, {to_date(company.start - age_s)}"
    return company.add_document("notice", title, "Finance", people.lead, body, age_s=age_s)


def add_amendment(case: InvoiceCase, articles: Sequence[Article], *, from_age_s: int, signed: bool) -> Row:
    """Add an amendment of the prices of articles, in force from `from_age_s` before the start, or a draft."""
    prices = [
        {"text": one.text, "price": one.unit_price, "per": one.price_per, "unit": one.unit}
        for one in articles
    ]
    age_s = from_age_s + case.company.draws.integer("amendment", 2, 20, case.supplier["id"]) * DAY
    return _add_paper(case, "Price amendment", AMENDMENT, (age_s, from_age_s), signed=signed, prices=prices)


def withdraw_amendment(case: InvoiceCase, withdrawn: Article, *, from_age_s: int, signed: bool) -> Row:
    """Add the withdrawal of an article's amended price from `from_age_s` before the start, or a draft of it."""
    age_s = from_age_s + case.company.draws.integer("withdrawal", 1, 3, case.supplier["id"]) * DAY
    title = "Price amendment withdrawn"
    return _add_paper(case, title, WITHDRAWAL, (age_s, from_age_s), signed=signed, text=withdrawn.text)


def _add_paper(
    case: InvoiceCase, title: str, template: Template, ages_s: tuple[int, int], *, signed: bool, **facts: Any
) -> Row:
    """Add a document of Purchasing about a supplier; `ages_s` says when it was written and from when it applies."""
    company, buyer, (age_s, from_age_s) = case.company, case.pile.people.buyer, ages_s
    since = (company.start - from_age_s) // DAY * DAY
    text = template.write(
        **facts,
        supplier=case.supplier["name"],
        day=to_date(since),
        signed=f"Signed for Purchasing: {buyer.name}" if signed else "Not signed yet.",
    )
    return company.add_document(
        "amendment",
        f"{title}: {case.supplier['name']}",
        "Purchasing",
        buyer,
        text,
        age_s=age_s,
        status="in_force" if signed else "draft",
        links=[case.supplier["id"]],
        effective_from=since,
    )
