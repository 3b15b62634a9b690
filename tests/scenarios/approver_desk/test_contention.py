"""The requests that compete for one budget: who takes precedence, and what the hidden cause changes."""

from functools import cache
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.company import Row
from companyos.scenario import Instance
from companyos.sdk.simtime import DAY
from scenarios.approver_desk.cases import contend
from scenarios.approver_desk.pack import PURCHASE
from scenarios.approver_desk.pile import APPROVED, OVER, Pile
from scenarios.approver_desk.reading import is_excluded
from scenarios.approver_desk.scenario import FULL, LIMIT, ROOM, SCENARIO
from scenarios.approver_desk.terms import IN_FORCE_S

from ..conftest import instance_of
from .piles import SEEDS, SHORT, age_of, lines_of_request, new_pile, quotes_of, request

AMOUNTS = (1100.0, 2400.0, 900.0, 1500.0)


def contended(seed: int, fits: tuple[bool, ...] = (True, False, True, False)) -> tuple[Pile, list[Row]]:
    pile = new_pile(seed)
    contend(pile, AMOUNTS[: len(fits)], fits)
    return pile, [request(pile, case.request_id) for case in pile.cases]


@cache
def by_cause(cause: str) -> list[Instance]:
    """Return the first instances with a hidden cause."""
    drawn = (instance_of(SCENARIO, seed, size="small") for seed in range(80))
    return [instance for instance in drawn if instance.goal["cause"] == cause]


def only(instance: Instance, service: str, table: str, row_id: str) -> dict[str, Any]:
    return next(row for row in instance.rows[service][table] if row["id"] == row_id)


def wanting(instance: Instance) -> list[tuple[float, str]]:
    """Return the amounts that compete for the short budget with their right outcomes, by precedence."""
    ledger = only(instance, "datahub", "metrics", instance.goal["ledger"])
    centre = only(instance, "datahub", "budgets", ledger["subject"])["cost_centre"]
    requests = [only(instance, "approvalflow", "requests", key) for key in instance.goal["dispositions"]]
    mine = [row for row in requests if row["fields"]["cost_centre"] == centre]
    mine.sort(key=lambda row: (row["fields"]["priority"], row["submitted_at"]))
    return [(row["fields"]["amount"], instance.goal["dispositions"][row["id"]]) for row in mine]


def left_of(instance: Instance) -> float:
    """Return what a refresh leaves of the short budget."""
    return float(LIMIT - only(instance, "datahub", "sources", instance.goal["ledger"])["values"][0])


def test_the_given_order_is_the_order_of_priority_then_submission() -> None:
    for seed in SEEDS:
        _, requests = contended(seed)

        turns = [(made["fields"]["priority"], made["submitted_at"]) for made in requests]
        assert turns == sorted(turns)
        assert [made["fields"]["amount"] for made in requests] == list(AMOUNTS)


def test_no_two_contenders_are_of_one_instant_and_only_the_first_two_priorities_occur() -> None:
    priorities = set()
    for seed in SEEDS:
        _, requests = contended(seed)
        priorities |= {made["fields"]["priority"] for made in requests}
        assert len({made["submitted_at"] for made in requests}) == len(requests)

    assert priorities == {1, 2}


def test_priority_alone_does_not_decide() -> None:
    tied = 0
    for seed in SEEDS:
        _, requests = contended(seed)
        tied += len({made["fields"]["priority"] for made in requests}) < len(requests)

    assert tied == len(SEEDS)


@given(fits=st.lists(st.booleans(), min_size=1, max_size=4))
def test_what_fits_is_approved_and_the_rest_is_over_budget(fits: list[bool]) -> None:
    pile, _ = contended(0, tuple(fits))

    assert [case.disposition for case in pile.cases] == [APPROVED if fit else OVER for fit in fits]
    assert all(case.contends and not case.asks for case in pile.cases)


def test_contenders_have_nothing_else_in_question() -> None:
    for seed in SEEDS:
        pile, requests = contended(seed)
        for made in requests:
            texts = [line["text"] for line in lines_of_request(pile, made)]
            assert (made["type"], made["fields"]["cost_centre"]) == (PURCHASE, SHORT)
            assert quotes_of(pile, made) == []
            assert age_of(pile, made) <= 4 * DAY < IN_FORCE_S
            assert not any(is_excluded(text, pile.terms.now.excluded) for text in texts)


def test_contenders_are_by_different_people() -> None:
    _, requests = contended(0)

    assert len({made["requester"] for made in requests}) == len(requests)


def test_with_room_all_but_the_last_fit() -> None:
    for instance in by_cause(ROOM):
        ends = [end for _, end in wanting(instance)]

        assert ends == [*[APPROVED] * (len(ends) - 1), OVER]


def test_with_room_less_remains_than_the_last_would_need() -> None:
    for instance in by_cause(ROOM):
        *fitting, (last, _) = wanting(instance)
        rest = left_of(instance) - fsum(amount for amount, _ in fitting)

        assert 0 <= rest < last


def test_without_room_the_last_but_one_does_not_fit_and_a_smaller_last_one_may() -> None:
    last = set()
    for instance in by_cause(FULL):
        ends = [end for _, end in wanting(instance)]
        last.add(ends[-1])
        assert ends[-2] == OVER
        assert set(ends[:-2]) == {APPROVED}

    assert last == {APPROVED, OVER}


def test_every_pile_has_three_or_four_contenders_and_refuses_one_at_least() -> None:
    counts = set()
    for instance in (*by_cause(ROOM), *by_cause(FULL)):
        ends = [end for _, end in wanting(instance)]
        counts.add(len(ends))
        assert OVER in ends

    assert counts == {3, 4}


@pytest.mark.parametrize("cause", [ROOM, FULL])
def test_the_ledger_is_stale_by_days_and_believed_to_hold_more_than_it_does(cause: str) -> None:
    for instance in by_cause(cause):
        ledger = only(instance, "datahub", "metrics", instance.goal["ledger"])

        assert instance.start - ledger["as_of"] == 3 * DAY
        assert ledger["value"] < LIMIT - left_of(instance)


def test_last_year_has_a_budget_of_the_same_cost_center_and_name() -> None:
    for instance in by_cause(ROOM):
        ledger = only(instance, "datahub", "metrics", instance.goal["ledger"])
        budget = only(instance, "datahub", "budgets", ledger["subject"])
        named = [
            row for row in instance.rows["datahub"]["budgets"] if row["cost_centre"] == budget["cost_centre"]
        ]

        assert {row["name"] for row in named} == {budget["name"]}
        [last_year] = [row for row in named if row["id"] != budget["id"]]
        assert last_year["ends_at"] <= instance.start < budget["ends_at"]


def test_every_other_budget_covers_all_that_is_asked_of_it() -> None:
    for instance in (*by_cause(ROOM), *by_cause(FULL)):
        short = only(instance, "datahub", "metrics", instance.goal["ledger"])["subject"]
        metrics = {row["subject"]: row["value"] for row in instance.rows["datahub"]["metrics"]}
        asked: dict[str, float] = {}
        for key in instance.goal["dispositions"]:
            fields = only(instance, "approvalflow", "requests", key)["fields"]
            asked[fields["cost_centre"]] = asked.get(fields["cost_centre"], 0.0) + fields["amount"]

        for budget in instance.rows["datahub"]["budgets"]:
            is_current = budget["starts_at"] <= instance.start < budget["ends_at"]
            if is_current and budget["id"] != short and budget["cost_centre"] in asked:
                left = budget["limit_amount"] - metrics[budget["id"]]
                assert left >= asked[budget["cost_centre"]]
