"""Closes without a background, and three instances that are graded."""

from dataclasses import dataclass
from functools import cache

from companyos.sdk.company import Cast, Company, Row, hire_cast
from companyos.sdk.draws import Draws
from companyos.sdk.scenario import Instance
from companyos.sdk.simtime import DAY, HOUR, from_iso
from scenarios.quarter_close.facts import Facts, write
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.conftest import SALT, instance_of

START = from_iso("2031-07-01") + 6 * DAY + 9 * HOUR
#: The first seeds of so many pairs.
PAIRS = range(0, 64, 2)


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


@cache
def written(seed: int) -> Written:
    """Return the close of a seed, without a background."""
    company = Company(Draws(SALT, "closes", seed // 2), START, SCENARIO.packs, "small")
    cast = hire_cast(company, persona_role=SCENARIO.role, team=SCENARIO.team, original=False)
    return Written(company, cast, write(company, cast, seed))


def pairs_of(kind: str) -> list[tuple[Written, Written]]:
    """Return the pairs of one kind, each with both of its closes."""
    found = [(written(seed), written(seed + 1)) for seed in PAIRS if written(seed).kind == kind]
    assert len(found) >= 2, f"too few pairs are about {kind}"
    return found


#: Two tickets to file, one that a colleague has filed, three owners to ask, and a rate among the sources.
FULL: Instance[Facts] = instance_of(SCENARIO, 554)
#: A source that does not recover, and an earlier quarter that is reopened.
DOWN: Instance[Facts] = instance_of(SCENARIO, 25)
REOPENED: Instance[Facts] = instance_of(SCENARIO, 9)
FACTS, PERIOD = FULL.facts, FULL.facts.books.period["id"]
ME, FILED = FACTS.me.id, min(FACTS.wanted)
#: A figure to be taken, and one of those that it is computed from.
CHILD, SOURCE = max(
    (child.id, source.id)
    for child in FACTS.needed
    for source in FACTS.needed
    if source.id in child.sources and source.id not in FACTS.owners_to_ask
)
NEEDLESS = min(line.id for line in FACTS.books.lines if line.outcome is None)
STRANGER = min(
    row["id"]
    for row in FULL.rows["datahub"]["people"]
    if row["active"]
    and row["id"] not in {ME, FACTS.ticket["reporter"], FACTS.approver, *FACTS.metrics_by_owner}
)
