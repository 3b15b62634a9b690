"""The barrier waits for every reaction to every event, asks where it is kept waiting, and never guesses."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from orchestrator.protocol.effects import Group, Unit, UnitOutcome
from orchestrator.protocol.problems import Outage, Unsettled
from orchestrator.services.barrier import EventWatch

CONSUMERS = {"ticket.verified": ["flow"], "request.decided": ["desk", "hub"]}
VERIFIED = Unit("desk", "s1", UnitOutcome(events=(("s1.desk.1", "ticket.verified"),)))
DECIDED = UnitOutcome(events=(("s1.desk.1.flow.1", "request.decided"),))


def consumers(name: str) -> Sequence[str]:
    return CONSUMERS.get(name, ())


async def nobody(service: str, events: Sequence[str]) -> Mapping[str, UnitOutcome]:
    raise AssertionError(f"{service} was asked about {events}")


async def settled(
    watch: EventWatch, first: Unit = VERIFIED, ask: object = nobody, deadline_s: float = 5
) -> Group:
    return await watch.settle(first, consumers, ask, by_agent=True, deadline_s=deadline_s)  # type: ignore[arg-type]


def causes(group: Group) -> set[tuple[str, str]]:
    return {(unit.service, unit.cause) for unit in group.units}


async def test_event_without_subscribers_is_settled_at_once() -> None:
    unheard = Unit("desk", "s1", UnitOutcome(events=(("s1.desk.1", "nobody.cares"),)))

    assert (await settled(EventWatch(), unheard)).units == (unheard,)


async def test_every_consumer_of_every_event_is_waited_for_however_deep() -> None:
    watch = EventWatch()
    waiting = asyncio.create_task(settled(watch))

    # The last acknowledgement comes first: acknowledgements overtake one another.
    for event, consumer, outcome in (
        ("s1.desk.1.flow.1", "hub", UnitOutcome()),
        ("s1.desk.1", "flow", DECIDED),
    ):
        watch.note(event, consumer, outcome)
        await asyncio.sleep(0.01)
        assert not waiting.done()
    watch.note("s1.desk.1.flow.1", "desk", UnitOutcome())

    assert causes(await waiting) == {
        ("desk", "s1"),
        ("flow", "s1.desk.1"),
        ("desk", "s1.desk.1.flow.1"),
        ("hub", "s1.desk.1.flow.1"),
    }


async def test_an_acknowledgement_before_the_wait_counts_and_twice_counts_once() -> None:
    watch = EventWatch()
    watch.note("s1.desk.1", "flow", UnitOutcome())
    watch.note("s1.desk.1", "flow", DECIDED)

    assert len((await settled(watch)).units) == 2


async def test_the_services_are_asked_where_acknowledgements_stay_away() -> None:
    asked = []

    async def ask(service: str, events: Sequence[str]) -> Mapping[str, UnitOutcome]:
        asked.append((service, list(events)))
        return {event: DECIDED if service == "flow" else UnitOutcome() for event in events}

    replayed = Unit("desk", "s1", UnitOutcome(events=VERIFIED.outcome.events, replayed=True))

    group = await settled(EventWatch(), replayed, ask)

    assert len(group.units) == 4
    assert asked == [
        ("flow", ["s1.desk.1"]),
        ("desk", ["s1.desk.1.flow.1"]),
        ("hub", ["s1.desk.1.flow.1"]),
    ]


async def test_at_the_deadline_nothing_is_guessed() -> None:
    async def ask(service: str, events: Sequence[str]) -> Mapping[str, UnitOutcome]:
        return {}

    with pytest.raises(Unsettled, match=r"flow: did not apply event s1\.desk\.1 in time"):
        await settled(EventWatch(), VERIFIED, ask, deadline_s=0.05)


async def test_a_consumer_that_is_back_before_the_deadline_is_no_outage() -> None:
    answers = iter([Outage("flow", "down"), {"s1.desk.1": UnitOutcome()}])

    async def ask(service: str, events: Sequence[str]) -> Mapping[str, UnitOutcome]:
        answer = next(answers)
        if isinstance(answer, Outage):
            raise answer
        return answer  # type: ignore[return-value]

    assert len((await settled(EventWatch(), ask=ask)).units) == 2
