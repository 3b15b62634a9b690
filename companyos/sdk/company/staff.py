"""The people of a company under construction: hiring, delegation and absences."""

from collections.abc import Sequence
from dataclasses import dataclass

from companyos.sdk.draws import Draws

from . import rows
from .packs.content import Content
from .tables import Tables


@dataclass(frozen=True)
class Person:
    """A person of the company; `id` is their id in every service."""

    id: str
    name: str
    role: str
    team: str


class Staff(Tables):
    """The people, in DataHub's directory and in the other services' copies of it."""

    def __init__(self, draws: Draws, start: int, content: Content, *, spread: int) -> None:
        super().__init__(draws, start, content, spread=spread)
        self.people: list[Person] = []

    def hire(self, name: str, role: str, team: str) -> Person:
        """Add a person to the directory and to the services that store people."""
        person = Person(".".join(name.lower().split()), name, role, team)
        entry = rows.directory_entry(person.id, name, role, team)
        self.add_row("datahub", "people", entry)
        self.add_row("ticketdesk", "people", rows.colleague(entry))
        self.add_row("approvalflow", "people", rows.approver(entry))
        self.people.append(person)
        return person

    def delegate(self, person: Person, to: Person, types: Sequence[str], limit: float | None = None) -> None:
        """Set a person's delegate for some approval types, up to a limit (None: any amount)."""
        for service in ("datahub", "approvalflow"):
            self.row(service, "people", person.id).update(
                delegate=to.id, delegate_types=list(types), delegate_limit=limit
            )

    def send_away(self, person: Person, starts_at: int, ends_at: int, reason: str) -> None:
        """Add an absence; an absence at the start is known to every service."""
        self.add_row(
            "datahub", "absences", rows.absence(self.numbers.next("A"), person.id, starts_at, ends_at, reason)
        )
        if starts_at <= self.start < ends_at:
            self.row("approvalflow", "people", person.id).update(away=True, away_until=ends_at)

    def person(self, person_id: str) -> Person:
        """Return the person with this id."""
        return next(person for person in self.people if person.id == person_id)

    def on_duty(self, person_id: str) -> str:
        """Return who decides for a person at the start: they, or the first of their delegates who is not away."""
        is_away = any(
            row["person_id"] == person_id and row["starts_at"] <= self.start < row["ends_at"]
            for row in self.rows["datahub"]["absences"]
        )
        delegate = self.row("datahub", "people", person_id)["delegate"]
        return self.on_duty(delegate) if is_away and delegate else person_id

    def recall(self, person: Person) -> None:
        """Remove a person's absences."""
        absences = self.rows["datahub"]["absences"]
        absences[:] = [row for row in absences if row["person_id"] != person.id]
        self.row("approvalflow", "people", person.id).update(away=False, away_until=None)
