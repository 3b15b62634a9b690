"""The facts of a close: the books, the figures to refresh, and the variances to settle."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.family import choose_cause
from companyos.sdk.grading.allowances import is_near
from companyos.sdk.simtime import DAY

from . import papers
from .books import CLASSES, ENTITIES, LINES, Bookkeeper, Books, Figure, Line, draw_settled_lines
from .pack import add_close_ticket, add_variance_ticket, close_approval
from .plan import EDGE, KINDS, MEMO, OLD_MEMO, PART, PRIOR, SOURCE, TICKETED, Plan, draw_plan

#: More refreshes than any agent has steps for.
NEVER: Final = 400
LIMITS: Final = (20_000.0, 60_000.0, 150_000.0)
_HALF_A_CENT: Final = 0.005


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        cause: The hidden cause.
        rules: The fields of the manual in force.
        failures: How many runs of a metric fail before one succeeds.
        filed: Metrics whose variance has an open ticket from a colleague already.
        memo: The controller's memo in force on the variances, if there is one.
        unexplained: The sum of what remains unexplained in the open tickets.
        approver: The approver of this close, or their delegate at the start.
    """

    cause: str
    me: Person
    ticket: Row
    manual: Row
    rules: Fields
    books: Books
    failures: Mapping[str, int]
    filed: frozenset[str]
    memo: Row | None
    unexplained: float
    approver: str

    @property
    def needed(self) -> list[Figure]:
        """The figures to refresh, in a right order."""
        outdated = {one.id: one for one in self.books.figures if one.shown != one.final}

        def depth(figure: Figure) -> int:
            return 1 + max((depth(outdated[one]) for one in figure.sources if one in outdated), default=0)

        return sorted(outdated.values(), key=lambda one: (depth(one), one.name))

    @property
    def down(self) -> str | None:
        """The metric whose source never recovers, or None."""
        return next((one for one, count in self.failures.items() if count == NEVER), None)

    @property
    def is_feasible(self) -> bool:
        """Whether the period can be closed."""
        return self.down is None and self.books.prior["status"] == "locked"

    @property
    def variances(self) -> list[Line]:
        """The lines whose variance is beyond the tolerance."""
        return [line for line in self.books.lines_by_name if line.outcome is not None]

    @property
    def beyond(self) -> list[Line]:
        """The lines that need an open ticket."""
        return [line for line in self.variances if line.outcome in TICKETED]

    @property
    def wanted(self) -> Mapping[str, str]:
        """The priorities of the tickets that the agent has to file, by metric."""
        return {
            line.id: "high" if 100 * line.left / abs(line.reference) > self.rules["high"] else "medium"
            for line in self.beyond
            if line.id not in self.filed
        }

    @property
    def owners_to_ask(self) -> Mapping[str, str]:
        """The owners who have to be asked because the memo in force does not explain enough, by metric."""
        return {line.id: line.owner.id for line in self.variances if line.outcome != MEMO}

    @property
    def metrics_by_owner(self) -> Mapping[str, list[str]]:
        """The metrics of the lines that each owner has."""
        found: dict[str, list[str]] = {}
        for line in self.books.lines_by_name:
            found.setdefault(line.owner.id, []).append(line.id)
        return found

    def is_stated_right(self, fields: Mapping[str, Any]) -> bool:
        """Return whether the fields of a request are right."""
        stated = fields.get("unexplained")
        right = {
            "period": self.books.period["id"],
            "variances": len(self.beyond),
            "unexplained": stated,
            "manual": self.manual["id"],
        }
        is_close = isinstance(stated, int | float) and is_near(self.unexplained, _HALF_A_CENT)(stated)
        return is_close and fields == right


def write(company: Company, cast: Cast, seed: int) -> Facts:
    """Write the books, the documents and the ticket of a seed."""
    return _Writer(company.draws.under("goal."), company, cast).write(seed)


@dataclass(frozen=True)
class _Writer:
    """Writes a close into a company."""

    draws: Draws
    company: Company
    cast: Cast

    def write(self, seed: int) -> Facts:
        """Write what a pair shares, and what one of its two instances is about."""
        draws, company = self.draws, self.company
        kind, second = draws.choice("kind", KINDS), choose_cause(draws, (False, True), seed)
        rules, size_class = papers.draw_rules(draws), draws.choice("class", CLASSES)
        percents = {name: rules[f"{size_class}_{category}"] for name, category in LINES.items()}
        plan = draw_plan(draws, kind, percents, second=second)
        prior = "reopened" if kind == PRIOR and second else "locked"
        books = self._write_books(plan, size_class, prior)
        failures = NEVER if second else rules["runs"] - 1
        ticket = add_close_ticket(company, company.numbers.reserve("TD"), books)
        ticket["created_at"] = ticket["updated_at"] = company.start - DAY
        unexplained = round(fsum(line.left for line in books.lines if line.outcome in TICKETED), 2)
        return Facts(
            cause=f"{kind}:{' before '.join(plan.swapped) if kind == EDGE else second}",
            me=self.cast.persona,
            memo=papers.Correspondence(draws, company, self.cast, books).explain(),
            ticket=ticket,
            manual=papers.write_manual(draws, company, self.cast, rules),
            rules=rules,
            books=books,
            failures=self._let_runs_fail(plan, books, failures if kind == SOURCE else None),
            filed=self._file_earlier(books),
            unexplained=unexplained,
            approver=self._set_approver(unexplained),
        )

    def _write_books(self, plan: Plan, size_class: str, prior: str) -> Books:
        """Write the entity's quarters, and the open books of a look-alike with the controller's memo on these."""
        draws, company, reserve = self.draws, self.company, self.company.numbers.reserve
        keeper = Bookkeeper(company, self.cast.offices["controller"], reserve)
        own_name, other_name = draws.shuffled("entity", draws.choice("entities", ENTITIES))
        people = [
            company.hire(new_name(company, "line_owner", number), "group_accountant", "Group accounting")
            for number in range(draws.integer("owners", 3, 4))
        ]
        ids = self._reserve_metrics({*plan.sources}.union(*plan.sources.values()))
        figures = [*plan.draw_feed(ids), *(plan.draw_line(name, ids, people) for name in plan.sources)]
        quarters = [prior, "open", *(["open"] if draws.chance("next", 0.6) else [])]
        books = keeper.write_books(reserve("LE"), own_name, size_class, figures, *quarters)
        names = draws.sample("other.lines", [*LINES], 4)
        owners = {name: draws.choice("other.owner", people, name) for name in names}
        lines = draw_settled_lines(draws.about("other"), names, self._reserve_metrics(names), owners)
        for at, line in enumerate(lines[:2]):
            amount = draws.integer("other.memo", 900_000, 9_000_000, line.name) / 100
            lines[at] = replace(line, outcome=MEMO, memo=amount)
        other_class = draws.choice("other.class", CLASSES)
        other = keeper.write_books(reserve("LE"), other_name, other_class, lines, "locked", "open")
        papers.Correspondence(draws, company, self.cast, other).write_memos()
        return books

    def _reserve_metrics(self, names: Iterable[str]) -> dict[str, str]:
        return {name: self.company.numbers.reserve("MET") for name in sorted(names)}

    def _let_runs_fail(self, plan: Plan, books: Books, count: int | None) -> dict[str, int]:
        """Make the first runs of a line fail: so many of them or, if that is left open, one in some pairs."""
        needed = [line for line in books.lines_by_name if line.name in plan.needed]
        line = self.draws.choice("failing.line", needed)
        failures = int(self.draws.chance("failing", 0.3)) if count is None else count
        self.company.source(line.id)["failures"] = [*range(failures)]
        return {line.id: failures}

    def _file_earlier(self, books: Books) -> frozenset[str]:
        """In some pairs, open a colleague's ticket that a line needs; add settled tickets about others."""
        # Not about lines that only owners can explain, because these can differ between the instances of a pair.
        sure = [line for line in books.lines_by_name if line.outcome in (PART, OLD_MEMO)]
        filed = sure[:1] if self.draws.chance("filed", 0.5) else []
        settled = self.draws.sample("settled", books.lines_by_name, 2)
        for lines, is_open in ((filed, True), (settled, False)):
            for line in lines:
                add_variance_ticket(
                    self.company, self.company.numbers.reserve("TD"), line.id, is_open=is_open
                )
        return frozenset(line.id for line in filed)

    def _set_approver(self, unexplained: float) -> str:
        """Set the CFO's limit, make the controller absent in some pairs, and return who decides when present."""
        controller, limit, start = (
            self.cast.offices["controller"],
            self.draws.choice("limit", LIMITS),
            self.company.start,
        )
        self.company.set_approval_type(close_approval(limit))
        if self.draws.chance("controller.away", 0.2):
            self.company.send_away(controller, start - 2 * DAY, start + 6 * DAY, "annual leave")
        return (self.cast.offices["cfo"] if unexplained >= limit else controller).id
