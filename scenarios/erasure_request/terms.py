"""A company's rules on personal data: how long each kind is kept, and which kinds are special."""

from dataclasses import dataclass
from typing import Final

from companyos.sdk.draws import Draws

from .words import FORMS

ERASE, REDACT = "erase", "redact"
#: Kinds that are kept for years from the date in this field.
DATED: Final = {"order": "ordered_on", "invoice": "issued_on"}
_YEARS: Final = {"order": (2, 3, 4), "invoice": (6, 8, 10)}
#: Kinds whose treatment differs from company to company.
_OPEN: Final = ("letter", "customer_case", "comment")


@dataclass(frozen=True)
class Terms:
    """A retention schedule.

    Attributes:
        years: How many years each dated kind is kept; during that time it is redacted.
        modes: The treatment of every other kind.
        special: The kinds of form whose erasure needs an approval.
    """

    years: dict[str, int]
    modes: dict[str, str]
    special: frozenset[str]

    def mode(self, kind: str, age_days: int | None) -> str:
        """Return the treatment of an object of a kind and, if it is dated, an age."""
        if kind not in self.years:
            return self.modes[kind]
        return REDACT if age_days is not None and age_days < 365 * self.years[kind] else ERASE


def draw_terms(draws: Draws) -> tuple[Terms, Terms]:
    """Draw the schedule in force and the superseded one, which differ in every drawn point."""
    years = {kind: draws.sample("terms.years", options, 2, kind) for kind, options in _YEARS.items()}
    modes = {kind: draws.shuffled("terms.mode", (ERASE, REDACT), kind) for kind in _OPEN}
    first, *others = draws.sample("terms.special", FORMS, 4)
    special = frozenset({first, others[0]}), frozenset(others[1:])
    now, before = (
        Terms(
            {kind: both[at] for kind, both in years.items()},
            {**_fixed(), **{kind: both[at] for kind, both in modes.items()}},
            special[at],
        )
        for at in (0, 1)
    )
    return now, before


def _fixed() -> dict[str, str]:
    erased = ("customer", "message", "customer_portal", *FORMS)
    return {**dict.fromkeys(erased, ERASE), "minutes": REDACT, "goodwill": REDACT}
