"""The kinds of cases at the desk, each with the right outcome of its requests."""

from collections.abc import Callable, Mapping
from typing import Final

from companyos.sdk.company import Row
from companyos.sdk.company.areas.spending import will_answer
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .pack import VERSION
from .pile import (
    APPROVED,
    DUPLICATE,
    EXCLUDED,
    MISMATCH,
    MISSING,
    QUOTE_TOPICS,
    SPLIT,
    DeskCase,
    pass_on,
    tens,
)
from .spending import INVOICE, PURCHASE, TRAINING
from .terms import IN_FORCE_S

#: Adds the requests of one case, and everything about them.
Kind = Callable[[DeskCase], None]


def _add_small(case: DeskCase) -> None:
    case.add(case.draws.choice("type", (PURCHASE, TRAINING, INVOICE)), case.below(), APPROVED)


def _add_quoted(case: DeskCase) -> None:
    case.add(PURCHASE, case.above(), APPROVED)


def _add_late_quote(case: DeskCase) -> None:
    request = _add_unquoted(case, APPROVED)
    fields, people = request["fields"], {person.id: person for person in case.company.people}
    other, by = case.other_than(fields["supplier"]), people[request["requester"]]
    [found] = case.attach([other], "The same", fields["amount"], by, DAY)
    text = f"Sorry, I forgot to attach it. The quote of the other supplier is {found}."
    _plan_answer(case, request, text, attaches=found)


def _add_lost_quote(case: DeskCase) -> None:
    request = _add_unquoted(case, MISSING)
    _plan_answer(case, request, case.draws.choice("excuse", words.EXCUSES))


def _add_unquoted(case: DeskCase, disposition: str) -> Row:
    """Add a purchase with one quote, or with two from one supplier."""
    quoted_by = [case.supplier()] * case.draws.integer("same", 1, 2)
    return case.add(PURCHASE, case.above(), disposition, quoted_by=quoted_by, asks=True)


def _plan_answer(case: DeskCase, request: Row, text: str, *, attaches: str | None = None) -> None:
    delay_s = case.draws.integer("delay", 60, 300) * MINUTE
    for topic in QUOTE_TOPICS:
        will_answer(case.company, request, topic, text, delay_s=delay_s, attaches=attaches)


def _add_split(case: DeskCase) -> None:
    """A purchase that needs quotes, in two parts that do not."""
    draws, edge, pile = case.draws, case.pile.terms.now.quotes_from, case.pile
    percents = draws.integer("part", 52, 90), draws.integer("part", 52, 90, 2)
    supplier, by = case.supplier(), pile.people.staff[len(pile.requests)]
    for number, percent in enumerate(percents):
        age_s = draws.integer("age", HOUR, 4 * DAY, number)
        part, amount = case.part(number), tens(edge * percent / 100)
        part.add(PURCHASE, amount, SPLIT, requester=by, supplier=supplier, age_s=age_s)


def _add_alike(case: DeskCase) -> None:
    """Two colleagues buy from one supplier: two separate purchases."""
    for number in range(2):
        amount = tens(case.pile.terms.now.quotes_from * (0.6 + 0.1 * number))
        case.part(number).add(PURCHASE, amount, APPROVED, supplier=case.supplier())


def _add_paid(case: DeskCase) -> None:
    """An invoice that was paid weeks ago, and an unpaid one of the same supplier."""
    amount, supplier, staff = case.below(), case.supplier(), case.pile.people.staff
    number = case.part("paid").invoice_number(supplier)
    usual: Row = {"cost_centre": case.centres[0], "priority": 2, "purpose": words.PURPOSES[0]}
    past = case.submit(
        case.company.numbers.reserve("APR"),
        INVOICE,
        case.fields(INVOICE, amount, supplier, **usual, invoice_number=number),
        case.texts(INVOICE),
        staff[-1],
        age_s=case.draws.integer("paid", 15, 40) * DAY,
        due=case.company.start,
        policy_version=VERSION - 1,
    )
    case.settle_past(past)
    case.part("again").add(INVOICE, amount, DUPLICATE, supplier=supplier, invoice_number=number)
    case.part("next").add(INVOICE, amount, APPROVED, supplier=supplier)


def _add_twice(case: DeskCase) -> None:
    """One invoice, submitted by two colleagues."""
    draws, amount, supplier = case.draws, case.below(), case.supplier()
    first_s, again_s = draws.integer("first", 50, 90) * HOUR, draws.integer("again", 2, 40) * HOUR
    same: Row = {
        "supplier": supplier,
        "invoice_number": case.invoice_number(supplier),
        "texts": case.texts(INVOICE),
    }
    both = draws.shuffled("order", [(first_s, APPROVED), (again_s, DUPLICATE)])
    for at, (age_s, disposition) in enumerate(both):
        case.part(at).add(INVOICE, amount, disposition, age_s=age_s, **same)


def _add_mismatch(case: DeskCase) -> None:
    amount = case.below()
    case.add(PURCHASE, amount, MISMATCH, lines_total=amount - 10.0 * case.draws.integer("less", 3, 20))


def _add_excluded(case: DeskCase) -> None:
    texts = case.draws.shuffled("texts", _texts_with_excluded(case))
    purpose = case.draws.choice("pressure", words.PRESSURE)
    case.add(PURCHASE, case.below(), EXCLUDED, texts=texts, purpose=purpose)


def _add_formerly_allowed(case: DeskCase) -> None:
    """A purchase that only the previous version allowed: fewer quotes, and an item excluded since."""
    terms = case.pile.terms
    amount = case.between(terms.now.quotes_from, terms.before.quotes_from, "between")
    age_s = IN_FORCE_S + case.draws.integer("older", 2, 30) * HOUR
    case.add(PURCHASE, amount, APPROVED, texts=_texts_with_excluded(case), quoted_by=(), age_s=age_s)


def _texts_with_excluded(case: DeskCase) -> list[str]:
    """Return a thing that the rules in force exclude, and one that they do not."""
    excluded = case.draws.choice("thing", case.pile.terms.now.excluded)
    return [excluded, case.draws.choice("harmless", words.THINGS)]


def _add_own(case: DeskCase) -> None:
    people = case.pile.people
    case.add(TRAINING, case.below(), pass_on(people.second), requester=people.me)


def _add_of_boss(case: DeskCase) -> None:
    people = case.pile.people
    case.add(PURCHASE, case.below(), pass_on(people.second), requester=people.boss)


def _add_above_limit(case: DeskCase) -> None:
    draws, type_id = case.draws, case.draws.choice("type", (PURCHASE, INVOICE, TRAINING))
    amount = tens(case.pile.terms.limits[type_id] * draws.integer("above", 104, 160) / 100)
    purpose = draws.choice("pressure", (*words.PRESSURE, *words.PURPOSES))
    case.add(type_id, amount, pass_on(case.pile.people.second), purpose=purpose)


def _add_apart(case: DeskCase) -> None:
    to, centre = pass_on(case.pile.people.keeper), case.pile.terms.apart
    case.add(PURCHASE, case.below(), to, cost_centre=centre)


#: The kinds of cases, besides the plain requests that compete for a budget.
KINDS: Final[Mapping[str, Kind]] = {
    "small": _add_small,
    "quoted": _add_quoted,
    "quote_comes": _add_late_quote,
    "quote_never": _add_lost_quote,
    "split": _add_split,
    "alike": _add_alike,
    "paid": _add_paid,
    "twice": _add_twice,
    "mismatch": _add_mismatch,
    "excluded": _add_excluded,
    "formerly": _add_formerly_allowed,
    "own": _add_own,
    "bosses": _add_of_boss,
    "too_much": _add_above_limit,
    "apart": _add_apart,
}
