"""Business time: only opening hours count."""

from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import DAY, HOUR, from_iso
from services.ticketdesk.domain import Hours, Status, due_at, is_awaited, later_instants, level_id

OFFICE = Hours(9 * HOUR, 17 * HOUR, frozenset({0, 1, 2, 3, 4}))
ALWAYS = Hours(0, DAY, frozenset(range(7)))

instants = st.integers(0, 400 * DAY)
spans = st.integers(1, 80 * HOUR)
calendars = st.builds(
    Hours,
    st.integers(0, 11 * HOUR),
    st.integers(12 * HOUR, DAY),
    st.frozensets(st.integers(0, 6), min_size=1),
)


def test_question_on_friday_evening_is_due_on_monday():
    friday = from_iso("2030-01-04T16:30:00Z")

    assert due_at(friday, HOUR, OFFICE) == from_iso("2030-01-07T09:30:00Z")


def test_question_before_opening_hours_counts_from_the_opening():
    assert due_at(from_iso("2030-01-01T05:00:00Z"), HOUR, OFFICE) == from_iso("2030-01-01T10:00:00Z")


def test_a_whole_day_is_over_when_the_office_closes():
    assert due_at(from_iso("2030-01-01T09:00:00Z"), 8 * HOUR, OFFICE) == from_iso("2030-01-01T17:00:00Z")


@given(instants, spans)
def test_an_office_that_never_closes_counts_every_second(since, span):
    assert due_at(since, span, ALWAYS) == since + span


@given(instants, spans, calendars)
def test_a_deadline_lies_in_opening_hours_and_not_before_the_span_is_over(since, span, hours):
    due = due_at(since, span, hours)

    opening = hours.opening((due - 1) // DAY)
    assert opening is not None
    assert opening[0] < due <= opening[1]
    assert due >= since + span


@given(instants, spans, spans, calendars)
def test_two_spans_after_one_another_are_as_long_as_both_together(since, first, second, hours):
    assert due_at(due_at(since, first, hours), second, hours) == due_at(since, first + second, hours)


def test_an_undecided_priority_has_the_level_of_medium():
    assert level_id("plus", None) == "plus:medium"


def test_only_an_open_ticket_without_an_answer_is_awaited():
    assert is_awaited(Status.NEW, None)
    assert not is_awaited(Status.NEW, 5)
    assert not is_awaited(Status.CLOSED, None)
    assert not is_awaited(Status.RETURNED, None)


@given(st.lists(instants), instants)
def test_instants_to_come_are_in_order_and_each_is_there_once(given_, after):
    found = later_instants(given_, after=after)

    assert found == sorted(set(found))
    assert set(found) == {one for one in given_ if one > after}
