"""The pure rules of DataHub."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.datahub import domain
from services.datahub.domain import Deputy, RecordStatus

INSTANTS = st.integers(0, 1000)


@dataclass(frozen=True)
class Away:
    starts_at: int
    ends_at: int


SPANS = st.lists(st.builds(Away, INSTANTS, INSTANTS), max_size=8)


def test_a_metric_is_fresh_until_just_before_the_second_at_which_it_expires() -> None:
    assert domain.expires_at(as_of=100, ttl_s=60) == 160
    assert not domain.is_stale(as_of=100, ttl_s=60, now=159)
    assert domain.is_stale(as_of=100, ttl_s=60, now=160)


def test_a_metric_without_a_lifetime_is_stale_at_once() -> None:
    assert domain.is_stale(as_of=100, ttl_s=0, now=100)


@given(as_of=INSTANTS, ttl_s=INSTANTS, now=INSTANTS, later=INSTANTS)
def test_stale_metrics_stay_stale(as_of: int, ttl_s: int, now: int, later: int) -> None:
    if domain.is_stale(as_of, ttl_s, now):
        assert domain.is_stale(as_of, ttl_s, now + later)


def test_a_metric_is_as_old_as_the_time_since_it_was_taken() -> None:
    assert domain.age(as_of=100, now=160) == 60


def test_a_metric_taken_in_the_future_is_not_younger_than_zero() -> None:
    assert domain.age(as_of=160, now=100) == 0


def test_successive_refreshes_bring_successive_values_and_the_last_repeats() -> None:
    brought = [domain.refreshed_value([85.0, 76.0], [], number, current=72.0) for number in range(4)]

    assert brought == [85.0, 76.0, 76.0, 76.0]


def test_a_failed_refresh_uses_no_value_up() -> None:
    assert domain.refresh_fails([0], 0)
    assert not domain.refresh_fails([0], 1)
    assert domain.refreshed_value([85.0, 76.0], [0], 1, current=72.0) == 85.0
    assert domain.refreshed_value([85.0, 76.0], [0, 0], 2, current=72.0) == 76.0


def test_a_source_without_values_confirms_the_current_one() -> None:
    assert domain.refreshed_value([], [], 0, current=72.0) == 72.0
    assert domain.refreshed_value([], [], 0, current=None) is None


@given(
    values=st.lists(st.floats(allow_nan=False), min_size=1, max_size=5),
    failures=st.lists(st.integers(0, 9), max_size=6),
)
def test_refreshed_values_come_in_order_despite_failures(values: list[float], failures: list[int]):
    brought = [
        domain.refreshed_value(values, failures, number, current=None)
        for number in range(20)
        if not domain.refresh_fails(failures, number)
    ]

    assert brought[: len(values)] == values
    assert set(brought[len(values) :]) == {values[-1]}


def test_a_person_without_absences_is_here() -> None:
    assert domain.away_until([], 100) is None


def test_a_person_is_away_from_the_first_instant_until_just_before_the_last() -> None:
    absence = Away(100, 200)

    assert domain.away_until([absence], 99) is None
    assert domain.away_until([absence], 100) == 200
    assert domain.away_until([absence], 199) == 200
    assert domain.away_until([absence], 200) is None


def test_absences_that_overlap_or_touch_count_as_one() -> None:
    assert domain.away_until([Away(200, 300), Away(100, 200), Away(250, 400), Away(401, 500)], 150) == 400


@given(spans=SPANS, now=INSTANTS)
def test_a_person_is_away_exactly_where_some_absence_covers_the_instant(spans: list[Away], now: int) -> None:
    covered = any(span.starts_at <= now < span.ends_at for span in spans)

    assert (domain.away_until(spans, now) is not None) == covered


@given(spans=SPANS, now=INSTANTS)
def test_a_person_is_back_at_the_first_instant_no_absence_covers(spans: list[Away], now: int) -> None:
    until = domain.away_until(spans, now)

    if until is not None:
        assert domain.away_until(spans, until) is None
        assert all(domain.away_until(spans, instant) == until for instant in range(now, until))


def deputy(*, available: bool) -> Deputy:
    return Deputy(
        id="david.kim",
        name="David Kim",
        role="finance_director",
        available=available,
        away_until=None if available else 200,
        delegate=None,
        delegate_types=["vendor_approval"],
        delegate_limit=None,
    )


def test_present_role_holder_decides() -> None:
    assert (
        domain.approver_on_duty("sarah.chen", holder_is_away=False, deputy=deputy(available=True))
        == "sarah.chen"
    )


def test_the_deputy_decides_while_the_holder_is_away() -> None:
    assert (
        domain.approver_on_duty("sarah.chen", holder_is_away=True, deputy=deputy(available=True))
        == "david.kim"
    )


@pytest.mark.parametrize("absent", [None, deputy(available=False)])
def test_role_has_no_approver_while_holder_and_deputy_are_away(absent: Deputy | None) -> None:
    assert domain.approver_on_duty("sarah.chen", holder_is_away=True, deputy=absent) is None


def test_only_becoming_active_needs_an_approval() -> None:
    assert domain.needs_approval("pending", RecordStatus.ACTIVE)
    assert not domain.needs_approval("active", RecordStatus.ACTIVE)
    assert not domain.needs_approval("active", RecordStatus.INACTIVE)


def test_changed_names_are_those_whose_json_differs() -> None:
    before = {"fields": {"a": 1, "b": [2]}, "name": "Acme", "status": "pending"}

    assert domain.changed_names(before, before) == []
    assert domain.changed_names(before, {"fields": {"b": [2], "a": 1}}) == []
    assert domain.changed_names(before, {"fields": {"a": True, "b": [2]}, "name": "Acme"}) == ["fields"]


def test_a_metric_with_weights_adds_its_shares_of_what_is_upstream() -> None:
    weights = {"MET-0001": 0.5, "MET-0002": 0.1}

    assert domain.recomputed(1.0, weights, {"MET-0001": 20.0, "MET-0002": 0.333}) == 11.03
    assert domain.recomputed(1.0, weights, {"MET-0001": None}) == 1.0


def test_a_metric_without_weights_or_value_is_what_its_source_returns() -> None:
    assert domain.recomputed(1.005, {}, {"MET-0001": 20.0}) == 1.005
    assert domain.recomputed(None, {"MET-0001": 0.5}, {"MET-0001": 20.0}) is None
