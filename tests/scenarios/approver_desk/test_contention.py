"""When a competition for a budget is hard: one fact at a time makes it easy."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from scenarios.approver_desk.allocation import Item, Limits
from scenarios.approver_desk.contention import Contender, Contention
from scenarios.approver_desk.short_budget import draw_contention

from .piles import SEEDS, new_pile


def drawn(seed: int = 0) -> Contention:
    return draw_contention(new_pile(seed))


def with_items(contention: Contention, change: Callable[[Item], Item]) -> Contention:
    """Return the same competition with each item changed."""
    return replace(
        contention, contenders=[replace(one, item=change(one.item)) for one in contention.contenders]
    )


def preferred(contention: Contention, change: Callable[[Contender, bool], Contender]) -> Contention:
    """Return the same competition with each contender changed by whether the smaller budget pays for it."""
    best = contention.approved(contention.less)
    contenders = [change(one, one.item.key in best) for one in contention.contenders]
    return replace(contention, contenders=contenders)


def test_generated_contention_is_hard() -> None:
    assert all(drawn(seed).is_hard for seed in SEEDS)


def test_the_two_budgets_pay_for_different_sets_and_neither_contains_the_other() -> None:
    for seed in SEEDS:
        contention = drawn(seed)
        less, more = (contention.approved(limits) for limits in (contention.less, contention.more))

        assert less - more
        assert more - less
        assert contention.less.cost < contention.more.cost
        assert contention.less.hours == contention.more.hours


def test_a_second_set_with_as_many_points_makes_it_easy() -> None:
    contention = drawn()
    pointless = with_items(contention, lambda item: replace(item, points=0))

    assert not pointless.is_hard


def test_one_best_set_for_both_budgets_makes_it_easy() -> None:
    contention = drawn()

    assert not replace(contention, more=contention.less).is_hard
    assert not replace(contention, less=contention.more).is_hard


@pytest.mark.parametrize(
    "change",
    [
        lambda limits: replace(limits, hours=10**6),
        lambda limits: replace(limits, cost=10**8),
        lambda limits: Limits(10**8, 10**6),
    ],
    ids=["hours-enough", "money-enough", "both-enough"],
)
def test_a_limit_that_does_not_bind_makes_it_easy(change: Callable[[Limits], Limits]) -> None:
    contention = drawn()

    assert not replace(contention, less=change(contention.less)).is_hard


@pytest.mark.parametrize(
    "change",
    [
        lambda one, is_best: replace(one, priority=1 if is_best else 2),
        lambda one, is_best: replace(one, priority=1, age_s=2 if is_best else 1),
        lambda one, is_best: replace(one, item=replace(one.item, points=one.item.points + 999 * is_best)),
    ],
    ids=["by-priority", "by-date", "by-points"],
)
def test_a_rule_that_takes_one_after_the_other_and_is_right_makes_it_easy(
    change: Callable[[Contender, bool], Contender],
) -> None:
    assert not preferred(drawn(), change).is_hard


def test_ineligible_requests_that_change_nothing_make_it_easy() -> None:
    contention = drawn()
    useless = [Item("useless", 1, 0, 1)]

    assert not replace(contention, ineligible=[*contention.ineligible, useless]).is_hard


def test_each_case_that_does_not_compete_would_change_the_set() -> None:
    for seed in SEEDS:
        contention = drawn(seed)
        assert len(contention.ineligible) == 2
        for limits in (contention.less, contention.more):
            for group in contention.ineligible:
                taking_part = [Contender(item, priority=1, age_s=1) for item in group]
                wrong = replace(contention, contenders=[*contention.contenders, *taking_part])
                chosen = wrong.approved(limits) - {item.key for item in group}
                assert chosen != contention.approved(limits)


def test_a_best_set_one_exchange_away_from_what_an_obvious_rule_approves_is_easy() -> None:
    items = [
        Item("dear", 60, 60, 1),
        Item("middling", 50, 45, 1),
        Item("rest", 50, 44, 1),
        Item("slow", 1, 1, 90),
    ]
    contenders = [Contender(item, priority=1, age_s=number) for number, item in enumerate(items)]
    limits = Limits(110, 9)

    contention = Contention(contenders, [], more=limits, less=limits)

    assert contention.approved(limits) == {"dear", "middling"}
    assert not contention.is_hard
