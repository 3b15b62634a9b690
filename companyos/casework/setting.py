"""What a case is set in, and how its parts are written into the company: figure, ticket, route, objections."""

from dataclasses import dataclass
from typing import Any

from companyos.company import Cast, Company, Row
from companyos.draws import Draws
from companyos.simtime import DAY

from .faults import Faults, Objection, Refreshes, object_to, some_absence
from .route import Absence, Route, lay_route


@dataclass(frozen=True)
class Figure:
    """The figure that decides: as it is at the start, what a refresh brings, and how refreshes go."""

    metric: Row
    value: float
    refreshes: Refreshes


@dataclass(frozen=True)
class Setting:
    """A company that has its people, the faults of its chaos, and the hidden cause.

    `original` says that the names and numbers are those of the first tasks.
    """

    company: Company
    cast: Cast
    faults: Faults
    cause: str
    original: bool

    @property
    def draws(self) -> Draws:
        """The draws that both twins share."""
        return self.company.draws

    def rule(self, kind: str) -> Row:
        """Return the company's rule for a kind of ticket."""
        return next(row for row in self.company.rows["ticketdesk"]["priority_rules"] if row["id"] == kind)

    def priorities(self, ticket: Row) -> tuple[str, ...]:
        """Return the priorities a ticket may end with: its own, or any its kind's rule allows if it has none."""
        return (ticket["priority"],) if ticket["priority"] else tuple(self.rule(ticket["kind"])["allowed"])

    def stale_figure(
        self, name: str, subject: str | None, unit: str, *, stale: float, fresh: float
    ) -> Figure:
        """Add a figure that is four days old where two are allowed, and that a refresh brings up to date."""
        refreshes = self.faults.refreshes()
        metric = self.company.measure(
            name,
            subject,
            stale,
            unit,
            metric_id=self.company.numbers.reserve("MET"),
            age_s=4 * DAY,
            ttl_s=2 * DAY,
            refresh_s=refreshes.refresh_s,
            values=[fresh],
            failures=refreshes.failures,
        )
        return Figure(metric, fresh, refreshes)

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
        """Add the goal's ticket, of which chaos leaves fields empty."""
        columns = {"priority": priority, "cost_centre": record["fields"]["cost_centre"]}
        emptied = {name: None for name in columns if self.faults.empties(name)}
        return self.new_ticket(kind, title, description, record, **{**columns, **emptied})

    def route(self, role: str, type_id: str, *, amount: int | None = None) -> Route:
        """Say who decides for a role; in the original nobody is away, otherwise as chaos has it."""
        absence = Absence.NONE if self.original else self.faults.absence(role)
        return lay_route(self.company, self.cast, role, type_id, absence, amount=amount)

    def route_of_the_absent(self, role: str, type_id: str, *, amount: int | None = None) -> Route:
        """Say who decides for a role whose holder is away; in the original it is the delegate."""
        absence = Absence.COVERED if self.original else some_absence(self.draws, role)
        return lay_route(self.company, self.cast, role, type_id, absence, amount=amount)

    def objections(self, type_id: str, about: str) -> tuple[Objection, ...]:
        """Have the approver object as chaos has it, and return how."""
        found = self.faults.objections()
        object_to(self.company, type_id, about, found)
        return found
