"""The facts of a morning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companyos.sdk.company import Person, Row

from .cases import SupportCase
from .world import Services


@dataclass(frozen=True)
class Facts:
    """The facts of an instance.

    Attributes:
        contacts: Who has filed each ticket.
        handbook: The handbook's chapter in force.
    """

    cause: str
    me: Person
    lead: Person
    services: Services
    cases: Sequence[SupportCase]
    contacts: Mapping[str, Person]
    handbook: Row

    @property
    def is_feasible(self) -> bool:
        """Whether the queue may be worked."""
        return len(self.services.down) < len(self.services.names)

    @property
    def metrics(self) -> list[Row]:
        """The error rates of both services."""
        return list(self.services.metrics.values())

    @property
    def to_work(self) -> Sequence[SupportCase]:
        """The tickets that may be worked: all or none."""
        return self.cases if self.is_feasible else ()
