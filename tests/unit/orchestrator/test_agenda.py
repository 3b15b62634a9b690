"""The clock goes from one due instant to the next, in one order whatever was told when."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.execution.agenda import MAX_ROUNDS, Agenda, Tick
from orchestrator.protocol.problems import Outage


def played(agenda: Agenda, target: int, then: dict[Tick, dict[str, int | None]] | None = None) -> list[Tick]:
    """Run an agenda: a tick leaves its service with nothing due, unless `then` says what it makes due."""
    ticks = []
    while (tick := agenda.next_tick(target)) is not None:
        ticks.append(tick)
        agenda.tell(tick.service, None)
        for service, due in (then or {}).get(tick, {}).items():
            agenda.tell(service, due)
    return ticks


def test_time_passes_at_once_if_nothing_is_due() -> None:
    agenda = Agenda(100, {"desk": None, "hub": 500})

    assert played(agenda, 400) == []
    assert agenda.now == 400


def test_every_instant_is_visited_in_order_and_never_passed() -> None:
    agenda = Agenda(0, {"desk": 300, "hub": 100})

    assert played(agenda, 400, {Tick("hub", 100, 1): {"hub": 300}}) == [
        Tick("hub", 100, 1),
        Tick("desk", 300, 1),
        Tick("hub", 300, 1),
    ]
    assert agenda.now == 400


def test_service_due_exactly_at_the_target_gets_its_turn() -> None:
    assert played(Agenda(0, {"desk": 60}), 60) == [Tick("desk", 60, 1)]


def test_service_made_due_at_the_instant_of_a_turn_gets_another_round() -> None:
    agenda = Agenda(0, {"desk": None, "hub": 60})

    ticks = played(agenda, 60, {Tick("hub", 60, 1): {"desk": 60}})

    assert ticks == [Tick("hub", 60, 1), Tick("desk", 60, 2)]
    assert [tick.label for tick in ticks] == ["t60", "t60.2"]


def test_service_made_due_with_a_later_name_joins_the_current_round() -> None:
    agenda = Agenda(0, {"desk": 60, "hub": None})

    assert played(agenda, 60, {Tick("desk", 60, 1): {"hub": 60}}) == [Tick("desk", 60, 1), Tick("hub", 60, 1)]


def test_overdue_service_gets_its_turn_now_and_time_does_not_go_back() -> None:
    agenda = Agenda(100, {"desk": 40})

    assert played(agenda, 100) == [Tick("desk", 100, 1)]
    assert agenda.now == 100


def test_a_service_that_is_always_due_is_an_outage() -> None:
    agenda = Agenda(0, {"desk": 60})

    with pytest.raises(Outage, match="without end"):
        for _ in range(MAX_ROUNDS + 1):
            agenda.next_tick(60)


INSTANTS = st.none() | st.integers(0, 50)


@given(
    due=st.dictionaries(st.sampled_from("abcd"), INSTANTS, min_size=1),
    reports=st.lists(st.tuples(st.sampled_from("abcd"), INSTANTS), max_size=12),
    target=st.integers(0, 60),
)
def test_time_is_monotonous_and_turns_are_ordered(
    due: dict[str, int | None], reports: list[tuple[str, int | None]], target: int
) -> None:
    agenda, told, ticks = Agenda(0, due), iter(reports), []
    while (tick := agenda.next_tick(target)) is not None:
        ticks.append(tick)
        agenda.tell(tick.service, None)
        service, instant = next(told, ("", None))
        if service in due:
            agenda.tell(service, instant)

    assert [(tick.at, tick.round, tick.service) for tick in ticks] == sorted(
        {(tick.at, tick.round, tick.service) for tick in ticks}
    )
    assert all(tick.at <= target for tick in ticks)
    assert agenda.now == target
    assert all(at is None or at > target for at in agenda.due.values())


@given(
    due=st.dictionaries(st.sampled_from("abcd"), INSTANTS, min_size=2),
    early=st.dictionaries(st.sampled_from("abcd"), st.integers(0, 50)),
)
def test_an_instant_told_too_early_changes_nothing_but_an_idle_turn(
    due: dict[str, int | None], early: dict[str, int]
) -> None:
    """Concurrent reactions tell instants in any order, so the earliest is taken, which may be too early."""
    truth = Agenda(0, due)
    hasty = Agenda(
        0,
        {
            name: min(early.get(name, at), at) if at is not None else early.get(name)
            for name, at in due.items()
        },
    )
    real, idle = dict(due), []

    ticks = []
    while (tick := hasty.next_tick(60)) is not None:
        at = real[tick.service]
        if at is not None and at <= tick.at:
            ticks.append(tick)
            real[tick.service] = None
        else:
            idle.append(tick)
        hasty.tell(tick.service, real[tick.service])

    assert ticks == played(truth, 60)
