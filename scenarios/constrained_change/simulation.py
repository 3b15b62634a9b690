"""Simulates what acts do in a company whose automations answer them, from what can be read."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from companyos.sdk.actions import Action, call
from companyos.sdk.automations import Lookup, Rule, arguments, evaluate, is_active
from companyos.sdk.grading.state import Row
from companyos.sdk.simtime import to_iso

#: Service, table and id of a row.
Place = tuple[str, str, str]
#: Service, trigger of rules, and the facts that they can ask for.
Effect = tuple[str, str, Row]

HIGHEST: Final = 5
#: The columns that acts and automations change.
CHANGING: Final = ("holder", "level", "status", "priority", "assignee")


@dataclass(frozen=True)
class Act:
    """An act of the agent: to give a column of a row a value, or to wait.

    Attributes:
        place: The row; None for a wait.
        until: The end of a wait.
    """

    place: Place | None
    column: str = ""
    value: str | None = None
    until: int = 0

    @property
    def call(self) -> Action:
        """The call that carries it out."""
        if self.place is None:
            return call("wait", until=to_iso(self.until))
        _, _, row_id = self.place
        match self.column:
            case "holder" if self.value is None:
                return call("datahub_return_asset", asset_id=row_id)
            case "holder":
                return call("datahub_assign_asset", asset_id=row_id, person_id=self.value)
            case "status":
                reason = "The hand-over begins."
                return call("ticketdesk_transition_ticket", ticket_id=row_id, to=self.value, reason=reason)
        return call("ticketdesk_update_ticket", ticket_id=row_id, priority=self.value)

    def is_possible(self, state: State) -> bool:
        """Return whether no service would refuse it now."""
        if self.place is None:
            return self.until > state.now
        return bool(state.rows[self.place][self.column] != self.value)


def hand_over(asset_id: str, person: str | None) -> Act:
    """Return the act that gives an asset to a person, or back to the pool."""
    return Act(("datahub", "assets", asset_id), "holder", person)


def begin(ticket_id: str) -> Act:
    """Return the act that starts work on a ticket."""
    return Act(("ticketdesk", "tickets", ticket_id), "status", "in_progress")


def raise_to(ticket_id: str, priority: str) -> Act:
    """Return the act that sets a ticket's priority."""
    return Act(("ticketdesk", "tickets", ticket_id), "priority", priority)


def wait(until: int) -> Act:
    """Return the act that lets time pass."""
    return Act(None, until=until)


@dataclass
class State:
    """A company at one moment: the rows that matter, and the harm that happened so far.

    Attributes:
        history: What happened, as (kind, object).
    """

    now: int
    rows: Mapping[Place, Row]
    values: Mapping[str, float]
    history: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """The key that distinguishes states in a search; acts change rows, but neither add nor remove any."""
        return (self.now, *(row.get(column) for row in self.rows.values() for column in CHANGING))


@dataclass(frozen=True)
class Simulation:
    """The rules of a company, run on states of it."""

    rules: Sequence[Rule]

    def after(self, state: State, act: Act) -> State:
        """Return the state after an act and all its consequences."""
        run = _Run(self.rules, max(state.now, act.until), dict(state.rows), state.values, list(state.history))
        run.do(act)
        return State(run.now, run.rows, run.values, tuple(run.history))

    def through(self, state: State, acts: Iterable[Act]) -> State:
        """Return the state after these acts in order."""
        for act in acts:
            state = self.after(state, act)
        return state


@dataclass
class _Run:
    """One act and its cascade: a queue of deliveries, each a transaction of one service."""

    rules: Sequence[Rule]
    now: int
    rows: dict[Place, Row]
    values: Mapping[str, float]
    history: list[tuple[str, str]]
    queue: list[tuple[str, list[tuple[str, Row]]]] = field(default_factory=list)

    def do(self, act: Act) -> None:
        if act.place is not None:
            self._announce(self._change(act.place, act.column, act.value))
        while self.queue:
            service, occurrences = self.queue.pop(0)
            self._deliver(service, occurrences)

    def _deliver(self, service: str, occurrences: Sequence[tuple[str, Row]]) -> None:
        done: list[Effect] = []
        for rule in self.rules:
            if rule.service != service or not is_active(rule, self.now):
                continue
            for facts in (facts for trigger, facts in occurrences if trigger == rule.trigger):
                if self._answered(evaluate(rule.when, facts), service):
                    done += self._act(rule.action, self._answered(arguments(rule.do, facts), service))
        self._announce(done)

    def _announce(self, done: Sequence[Effect]) -> None:
        """Queue the effects of a transaction: all at once for its own service, event by event for others."""
        for service in ("datahub", "ticketdesk"):
            own = [(trigger, facts) for where, trigger, facts in done if where == service]
            if own:
                self.queue.append((service, own))
        for where, trigger, facts in done:
            if "." in trigger:
                other = "ticketdesk" if where == "datahub" else "datahub"
                self.queue.append((other, [(trigger, facts)]))

    def _act(self, action: str, given: Mapping[str, Any]) -> list[Effect]:
        match action:
            case "change_clearance":
                place = ("datahub", "clearances", given["person"])
                level = self.rows.get(place, {"level": 0})["level"] + given["by"]
                return self._change(place, "level", min(HIGHEST, max(0, level)))
            case "return_asset":
                return self._change(("datahub", "assets", given["asset"]), "holder", None)
            case "set_priority":
                return self._change(("ticketdesk", "tickets", given["ticket"]), "priority", given["to"])
            case "assign":
                return self._change(("ticketdesk", "tickets", given["ticket"]), "assignee", given["to"])
        return []

    def _change(self, place: Place, column: str, value: Any) -> list[Effect]:
        """Change a column of a row that exists and is not closed; return the changed row and the event, if any."""
        row = self.rows.get(place)
        if row is None or row[column] == value or row.get("status") == "closed":
            return []
        service, table, row_id = place
        self.rows[place] = {**row, column: value}
        self.history.append((f"{column}:{value}", row_id))
        if column == "level" and value < row["level"]:
            self.history.append(("lowered", row_id))
        was = {"changed": [column], f"was_{column}": row[column]}
        events = ((service, name, facts) for name, facts in _events(row, column, value))
        return [(service, table, {**self.rows[place], **was}), *events]

    def _answered(self, asking: Generator[Lookup, Any, Any], service: str) -> Any:
        answer = None
        while True:
            try:
                lookup = asking.send(answer)
            except StopIteration as end:
                return end.value
            answer = self._look_up(lookup, service)

    def _look_up(self, lookup: Lookup, service: str) -> Any:
        if lookup.kind == "value":
            return self.values.get(str(dict(lookup.where)["of"]))
        found = self._matching(service, lookup.name, lookup.where)
        if lookup.kind == "count":
            return len(found)
        return min(found, key=lambda row: str(row["id"])).get(lookup.column) if found else None

    def _matching(self, service: str, table: str, where: Sequence[tuple[str, Any]]) -> list[Row]:
        return [
            row
            for (owner, name, _), row in self.rows.items()
            if name == table and owner == service and all(row.get(column) == value for column, value in where)
        ]


def _events(row: Row, column: str, value: Any) -> Iterator[tuple[str, Row]]:
    """Yield the event that tells other services of a change, with its facts."""
    if column == "holder":
        facts = {"asset_id": row["id"], "asset_class": row["asset_class"], "previous": row["holder"]}
        yield ("asset.returned", facts) if value is None else ("asset.assigned", {**facts, "holder": value})
    if column == "level":
        yield "clearance.changed", {"person_id": row["id"], "before": row["level"], "level": value}
