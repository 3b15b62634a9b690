"""What a case is set in, and how its parts are written into the company: figure, ticket, route, objections."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from companyos.chaos import FaultPlan, cost_bound
from companyos.company import Cast, Company, Person, Row
from companyos.draws import Draws
from companyos.scenario import Trouble
from companyos.simtime import DAY, MINUTE

from .route import Absence, Route, lay_route


@dataclass(frozen=True)
class Figure:
    """The figure that decides: as it is at the start, and what a refresh brings.

    Attributes:
        failures: Which refreshes fail, counted from 0.
    """

    metric: Row
    value: float
    failures: tuple[int, ...] = ()


@dataclass(frozen=True)
class Setting:
    """A company that has its people, what is to go wrong in it, and the hidden cause.

    Attributes:
        original: Whether the names and numbers are those of the first tasks.
        routes: Who decides, by role, for every role that may come to decide.
    """

    company: Company
    cast: Cast
    plan: FaultPlan
    cause: str
    original: bool
    routes: dict[str, Route] = field(default_factory=dict)

    @property
    def draws(self) -> Draws:
        """The draws that both twins share."""
        return self.company.draws

    def approval_type(self, type_id: str) -> Row:
        """Return the company's approval type of this id."""
        return next(
            row for row in self.company.rows["approvalflow"]["approval_types"] if row["id"] == type_id
        )

    def person(self, person_id: str) -> Person:
        """Return the colleague of this id."""
        return next(person for person in self.company.people if person.id == person_id)

    def rule(self, kind: str) -> Row:
        """Return the company's rule for a kind of ticket."""
        return next(row for row in self.company.rows["ticketdesk"]["priority_rules"] if row["id"] == kind)

    def minimum(self, type_id: str) -> float | None:
        """Return the least figure that an approval type accepts."""
        types = self.company.rows["approvalflow"]["approval_types"]
        least: float | None = next(row["minimum"] for row in types if row["id"] == type_id)
        return least

    def priorities(self, ticket: Row) -> tuple[str, ...]:
        """Return the priorities a ticket may end with: its own, or any its kind's rule allows if it has none."""
        return (ticket["priority"],) if ticket["priority"] else tuple(self.rule(ticket["kind"])["allowed"])

    def stale_figure(
        self, name: str, subject: str | None, unit: str, *, stale: float, fresh: float
    ) -> Figure:
        """Add a figure that is four days old where two are allowed, and that a refresh brings up to date."""
        metric = self.company.measure(
            name,
            subject,
            stale,
            unit,
            metric_id=self.company.numbers.reserve("MET"),
            age_s=4 * DAY,
            ttl_s=2 * DAY,
            refresh_s=self.draws.integer("refresh_s", 5, 15) * MINUTE,
            values=[fresh],
        )
        return Figure(metric, fresh)

    def fresh_figure(self, name: str, subject: str | None, unit: str, value: float) -> Row:
        """Add a figure that is a day old and keeps for longer than the task can take."""
        metric_id = self.company.numbers.reserve("MET")
        return self.company.measure(
            name, subject, value, unit, metric_id=metric_id, age_s=DAY, ttl_s=300 * DAY
        )

    def new_ticket(self, kind: str, title: str, description: str, record: Row, **columns: Any) -> Row:
        """Add a new ticket about a record, at its cost centre."""
        return self.company.open(
            self.company.numbers.reserve("TD"),
            kind,
            title,
            description,
            self.cast.reporter,
            subject=record["id"],
            **{"cost_centre": record["fields"]["cost_centre"], **columns},
        )

    def goal_ticket(
        self, kind: str, title: str, description: str, record: Row, *, priority: str | None = None
    ) -> Row:
        """Add the goal's ticket."""
        return self.new_ticket(kind, title, description, record, priority=priority)

    def route(self, role: str, type_id: str, *, amount: int | None = None, away: bool = False) -> Route:
        """Say who decides for a role: its holder, or the delegate while the holder is `away` for days."""
        absence = Absence.COVERED if away else Absence.NONE
        route = lay_route(self.company, self.cast, role, type_id, absence, amount=amount)
        self.routes[role] = route
        return route

    def cost(self, troubles: Iterable[Trouble]) -> int:
        """Return how many more steps all that goes wrong can cost: these troubles, and what calls and events meet."""
        on_the_way = cost_bound(self.plan.chaos, business=False)
        return sum(trouble.cost for trouble in troubles) + on_the_way
