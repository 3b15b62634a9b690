"""The pile at the desk under construction: requests with their right outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.company import Company, Person, Row
from companyos.company.areas.spending import Line, add_waiting_request
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
        staff: Requesters, each of whom makes one request unless a case says otherwise.
        centres: Cost centres with ample budgets.
        contended: The cost centre whose budget is too small.
        scale: The size and the value of its purchases.
        kinds: The kinds of the cases on the short budget.
    """

    company: Company
    people: People
    terms: Terms
    staff: Sequence[Person]
    centres: Sequence[str]
    contended: str
    cases: list[DeskRequest] = field(default_factory=list)
    scale: Scale = USUAL
    kinds: list[str] = field(default_factory=list)

    def add(
        self,
        type_id: str,
        amount: float,
        disposition: str,
        *,
        key: str,
        requester: Person | None = None,
        supplier: str | None = None,
        centre: str | None = None,
        texts: Sequence[str] | None = None,
        lines_total: float | None = None,
        quoted_by: Sequence[str] | None = None,
        age_s: int | None = None,
        priority: int | None = None,
        purpose: str | None = None,
        invoice: str | None = None,
        value: Row | None = None,
        asks: bool = False,
        contends: bool = False,
    ) -> Row:
        """Add a request; arguments not given are drawn, and two quotes are attached if it needs them."""
        draws = self.company.draws
        age = self._age_s(key) if age_s is None else age_s
        by = requester or self.staff[len(self.cases)]
        seller = supplier or draws.choice("supplier", words.SUPPLIERS, key)
        centre = centre or draws.choice("centre", self.centres, key)
        priority = priority or draws.integer("priority", 1, 3, key)
        purpose = purpose or draws.choice("purpose", words.PURPOSES, key)
        fields = stated(amount, centre, seller, priority, purpose)
        if type_id == PURCHASE:
            fields |= value or drawn_value(self.company, amount, self.scale, key)
        if type_id == INVOICE:
            fields["invoice_number"] = invoice or invoice_number(self.company, seller, key)
        total = amount if lines_total is None else lines_total
        lines = lines_of(self.company, total, texts or texts_of(self.company, type_id, key), key)
        quotes = self._needed_quotes(type_id, amount, seller, age, key) if quoted_by is None else quoted_by
        request = self._request(type_id, fields, lines, by, age, quotes)
        self.cases.append(DeskRequest(request["id"], disposition, by.id, asks=asks, contends=contends))
        return request

    @property
    def ids(self) -> frozenset[str]:
        """The requests so far."""
        return frozenset(case.request_id for case in self.cases)

    def other(self, supplier: str, key: str) -> str:
        """Return a drawn supplier other than this one."""
        others = [one for one in words.SUPPLIERS if one != supplier]
        return self.company.draws.choice("other", others, key)

    def attach(
        self, suppliers: Sequence[str], purpose: str, amount: float, by: Person, age_s: int
    ) -> list[str]:
        """Add a quote from each supplier to the library, and return their ids."""
        return [
            add_quote(self.company, one, purpose, amount + 10 * number, by, age_s + (number + 2) * DAY)
            for number, one in enumerate(suppliers)
        ]

    def _age_s(self, key: str) -> int:
        return self.company.draws.integer("age", HOUR, 4 * DAY, key) // MINUTE * MINUTE

    def _needed_quotes(self, type_id: str, amount: float, seller: str, age_s: int, key: str) -> Sequence[str]:
        """Return whose quotes a request needs under the rules of its day: none, or the seller's and another's."""
        if type_id != PURCHASE or amount < self.terms.version(age_s).quotes_from:
            return ()
        return (seller, self.other(seller, key))

    def _request(
        self,
        type_id: str,
        fields: Mapping[str, Any],
        lines: Sequence[Line],
        by: Person,
        age_s: int,
        quoted_by: Sequence[str],
    ) -> Row:
        company = self.company
        return add_waiting_request(
            company,
            company.numbers.reserve("APR"),
            type_id,
            fields,
            lines,
            by,
            self.people.head,
            age_s=age_s,
            due=company.start + 7 * DAY,
            policy_version=VERSION if age_s <= IN_FORCE_S else VERSION - 1,
            attachments=self.attach(quoted_by, lines[0].text, fields["amount"], by, age_s),
        )
