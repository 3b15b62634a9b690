"""The pile at the desk under construction: requests with their right outcomes, and the cases that they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.company.areas.spending import add_waiting_request
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .documents import add_quote
from .pack import (
    INVOICE,
    PURCHASE,
    USUAL,
    VERSION,
    Scale,
    drawn_value,
    invoice_number,
    lines_of,
    stated,
    texts_of,
)
from .terms import IN_FORCE_S, People, Terms

APPROVED: Final = "approved"
#: The topics under which a requester is asked for a quote of another supplier.
QUOTE_TOPICS: Final = ("quote", "supplier")
#: Reasons of rejection, as dispositions.
MISMATCH, DUPLICATE, MISSING = "rejected:amount_mismatch", "rejected:duplicate", "rejected:evidence_missing"
EXCLUDED, OVER, SPLIT = "rejected:not_eligible", "rejected:over_budget", "rejected:split_purchase"


def pass_on(to: Person) -> str:
    """Return the disposition of a request that somebody else has to decide."""
    return f"passed_on:{to.id}"


@dataclass(frozen=True)
class DeskRequest:
    """A request at the desk.

    Attributes:
        disposition: Its right outcome: `approved`, `rejected:<reason>` or `passed_on:<person>`.
        requester: The person who made it.
        asks: Whether its requester has to be asked first.
        contends: Whether it is one of the requests that compete for a budget.
    """

    request_id: str
    disposition: str
    requester: str
    asks: bool = False
    contends: bool = False


@dataclass
class Pile:
    """The pile under construction.

    Attributes:
        centres: Cost centres with ample budgets.
        contended: The cost centre whose budget is too small.
        kinds: The kinds of the cases on the short budget.
    """

    company: Company
    people: People
    terms: Terms
    centres: Sequence[str]
    contended: str
    requests: list[DeskRequest] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def case(self, key: str) -> "DeskCase":
        """Return a case on the ample budgets."""
        return DeskCase(self, key, self.centres)

    def case_on_short_budget(self, key: str, scale: Scale = USUAL) -> "DeskCase":
        """Return a case on the short budget."""
        return DeskCase(self, key, (self.contended,), scale)

    def row(self, request: DeskRequest) -> Row:
        """Return the row of a request."""
        return self.company.row("approvalflow", "requests", request.request_id)


@dataclass(frozen=True)
class DeskCase:
    """Requests of the pile under construction that belong together; everything in it is drawn under its key.

    Attributes:
        centres: The cost centres that pay.
        scale: The size and the value of its purchases.
    """

    pile: Pile
    key: str
    centres: Sequence[str]
    scale: Scale = USUAL

    @property
    def draws(self) -> Draws:
        """The draws of the case."""
        return self.pile.company.draws.about(self.key)

    def part(self, name: str | int) -> "DeskCase":
        """Return a part of the case with draws of its own."""
        return replace(self, key=f"{self.key}.{name}")

    def below(self) -> float:
        """Return an amount that needs no quotes, within every limit."""
        return tens(self.draws.integer("below", *self.scale.below))

    def above(self) -> float:
        """Return an amount that needs quotes, within the limit of purchases."""
        terms = self.pile.terms
        return self.between(terms.now.quotes_from, terms.limits[PURCHASE], "beyond")

    def between(self, low: float, high: float, name: str) -> float:
        """Return an amount that is as far from the lower one to the higher as the scale says."""
        return tens(low + (high - low) * self.draws.integer(name, *self.scale.beyond) / 100)

    def supplier(self) -> str:
        """Return the supplier of the case."""
        return self.draws.choice("supplier", words.SUPPLIERS)

    def other_than(self, supplier: str) -> str:
        """Return a drawn supplier other than this one."""
        return self.draws.choice("other", [one for one in words.SUPPLIERS if one != supplier])

    def add(
        self,
        type_id: str,
        amount: float,
        disposition: str,
        *,
        requester: Person | None = None,
        supplier: str | None = None,
        texts: Sequence[str] | None = None,
        lines_total: float | None = None,
        quoted_by: Sequence[str] | None = None,
        age_s: int | None = None,
        asks: bool = False,
        contends: bool = False,
        **fields: Any,
    ) -> Row:
        """Add a request; arguments and `fields` not given are drawn, and it has two quotes if it needs them."""
        pile, company, seller = self.pile, self.pile.company, supplier or self.supplier()
        age = self.draws.integer("age", HOUR, 4 * DAY) // MINUTE * MINUTE if age_s is None else age_s
        by = requester or pile.people.staff[len(pile.requests)]
        things = texts or texts_of(company, type_id, self.key)
        quotes = self._needed_quotes(type_id, amount, seller, age) if quoted_by is None else quoted_by
        request = add_waiting_request(
            company,
            company.numbers.reserve("APR"),
            type_id,
            self._state(type_id, amount, seller, fields),
            lines_of(company, amount if lines_total is None else lines_total, things, self.key),
            by,
            pile.people.head,
            age_s=age,
            due=company.start + 7 * DAY,
            policy_version=VERSION if age <= IN_FORCE_S else VERSION - 1,
            attachments=self.attach(quotes, things[0], amount, by, age),
        )
        pile.requests.append(DeskRequest(request["id"], disposition, by.id, asks=asks, contends=contends))
        return request

    def _state(self, type_id: str, amount: float, seller: str, given: Mapping[str, Any]) -> Row:
        """Return the fields of a request; those not given are drawn."""
        draws, company = self.draws, self.pile.company
        centre, priority = draws.choice("centre", self.centres), draws.integer("priority", 1, 3)
        fields = stated(amount, centre, seller, priority, draws.choice("purpose", words.PURPOSES))
        if type_id == PURCHASE:
            fields |= drawn_value(company, amount, self.scale, self.key)
        if type_id == INVOICE and "invoice_number" not in given:
            fields["invoice_number"] = invoice_number(company, seller, self.key)
        return {**fields, **given}

    def attach(
        self, suppliers: Sequence[str], purpose: str, amount: float, by: Person, age_s: int
    ) -> list[str]:
        """Add a quote from each supplier to the library, and return their ids."""
        return [
            add_quote(self.pile.company, one, purpose, amount + 10 * number, by, age_s + (number + 2) * DAY)
            for number, one in enumerate(suppliers)
        ]

    def _needed_quotes(self, type_id: str, amount: float, seller: str, age_s: int) -> Sequence[str]:
        """Return whose quotes a request needs under the rules of its day: none, or the seller's and another's."""
        if type_id != PURCHASE or amount < self.pile.terms.version(age_s).quotes_from:
            return ()
        return (seller, self.other_than(seller))


def tens(amount: float) -> float:
    """Return an amount rounded down to a multiple of ten."""
    return float(int(amount) // 10 * 10)
