"""The automation engine: runs a service's rules in their numbered order, in one transaction per delivery.

If a unit of work records an event or changes a row that may start a rule of this company in this service, it
records one more event, which the same service consumes. So rules run after the commit of what started them,
under a cause of their own. Rules on events of other services run when those are consumed. Triggers never
change during an episode, and conditions only by announcement. Both are looked up once per base, so changes
that cannot start a rule cost nothing more.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import sqlalchemy as sa

from companyos.sdk.automations import Effects, Lookup, Offer, arguments, evaluate, is_active, may_hold

from ..acting import acting_as
from ..errors import ServiceError
from ..events.reactions import Reactions
from ..world.causes import hops
from ..world.messages import Due, Event
from ..world.pages import ListPage
from ..world.public_ids import public_id
from ..world.tables import column_names, described
from ..world.work import UnitOfWork
from .routes import automation_router
from .tables import declare_tables

#: Chains longer than this are cut off. The proof made when the company was generated rules them out.
MOST_HOPS: Final = 12
_BASES_KNOWN: Final = 1024


@dataclass(frozen=True)
class Firing:
    """A rule about to act: its unit of work, in which it is the actor, and an id for what it creates."""

    unit: UnitOfWork
    key: str


#: Carries out an action of a rule. If the service refuses it, the action is skipped.
Act = Callable[..., Awaitable[object]]
Value = Callable[[UnitOfWork, Any], Awaitable[Any]]
#: The conditions of the rules on each trigger.
Conditions = dict[str, list[list[dict[str, Any]]]]


class ChangeAutomation(Due):
    """An announced change of a rule comes into force."""

    NAME: ClassVar[str] = "change_automation"

    change_id: str


class Triggered(Event):
    """Something happened in this service that may start automations of the company."""

    OBJECT: ClassVar[str] = "object"

    object: str
    occurrences: list[dict[str, Any]]


@dataclass
class Automations:
    """The automations of one service: what it offers to rules, and what a `Service` needs to run them.

    Attributes:
        service: The service's name.
        metadata: Its tables, to which those of automations are added.
        own: Its own events that can start rules.
        foreign: Its views of other services' events that can start rules.
        tables: Tables that rules can read. A changed row can start rules.
        actions: Its actions by name, each with its effects.
        values: Values by name, each with the columns from which it is computed.
        acts, repeated: As in `Offer`.
        own_reactions: Effects of the service's own reactions to foreign events, as `Offer.reactions`.
    """

    service: str
    metadata: sa.MetaData
    own: Sequence[type[Event]]
    foreign: Sequence[type[Event]]
    tables: Sequence[type]
    actions: Mapping[str, tuple[Act, Effects]]
    values: Mapping[str, tuple[Value, frozenset[str]]] = field(default_factory=dict)
    acts: tuple[Effects, ...] = ()
    own_reactions: Mapping[str, Effects] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.rows = declare_tables(self.metadata)
        self.routers = [automation_router(self.rows)]
        self.triggered: type[Triggered] = type(
            "Triggered", (Triggered,), {"NAME": f"{self.service}.triggered", "__doc__": Triggered.__doc__}
        )
        self.publishes: list[type[Event]] = [self.triggered]
        self.reactions = self._reactions()
        self._watched = {described(table).name: table for table in self.tables}
        self._here = frozenset({*self._watched, *(event.NAME for event in self.own)})
        self._conditions: OrderedDict[tuple[str, int], Conditions] = OrderedDict()

    @property
    def offer(self) -> Offer:
        """What the service offers, in the form that the proof reads."""
        return Offer(
            self.service,
            {event.NAME: frozenset(event.model_fields) for event in (*self.own, *self.foreign)},
            {name: frozenset(column_names(table)) for name, table in self._watched.items()},
            {name: effects for name, (_, effects) in self.actions.items()},
            {name: columns for name, (_, columns) in self.values.items()},
            self.acts,
            self.own_reactions,
            self.repeated,
        )

    def derive(self, rows: Mapping[str, Sequence[Any]], start: int) -> Iterable[tuple[Due, int, str]]:
        """Yield the announced changes of rules that take effect after the start."""
        for change in rows.get("automation_changes", ()):
            if change.at > start:
                yield ChangeAutomation(change_id=change.id), change.at, f"automation:{change.id}"

    async def watch(self, unit: UnitOfWork) -> None:
        """Record an event if the changes that a unit of work is about to commit may start rules."""
        wanted = await self._wanted(unit)
        if not wanted.keys() & self._here:
            return
        events = [event for event in unit.recorded if event.NAME in self._here]
        events_to_match = [(event.NAME, event.model_dump(mode="json"), event.about) for event in events]
        events_to_match += [
            (table, _facts(before, now), now["id"]) for table, before, now in unit.changed() if before != now
        ]
        matching = [one for one in events_to_match if _may_start(wanted, one[0], one[1])]
        if matching:
            occurrences = [{"trigger": trigger, "facts": facts} for trigger, facts, _ in matching]
            unit.record(self.triggered(object=matching[0][2], occurrences=occurrences))

    async def run(self, unit: UnitOfWork, occurrences: Sequence[Mapping[str, Any]]) -> None:
        """Run the rules that these occurrences start, in order of number."""
        wanted = await self._wanted(unit)
        matching = [one for one in occurrences if _may_start(wanted, one["trigger"], one["facts"])]
        if not matching or hops(unit.context.cause) > MOST_HOPS:
            return
        triggers = sorted({one["trigger"] for one in matching})
        found = [rule for trigger in triggers for rule in await unit.all(self.rows.rule, trigger=trigger)]
        for rule in sorted(found, key=lambda one: (one.number, one.id)):
            for number, one in enumerate(matching):
                if one["trigger"] == rule.trigger and is_active(rule, unit.now):
                    await self._consider(
                        rule, one["facts"], unit, f"{public_id(unit.context.cause)}-{number}"
                    )

    async def _consider(self, rule: Any, facts: Mapping[str, Any], unit: UnitOfWork, key: str) -> None:
        if not await self._answered(evaluate(rule.when, facts), unit):
            return
        given = await self._answered(arguments(rule.do, facts), unit)
        unit.add(self.rows.run(f"{rule.id}:{key}", rule.id, unit.now, given))
        # Rules are bound by the same business rules as people. A refused action has changed nothing.
        with acting_as(rule.id, unit), suppress(ServiceError):
            await self.actions[rule.do["action"]][0](Firing(unit, key), **given)

    async def _answered(self, asking: Generator[Lookup, Any, Any], unit: UnitOfWork) -> Any:
        """Run an evaluation to its end with values of this world."""
        answer = None
        while True:
            try:
                lookup = asking.send(answer)
            except StopIteration as end:
                return end.value
            answer = await self._look_up(lookup, unit)

    async def _look_up(self, lookup: Lookup, unit: UnitOfWork) -> Any:
        where = dict(lookup.where)
        if lookup.kind == "value":
            return await self.values[lookup.name][0](unit, where["of"])
        page: ListPage[Any] = await unit.page(self._watched[lookup.name], limit=1, **where)
        if lookup.kind == "count":
            return page.total
        return getattr(page.items[0], lookup.column) if page.items else None

    async def _wanted(self, unit: UnitOfWork) -> Conditions:
        """Return the triggers of the company's rules in this service, with the conditions of their rules."""
        # The layer alone is no key: another database numbers its bases alike, and so does this one after a crash.
        base = (unit.epoch, unit.context.chain[0])
        if (known := self._conditions.get(base)) is None:
            rules, announced = await unit.all(self.rows.rule), await unit.all(self.rows.change)
            changing = {change.automation_id for change in announced if "when" in change.changes}
            known = {}
            for rule in rules:
                known.setdefault(rule.trigger, []).append([] if rule.id in changing else rule.when)
            self._conditions[base] = known
            if len(self._conditions) > _BASES_KNOWN:
                self._conditions.popitem(last=False)
        return known

    def _reactions(self) -> Reactions:
        reactions = Reactions()

        async def run_own(event: Triggered, unit: UnitOfWork) -> None:
            await self.run(unit, event.occurrences)

        async def run_on(event: Event, unit: UnitOfWork) -> None:
            await self.run(unit, [{"trigger": event.NAME, "facts": event.model_dump(mode="json")}])

        async def change(due: ChangeAutomation, unit: UnitOfWork) -> None:
            await self._change(unit, due.change_id)

        reactions.on(self.triggered)(run_own)
        for event in self.foreign:
            reactions.on(event)(run_on)
        reactions.due(ChangeAutomation)(change)
        return reactions

    async def _change(self, unit: UnitOfWork, change_id: str) -> None:
        announced = await unit.get(self.rows.change, change_id)
        rule = await unit.get(self.rows.rule, announced.automation_id) if announced is not None else None
        if announced is None or rule is None:
            return
        for column, value in sorted(announced.changes.items()):
            setattr(rule, column, value)
        rule.version += 1


def _may_start(wanted: Conditions, trigger: str, facts: Mapping[str, Any]) -> bool:
    return any(may_hold(when, facts) for when in wanted.get(trigger, ()))


def _facts(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return a changed row's facts: its columns, `changed` (all if it is new), and `was_<column>` of each."""
    names = [name for name in now if name not in before or before[name] != now[name]]
    return {**now, "changed": names, **{f"was_{name}": before.get(name) for name in names}}
