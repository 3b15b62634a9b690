"""The kinds of cases at the desk, each with the right outcome of its requests."""

from collections.abc import Callable, Mapping
from typing import Final

from companyos.company import Person, Row
from companyos.company.areas.spending import add_waiting_request, will_answer
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .pack import (
    INVOICE,
    PURCHASE,
    TRAINING,
    VERSION,
    invoice_number,
    lines_of,
    settle_past,
    stated,
    texts_of,
)
from .pile import APPROVED, DUPLICATE, EXCLUDED, MISMATCH, MISSING, QUOTE_TOPICS, SPLIT, Pile
from .terms import IN_FORCE_S


def _small(pile: Pile, key: str) -> None:
    type_id = pile.company.draws.choice("type", (PURCHASE, TRAINING, INVOICE), key)
    pile.add(type_id, _below(pile, key), APPROVED, key=key)


def _quoted(pile: Pile, key: str) -> None:
    pile.add(PURCHASE, _above(pile, key), APPROVED, key=key)


def _quote_comes(pile: Pile, key: str) -> None:
    request = _unquoted(pile, key, APPROVED)
    amount, by = request["fields"]["amount"], _person(pile, request["requester"])
    [found] = pile.attach([pile.other(request["fields"]["supplier"], key)], "The same", amount, by, DAY)
    text = f"Sorry, I forgot to attach it. The quote of the other supplier is {found}."
    for topic in QUOTE_TOPICS:
        will_answer(pile.company, request, topic, text, delay_s=_delay(pile, key), attaches=found)


def _quote_never(pile: Pile, key: str) -> None:
    request = _unquoted(pile, key, MISSING)
    text = pile.company.draws.choice(
        "excuse",
        (
            "There is only this one offer. Nobody else I know sells it.",
            "I asked a second supplier, who declined to make an offer.",
            "No, I have no other quote. The supplier is known to everybody here.",
        ),
        key,
    )
    for topic in QUOTE_TOPICS:
        will_answer(pile.company, request, topic, text, delay_s=_delay(pile, key))


def _unquoted(pile: Pile, key: str, disposition: str) -> Row:
    """Add a purchase with one quote, or with two from one supplier."""
    supplier = pile.company.draws.choice("supplier", words.SUPPLIERS, key)
    quoted_by = [supplier] * pile.company.draws.integer("same", 1, 2, key)
    return pile.add(
        PURCHASE,
        _above(pile, key),
        disposition,
        key=key,
        supplier=supplier,
        quoted_by=quoted_by,
        asks=True,
    )


def _split(pile: Pile, key: str) -> None:
    draws, edge = pile.company.draws, pile.terms.now.quotes_from
    first = _tens(edge * draws.integer("part", 52, 90, key) / 100)
    second = _tens(edge * draws.integer("part", 52, 90, key, 2) / 100)
    supplier, by = draws.choice("supplier", words.SUPPLIERS, key), pile.staff[len(pile.cases)]
    for number, amount in enumerate((first, second)):
        age_s = draws.integer("age", HOUR, 4 * DAY, key, number)
        pile.add(PURCHASE, amount, SPLIT, key=f"{key}.{number}", requester=by, supplier=supplier, age_s=age_s)


def _alike(pile: Pile, key: str) -> None:
    """Two colleagues buy from one supplier: two separate purchases."""
    supplier = pile.company.draws.choice("supplier", words.SUPPLIERS, key)
    for number in range(2):
        amount = _tens(pile.terms.now.quotes_from * (0.6 + 0.1 * number))
        pile.add(PURCHASE, amount, APPROVED, key=f"{key}.{number}", supplier=supplier)


def _paid(pile: Pile, key: str) -> None:
    """An invoice that was paid weeks ago, and an unpaid one of the same supplier."""
    company, amount = pile.company, _below(pile, key)
    supplier = company.draws.choice("supplier", words.SUPPLIERS, key)
    number = invoice_number(company, supplier, f"{key}.paid")
    fields = {
        **stated(amount, pile.centres[0], supplier, 2, words.PURPOSES[0]),
        "invoice_number": number,
    }
    lines = lines_of(company, amount, texts_of(company, INVOICE, key), key)
    past = add_waiting_request(
        company,
        company.numbers.reserve("APR"),
        INVOICE,
        fields,
        lines,
        pile.staff[-1],
        pile.people.head,
        age_s=company.draws.integer("paid", 15, 40, key) * DAY,
        due=company.start,
        policy_version=VERSION - 1,
    )
    settle_past(company, past, pile.people.head)
    pile.add(INVOICE, amount, DUPLICATE, key=f"{key}.again", supplier=supplier, invoice=number)
    pile.add(INVOICE, amount, APPROVED, key=f"{key}.next", supplier=supplier)


def _twice(pile: Pile, key: str) -> None:
    """One invoice, submitted by two colleagues."""
    company, amount = pile.company, _below(pile, key)
    supplier = company.draws.choice("supplier", words.SUPPLIERS, key)
    number = invoice_number(company, supplier, key)
    texts = texts_of(company, INVOICE, key)
    ages = [
        company.draws.integer("first", 50, 90, key) * HOUR,
        company.draws.integer("again", 2, 40, key) * HOUR,
    ]
    order = company.draws.shuffled("order", [(ages[0], APPROVED), (ages[1], DUPLICATE)], key)
    for part, (age_s, disposition) in enumerate(order):
        pile.add(
            INVOICE,
            amount,
            disposition,
            key=f"{key}.{part}",
            supplier=supplier,
            invoice=number,
            texts=texts,
            age_s=age_s,
        )


def _mismatch(pile: Pile, key: str) -> None:
    amount = _below(pile, key)
    less = amount - 10.0 * pile.company.draws.integer("less", 3, 20, key)
    pile.add(PURCHASE, amount, MISMATCH, key=key, lines_total=less)


def _excluded(pile: Pile, key: str) -> None:
    draws = pile.company.draws
    category = draws.choice("thing", pile.terms.now.excluded, key)
    texts = draws.shuffled("texts", [category, draws.choice("harmless", words.THINGS, key)], key)
    purpose = draws.choice("pressure", words.PRESSURE, key)
    pile.add(PURCHASE, _below(pile, key), EXCLUDED, key=key, texts=texts, purpose=purpose)


def _formerly(pile: Pile, key: str) -> None:
    """A purchase that only the previous version allowed: fewer quotes, and an item excluded since."""
    draws, terms = pile.company.draws, pile.terms
    low, high = terms.now.quotes_from, terms.before.quotes_from
    amount = _tens(low + (high - low) * draws.integer("between", *pile.scale.beyond, key) / 100)
    age_s = IN_FORCE_S + draws.integer("older", 2, 30, key) * HOUR
    texts = [draws.choice("thing", terms.now.excluded, key), draws.choice("harmless", words.THINGS, key)]
    pile.add(PURCHASE, amount, APPROVED, key=key, texts=texts, quoted_by=(), age_s=age_s)


def _own(pile: Pile, key: str) -> None:
    to = f"passed_on:{pile.people.second.id}"
    pile.add(TRAINING, _below(pile, key), to, key=key, requester=pile.people.me)


def _bosses(pile: Pile, key: str) -> None:
    to = f"passed_on:{pile.people.second.id}"
    pile.add(PURCHASE, _below(pile, key), to, key=key, requester=pile.people.boss)


def _too_much(pile: Pile, key: str) -> None:
    draws = pile.company.draws
    type_id = draws.choice("type", (PURCHASE, INVOICE, TRAINING), key)
    amount = _tens(pile.terms.limits[type_id] * draws.integer("above", 104, 160, key) / 100)
    purpose = draws.choice("pressure", (*words.PRESSURE, *words.PURPOSES), key)
    pile.add(type_id, amount, f"passed_on:{pile.people.second.id}", key=key, purpose=purpose)


def _apart(pile: Pile, key: str) -> None:
    to, centre = f"passed_on:{pile.people.keeper.id}", pile.terms.apart
    pile.add(PURCHASE, _below(pile, key), to, key=key, centre=centre)


#: The kinds of cases, besides the plain requests that compete for a budget.
KINDS: Final[Mapping[str, Callable[[Pile, str], None]]] = {
    "small": _small,
    "quoted": _quoted,
    "quote_comes": _quote_comes,
    "quote_never": _quote_never,
    "split": _split,
    "alike": _alike,
    "paid": _paid,
    "twice": _twice,
    "mismatch": _mismatch,
    "excluded": _excluded,
    "formerly": _formerly,
    "own": _own,
    "bosses": _bosses,
    "too_much": _too_much,
    "apart": _apart,
}


def _below(pile: Pile, key: str) -> float:
    """Return an amount that needs no quotes, within every limit."""
    return _tens(pile.company.draws.integer("below", *pile.scale.below, key))


def _above(pile: Pile, key: str) -> float:
    """Return an amount that needs quotes, within the limit of purchases."""
    least, most = pile.terms.now.quotes_from, pile.terms.limits[PURCHASE]
    return _tens(least + (most - least) * pile.company.draws.integer("beyond", *pile.scale.beyond, key) / 100)


def _tens(amount: float) -> float:
    return float(int(amount) // 10 * 10)


def _delay(pile: Pile, key: str) -> int:
    return pile.company.draws.integer("delay", 60, 300, key) * MINUTE


def _person(pile: Pile, person_id: str) -> Person:
    return next(one for one in pile.company.people if one.id == person_id)
