"""The facts of a close: the books, the figures to refresh in order, and the tickets to file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

from companyos.company import Cast, Company, Person, Row, new_name
from companyos.family import choose_cause
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY

from . import papers, plan
from .books import (
    CLASSES,
    Books,
    Feed,
    Figure,
    Line,
    last_quarter,
    new_period,
    open_books,
    other_lines,
    write_lines,
)
from .pack import close_approval, open_close_ticket, open_variance_ticket
from .papers import Rules
from .plan import Variance
from .words import ENTITIES, LINES

LIMITS = (20_000.0, 60_000.0, 150_000.0)


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        cause: The hidden cause.
        parents: The sources of each line, by name.
        needed: The lines and feeds to refresh, in a right order.
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
    rules: Rules
    books: Books
    lines: Sequence[Line]
    feeds: Sequence[Feed]
    parents: Mapping[str, tuple[str, ...]]
    needed: Sequence[str]
    failures: Mapping[str, int]
    variances: Mapping[str, Variance]
    filed: frozenset[str]
    memo: Row | None
    approver: str

    @property
    def figures(self) -> Sequence[Figure]:
        """The lines, and the feeds that these are computed from."""
        return (*self.feeds, *self.lines)

    @property
    def edges(self) -> Sequence[tuple[str, str]]:
        """Pairs of a line's metric and one of its sources."""
        return [
            (self.metric(name), self.metric(source))
            for name, above in self.parents.items()
            for source in above
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
        return {
            self.metric(name): "high" if self._share_left(name) > self.rules.high else "medium"
            for name in sorted(self.beyond - self.filed)
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

    @property
    def finals(self) -> Mapping[str, float]:
        """The value with which each line has to be locked, by metric."""
        return {self.metric(line.name): line.final for line in self.lines}

    def is_stated_right(self, fields: Mapping[str, Any]) -> bool:
        """Return whether the fields of a request are right."""
        left = fields.get("unexplained")
        is_close = isinstance(left, int | float) and isclose(left, self.unexplained, abs_tol=0.011)
        right = {
            "period": self.books.period["id"],
            "variances": len(self.beyond),
            "manual": self.manual["id"],
        }
        return is_close and {**fields, "unexplained": None} == {**right, "unexplained": None}

    def metric(self, name: str) -> str:
        """Return the id of the metric of a line or feed."""
        return str(self.books.metrics[name]["id"])

    def _share_left(self, name: str) -> float:
        line = next(one for one in self.lines if one.name == name)
        return 100 * self.variances[name].left / abs(line.reference)


def write(company: Company, cast: Cast, seed: int) -> Facts:
    """Write the books, the documents and the ticket of a seed."""
    draws = company.draws.under("goal.")
    kind = draws.choice("kind", plan.KINDS)
    second = choose_cause(draws, (False, True), seed)
    is_reversed = second if kind == plan.EDGE else draws.chance("reversed", 0.5)
    graph = plan.draw_graph(draws, reversed_edge=is_reversed)
    parents, feeds = plan.draw_feeds(draws, graph)
    rules, size_class = papers.draw_rules(draws), draws.choice("class", CLASSES)
    percents = {name: rules.tolerances[f"{size_class}_{category}"] for name, category in LINES}
    kinds = plan.draw_kinds(draws, graph, kind)
    failures = _draw_failures(draws, graph.needed, rules, kind, second=second)
    lines = [
        plan.draw_line(draws, graph, name, parents[name], percents[name], kinds.get(name))
        for name in graph.names
    ]
    books = _write_books(draws, company, cast, size_class, lines, feeds)
    _let_fail(company, books, failures)
    if kind == plan.PRIOR and second:
        books.prior["status"] = "reopened"
    if kind == plan.ANSWER and not second:
        kinds = {**kinds, next(iter(kinds)): plan.SILENT}
    variances = plan.draw_variances(draws, lines, kinds, percents)
    return Facts(
        cause=f"{kind}:{_cause_detail(kind, graph.swapped, second=second)}",
        me=cast.persona,
        memo=papers.Correspondence(draws, company, cast, books).explain(variances),
        ticket=_open_ticket(company, books),
        manual=papers.write_manual(draws, company, cast, rules),
        rules=rules,
        books=books,
        lines=lines,
        feeds=feeds,
        parents=parents,
        needed=plan.in_order({*graph.needed, *(feed.name for feed in feeds if feed.is_outdated)}, parents),
        failures=failures,
        variances=variances,
        filed=_file_earlier(draws, company, books, variances),
        approver=_set_approver(draws, company, cast, variances),
    )


def _draw_failures(
    draws: Draws, needed: frozenset[str], rules: Rules, kind: str, *, second: bool
) -> dict[str, int]:
    """Draw how often each line's runs fail first; in a pair about a source, too often in one instance."""
    name = draws.choice("failing.line", sorted(needed))
    if kind == plan.SOURCE:
        return {name: plan.NEVER if second else rules.runs - 1}
    return {name: 1} if draws.chance("failing", 0.3) else {}


def _let_fail(company: Company, books: Books, failures: Mapping[str, int]) -> None:
    """Let the first runs of these lines fail."""
    for name, count in failures.items():
        company.source(books.metrics[name]["id"])["failures"] = list(range(count))


def _cause_detail(kind: str, swapped: tuple[str, str], *, second: bool) -> str:
    """Return the hidden cause in a word: which of two lines comes first, or whether all is in order."""
    return " before ".join(swapped) if kind == plan.EDGE else str(second)


def _write_books(
    draws: Draws, company: Company, cast: Cast, size_class: str, lines: Sequence[Line], feeds: Sequence[Feed]
) -> Books:
    """Write the entity's quarters and a look-alike entity."""
    own_name, other_name = draws.shuffled("entity", draws.choice("entities", ENTITIES))
    reserve, controller = company.numbers.reserve, cast.offices["controller"]
    people = _hire_owners(draws, company)
    books = open_books(company, own_name, size_class, controller, reserve)
    if draws.chance("next", 0.6):
        following = last_quarter(company.start) + 1
        new_period(company, books.entity, following, reserve, status="open", locked_by=controller)
    owners = {line.name: draws.choice("owner", people, line.name) for line in lines}
    write_lines(company, books, lines, feeds, _new_ids(company, (*lines, *feeds)), owners)
    _write_look_alike(draws, company, cast, other_name, people)
    return books


def _write_look_alike(
    draws: Draws, company: Company, cast: Cast, name: str, people: Sequence[Person]
) -> None:
    """Write the open books of a look-alike entity, with the controller's memo on its variances."""
    size_class, controller = draws.choice("other.class", CLASSES), cast.offices["controller"]
    books = open_books(company, name, size_class, controller, company.numbers.reserve)
    lines = other_lines(draws, draws.sample("other.lines", LINES, 4), "other")
    owners = {line.name: draws.choice("other.owner", people, line.name) for line in lines}
    write_lines(company, books, lines, (), _new_ids(company, lines), owners)
    amounts = {
        line.name: draws.integer("other.memo", 900_000, 9_000_000, line.name) / 100 for line in lines[:2]
    }
    papers.Correspondence(draws, company, cast, books).add_memo("controller", amounts, age_s=DAY)


def _new_ids(company: Company, figures: Sequence[Figure]) -> dict[str, str]:
    return {name: company.numbers.reserve("MET") for name in sorted(one.name for one in figures)}


def _hire_owners(draws: Draws, company: Company) -> list[Person]:
    return [
        company.hire(new_name(company, "line_owner", number), "group_accountant", "Group accounting")
        for number in range(draws.integer("owners", 3, 4))
    ]


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
    for name in filed:
        ticket_id = company.numbers.reserve("TD")
        open_variance_ticket(company, books.metrics[name], ticket_id, is_open=True)
    for name in draws.sample("settled", sorted(books.owners), 2):
        open_variance_ticket(company, books.metrics[name], company.numbers.reserve("TD"), is_open=False)
    return frozenset(filed)


def _set_approver(draws: Draws, company: Company, cast: Cast, variances: Mapping[str, Variance]) -> str:
    """Set the CFO's limit, make the controller absent in some pairs, and return who decides when present."""
    limit, controller = draws.choice("limit", LIMITS), cast.offices["controller"]
    company.set_approval_type(close_approval(limit))
    if draws.chance("controller.away", 0.2):
        company.send_away(controller, company.start - 2 * DAY, company.start + 6 * DAY, "annual leave")
    return (cast.offices["cfo"] if plan.unexplained(variances) >= limit else controller).id
