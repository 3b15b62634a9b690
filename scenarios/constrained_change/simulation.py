"""Simulates a company's automations from what can be read, and searches for an order that harms nobody."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final

from companyos.sdk.automations import Lookup, Rule, arguments, evaluate, is_active

Row = Mapping[str, Any]
#: Service, table and id of a row.
Place = tuple[str, str, str]

HIGHEST: Final = 5
#: The columns that acts and automations change.
CHANGING: Final = ("holder", "level", "status", "priority", "assignee")
MOST_STATES: Final = 20_000


@dataclass(frozen=True)
class Act:
    """An act of the agent: hand out or take back an asset, start a ticket, set its priority, or wait."""

    kind: str
    object: str
    to: str = ""
    until: int = 0

    @property
    def place(self) -> Place:
        """The row that it is about."""
        if self.kind in ("assign", "return"):
            return "datahub", "assets", self.object
        return "ticketdesk", "tickets", self.object


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

    def row(self, service: str, table: str, row_id: str) -> Row:
        return self.rows[service, table, row_id]


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
        done: list[tuple[str, str, Row]] = []
        match act.kind:
            case "assign":
                done += self._hold(act.object, act.to)
            case "return":
                done += self._hold(act.object, None)
            case "begin":
                done += self._set(("ticketdesk", "tickets", act.object), status="in_progress")
            case "priority":
                done += self._set(("ticketdesk", "tickets", act.object), priority=act.to)
        self._announce(done)
        while self.queue:
            service, occurrences = self.queue.pop(0)
            self._deliver(service, occurrences)

    def _deliver(self, service: str, occurrences: Sequence[tuple[str, Row]]) -> None:
        done: list[tuple[str, str, Row]] = []
        for rule in self.rules:
            if rule.service != service or not is_active(rule, self.now):
                continue
            for facts in (facts for trigger, facts in occurrences if trigger == rule.trigger):
                if self._answered(evaluate(rule.when, facts), service):
                    done += self._act(rule.action, self._answered(arguments(rule.do, facts), service))
        self._announce(done)

    def _announce(self, done: Sequence[tuple[str, str, Row]]) -> None:
        """Queue the effects of a transaction: all at once for its own service, event by event for others."""
        for service in ("datahub", "ticketdesk"):
            own = [(trigger, facts) for where, trigger, facts in done if where == service]
            if own:
                self.queue.append((service, own))
        for where, trigger, facts in done:
            if "." in trigger:
                other = "ticketdesk" if where == "datahub" else "datahub"
                self.queue.append((other, [(trigger, facts)]))

    def _act(self, action: str, given: Mapping[str, Any]) -> list[tuple[str, str, Row]]:
        match action:
            case "change_clearance":
                return self._clear(given["person"], given["by"])
            case "return_asset":
                return self._hold(given["asset"], None)
            case "set_priority":
                return self._set(("ticketdesk", "tickets", given["ticket"]), priority=given["to"])
            case "assign":
                return self._set(("ticketdesk", "tickets", given["ticket"]), assignee=given["to"])
        return []

    def _hold(self, asset_id: str, holder: str | None) -> list[tuple[str, str, Row]]:
        row = self.rows.get(("datahub", "assets", asset_id))
        if row is None or row["holder"] == holder:
            return []
        facts = {"asset_id": asset_id, "asset_class": row["asset_class"], "previous": row["holder"]}
        event = ("datahub", "asset.returned", facts)
        if holder is not None:
            event = ("datahub", "asset.assigned", {**facts, "holder": holder})
        return [*self._set(("datahub", "assets", asset_id), holder=holder), event]

    def _clear(self, person: str, by: int) -> list[tuple[str, str, Row]]:
        place = ("datahub", "clearances", person)
        if place not in self.rows:
            return []
        before = self.rows[place]["level"]
        level = min(HIGHEST, max(0, before + by))
        if level < before:
            self.history.append(("lowered", person))
        facts = {"person_id": person, "before": before, "level": level}
        event = ("datahub", "clearance.changed", facts)
        return [] if level == before else [*self._set(place, level=level), event]

    def _set(self, place: Place, **columns: Any) -> list[tuple[str, str, Row]]:
        row = self.rows.get(place)
        changed = [] if row is None else [name for name in columns if row[name] != columns[name]]
        if row is None or not changed or row.get("status") == "closed":
            return []
        self.rows[place] = {**row, **columns}
        for name in changed:
            self.history.append((f"{name}:{columns[name]}", place[2]))
        was = {f"was_{name}": row[name] for name in changed}
        return [(place[0], place[1], {**self.rows[place], "changed": changed, **was})]

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


@dataclass(frozen=True)
class Aim:
    """What a search has to reach, and what must not happen on the way.

    Attributes:
        wanted: Rows, each with the column values that it must have at the end.
        never: What must not happen, as (kind, object); an empty object stands for any.
        acts: The acts to choose from.
    """

    wanted: Mapping[Place, Mapping[str, Any]]
    never: frozenset[tuple[str, str]]
    acts: Sequence[Act]

    def parts(self, state: State) -> list[Aim]:
        """Return the aim class by class, and then what concerns no asset; each class has rules of its own.

        Waiting is part of every one.
        """
        waits = [act for act in self.acts if act.kind == "wait"]
        classes = dict.fromkeys(_class(state, act.place) for act in self.acts if act.kind != "wait")
        wanted = {one: {p: c for p, c in self.wanted.items() if _class(state, p) == one} for one in classes}
        return [
            Aim(
                wanted[one],
                self.never,
                [a for a in self.acts if a.kind != "wait" and _class(state, a.place) == one] + waits,
            )
            for one in sorted(classes, key=lambda one: one is None)
        ]

    def holds(self, state: State) -> bool:
        """Return whether the wanted state is reached."""
        return self.missing(state) == 0

    def missing(self, state: State) -> int:
        """Return how many columns do not yet have the wanted value."""
        return sum(
            state.rows[place].get(name) != value
            for place, columns in self.wanted.items()
            for name, value in columns.items()
        )

    def harmed(self, state: State) -> bool:
        """Return whether anything forbidden happened."""
        return any(
            (kind, object_id) in self.never or (kind, "") in self.never for kind, object_id in state.history
        )


def find_order(simulation: Simulation, start: State, aim: Aim) -> list[Act] | None:
    """Return a short order of acts that reaches the aim and harms nobody, or None if none exists."""
    state, order = start, list[Act]()
    for part in aim.parts(start):
        found = _search(simulation, state, part)
        if found is None:
            return None
        state, order = simulation.through(state, found), [*order, *found]
    return order if aim.holds(state) and not aim.harmed(state) else None


def _search(simulation: Simulation, start: State, aim: Aim) -> list[Act] | None:
    """Return an order for one part of an aim; None only after visiting every reachable state.

    The number of wrong columns guides the search.
    """
    number, seen = count(), {start.key}
    heap: list[tuple[int, int, State, list[Act]]] = [(aim.missing(start), next(number), start, [])]
    while heap and len(seen) < MOST_STATES:
        _, _, state, done = heappop(heap)
        if aim.holds(state):
            return done
        for act in _possible(aim.acts, state):
            after = simulation.after(state, act)
            if not aim.harmed(after) and after.key not in seen:
                seen.add(after.key)
                heappush(heap, (len(done) + 1 + aim.missing(after), next(number), after, [*done, act]))
    return None


def _class(state: State, place: Place) -> str | None:
    """Return the class of the asset that a row is, or that a ticket is about."""
    row = state.rows[place]
    asset = row if place[1] == "assets" else state.rows.get(("datahub", "assets", row["subject"] or ""))
    return None if asset is None else str(asset["asset_class"])


def _possible(acts: Sequence[Act], state: State) -> Iterator[Act]:
    """Yield the acts that no service would refuse now."""
    for act in acts:
        if act.kind in ("assign", "return"):
            holder = state.row("datahub", "assets", act.object)["holder"]
            possible = holder != (act.to or None)
        elif act.kind == "begin":
            possible = state.row("ticketdesk", "tickets", act.object)["status"] in ("new", "triage")
        elif act.kind == "priority":
            possible = state.row("ticketdesk", "tickets", act.object)["priority"] != act.to
        else:
            possible = act.until > state.now
        if possible:
            yield act
