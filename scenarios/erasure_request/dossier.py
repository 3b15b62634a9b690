"""What the company holds about the person of the task, and about their namesake."""

from collections.abc import Callable
from typing import Final

from companyos.sdk.company import Cast

from . import words
from .files import INVOICE, ORDER, PORTAL, Customer, FileWriter, HeldObject
from .pack import HEAD
from .terms import ERASE, Terms

#: The least number of days between an age and any retention limit.
_MARGIN: Final = 60
_YEAR: Final = 365


class Filing:
    """Draws and writes what the company holds about a person.

    Args:
        writer: Writes the objects.
        cast: The people of the company.
        terms: The schedule in force and the superseded one.
        is_clean: Whether everything may be erased, so that nothing has to be kept.
    """

    def __init__(self, writer: FileWriter, cast: Cast, terms: tuple[Terms, Terms], *, is_clean: bool) -> None:
        self._writer = writer
        self._cast = cast
        self._now, self._before = terms
        self._is_clean = is_clean
        self._held: list[HeldObject] = []

    def file(self, customer: Customer, other: Customer) -> list[HeldObject]:
        """Write everything about a customer; a case of `other` gets a remark about them."""
        self._held.append(self._writer.held_record(customer))
        orders = self._orders(customer)
        self._forms(customer)
        self._papers(customer, orders[0])
        self._cases(customer, other, orders[0])
        return self._held

    def _orders(self, customer: Customer) -> list[HeldObject]:
        orders = []
        for number in range(1 + self._drawn("second_order", 0.3)):
            ordered, invoiced = self._ages(number)
            order = self._writer.order(customer, ordered)
            orders.append(order)
            self._held.append(order)
            if invoiced is not None:
                self._held.append(self._writer.invoice(customer, order, invoiced))
        return orders

    def _ages(self, number: int) -> tuple[int, int | None]:
        """Return the ages of an order and, if there is one, of its invoice, which is never older."""
        ordered = self._age(ORDER, number)
        if not self._drawn("invoice", 0.7, number):
            return ordered, None
        invoiced = self._age(INVOICE, number)
        if invoiced <= ordered:
            return ordered, invoiced
        days = self._writer.company.draws.integer("dossier.invoiced", 0, 20, number)
        longest = _YEAR * max(terms.years[ORDER] for terms in (self._now, self._before))
        shortest = _YEAR * min(terms.years[INVOICE] for terms in (self._now, self._before))
        is_long_ago = invoiced > longest + _MARGIN
        if is_long_ago and (self._is_clean or self._drawn("invoice.old", 0.75, number)):
            return invoiced + days, invoiced
        return ordered, max(_MARGIN, min(ordered, shortest - _MARGIN) - days)

    def _forms(self, customer: Customer) -> None:
        draws = self._writer.company.draws
        kinds: list[str] = []
        if self._drawn("special", 0.5):
            special = draws.shuffled("special.kind", sorted(self._now.special))
            kinds += special[: 1 + self._drawn("special.second", 0.3)]
        if self._drawn("form", 0.7) or not kinds:
            # Often a kind that the former schedule counted as special.
            harmless = [one for one in words.FORMS if one not in self._now.special]
            once = sorted(self._before.special - self._now.special)
            kinds.append(draws.choice("form.kind", once if self._drawn("form.once", 0.5) else harmless))
        self._held += [self._writer.form(customer, kind) for kind in kinds]

    def _papers(self, customer: Customer, order: HeldObject) -> None:
        self._perhaps("letter", 0.4, lambda: self._writer.letter(customer))
        self._perhaps("minutes", 0.3, lambda: self._writer.minutes(customer, order))
        self._perhaps("message", 0.4, lambda: self._writer.mail(customer))
        self._perhaps(PORTAL, 0.4, lambda: self._writer.portal(customer))

    def _cases(self, customer: Customer, other: Customer, order: HeldObject) -> None:
        writer = self._writer
        if not self._is_allowed("customer_case"):
            return
        held, case = writer.case(customer, order)
        self._held.append(held)
        self._perhaps("goodwill", 0.35, lambda: writer.goodwill(customer, case, self._cast.offices[HEAD]))
        elsewhere = writer.order(other, self._age(ORDER, 9))
        _, others_case = writer.case(other, elsewhere)
        self._perhaps("comment", 0.4, lambda: writer.remark(customer, others_case))

    def _perhaps(self, kind: str, probability: float, write: Callable[[], HeldObject]) -> None:
        if self._is_allowed(kind) and self._drawn(kind, probability):
            self._held.append(write())

    def _is_allowed(self, kind: str) -> bool:
        return not self._is_clean or self._now.mode(kind, None) == ERASE

    def _drawn(self, draw_name: str, probability: float, number: int = 0) -> bool:
        return self._writer.company.draws.chance(f"dossier.{draw_name}", probability, number)

    def _age(self, kind: str, number: int) -> int:
        """Return an age in days, often one for which the superseded schedule says something else."""
        now, before = self._now.years[kind], self._before.years[kind]
        low, high = sorted((now * _YEAR, before * _YEAR))
        between, beyond = (low + _MARGIN, high - _MARGIN), (high + _MARGIN, high + 2 * _YEAR)
        spans = [between, between, beyond, (_MARGIN, low - _MARGIN)]
        if self._is_clean:
            spans = [between, beyond] if now < before else [beyond]
        draws = self._writer.company.draws
        first, last = draws.choice("dossier.span", spans, kind, number)
        return draws.integer("dossier.age", first, last, kind, number)


def file_namesake(writer: FileWriter, customer: Customer) -> frozenset[str]:
    """Write what the company holds about a namesake, and return its ids."""
    draws = writer.company.draws
    invoiced = draws.integer("namesake.invoice", 100, 4500)
    order = writer.order(customer, max(invoiced, draws.integer("namesake.order", 100, 2500)))
    held = [writer.held_record(customer), order, writer.invoice(customer, order, invoiced)]
    held += [writer.form(customer, draws.choice("namesake.form", words.FORMS)), writer.letter(customer)]
    if draws.chance("namesake.mail", 0.5):
        held.append(writer.mail(customer))
    held.append(writer.case(customer, order)[0])
    return frozenset(one.id for one in held)
