"""Requests of a chosen cause, drawn with their company."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from companyos.sdk.company import Cast, Company
from companyos.sdk.draws import Draws
from scenarios.erasure_request.facts import (
    HELD_ALL,
    HELD_PART,
    LIFTED,
    PROVEN,
    UNPROVEN,
    Facts,
    draw_facts,
)
from scenarios.erasure_request.files import FileWriter
from scenarios.erasure_request.scenario import SCENARIO
from tests.scenarios.conftest import SALT

Row = dict[str, Any]
SEEDS = range(40)
#: The pair to which each cause belongs; a lifted hold can also have covered everything.
PAIRS = {
    HELD_PART: (HELD_PART, LIFTED),
    LIFTED: (HELD_PART, LIFTED),
    HELD_ALL: (HELD_ALL, LIFTED),
    PROVEN: (PROVEN, UNPROVEN),
    UNPROVEN: (PROVEN, UNPROVEN),
}


@dataclass(frozen=True)
class Drawn:
    """A request with its company."""

    facts: Facts
    company: Company
    cast: Cast

    def row(self, table: str, row_id: str, service: str = "datahub") -> Row:
        """Return the row with this id."""
        return self.company.row(service, table, row_id)


def staffed(seed: int) -> tuple[Company, Cast]:
    """Return a company of people alone."""
    return SCENARIO.open_company(Draws(SALT, "erasure", seed), "small")


def writer(seed: int = 0) -> FileWriter:
    """Return a writer into a company of people alone."""
    company, cast = staffed(seed)
    return FileWriter(company, company.numbers.reserve, cast.reporter)


@cache
def drawn(cause: str, seed: int = 0) -> Drawn:
    """Return the request of this cause."""
    company, cast = staffed(seed)
    return Drawn(draw_facts(company, cast, PAIRS[cause], cause), company, cast)
