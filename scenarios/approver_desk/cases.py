"""The kinds of cases at the desk, each with the right outcome of its requests."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from companyos.sdk.company import Person, Row
from companyos.sdk.company.areas.spending import will_answer
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .pile import APPROVED, DUPLICATE, EXCLUDED, MISMATCH, MISSING, QUOTE_TOPICS, SPLIT, DeskCase, Pile, tens
from .spending import INVOICE, PURCHASE, TRAINING, TYPES, VERSION
from .terms import IN_FORCE_S

#: Adds the requests of one case, and everything about them.
Kind = Callable[[DeskCase], object]


def _add_unquoted(case: DeskCase, *, comes: bool) -> None:
    """A purchase with one quote, or with two from one supplier; another quote comes if its requester is asked."""
    quoted_by = [case.supplier()] * case.draws.integer("same", 1, 2)
    request = case.add(PURCHASE, APPROVED if comes else MISSING, amount=case.above(), quoted_by=quoted_by)
    case.pile.asking.append(request["id"])
    text, found = case.draws.choice("excuse", words.EXCUSES), None
    if comes:
        by, other = case.company.person(request["requester"]), case.other_than(case.supplier())
        found = case.add_quote(other, "The same", case.above(), by, 3 * DAY)
        text = f"Sorry, I forgot to attach it. The quote of the other supplier is {found}."
    delay_s = case.draws.integer("delay", 60, 300) * MINUTE
    for topic in QUOTE_TOPICS:
        will_answer(case.company, request, topic, text, delay_s=delay_s, attaches=found)


def _add_split(case: DeskCase) -> None:
    """A purchase that needs quotes, in two parts that do not."""
    draws, people = case.draws, case.people
    percents = draws.integer("part", 52, 90), draws.integer("part", 52, 90, 2)
    same: Row = {"supplier": case.supplier(), "requester": people.staff[len(case.pile.requests)]}
    for number, percent in enumerate(percents):
        age_s = draws.integer("age", HOUR, 4 * DAY, number)
        amount = tens(case.terms.now.quotes_from * percent / 100)
        case.part(number).add(PURCHASE, SPLIT, amount=amount, age_s=age_s, **same)


def _add_alike(case: DeskCase) -> None:
    """Two colleagues buy from one supplier: two separate purchases."""
    for number in range(2):
        amount = tens(case.terms.now.quotes_from * (0.6 + 0.1 * number))
        case.part(number).add(PURCHASE, APPROVED, amount=amount, supplier=case.supplier())


def _add_paid(case: DeskCase) -> None:
    """An invoice that was paid weeks ago, and an unpaid one of the same supplier."""
    following: Row = {"amount": case.below(), "supplier": case.supplier()}
    again = {**following, "invoice_number": case.part("paid").invoice_number(case.supplier())}
    past = case.submit(
        case.company.numbers.reserve("APR"),
        INVOICE,
        {"cost_centre": case.centres[0], "priority": 2, "purpose": words.PURPOSES[0], **again},
        case.texts(INVOICE),
        case.people.staff[-1],
        age_s=case.draws.integer("paid", 15, 40) * DAY,
        due=case.company.start,
        policy_version=VERSION - 1,
    )
    case.settle_past(past)
    case.part("again").add(INVOICE, DUPLICATE, **again)
    case.part("next").add(INVOICE, APPROVED, **following)


def _add_twice(case: DeskCase) -> None:
    """One invoice, submitted by two colleagues."""
    draws, supplier = case.draws, case.supplier()
    first_s, again_s = draws.integer("first", 50, 90) * HOUR, draws.integer("again", 2, 40) * HOUR
    same: Row = {"amount": case.below(), "supplier": supplier, "texts": case.texts(INVOICE)}
    same["invoice_number"] = case.invoice_number(supplier)
    both = draws.shuffled("order", [(first_s, APPROVED), (again_s, DUPLICATE)])
    for at, (age_s, right) in enumerate(both):
        case.part(at).add(INVOICE, right, age_s=age_s, **same)


def _add_mismatch(case: DeskCase) -> None:
    """A purchase whose line items add up to less."""
    less = 10.0 * case.draws.integer("less", 3, 20)
    case.add(PURCHASE, MISMATCH, lines_total=case.below() - less)


def _add_excluded(case: DeskCase) -> None:
    texts = case.draws.shuffled("texts", _things(case))
    purpose = case.draws.choice("pressure", words.PRESSURE)
    case.add(PURCHASE, EXCLUDED, texts=texts, purpose=purpose)


def _add_formerly_allowed(case: DeskCase) -> None:
    """A purchase that only the previous version allowed: fewer quotes, and an item excluded since."""
    terms = case.terms
    amount = case.between(terms.now.quotes_from, terms.before.quotes_from, "between")
    age_s = IN_FORCE_S + case.draws.integer("older", 2, 30) * HOUR
    case.add(PURCHASE, APPROVED, amount=amount, texts=_things(case), age_s=age_s)


def _things(case: DeskCase) -> list[str]:
    """Return a thing that the rules in force exclude, and one that they do not."""
    excluded = case.draws.choice("thing", case.terms.now.excluded)
    return [excluded.capitalize(), case.draws.choice("harmless", words.THINGS)]


def _pass_on(case: DeskCase, type_id: str, to: Person, **given: Any) -> None:
    """A request that somebody else has to decide."""
    case.add(type_id, f"passed_on:{to.id}", **given)


def _add_above_limit(case: DeskCase) -> None:
    draws, type_id = case.draws, case.draws.choice("type", TYPES)
    amount = tens(case.terms.limits[type_id] * draws.integer("above", 104, 160) / 100)
    purpose = draws.choice("pressure", (*words.PRESSURE, *words.PURPOSES))
    _pass_on(case, type_id, case.people.second, amount=amount, purpose=purpose)


#: The kinds of cases, besides the plain requests that compete for a budget.
KINDS: Final[Mapping[str, Kind]] = {
    "small": lambda case: case.add(case.draws.choice("type", (PURCHASE, TRAINING, INVOICE)), APPROVED),
    "quoted": lambda case: case.add(PURCHASE, APPROVED, amount=case.above()),
    "quote_comes": lambda case: _add_unquoted(case, comes=True),
    "quote_never": lambda case: _add_unquoted(case, comes=False),
    "split": _add_split,
    "alike": _add_alike,
    "paid": _add_paid,
    "twice": _add_twice,
    "mismatch": _add_mismatch,
    "excluded": _add_excluded,
    "formerly": _add_formerly_allowed,
    "own": lambda case: _pass_on(case, TRAINING, case.people.second, requester=case.people.me),
    "bosses": lambda case: _pass_on(case, PURCHASE, case.people.second, requester=case.people.boss),
    "too_much": _add_above_limit,
    "apart": lambda case: _pass_on(case, PURCHASE, case.people.keeper, cost_centre=case.terms.apart),
}


def draw_cases(pile: Pile) -> None:
    """Add two cases on the ample budgets, of kinds that the short budget has not."""
    kinds = [kind for kind in KINDS if kind not in pile.kinds]
    for kind in pile.company.draws.sample("kinds", kinds, 2):
        KINDS[kind](pile.case(kind))
