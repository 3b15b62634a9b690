"""The facts of a morning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companyos.sdk.company import Person, Row

from .cases import SupportCase
from .rulebook import Rulebook
from .world import Services


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        is_feasible: Whether the queue may be worked.
        contacts: Who has filed each ticket.
        text: The handbook's chapter.
    """

    cause: str
    is_feasible: bool
    me: Person
    lead: Person
    services: Services
    cases: Sequence[SupportCase]
    contacts: Mapping[str, Person]
    handbook: str
    rules: Rulebook
    text: str

    @property
    def metrics(self) -> list[Row]:
        """The error rates of both services."""
        return list(self.services.metrics.values())
