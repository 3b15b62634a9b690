"""The grading of an audit: the right rows succeed, and each required fact that is flipped is noticed."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.data_quality_audit import grading

from .audits import CommittedAudit, drawn_for, solved

FACTS = drawn_for().facts
BACK = drawn_for(lacks_release=True).facts
NEW, EARLIER = min(FACTS.new), FACTS.earlier or ""
SOUND = min(FACTS.totals - FACTS.wanted - {EARLIER})
FAILED_FEED = FACTS.suspects[min(FACTS.failed)].metric["id"]
UNTOUCHED = next(one for one in FACTS.requests if one not in FACTS.voided)
LOST = sorted({one["ticket_id"] for one in FACTS.voided})
#: The total of a dashboard on a failed feed, in an audit that must leave it alone because a release is missing.
LEFT_ALONE = next(
    one.board.metric["id"]
    for one in BACK.boards
    if one.suspect in BACK.failed
    and one.is_active
    and not one.is_statutory
    and one.board.metric["id"] != BACK.earlier
)
Change = Callable[[CommittedAudit], Any]


def missing(state: CommittedAudit) -> set[str]:
    return {one.name for one in grading.musts(state.facts) if not one.holds(state.view)}


def broken(state: CommittedAudit) -> set[str]:
    return {one.name for one in grading.forbidden(state.facts) if one.holds(state.view)}


def earned(state: CommittedAudit) -> set[str]:
    return {one.name for one in grading.milestones(state.facts) if one.holds(state.view)}


def count_earned(state: CommittedAudit, what: str) -> int:
    return sum(name.startswith(what) for name in earned(state))


def test_the_right_audit_holds_everything_and_an_untouched_one_earns_nothing() -> None:
    right, untouched = solved(), CommittedAudit(drawn_for())

    assert missing(right) == broken(right) == set()
    assert earned(right) == {one.name for one in grading.milestones(FACTS)}
    assert missing(untouched) == {"controls_known", "papers_read", "quarantine_exact", "tickets_exact"}
    assert earned(untouched) == broken(untouched) == set()


def test_where_a_release_is_missing_only_the_control_totals_are_required() -> None:
    right, untouched = solved(lacks_release=True), CommittedAudit(drawn_for(lacks_release=True))

    assert missing(right) == broken(right) == set()
    assert earned(right) == {"control_known_1", "control_known_2"}
    assert missing(untouched) == {"controls_known", "papers_read"}
    right.quarantine(LEFT_ALONE)
    assert broken(right) == {"sound_metric_quarantined"}


@pytest.mark.parametrize(
    ("read", "known"),
    [({"newer_by": 2}, 2), ({"newer_by": 0}, 0), ({"reader": "ada.else"}, 0), ({"suffix": "0"}, 0)],
    ids=["newer still", "same", "by a colleague", "a longer id"],
)
def test_the_agent_must_read_both_control_totals_anew(read: dict[str, Any], known: int) -> None:
    state = CommittedAudit(drawn_for())

    state.read_controls(0, 1, **read)

    assert count_earned(state, "control_known") == known
    assert ("controls_known" not in missing(state)) is (known == 2)


def spare(state: CommittedAudit, metric_id: str) -> None:
    """Quarantine a metric for a while."""
    state.quarantine(metric_id)
    state.release(metric_id)


WRONG = {"sound_metric_quarantined"}
#: What is done to a right audit, what is missing and forbidden then, and how many dashboards and tickets it loses.
CHANGES: dict[str, tuple[Change, set[str], set[str], tuple[int, int]]] = {
    "a dashboard left out": (lambda one: one.release(NEW), {"quarantine_exact"}, set(), (1, 0)),
    "a sound one too": (lambda one: one.quarantine(SOUND), {"quarantine_exact"}, WRONG, (1, 0)),
    "a sound one for a while": (lambda one: spare(one, SOUND), set(), WRONG, (0, 0)),
    "a failed feed itself": (lambda one: one.quarantine(FAILED_FEED), set(), WRONG, (0, 0)),
    "by a colleague": (lambda one: one.quarantine("MET-9999", by="ada.else"), set(), set(), (0, 0)),
    "the earlier one left": (
        lambda one: one.quarantine(EARLIER, "ann.lee"),
        {"quarantine_exact"},
        set(),
        (0, 0),
    ),
    "a link of another kind": (lambda one: one.link("TD-9999", kind="blocks"), set(), set(), (0, 0)),
    "a link too many": (lambda one: one.link("TD-9999"), {"tickets_exact"}, set(), (0, 1)),
    "a sound request lost": (lambda one: one.lose(UNTOUCHED), set(), {"sound_request_lost"}, (0, 0)),
    "a sound request withdrawn": (lambda one: one.lose(UNTOUCHED, "withdrawn"), set(), set(), (0, 0)),
}


@pytest.mark.parametrize(("change", "lacks", "breaks", "cost"), CHANGES.values(), ids=list(CHANGES))
def test_a_change_of_a_right_audit_is_noticed_and_costs_what_it_is_worth(
    change: Change, lacks: set[str], breaks: set[str], cost: tuple[int, int]
) -> None:
    state = solved()

    change(state)

    assert (missing(state), broken(state)) == (lacks, breaks)
    assert count_earned(state, "dashboards") == len(FACTS.new) - cost[0]
    assert count_earned(state, "tickets") == len(LOST) - cost[1]


@pytest.mark.parametrize(
    "act",
    [lambda state: state.quarantine(NEW), lambda state: state.link(LOST[0])],
    ids=["quarantine", "link"],
)
def test_everything_is_checked_before_the_first_act(act: Change) -> None:
    [order] = grading.orders(FACTS)
    state = CommittedAudit(drawn_for())

    act(state)
    assert (order.first(state.view), order.then(state.view)) == (False, True)
    state.read_controls(0, 1)
    assert order.first(state.view)
