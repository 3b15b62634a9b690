"""The facts of a close: the books, the figures to refresh in order, and the tickets to file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.company import Cast, Company, Person, Row, new_name
from companyos.sdk.documents import Fields
from companyos.sdk.draws import Draws
from companyos.sdk.family import choose_cause
from companyos.sdk.grading.allowances import is_near
from companyos.sdk.simtime import DAY

from . import papers, plan
from .books import (
    CLASSES,
    ENTITIES,
    LINES,
    Books,
    Figure,
    draw_settled_lines,
    last_quarter,
    new_period,
    open_books,
    write_figures,
)
from .pack import close_approval, open_close_ticket, open_variance_ticket
from .plan import Variance

LIMITS = (20_000.0, 60_000.0, 150_000.0)
_HALF_A_CENT: Final = 0.005


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        cause: The hidden cause.
        rules: The fields of the manual in force.
        figures: The lines, and the feed that one of them may be computed from.
        failures: How many runs of a line fail before one succeeds.
        variances: The variances beyond the tolerance, by line.
        filed: Lines about which somebody has opened a ticket already.
        memo: The controller's memo in force on the variances, if there is one.
        approver: The approver of this close, or their delegate at the start.
    """

    cause: str
    me: Person
    ticket: Row
    manual: Row
    rules: Fields
    books: Books
    figures: Sequence[Figure]
    failures: Mapping[str, int]
    variances: Mapping[str, Variance]
    filed: frozenset[str]
    memo: Row | None
    approver: str

    @property
    def lines(self) -> Sequence[Figure]:
        """The lines of the period."""
        return [one for one in self.figures if one.category is not None]

    @property
    def needed(self) -> Sequence[str]:
        """The lines and feeds to refresh, in a right order."""
        outdated = (one.name for one in self.figures if one.shown != one.final)
        return plan.in_order(outdated, {one.name: one.sources for one in self.figures})

    @property
    def edges(self) -> Sequence[tuple[str, str]]:
        """Pairs of a line's metric and one of its sources."""
        return [
            (self.metric(one.name), self.metric(source)) for one in self.figures for source in one.sources
        ]

    @property
    def down(self) -> str | None:
        """The line whose source never recovers, or None."""
        return next((name for name, count in self.failures.items() if count == plan.NEVER), None)

    @property
    def is_feasible(self) -> bool:
        """Whether the period can be closed."""
        return self.down is None and self.books.prior["status"] == "locked"

    @property
    def beyond(self) -> frozenset[str]:
        """The lines that need an open ticket."""
        return frozenset(name for name, one in self.variances.items() if one.kind in plan.TICKETED)

    @property
    def wanted(self) -> Mapping[str, str]:
        """The priorities of the tickets that the agent has to file, by metric."""
        shares = {
            line.name: 100 * self.variances[line.name].left / abs(line.reference)
            for line in self.lines
            if line.name in self.beyond - self.filed
        }
        return {
            self.metric(name): "high" if share > self.rules["high"] else "medium"
            for name, share in sorted(shares.items())
        }

    @property
    def owners_to_ask(self) -> Mapping[str, str]:
        """The owners who have to be asked because the memo in force does not explain enough, by metric."""
        left = (name for name, one in sorted(self.variances.items()) if one.kind != plan.MEMO)
        return {self.metric(name): self.books.owners[name].id for name in left}

    @property
    def metrics_by_owner(self) -> Mapping[str, list[str]]:
        """The metrics of the lines that each owner has."""
        found: dict[str, list[str]] = {}
        for name, owner in sorted(self.books.owners.items()):
            found.setdefault(owner.id, []).append(self.metric(name))
        return found

    @property
    def unexplained(self) -> float:
        """The sum of what remains unexplained in the open tickets."""
        return plan.unexplained(self.variances)

    def is_stated_right(self, fields: Mapping[str, Any]) -> bool:
        """Return whether the fields of a request are right."""
        left = fields.get("unexplained")
        right = {
            "period": self.books.period["id"],
            "variances": len(self.beyond),
            "unexplained": left,
            "manual": self.manual["id"],
        }
        is_close = isinstance(left, int | float) and is_near(self.unexplained, _HALF_A_CENT)(left)
        return is_close and fields == right

    def metric(self, name: str) -> str:
        """Return the id of the metric of a line or feed."""
        return str(self.books.metrics[name]["id"])


def write(company: Company, cast: Cast, seed: int) -> Facts:
    """Write the books, the documents and the ticket of a seed."""
    draws = company.draws.under("goal.")
    kind = draws.choice("kind", plan.KINDS)
    second = choose_cause(draws, (False, True), seed)
    graph = plan.draw_graph(
        draws, reversed_edge=second if kind == plan.EDGE else draws.chance("reversed", 0.5)
    )
    rules, size_class = papers.draw_rules(draws), draws.choice("class", CLASSES)
    percents = {name: rules[f"{size_class}_{category}"] for name, category in LINES}
    kinds = plan.draw_kinds(draws, graph, kind)
    figures = plan.draw_figures(draws, graph, percents, kinds)
    if kind == plan.ANSWER and not second:
        kinds |= {next(iter(kinds)): plan.SILENT}
    variances = plan.draw_variances(draws, figures, kinds, percents)
    books = _write_books(draws, company, cast, size_class, figures)
    failures = _draw_failures(draws, graph.needed, rules["runs"], kind, second=second)
    for name, count in failures.items():
        company.source(books.metrics[name]["id"])["failures"] = list(range(count))
    if kind == plan.PRIOR and second:
        books.prior["status"] = "reopened"
    return Facts(
        cause=f"{kind}:{' before '.join(graph.swapped) if kind == plan.EDGE else second}",
        me=cast.persona,
        memo=papers.Correspondence(draws, company, cast, books).explain(variances),
        ticket=_open_ticket(company, books),
        manual=papers.write_manual(draws, company, cast, rules),
        rules=rules,
        books=books,
        figures=figures,
        failures=failures,
        variances=variances,
        filed=_file_earlier(draws, company, books, variances),
        approver=_set_approver(draws, company, cast, variances),
    )


def _draw_failures(
    draws: Draws, needed: frozenset[str], runs: int, kind: str, *, second: bool
) -> dict[str, int]:
    """Draw how often each line's runs fail first; in a pair about a source, too often in one instance."""
    name = draws.choice("failing.line", sorted(needed))
    if kind == plan.SOURCE:
        return {name: plan.NEVER if second else runs - 1}
    return {name: 1} if draws.chance("failing", 0.3) else {}


def _write_books(
    draws: Draws, company: Company, cast: Cast, size_class: str, figures: Sequence[Figure]
) -> Books:
    """Write the entity's quarters and a look-alike entity."""
    own_name, other_name = draws.shuffled("entity", draws.choice("entities", ENTITIES))
    reserve, controller = company.numbers.reserve, cast.offices["controller"]
    people = [
        company.hire(new_name(company, "line_owner", number), "group_accountant", "Group accounting")
        for number in range(draws.integer("owners", 3, 4))
    ]
    books = open_books(company, own_name, size_class, controller, reserve)
    if draws.chance("next", 0.6):
        following = last_quarter(company.start) + 1
        new_period(company, books.entity, following, reserve, status="open", locked_by=controller)
    owners = {one.name: draws.choice("owner", people, one.name) for one in figures if one.category}
    write_figures(company, books, figures, _reserve_ids(company, figures), owners)
    _write_look_alike(draws, company, cast, other_name, people)
    return books


def _write_look_alike(
    draws: Draws, company: Company, cast: Cast, name: str, people: Sequence[Person]
) -> None:
    """Write the open books of a look-alike entity, with the controller's memo on its variances."""
    size_class, controller = draws.choice("other.class", CLASSES), cast.offices["controller"]
    books = open_books(company, name, size_class, controller, company.numbers.reserve)
    lines = draw_settled_lines(draws, draws.sample("other.lines", LINES, 4), "other")
    owners = {line.name: draws.choice("other.owner", people, line.name) for line in lines}
    write_figures(company, books, lines, _reserve_ids(company, lines), owners)
    amounts = {
        line.name: draws.integer("other.memo", 900_000, 9_000_000, line.name) / 100 for line in lines[:2]
    }
    papers.Correspondence(draws, company, cast, books).add_memo("controller", amounts, age_s=DAY)


def _reserve_ids(company: Company, figures: Sequence[Figure]) -> dict[str, str]:
    return {name: company.numbers.reserve("MET") for name in sorted(one.name for one in figures)}


def _open_ticket(company: Company, books: Books) -> Row:
    ticket_id = company.numbers.reserve("TD")
    ticket = open_close_ticket(company, books.entity, books.period["name"], ticket_id)
    ticket["created_at"] = ticket["updated_at"] = company.start - DAY
    return ticket


def _file_earlier(
    draws: Draws, company: Company, books: Books, variances: Mapping[str, Variance]
) -> frozenset[str]:
    """In some pairs, open a colleague's ticket that a line needs; add settled tickets about others."""
    # Not about lines that only owners can explain, because these can differ between the instances of a pair.
    sure = sorted(name for name, one in variances.items() if one.kind in (plan.PART, plan.OLD_MEMO))
    filed = sure[:1] if draws.chance("filed", 0.5) else []
    settled = draws.sample("settled", sorted(books.owners), 2)
    for number, name in enumerate([*filed, *settled]):
        ticket_id = company.numbers.reserve("TD")
        open_variance_ticket(company, books.metrics[name], ticket_id, is_open=number < len(filed))
    return frozenset(filed)


def _set_approver(draws: Draws, company: Company, cast: Cast, variances: Mapping[str, Variance]) -> str:
    """Set the CFO's limit, make the controller absent in some pairs, and return who decides when present."""
    limit, controller = draws.choice("limit", LIMITS), cast.offices["controller"]
    company.set_approval_type(close_approval(limit))
    if draws.chance("controller.away", 0.2):
        company.send_away(controller, company.start - 2 * DAY, company.start + 6 * DAY, "annual leave")
    return (cast.offices["cfo"] if plan.unexplained(variances) >= limit else controller).id
