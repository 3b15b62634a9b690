"""Companies in which a close was written by its own code, without a stack."""

from dataclasses import dataclass
from functools import cache

from companyos.chaos import parse_chaos
from companyos.company import Cast, Company, Row, hire_cast
from companyos.scenario import Instance
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

    def rows(self, table: str, service: str = "datahub") -> list[Row]:
        return list(self.company.rows[service][table])

    @property
    def name(self) -> str:
        """The name of the entity."""
        return str(self.facts.books.entity["name"])


def empty_company(seed: int = 0) -> tuple[Company, Cast]:
    """Return a company of people alone, and its cast."""
    company = Company(Draws(SALT, "closes", seed // 2), START, SCENARIO.packs, "small")
    return company, hire_cast(company, persona_role="accountant", team="Finance", original=False)


@cache
def written(seed: int) -> Written:
    """Return the close of a seed, without a background."""
    company, cast = empty_company(seed)
    return Written(company, cast, write(company, cast, seed))


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT, "small")


def kind_of(close: Written) -> str:
    return close.facts.cause.partition(":")[0]


def pairs_of(kind: str) -> list[tuple[Written, Written]]:
    """Return the pairs of one kind, each with both of its closes."""
    both = [(written(seed), written(seed + 1)) for seed in PAIRS]
    found = [one for one in both if kind_of(one[0]) == kind]
    assert len(found) >= 3, f"too few pairs are about {kind}"
    return found


def differing(one: Written, other: Written) -> dict[str, list[tuple[Row, Row]]]:
    """Return the rows in which two closes differ, by table."""
    found: dict[str, list[tuple[Row, Row]]] = {}
    for service, tables in one.company.rows.items():
        for table, rows in tables.items():
            pairs = zip(rows, other.company.rows[service][table], strict=True)
            if changed := [(mine, its) for mine, its in pairs if mine != its]:
                found[table] = changed
    return found
