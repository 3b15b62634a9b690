"""The pile at the desk under construction: requests with their right outcomes, and the cases that they belong to."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Final

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .documents import Papers, add_quote
from .pack import VERSION
from .spending import PURCHASE, USUAL, Scale, Spending
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
        is_older: Whether it was made while the earlier edition of the rules was in force.
    """

    request_id: str
    disposition: str
    requester: str
    asks: bool = False
    contends: bool = False
    is_older: bool = False


@dataclass
class Pile:
    """The pile under construction.

    Attributes:
        centres: Cost centres with ample budgets.
        contended: The cost centre whose budget is too small.
        papers: The documents that count.
        cause: The hidden cause.
        ledgers: The metrics of the budgets of the current period, as at the start, the contended one first.
        kinds: The kinds of the cases on the short budget.
    """

    company: Company
    people: People
    terms: Terms
    centres: Sequence[str]
    contended: str
    papers: Papers
    cause: str = ""
    ledgers: list[Row] = field(default_factory=list)
    requests: list[DeskRequest] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        """The ids of the requests."""
        return [request.request_id for request in self.requests]

    def case(self, key: str) -> "DeskCase":
        """Return a case on the ample budgets."""
        return DeskCase(self.company, key, self.people.head, pile=self, centres=self.centres)

    def case_on_short_budget(self, key: str, scale: Scale = USUAL) -> "DeskCase":
        """Return a case on the short budget."""
        centres = (self.contended,)
        return DeskCase(self.company, key, self.people.head, scale=scale, pile=self, centres=centres)

    def row(self, request: DeskRequest) -> Row:
        """Return the row of a request."""
        return self.company.row("approvalflow", "requests", request.request_id)


@dataclass(frozen=True)
class DeskCase(Spending):
    """Requests of the pile under construction that belong together; `centres` are the cost centres that pay."""

    _: KW_ONLY
    pile: Pile
    centres: Sequence[str]

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
        pile, seller = self.pile, supplier or self.supplier()
        age = self.draws.integer("age", HOUR, 4 * DAY) // MINUTE * MINUTE if age_s is None else age_s
        by = requester or pile.people.staff[len(pile.requests)]
        things = texts or self.texts(type_id)
        quotes = self._needed_quotes(type_id, amount, seller, age) if quoted_by is None else quoted_by
        is_older = age > IN_FORCE_S
        request = self.submit(
            self.company.numbers.reserve("APR"),
            type_id,
            self.fields(type_id, amount, seller, **fields),
            things,
            by,
            lines_total=lines_total,
            age_s=age,
            due=self.company.start + 7 * DAY,
            policy_version=VERSION - is_older,
            attachments=self.attach(quotes, things[0], amount, by, age),
        )
        pile.requests.append(DeskRequest(request["id"], disposition, by.id, asks, contends, is_older))
        return request

    def fields(self, type_id: str, amount: float, supplier: str, **stated: Any) -> Row:
        """Return the fields of a request, of which those not stated are drawn."""
        usual: Row = {
            "cost_centre": self.draws.choice("centre", self.centres),
            "priority": self.draws.integer("priority", 1, 3),
            "purpose": self.draws.choice("purpose", words.PURPOSES),
        }
        return super().fields(type_id, amount, supplier, **{**usual, **stated})

    def attach(
        self, suppliers: Sequence[str], purpose: str, amount: float, by: Person, age_s: int
    ) -> list[str]:
        """Add a quote from each supplier to the library, and return their ids."""
        return [
            add_quote(self.company, one, purpose, amount + 10 * number, by, age_s + (number + 2) * DAY)
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
