"""The grading of an audit: the right rows succeed, and each required fact that is flipped is noticed."""

from dataclasses import replace
from typing import Any

import pytest

from scenarios.data_quality_audit import grading
from scenarios.data_quality_audit.facts import Facts

from .grades import Committed, drawn_for, solved


def missing(state: Committed) -> set[str]:
    return {one.name for one in grading.musts(state.facts) if not one.holds(state.view)}


def broken(state: Committed) -> set[str]:
    return {one.name for one in grading.forbidden(state.facts) if one.holds(state.view)}


def earned(state: Committed) -> set[str]:
    return {one.name for one in grading.milestones(state.facts) if one.holds(state.view)}


def earned_of(state: Committed, what: str) -> int:
    return sum(name.startswith(what) for name in earned(state))


def sound(facts: Facts) -> str:
    """Return the total of an active dashboard of the area that stays as it is."""
    totals = (one.board.metric["id"] for one in facts.boards if one.is_active)
    return min(str(one) for one in totals if one not in facts.wanted and one != facts.earlier)


def some_new(facts: Facts) -> str:
    return min(facts.new)


def test_the_right_audit_holds_everything_and_breaks_nothing() -> None:
    state = solved()

    assert missing(state) == broken(state) == set()
    assert earned(state) == {one.name for one in grading.milestones(state.facts)}


def test_at_the_start_everything_is_missing_and_nothing_is_earned_or_broken() -> None:
    state = Committed(drawn_for())

    assert missing(state) == {"controls_known", "quarantine_exact", "tickets_exact"}
    assert earned(state) == broken(state) == set()


@pytest.mark.parametrize("number", [0, 1])
def test_each_control_total_must_be_read(number: int) -> None:
    state = Committed(drawn_for())

    state.read(number)

    assert "controls_known" in missing(state)
    assert earned(state) == {f"control_known_{number + 1}"}


@pytest.mark.parametrize(("newer_by", "is_known"), [(-1, False), (0, False), (1, True), (2, True)])
def test_only_a_newer_version_than_that_of_the_start_is_news(newer_by: int, is_known: bool) -> None:
    state = Committed(drawn_for())

    for number in (0, 1):
        state.read(number, newer_by=newer_by)

    assert ("controls_known" not in missing(state)) is is_known


def test_controls_read_by_a_colleague_are_unknown_to_the_agent() -> None:
    state = Committed(drawn_for())

    for number in (0, 1):
        state.read(number, reader="ada.else")

    assert "controls_known" in missing(state)


def test_a_metric_whose_id_only_begins_alike_is_another_one() -> None:
    state = Committed(drawn_for())
    for control in state.facts.controls:
        receipt = f"{control['id']}0@9:{state.facts.me.id}"
        state.write("datahub", "receipts", receipt, reader=state.facts.me.id, version=9)

    assert earned(state) == set()


def test_a_dashboard_that_is_left_out_is_missing() -> None:
    state = solved()

    state.release(some_new(state.facts))

    assert missing(state) == {"quarantine_exact"}
    assert earned_of(state, "dashboards") == len(state.facts.new) - 1


def test_a_quarantine_too_many_is_forbidden_and_costs_the_credit_of_a_right_one() -> None:
    state = solved()

    state.quarantine(sound(state.facts))

    assert missing(state) == {"quarantine_exact"}
    assert broken(state) == {"sound_metric_quarantined"}
    assert earned_of(state, "dashboards") == len(state.facts.new) - 1


def test_a_wrong_quarantine_is_not_forgiven_once_it_is_lifted() -> None:
    state = solved()

    state.quarantine(sound(state.facts))
    state.release(sound(state.facts))

    assert missing(state) == set()
    assert broken(state) == {"sound_metric_quarantined"}


def test_a_feed_must_not_be_quarantined_even_if_it_has_failed() -> None:
    state = solved()
    name = min(state.facts.failed)

    state.quarantine(state.facts.suspects[name].metric["id"])

    assert missing(state) == set()
    assert broken(state) == {"sound_metric_quarantined"}


def test_unrelated_quarantine_by_a_colleague_does_not_count_against_the_agent() -> None:
    state = solved()

    state.quarantine("MET-9999", by="ada.else")

    assert missing(state) == broken(state) == set()


def test_the_earlier_quarantine_must_be_lifted_and_earns_nothing_by_itself() -> None:
    state = solved()

    state.write("datahub", "metrics", state.facts.earlier or "", status="quarantined")

    assert missing(state) == {"quarantine_exact"}
    assert broken(state) == set()
    assert earned_of(state, "dashboards") == len(state.facts.new)


@pytest.mark.parametrize("turned", [False, True])
def test_a_ticket_may_be_linked_in_either_direction(turned: bool) -> None:
    state = Committed(drawn_for())

    for request in state.facts.voided:
        state.link(request["ticket_id"], turned=turned)

    assert "tickets_exact" not in missing(state)
    assert earned_of(state, "tickets") == len({one["ticket_id"] for one in state.facts.voided})


@pytest.mark.parametrize(
    "link", [{"kind": "blocks"}, {"to": "TD-9999"}], ids=["another kind", "another ticket"]
)
def test_a_link_of_another_kind_or_to_another_ticket_does_not_count(link: dict[str, Any]) -> None:
    state = Committed(drawn_for())

    for request in state.facts.voided:
        state.link(request["ticket_id"], **link)

    assert "tickets_exact" in missing(state)
    assert earned_of(state, "tickets") == 0


def test_a_link_of_a_ticket_that_lost_nothing_is_one_too_many() -> None:
    state = solved()

    state.link("TD-9999")

    assert missing(state) == {"tickets_exact"}
    assert earned_of(state, "tickets") == len(state.facts.voided) - 1


def test_where_no_request_is_lost_no_links_are_asked_for() -> None:
    facts = replace(drawn_for().facts, requests=[])

    assert {one.name for one in grading.musts(facts)} == {"controls_known", "quarantine_exact"}
    assert not [one for one in grading.milestones(facts) if one.name.startswith("tickets")]


@pytest.mark.parametrize(
    ("reason", "is_lost"), [("metric_quarantined", True), ("withdrawn", False), (None, False)]
)
def test_a_request_on_a_sound_dashboard_must_not_be_lost(reason: str | None, is_lost: bool) -> None:
    state = solved()
    request = next(one for one in state.facts.requests if one not in state.facts.voided)

    state.write("approvalflow", "requests", request["id"], reason_code=reason)

    assert broken(state) == ({"sound_request_lost"} if is_lost else set())


def test_the_requests_of_quarantined_dashboards_are_lost_rightly() -> None:
    state = solved()

    for request in state.facts.voided:
        state.write("approvalflow", "requests", request["id"], reason_code="metric_quarantined")

    assert broken(state) == set()


def test_where_a_release_is_missing_only_the_control_totals_are_required() -> None:
    state = solved(lacks_release=True)

    assert missing(state) == broken(state) == set()
    assert missing(Committed(drawn_for(lacks_release=True))) == {"controls_known"}
    assert earned(state) == {"control_known_1", "control_known_2"}


def test_where_a_release_is_missing_even_a_dashboard_on_a_failed_feed_is_left_alone() -> None:
    state = solved(lacks_release=True)
    facts = state.facts
    bad = next(
        one.board.metric["id"]
        for one in facts.boards
        if one.suspect in facts.failed
        and one.is_active
        and not one.is_statutory
        and one.board.metric["id"] != facts.earlier
    )

    state.quarantine(bad)

    assert broken(state) == {"sound_metric_quarantined"}


def test_everything_is_checked_before_the_first_quarantine() -> None:
    [order] = grading.orders(drawn_for().facts)
    state = Committed(drawn_for())

    assert not order.then(state.view)
    state.quarantine(some_new(state.facts))
    assert order.then(state.view)
    assert not order.first(state.view)
    for number in (0, 1):
        state.read(number)
    assert order.first(state.view)


def test_a_link_and_the_end_of_a_quarantine_come_after_the_checks_too() -> None:
    [order] = grading.orders(drawn_for().facts)
    state, other = Committed(drawn_for()), Committed(drawn_for())
    state.link(next(one["ticket_id"] for one in state.facts.voided))
    lifted = {"metric_id": other.facts.earlier, "by": "ann.lee", "released_by": other.facts.me.id}
    other.write("datahub", "quarantines", "Q-9", **lifted)

    assert order.then(state.view)
    assert order.then(other.view)


def test_milestones_of_a_set_are_worth_what_the_set_is_worth() -> None:
    size = {one.name: one.size for one in grading.milestones(drawn_for().facts)}

    total = {
        what: sum(worth for name, worth in size.items() if name.startswith(what))
        for what in ("control", "dashboards", "tickets")
    }
    assert total == {
        "control": 1.5,
        "dashboards": pytest.approx(5.0, abs=0.05),
        "tickets": pytest.approx(2.0, abs=0.05),
    }
