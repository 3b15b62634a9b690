"""Every decision of TicketDesk's domain."""

from hypothesis import given
from hypothesis import strategies as st

from services.ticketdesk.domain import (
    Approval,
    ExternalStatus,
    by_number,
    is_news,
    missing_fields,
    once_refreshed,
)

request_ids = st.integers(1, 20_000).map("APR-{:04d}".format)


@given(st.dictionaries(st.sampled_from(["priority", "assignee", "cost_centre"]), st.none() | st.just("set")))
def test_a_required_field_is_missing_or_set_and_never_both(values):
    required = ["priority", "assignee", "cost_centre"]
    present = [name for name in required if values.get(name)]

    assert sorted(missing_fields(required, values) + present) == sorted(required)


@given(st.lists(st.integers(1, 9)), st.integers(1, 9))
def test_a_metric_is_settled_by_any_version_newer_than_the_wait_for_it(versions, since):
    status = ExternalStatus.OPEN
    for version in versions:
        status = once_refreshed(status, version=version, since=since)

    assert (status == ExternalStatus.SETTLED) == (max(versions, default=0) > since)


def test_a_request_of_more_digits_is_newer():
    assert is_news("APR-10000", Approval.APPROVED, {"APR-9999"})
    assert not is_news("APR-9999", Approval.APPROVED, {"APR-10000"})


@given(st.dictionaries(request_ids, st.sampled_from([Approval.APPROVED, Approval.REJECTED])), st.randoms())
def test_news_in_any_order_leaves_the_same_approval(decisions, chance):
    told = [(request, Approval.PENDING) for request in decisions] + list(decisions.items())

    in_order = follow(sorted(told))
    chance.shuffle(told)

    assert follow(told) == in_order


def follow(told: list[tuple[str, Approval]]) -> Approval:
    shown, known = Approval.NONE, set()
    for request_id, outcome in told:
        if is_news(request_id, outcome, known):
            shown = outcome
        known.add(request_id)
    return shown


@given(st.sets(st.integers(0, 10**6)))
def test_numbered_ids_sort_by_their_number(numbers):
    ids = [f"TD-{number}" for number in numbers]

    assert sorted(ids, key=by_number) == [f"TD-{number}" for number in sorted(numbers)]
