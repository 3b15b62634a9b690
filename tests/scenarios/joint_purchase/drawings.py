"""Joint purchases with the facts behind them, drawn as the scenario draws its instances."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from companyos.company import Cast, Company
from companyos.sdk.draws import Draws
from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.scenario import SCENARIO
from tests.scenarios.conftest import SALT

SEEDS = range(32)


@dataclass(frozen=True)
class Drawing:
    """A company without its background, and the facts of the task in it."""

    company: Company
    cast: Cast
    facts: Facts

    def rows(self, name: str, service: str = "datahub", **columns: Any) -> list[dict[str, Any]]:
        """Return the rows of a table that have these values."""
        return [
            row
            for row in self.company.rows[service][name]
            if all(row[column] == value for column, value in columns.items())
        ]

    def row(self, name: str, row_id: str, service: str = "datahub") -> dict[str, Any]:
        """Return the row with this id."""
        [row] = self.rows(name, service, id=row_id)
        return row

    def fresh(self, metric_id: str) -> float:
        """Return the value of a metric after a refresh."""
        values = self.row("sources", metric_id)["values"]
        return float(values[-1] if values else self.row("metrics", metric_id)["value"])


@cache
def drawing(seed: int) -> Drawing:
    """Return the facts that the instance of a seed is made of."""
    draws = Draws(SALT, SCENARIO.name, SCENARIO.version, seed // 2)
    company, cast = SCENARIO.open_company(draws, "small")
    return Drawing(company, cast, SCENARIO.place(company, cast, seed))
