"""The short budget of an instance: its ledger, the requests that compete for it, and others that only seem to."""

from collections.abc import Iterator, Sequence
from itertools import count
from math import fsum
from typing import Final

from companyos.sdk.simtime import DAY, HOUR

from .cases import KINDS
from .pile import APPROVED, OVER, Pile
from .settlement import Contention, Item, Limits, item_of
from .spending import PURCHASE, Scale

LIMIT: Final = 60_000.0
REFRESH_S: Final = 900
#: Kinds of cases whose requests do not compete for the budget that they name.
INELIGIBLE: Final = ("excluded", "mismatch", "split", "bosses", "quote_never")
#: Kinds of cases whose only request competes, although this shows only after a closer look.
CHECKED: Final = ("quoted", "quote_comes", "formerly")

#: How often the same requests are tried with other ledgers before they are drawn again.
_TRIES: Final = 4
_STRONG: Final = Scale(below=(900, 1900), beyond=(2, 15), points=(85, 110), hours=(1, 3))
_CHECKED: Final = Scale(beyond=(2, 15), points=(55, 70), hours=(2, 5))
_PLAIN: Final = Scale(points=(55, 70), hours=(2, 9))


def add_short_budget(pile: Pile, *, more: bool) -> None:
    """Add the short budget, its stale ledger, which shows room for all requests, and the requests for it.

    Args:
        more: Whether the refreshed ledger leaves more for them, or less.
    """
    contention = draw_contention(pile)
    limits = contention.more if more else contention.less
    approved, known = contention.approved(limits), {*pile.requests}
    for item in contention.contenders:
        right = APPROVED if item in approved else OVER
        if item.key in known:
            pile.right[item.key] = right
            continue
        pile.case_on_short_budget(item.key, _PLAIN).add(
            PURCHASE,
            right,
            age_s=item.age_s,
            amount=item.cost / 100,
            priority=item.priority,
            benefit_points=item.points,
            setup_hours=item.hours,
        )
    asked = fsum(request["fields"]["amount"] for request in pile.requests.values())
    believed = asked + 10.0 * pile.company.draws.integer("contend.believed", 5, 90)
    ledger = {"committed": LIMIT - believed, "refreshed": LIMIT - limits.cost / 100}
    pile.add_budgets(pile.terms.short, LIMIT, 21_000.0, LIMIT, **ledger, age_s=3 * DAY, refresh_s=REFRESH_S)


def draw_contention(pile: Pile) -> Contention:
    """Add the requests that need a closer look, and draw plain ones until no simple rule settles them."""
    draws = pile.company.draws
    kinds = draws.sample("contend.ineligible", INELIGIBLE, 2)
    ineligible = [_add_case(pile, kind, _STRONG) for kind in kinds]
    checked = _add_case(pile, draws.choice("contend.checked", CHECKED), _CHECKED)
    plain = draws.integer("contend.plain", 9, 10)
    for attempt in count():
        contenders = [*checked, *_draw_plain(pile, plain, attempt)]
        for less, more in _draw_limits(pile, contenders, attempt):
            contention = Contention(contenders, ineligible, more=more, less=less)
            if contention.is_hard:
                return contention
    raise AssertionError("count() does not end")


def _add_case(pile: Pile, kind: str, scale: Scale) -> list[Item]:
    """Add a case of a kind whose requests are for the short budget, and return them."""
    known, start = {*pile.requests}, pile.company.start
    pile.kinds.append(kind)
    KINDS[kind](pile.case_on_short_budget(f"contend.{kind}", scale))
    rows = [row for key, row in pile.requests.items() if key not in known]
    return [item_of(row["id"], row["fields"], start - row["submitted_at"]) for row in rows]


def _draw_plain(pile: Pile, number: int, attempt: int) -> Iterator[Item]:
    """Yield the requests that compete with nothing else in question."""
    draws = pile.company.draws
    ages = draws.shuffled("contend.ages", [4 * DAY - step * 9 * HOUR for step in range(number)], attempt)
    for place, age_s in enumerate(ages):
        key = f"contend{place}"
        amount = 10.0 * draws.integer("contend.amount", 60, 240, key, attempt)
        value = pile.case_on_short_budget(f"{key}.{attempt}", _PLAIN).value(amount)
        priority = draws.integer("contend.priority", 1, 3, key, attempt)
        yield item_of(key, {"amount": amount, "priority": priority, **value}, age_s)


def _draw_limits(pile: Pile, contenders: Sequence[Item], attempt: int) -> Iterator[tuple[Limits, Limits]]:
    """Yield drawn limits of what the ledger leaves, less and more."""
    draws, hours = pile.company.draws, pile.terms.now.setup_hours
    asked = sum(contender.cost for contender in contenders)
    for number in range(_TRIES):
        less = asked * draws.integer("contend.less", 48, 58, attempt, number) // 100_000 * 1000
        more = less + 1000 * draws.integer("contend.more", 50, 140, attempt, number)
        yield Limits(less, hours), Limits(more, hours)
