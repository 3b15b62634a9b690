"""The order in which a world recorded its events, read off their ids alone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.chassis.held import digest, group_of, is_direct, place, publisher

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


def test_the_digest_of_a_payload_does_not_depend_on_how_it_is_written() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})
