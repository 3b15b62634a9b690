"""The pile at the desk under construction: requests with their right outcomes, and the cases that they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.company.areas.spending import add_budget, ledger_of
from companyos.sdk.simtime import DAY, HOUR, MINUTE

from . import words
from .spending import PURCHASE, VERSION, Scale, Spending
from .terms import IN_FORCE_S, People, Terms

APPROVED: Final = "approved"
#: The topics under which a requester is asked for a quote of another supplier.
QUOTE_TOPICS: Final = ("quote", "supplier")
#: Reasons of rejection, as dispositions.
MISMATCH, DUPLICATE, MISSING = "rejected:amount_mismatch", "rejected:duplicate", "rejected:evidence_missing"
EXCLUDED, OVER, SPLIT = "rejected:not_eligible", "rejected:over_budget", "rejected:split_purchase"


@dataclass
class Pile:
    """The pile under construction.

    Attributes:
        rules: The edition of the rules in force.
        cover: The letter of cover that counts.
        minutes: The minutes that say whether it still holds.
        cause: The hidden cause.
        ledgers: The metrics of the budgets of the current period, as at the start, that of the short one first.
        requests: The requests by id.
        right: The right outcome of each: `approved`, `rejected:<reason>` or `passed_on:<person>`.
        asking: Those whose requesters have to be asked first.
        kinds: The kinds of the cases on the short budget.
    """

    company: Company
    people: People
    terms: Terms
    rules: Row
    cover: Row
    minutes: Row
    cause: str = ""
    ledgers: list[Row] = field(default_factory=list)
    requests: dict[str, Row] = field(default_factory=dict)
    right: dict[str, str] = field(default_factory=dict)
    asking: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    @property
    def contending(self) -> list[str]:
        """The requests that compete for the short budget."""
        short, competing = self.terms.short, (APPROVED, OVER)
        wanting = (key for key, row in self.requests.items() if row["fields"]["cost_centre"] == short)
        return [key for key in wanting if self.right[key] in competing]

    @property
    def older(self) -> list[str]:
        """The requests that were made while the earlier edition of the rules was in force."""
        return [key for key, row in self.requests.items() if row["policy_version"] < VERSION]

    def case(self, key: str) -> "DeskCase":
        """Return a case on the ample budgets."""
        return DeskCase(self.company, key, self.people.head, Scale(), self, self.terms.ample)

    def case_on_short_budget(self, key: str, scale: Scale) -> "DeskCase":
        """Return a case on the short budget."""
        return DeskCase(self.company, key, self.people.head, scale, self, (self.terms.short,))

    def add_budgets(self, centre: str, last_year: float, spent: float, limit: float, **ledger: Any) -> None:
        """Add a cost centre's budgets of last year, of which so much was spent, and of this year with its ledger."""
        company, head, name = self.company, self.people.head, "Running costs"
        add_budget(company, centre, name, head, last_year, committed=spent, years_ago=1)
        budget = add_budget(company, centre, name, head, limit, **ledger)
        # As at the start: a fault may change the row.
        self.ledgers.append(dict(ledger_of(company, budget)))


@dataclass(frozen=True)
class DeskCase(Spending):
    """Requests of the pile under construction that belong together; `centres` are the cost centres that pay."""

    pile: Pile
    centres: Sequence[str]

    @property
    def people(self) -> People:
        """The people at the desk."""
        return self.pile.people

    @property
    def terms(self) -> Terms:
        """The rules that apply."""
        return self.pile.terms

    def below(self) -> float:
        """Return an amount that needs no quotes, within every limit."""
        return tens(self.draws.integer("below", *self.scale.below))

    def above(self) -> float:
        """Return an amount that needs quotes, within the limit of purchases."""
        return self.between(self.terms.now.quotes_from, self.terms.limits[PURCHASE], "beyond")

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
        disposition: str,
        *,
        requester: Person | None = None,
        texts: Sequence[str] = (),
        lines_total: float | None = None,
        quoted_by: Sequence[str] | None = None,
        age_s: int | None = None,
        **stated: Any,
    ) -> Row:
        """Add a request; what is not given or `stated` is drawn, and it has two quotes if it needs them."""
        pile = self.pile
        age = self.draws.integer("age", HOUR, 4 * DAY) // MINUTE * MINUTE if age_s is None else age_s
        by, things = requester or pile.people.staff[len(pile.requests)], texts or self.texts(type_id)
        fields = {**self._usual_fields(), **stated}
        quotes = self._needed_quotes(type_id, fields, age) if quoted_by is None else quoted_by
        request_id = self.company.numbers.reserve("APR")
        pile.right[request_id] = disposition
        pile.requests[request_id] = self.submit(
            request_id,
            type_id,
            fields,
            things,
            by,
            lines_total=lines_total,
            age_s=age,
            due=self.company.start + 7 * DAY,
            policy_version=VERSION - (age > IN_FORCE_S),
            attachments=[
                self.add_quote(one, things[0], fields["amount"] + 10 * at, by, age + (at + 2) * DAY)
                for at, one in enumerate(quotes)
            ],
        )
        return pile.requests[request_id]

    def add_quote(self, supplier: str, purpose: str, amount: float, by: Person, age_s: int) -> str:
        """Add a supplier's quote to the library and return its id."""
        number = self.company.draws.integer("quote", 1000, 9999, supplier, purpose, int(amount))
        reference = f"{supplier[:2].upper()}-{number}"
        body = f"{supplier} offers: {purpose}. Total {amount:,.2f} EUR. Quote {reference}, valid 60 days."
        quote = self.company.add_document("quote", f"Quote {number}", "Purchasing", by, body, age_s=age_s)
        return str(quote["id"])

    def _usual_fields(self) -> Row:
        return {
            "amount": self.below(),
            "cost_centre": self.draws.choice("centre", self.centres),
            "supplier": self.supplier(),
            "priority": self.draws.integer("priority", 1, 3),
            "purpose": self.draws.choice("purpose", words.PURPOSES),
        }

    def _needed_quotes(self, type_id: str, fields: Row, age_s: int) -> Sequence[str]:
        """Return whose quotes a request needs under the rules of its day: none, or the seller's and another's."""
        rules = self.terms.before if age_s > IN_FORCE_S else self.terms.now
        needs = type_id == PURCHASE and fields["amount"] >= rules.quotes_from
        return (fields["supplier"], self.other_than(fields["supplier"])) if needs else ()


def tens(amount: float) -> float:
    """Return an amount rounded down to a multiple of ten."""
    return float(int(amount) // 10 * 10)


def attached_to(request: Mapping[str, Any]) -> list[str]:
    """Return the documents that are attached to a request."""
    return [one["reference"] for one in request["evidence"].get("attachments", ())]
