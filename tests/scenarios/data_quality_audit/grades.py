"""Committed states of an audit, written row by row, for the tests of its grading."""

from functools import cache
from typing import Any

from companyos.scenario import CompanyState
from scenarios.data_quality_audit.facts import Facts

from .drawings import Drawing, drawing


@cache
def drawn_for(*, lacks_release: bool = False) -> Drawing:
    """Return the first drawing that lacks a release, or one with lost requests and a quarantine to lift."""

    def fits(facts: Facts) -> bool:
        if lacks_release:
            return facts.missing is not None
        lifts = facts.earlier is not None and facts.earlier not in facts.wanted
        return facts.missing is None and lifts and len(facts.new) > 1 and len(facts.voided) > 1

    return next(one for one in map(drawing, range(200)) if fits(one.facts))


class Committed:
    """A state in which a test writes rows, beginning with the start of an episode."""

    def __init__(self, drawn: Drawing) -> None:
        self.facts: Facts = drawn.facts
        self._state = CompanyState(drawn.company.rows)

    @property
    def view(self) -> Any:
        """What a predicate is given."""
        return self._state.view()

    def write(self, service: str, table: str, row_id: str, **columns: Any) -> None:
        """Write columns of a new or of an existing row."""
        before = self._state.view().row(service, table, row_id) or {}
        row = {**before, "id": row_id, **columns}
        self._state.apply(service, [{"table": table, "id": row_id, "row": row}])

    def read(self, number: int, *, newer_by: int = 1, reader: str = "") -> None:
        """Let the agent or somebody else read a control total in a version."""
        control = self.facts.controls[number]
        version, reader = control["version"] + newer_by, reader or self.facts.me.id
        receipt = f"{control['id']}@{version}:{reader}"
        self.write("datahub", "receipts", receipt, reader=reader, version=version)

    def quarantine(self, metric_id: str, by: str = "") -> None:
        """Put a metric in quarantine."""
        self.write("datahub", "metrics", metric_id, status="quarantined")
        self.write(
            "datahub", "quarantines", f"{metric_id}-Q9", metric_id=metric_id, by=by or self.facts.me.id
        )

    def release(self, metric_id: str) -> None:
        """Lift the quarantine of a metric."""
        self.write("datahub", "metrics", metric_id, status="ok")

    def link(self, ticket_id: str, *, turned: bool = False, kind: str = "relates", to: str = "") -> None:
        """Link a ticket to the audit's, or the other way round."""
        ends = (ticket_id, to or self.facts.ticket["id"])
        one, other = ends[::-1] if turned else ends
        self.write("ticketdesk", "links", f"{one}-{kind}-{other}", ticket_id=one, target=other, kind=kind)


def solved(*, lacks_release: bool = False) -> Committed:
    """Return the state in which everything is checked, quarantined, released and linked."""
    state = Committed(drawn_for(lacks_release=lacks_release))
    for number in (0, 1):
        state.read(number)
    if not lacks_release:
        for metric_id in state.facts.new:
            state.quarantine(metric_id)
        state.release(state.facts.earlier or "")
        for request in state.facts.voided:
            state.link(request["ticket_id"])
    return state
