"""The pure rules of DataHub."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from services.datahub import domain

INSTANTS = st.integers(0, 1000)


@dataclass(frozen=True)
class Away:
    starts_at: int
    ends_at: int


SPANS = st.lists(st.builds(Away, INSTANTS, INSTANTS), max_size=8)


def test_a_metric_without_a_lifetime_is_stale_at_once() -> None:
    assert domain.is_stale(as_of=100, ttl_s=0, now=100)


@given(as_of=INSTANTS, ttl_s=INSTANTS, now=INSTANTS, later=INSTANTS)
def test_stale_metrics_stay_stale(as_of: int, ttl_s: int, now: int, later: int) -> None:
    if domain.is_stale(as_of, ttl_s, now):
        assert domain.is_stale(as_of, ttl_s, now + later)


def test_a_metric_taken_in_the_future_is_not_younger_than_zero() -> None:
    assert domain.age(as_of=160, now=100) == 0


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
