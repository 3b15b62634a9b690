"""Companies in which a close was written by its own code, without a background."""

from dataclasses import dataclass
from functools import cache

from companyos.company import Cast, Company, Row, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR, from_iso
from scenarios.quarter_close.facts import Facts, write
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.conftest import SALT

START = from_iso("2031-07-01") + 6 * DAY + 9 * HOUR
#: The first seeds of so many pairs.
PAIRS = range(0, 96, 2)


@dataclass(frozen=True)
class Written:
    """A close and the company around it; nobody may change them."""

    company: Company
    cast: Cast
    facts: Facts

    @property
    def kind(self) -> str:
        """What the two closes of the pair differ in."""
        return self.facts.cause.partition(":")[0]

    def rows(self, table: str, service: str = "datahub") -> list[Row]:
        return list(self.company.rows[service][table])


def empty_company(seed: int = 0) -> tuple[Company, Cast]:
    """Return a company of people alone, and its cast."""
    company = Company(Draws(SALT, "closes", seed // 2), START, SCENARIO.packs, "small")
    return company, hire_cast(company, persona_role="accountant", team="Finance", original=False)


@cache
def written(seed: int) -> Written:
    """Return the close of a seed, without a background."""
    company, cast = empty_company(seed)
    return Written(company, cast, write(company, cast, seed))


def pairs_of(kind: str) -> list[tuple[Written, Written]]:
    """Return the pairs of one kind, each with both of its closes."""
    found = [(written(seed), written(seed + 1)) for seed in PAIRS if written(seed).kind == kind]
    assert len(found) >= 3, f"too few pairs are about {kind}"
    return found


def changed_columns(one: Written, other: Written) -> dict[str, list[set[str]]]:
    """Return the columns in which rows of two closes differ, by table."""
    found: dict[str, list[set[str]]] = {}
    for service, tables in one.company.rows.items():
        for table, rows in tables.items():
            for mine, its in zip(rows, other.company.rows[service][table], strict=True):
                if mine != its:
                    found.setdefault(table, []).append({name for name in mine if mine[name] != its[name]})
    return found
