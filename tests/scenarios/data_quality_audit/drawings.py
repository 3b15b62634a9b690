"""Audits with the facts behind them, drawn as the scenario draws its instances."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from companyos.company import Cast, Company
from companyos.sdk.draws import Draws
from scenarios.data_quality_audit.facts import Facts
from scenarios.data_quality_audit.scenario import SCENARIO
from tests.scenarios.conftest import SALT

SEEDS = range(32)


@dataclass(frozen=True)
class Drawing:
    """A company without its background, and the facts of the audit in it."""

    company: Company
    cast: Cast
    facts: Facts

    def rows(self, table: str, service: str = "datahub", /, **columns: Any) -> list[dict[str, Any]]:
        """Return the rows of a table that have these values."""
        return [
            row
            for row in self.company.rows[service][table]
            if all(row[column] == value for column, value in columns.items())
        ]

    def about(self, kind: str, record_id: str) -> list[dict[str, Any]]:
        """Return the documents of a kind that link a record."""
        return [row for row in self.rows("documents", kind=kind) if record_id in row["links"]]

    def fresh(self, metric_id: str) -> float:
        """Return the value of a metric after a refresh."""
        [source] = self.rows("sources", id=metric_id)
        return float(source["values"][-1])


@cache
def drawing(seed: int) -> Drawing:
    """Return the facts that the instance of a seed is made of."""
    draws = Draws(SALT, SCENARIO.name, SCENARIO.version, seed // 2)
    company, cast = SCENARIO.open_company(draws, "small")
    return Drawing(company, cast, SCENARIO.place(company, cast, seed))
