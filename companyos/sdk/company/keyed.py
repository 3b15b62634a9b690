"""Content under a key: objects that belong together, whose draws no other objects share."""

from dataclasses import dataclass, replace
from typing import Self

from companyos.sdk.draws import Draws

from .company import Company


@dataclass(frozen=True)
class Keyed:
    """Objects of a company that belong together; everything about them is drawn under a key."""

    company: Company
    key: str

    @property
    def draws(self) -> Draws:
        """The draws under the key."""
        return self.company.draws.about(self.key)

    def part(self, name: str | int) -> Self:
        """Return a part of them, with draws of its own."""
        return replace(self, key=f"{self.key}.{name}")
