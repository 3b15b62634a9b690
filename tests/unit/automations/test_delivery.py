"""Sets that the proof accepts end, and end alike, in whatever order their events are delivered.

Two toy services with three tables each run drawn sets of rules. A rule sets one column to a number that it makes of
another, so that any order that matters shows in the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from companyos.sdk.automations import MOST_DEEP, AutomationsUnsafe, Effects, Offer, Rule, prove
from companyos.sdk.automations.rules import given as condition

TABLES = ("x", "y", "z")
SERVICES = ("north", "south")
Cell = tuple[str, str]


def offer(service: str) -> Offer:
    """A service whose actions each set one table's column, and one of which tells the other service."""
    other = SERVICES[1 - SERVICES.index(service)]
    return Offer(
        service,
        {f"{service}.{table}": frozenset() for table in TABLES}
        | {f"{other}.{table}": frozenset() for table in TABLES},
        {table: frozenset({"n", "id"}) for table in TABLES},
        {
            **{f"set_{table}": Effects(frozenset({f"{table}.n"})) for table in TABLES},
            **{
                f"tell_{table}": Effects(frozenset({f"{table}.n"}), frozenset({f"{service}.{table}"}))
                for table in TABLES
            },
        },
        acts=tuple(Effects(frozenset({f"{table}.n"}), frozenset({f"{service}.{table}"})) for table in TABLES),
    )


OFFERS = [offer(service) for service in SERVICES]


@st.composite
def rules(draw: st.DrawFn) -> list[Rule]:
    found = []
    for number in range(draw(st.integers(1, 6))):
        service = draw(st.sampled_from(SERVICES))
        other = SERVICES[1 - SERVICES.index(service)]
        table = draw(st.sampled_from(TABLES))
        trigger = draw(st.sampled_from([table, f"{service}.{table}", f"{other}.{table}"]))
        action = draw(st.sampled_from([f"{what}_{one}" for what in ("set", "tell") for one in TABLES]))
        read = {"first": draw(st.sampled_from(TABLES)), "where": {}, "column": "n"}
        when = (condition(read, "ne", draw(st.integers(0, 4))),) if draw(st.booleans()) else ()
        found.append(
            Rule(f"R{number}", service, number, trigger, when, {"action": action, "with": {"n": read}})
        )
    return found


class World:
    """The cells of both services, and the deliveries that wait."""

    def __init__(self, cells: Mapping[Cell, int], waiting: Sequence[tuple[str, tuple[str, ...]]]) -> None:
        self.cells, self.waiting = dict(cells), list(waiting)

    def wrote(self, service: str, tables: Sequence[str], events: Sequence[str]) -> None:
        """Queue what a transaction did: for its own service at once, for the other event by event."""
        if tables or events:
            self.waiting.append((service, (*tables, *events)))
        other = SERVICES[1 - SERVICES.index(service)]
        self.waiting += [(other, (event,)) for event in events]

    def delivered(self, number: int, found: Sequence[Rule]) -> "World":
        """Return the world after one of the waiting deliveries."""
        after = World(self.cells, [one for place, one in enumerate(self.waiting) if place != number])
        service, triggers = self.waiting[number]
        tables, events = [], []
        for rule in sorted(found, key=lambda one: one.number):
            if rule.service == service and rule.trigger in triggers and self._holds(after, rule):
                what, _, table = rule.action.partition("_")
                value = (after.cells[service, rule.do["with"]["n"]["first"]] * 7 + rule.number) % 101
                if after.cells[service, table] != value:
                    after.cells[service, table] = value
                    tables.append(table)
                    events += [f"{service}.{table}"] if what == "tell" else []
        after.wrote(service, tables, events)
        return after

    @staticmethod
    def _holds(world: "World", rule: Rule) -> bool:
        return all(world.cells[rule.service, one["left"]["first"]] != one["right"] for one in rule.when)


def endings(world: World, found: Sequence[Rule], budget: list[int]) -> Iterator[tuple[tuple[Cell, int], ...]]:
    """Yield how a world ends in every order of delivery, up to a number of deliveries."""
    if not world.waiting:
        yield tuple(sorted(world.cells.items()))
        return
    for number in range(len(world.waiting)):
        budget[0] -= 1
        if budget[0] > 0:
            yield from endings(world.delivered(number, found), found, budget)


def accepted(found: Sequence[Rule]) -> bool:
    try:
        prove(found, OFFERS)
    except AutomationsUnsafe:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(rules(), st.sampled_from(SERVICES), st.sampled_from(TABLES))
def test_accepted_rules_lead_to_the_same_end_in_every_order(
    found: list[Rule], service: str, table: str
) -> None:
    assume(accepted(found))
    world: Any = World({(one, name): 0 for one in SERVICES for name in TABLES}, [])
    world.cells[service, table] = 50
    world.wrote(service, [table], [f"{service}.{table}"])

    assert len(set(endings(world, found, [3000]))) == 1


@settings(max_examples=150, deadline=None)
@given(rules(), st.sampled_from(SERVICES), st.sampled_from(TABLES))
def test_accepted_rules_end_within_a_bounded_number_of_rounds(
    found: list[Rule], service: str, table: str
) -> None:
    assume(accepted(found))
    world = World({(one, name): 0 for one in SERVICES for name in TABLES}, [])
    world.wrote(service, [table], [f"{service}.{table}"])

    rounds = 0
    while world.waiting:
        world, rounds = world.delivered(0, found), rounds + 1

    assert rounds <= 2 * (2 * len(found)) ** MOST_DEEP
