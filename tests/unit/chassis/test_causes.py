"""Causes and events: their ids say who recorded an event, what set it off, and in which order a world did."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.chassis.events.deferred import digest
from companyos.chassis.world import causes
from companyos.chassis.world.causes import group_of, is_direct, place, publisher

#: Events as a world records them, each with its instant: ticks of a step before its call, reactions after their cause.
RECORDED = [
    ("s1.ticketdesk.1", 60),
    ("s2.t100.approvalflow.1", 100),
    ("s2.t100.datahub.1", 100),
    ("s2.t100.datahub.2", 100),
    ("s2.t100.datahub.10", 100),
    ("s2.t100.2.approvalflow.1", 100),
    ("s2.approvalflow.1", 100),
    ("s2.approvalflow.1.datahub.1", 100),
    ("s2.approvalflow.2", 100),
    ("s10.approvalflow.1", 160),
]


def test_events_sort_in_the_order_in_which_their_world_recorded_them() -> None:
    assert all(place(*earlier) < place(*later) for earlier, later in pairwise(RECORDED))


@given(st.permutations(RECORDED))
def test_the_order_does_not_depend_on_arrival(arrived: list[tuple[str, int]]) -> None:
    assert sorted(arrived, key=lambda one: place(*one)) == RECORDED


@pytest.mark.parametrize(
    ("event_id", "group", "direct"),
    [
        ("s5.ticketdesk.1", "s5", True),
        ("s5.t3600.datahub.2", "s5.t3600", True),
        ("s5.t3600.2.datahub.2", "s5.t3600.2", True),
        ("s5.ticketdesk.1.approvalflow.1", "s5", False),
        ("made-elsewhere", "made-elsewhere", False),
    ],
)
def test_an_event_belongs_to_the_call_or_tick_that_set_it_off(
    event_id: str, group: str, direct: bool
) -> None:
    assert (group_of(event_id), is_direct(event_id)) == (group, direct)


def test_an_event_names_its_publisher() -> None:
    assert publisher("s5.ticketdesk.1.approvalflow.3") == "approvalflow"


def test_ids_are_read_as_they_are_written() -> None:
    tick = causes.within_step(5, causes.tick_label(3600, 2))
    first = causes.event_id(tick, "datahub", 2)
    second = causes.event_id(first, "approvalflow", 1)

    assert (first, second) == ("s5.t3600.2.datahub.2", "s5.t3600.2.datahub.2.approvalflow.1")
    assert [(group_of(one), publisher(one), is_direct(one)) for one in (first, second)] == [
        (tick, "datahub", True),
        (tick, "approvalflow", False),
    ]


def test_the_first_tick_at_an_instant_has_no_round() -> None:
    assert causes.within_step(5, causes.tick_label(3600, 1)) == f"{causes.of_step(5)}.t3600"


def test_the_digest_of_a_payload_does_not_depend_on_how_it_is_written() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})
