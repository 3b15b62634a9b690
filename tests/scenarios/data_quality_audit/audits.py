"""Drawn audits with the facts behind them, and committed states in which a test alters single rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from companyos.sdk.company import Cast, Company
from companyos.sdk.draws import Draws
from scenarios.data_quality_audit.facts import Facts
from scenarios.data_quality_audit.scenario import SCENARIO
from scenarios.packs.analytics import Feed
from tests.scenarios.committed import Committed
from tests.scenarios.conftest import SALT

Row = dict[str, Any]
#: An audit with several lost requests and a quarantine to lift, and one that a missing release prevents.
FULL_SEED, UNRELEASED_SEED = 42, 0


@dataclass(frozen=True)
class Drawing:
    """A company without its background, and the facts of the audit in it."""

    company: Company
    cast: Cast
    facts: Facts

    def rows(self, table: str, service: str = "datahub", /, **columns: Any) -> list[Row]:
        """Return the rows of a table that have these values."""
        return [
            row
            for row in self.company.rows[service][table]
            if all(row[column] == value for column, value in columns.items())
        ]

    def fresh(self, metric_id: str) -> float:
        """Return the value of a metric after a refresh."""
        [source] = self.rows("sources", id=metric_id)
        return float(source["values"][-1])

    def history(self, feed: Feed) -> list[float]:
        """Return the values of a feed's total, oldest first."""
        changes = sorted(self.rows("changes", object_id=feed.metric["id"]), key=lambda row: int(row["at"]))
        return [float(row["after"]["value"]) for row in changes]


@cache
def drawing(seed: int) -> Drawing:
    """Return the facts that the instance of a seed is made of."""
    draws = Draws(SALT, SCENARIO.name, SCENARIO.version, seed // 2)
    company, cast = SCENARIO.open_company(draws, "small")
    return Drawing(company, cast, SCENARIO.place(company, cast, seed))


def drawings() -> Iterator[Drawing]:
    """Yield the audits of some pairs, those of a pair one after the other."""
    return map(drawing, range(32))


def drawn_for(*, lacks_release: bool = False) -> Drawing:
    """Return a drawing that lacks a release, or one with lost requests and a quarantine to lift."""
    return drawing(UNRELEASED_SEED if lacks_release else FULL_SEED)


class CommittedAudit(Committed):
    """The state at the start of an episode, in which a test writes rows."""

    def __init__(self, drawn: Drawing) -> None:
        super().__init__(drawn.company)
        self.facts: Facts = drawn.facts

    def read_controls(self, *numbers: int, newer_by: int = 1, reader: str = "", suffix: str = "") -> None:
        """Let the agent or somebody else read control totals, or metrics with a longer id, in a version."""
        for number in numbers:
            control, by = self.facts.controls[number], reader or self.facts.me.id
            version = control["version"] + newer_by
            self.read(f"{control['id']}{suffix}", version, by)

    def read(self, object_id: str, version: int, reader: str) -> None:
        """Let somebody read a version of an object."""
        receipt = f"{object_id}@{version}:{reader}"
        self.write("datahub", "receipts", receipt, object_id=object_id, reader=reader, version=version)

    def quarantine(self, metric_id: str, by: str = "") -> None:
        """Put a metric in quarantine."""
        self.write("datahub", "metrics", metric_id, status="quarantined")
        row = {"metric_id": metric_id, "by": by or self.facts.me.id}
        self.write("datahub", "quarantines", f"{metric_id}-Q9", **row)

    def release(self, metric_id: str) -> None:
        """Lift the quarantine of a metric."""
        self.write("datahub", "metrics", metric_id, status="ok")

    def link(self, ticket_id: str, *, turned: bool = False, kind: str = "relates") -> None:
        """Link a ticket to the audit's, or the other way round."""
        ends = (ticket_id, self.facts.ticket["id"])
        one, other = ends[::-1] if turned else ends
        self.write("ticketdesk", "links", f"{one}-{kind}-{other}", ticket_id=one, target=other, kind=kind)

    def lose(self, request: Any, reason: str | None = "metric_quarantined") -> None:
        """Void a request for a reason."""
        self.write("approvalflow", "requests", request["id"], reason_code=reason)


def solved(*, lacks_release: bool = False) -> CommittedAudit:
    """Return the state in which everything is checked, quarantined, released, lost and linked."""
    state = CommittedAudit(drawn_for(lacks_release=lacks_release))
    state.read_controls(0, 1)
    for paper in state.facts.papers:
        state.read(paper, 1, state.facts.me.id)
    if not lacks_release:
        for metric_id in state.facts.new:
            state.quarantine(metric_id)
        state.release(state.facts.earlier or "")
        for request in state.facts.voided:
            state.lose(request)
            # A link counts in either direction.
            state.link(request["ticket_id"], turned=request is state.facts.voided[0])
    return state
