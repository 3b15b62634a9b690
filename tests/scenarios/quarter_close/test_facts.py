"""The facts of a close: what its two instances share, who approves it, and what the goal tells the grader."""

from collections import Counter

import pytest

from companyos.sdk.simtime import DAY
from scenarios.quarter_close import plan
from scenarios.quarter_close.facts import LIMITS
from scenarios.quarter_close.pack import close_approval
from scenarios.quarter_close.plan import NEVER, OLD_MEMO, PART, TICKETED

from .closes import PAIRS, Written, differing, kind_of, pairs_of, written

EVERY = [*PAIRS, *(seed + 1 for seed in PAIRS)]


def limit_of(close: Written) -> float:
    """Return the amount from which the chief financial officer decides."""
    [policy] = [one for one in close.rows("approval_types", "approvalflow") if one["id"] == "close_approval"]
    return float(policy["routes"][0]["below"])


def is_away(close: Written, office: str) -> bool:
    person = close.cast.offices[office].id
    return any(
        one["person_id"] == person and one["starts_at"] <= close.company.start < one["ends_at"]
        for one in close.rows("absences")
    )


def variance_tickets(close: Written, *, are_open: bool) -> list[str]:
    """Return the metrics with an open ticket, or with a closed one."""
    return [
        one["subject"]
        for one in close.rows("tickets", "ticketdesk")
        if one["kind"] == "variance" and (one["status"] != "closed") == are_open
    ]


def test_half_of_the_pairs_are_about_an_edge_and_the_others_about_three_more_causes() -> None:
    kinds = Counter(kind_of(written(seed)) for seed in PAIRS)

    assert {*kinds} == {"edge", "answer", "source", "prior"}
    assert len(PAIRS) / 3 < kinds["edge"] < len(PAIRS) * 2 / 3


@pytest.mark.parametrize("kind", ["edge", "answer", "source", "prior"])
def test_either_seed_of_a_pair_may_be_the_changed_one(kind: str) -> None:
    causes = {one.facts.cause.rpartition(":")[2] for one, _ in pairs_of(kind)}

    assert len(causes) > 1


def test_a_reversed_edge_shows_in_the_lineage_of_two_metrics_alone() -> None:
    for one, other in pairs_of("edge"):
        changed = differing(one, other)
        assert changed.keys() == {"metrics", "sources"}
        columns = [{name for name in mine if mine[name] != its[name]} for mine, its in changed["metrics"]]
        assert columns == [{"upstream"}, {"upstream"}]


def test_a_reversed_edge_reverses_the_order_of_its_two_lines() -> None:
    for one, other in pairs_of("edge"):
        first, second = one.facts.cause.removeprefix("edge:").split(" before ")
        order, reverse = list(one.facts.needed), list(other.facts.needed)
        assert order.index(first) < order.index(second)
        assert reverse.index(second) < reverse.index(first)
        assert {*order} == {*reverse}


def test_an_owner_of_a_pair_knows_something_in_one_of_its_closes() -> None:
    for one, other in pairs_of("answer"):
        changed = differing(one, other)
        assert changed.keys() == {"knowledge"}
        assert len(changed["knowledge"]) == 1
        assert len(one.facts.beyond ^ other.facts.beyond) == 1


def test_a_source_of_a_pair_recovers_just_in_time_or_never() -> None:
    for one, other in pairs_of("source"):
        up, down = sorted((one, other), key=lambda close: close.facts.down is not None)
        assert (up.facts.down, up.facts.is_feasible, down.facts.is_feasible) == (None, True, False)
        assert down.facts.failures == {down.facts.down: NEVER}
        assert [*up.facts.failures.values()] == [up.facts.rules.runs - 1]


def test_the_quarter_before_is_reopened_in_one_close_of_a_pair() -> None:
    for one, other in pairs_of("prior"):
        statuses = sorted(str(close.facts.prior["status"]) for close in (one, other))
        assert statuses == ["locked", "reopened"]
        assert differing(one, other).keys() == {"periods"}
        assert [close.facts.is_feasible for close in (one, other)].count(False) == 1


def test_failures_in_other_pairs_are_ones_that_a_second_run_overcomes() -> None:
    seen = [[*written(seed).facts.failures.values()] for seed in EVERY if kind_of(written(seed)) != "source"]

    assert {tuple(one) for one in seen} == {(), (1,)}


def test_a_colleague_may_have_filed_a_ticket_that_does_not_depend_on_an_answer_of_the_pair() -> None:
    seen = 0
    for seed in EVERY:
        facts = written(seed).facts
        kinds = {facts.variances[name].kind for name in facts.filed}
        assert len(facts.filed) <= 1
        assert kinds <= {PART, OLD_MEMO}
        assert variance_tickets(written(seed), are_open=True) == [facts.metric(name) for name in facts.filed]
        seen += len(facts.filed)

    assert seen > 10


def test_settled_tickets_are_about_two_lines_of_the_entity() -> None:
    for seed in EVERY:
        facts = written(seed).facts
        settled = variance_tickets(written(seed), are_open=False)
        assert len({*settled}) == 2
        assert {*settled} <= {facts.metric(line.name) for line in facts.lines}


def test_a_ticket_is_wanted_for_what_is_unexplained_and_not_yet_filed() -> None:
    for seed in EVERY:
        facts = written(seed).facts
        unexplained = {name for name, one in facts.variances.items() if one.kind in TICKETED}
        assert facts.beyond == unexplained
        assert facts.wanted.keys() == {facts.metric(name) for name in unexplained - facts.filed}
        assert {*facts.wanted.values()} <= {"high", "medium"}


def test_both_priorities_are_wanted() -> None:
    priorities = {one for seed in EVERY for one in written(seed).facts.wanted.values()}

    assert priorities == {"high", "medium"}


def test_variances_filed_by_a_colleague_count_in_the_sum() -> None:
    for seed in EVERY:
        facts = written(seed).facts
        total = sum(facts.variances[name].left for name in facts.beyond)
        assert facts.unexplained == pytest.approx(total, abs=0.005)


def test_the_sum_of_what_is_unexplained_decides_who_approves() -> None:
    offices = set()
    for seed in EVERY:
        close = written(seed)
        large = close.facts.unexplained >= limit_of(close)
        expected = (
            close.cast.offices["cfo"]
            if large
            else close.cast.deputy("controller")
            if is_away(close, "controller")
            else close.cast.offices["controller"]
        )
        assert close.company.on_duty(close.facts.approver) == expected.id
        offices.add((large, is_away(close, "controller")))

    assert offices == {(False, False), (False, True), (True, False), (True, True)}


def test_the_limit_of_the_controller_is_one_of_three() -> None:
    assert {limit_of(written(seed)) for seed in PAIRS} == {*LIMITS}


def test_a_controller_who_is_away_stays_away_throughout_the_close() -> None:
    for seed in PAIRS:
        close = written(seed)
        for one in close.rows("absences"):
            if one["person_id"] == close.cast.offices["controller"].id:
                assert one["ends_at"] >= close.company.start + 5 * DAY


@pytest.mark.parametrize(
    ("left", "role"), [(59_999.99, "controller"), (60_000.0, "cfo"), (0.0, "controller")]
)
def test_the_approval_goes_to_the_chief_financial_officer_from_the_limit_on(left: float, role: str) -> None:
    routes = close_approval(60_000.0).routes

    assert next(one.role for one in routes if one.below is None or left < one.below) == role


def test_the_look_alike_entity_has_the_same_quarter_and_no_line_in_common() -> None:
    for seed in PAIRS:
        close = written(seed)
        own = close.facts.books.period
        same = [one for one in close.rows("periods") if one["name"] == own["name"]]
        [other] = [one for one in same if one["id"] != own["id"]]
        assert (other["status"], other["entity"] == own["entity"]) == ("open", False)
        metrics = {one["metric_id"]: one["period_id"] for one in close.rows("period_lines")}
        assert {*metrics.values()} == {own["id"], other["id"]}
        assert len(metrics) == len(close.facts.lines) + 4


def test_lines_are_owned_by_a_few_people_of_group_accounting() -> None:
    for seed in PAIRS:
        owners = {one.id: one for one in written(seed).facts.books.owners.values()}
        assert 1 <= len(owners) <= 4
        assert {one.team for one in owners.values()} == {"Group accounting"}


def test_the_ticket_of_the_close_is_of_yesterday_and_about_the_entity() -> None:
    for seed in PAIRS:
        close = written(seed)
        ticket = close.facts.ticket
        assert close.company.start - ticket["created_at"] == DAY
        assert ticket["subject"] == close.facts.books.entity["id"]
        assert close.facts.books.period["name"] in ticket["title"]


def test_the_kinds_of_pairs_are_drawn_as_often_as_they_are_listed() -> None:
    assert Counter(plan.KINDS) == {"edge": 4, "answer": 2, "source": 1, "prior": 1}
