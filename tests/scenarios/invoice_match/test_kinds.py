"""The kinds of cases: what is right for each, that it can be found out, and what leads astray."""

import pytest

from companyos.chaos import parse_chaos
from companyos.evaluation.agents import Oracle
from companyos.sdk.simtime import next_midnight
from scenarios.invoice_match.cases import GROUPS, rest
from scenarios.invoice_match.grading import Week
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.scenario import SCENARIO
from scenarios.invoice_match.terms import Version

from ..conftest import SALT
from ..play import play
from ..stack import Stack
from .piles import EXCESS, KINDS, SPARING, ends_of, invoice_of, pile_of

CLAIM, HELD = "claim:price_difference", "hold:bank_unconfirmed"
#: What is right for the invoices of a case, whatever the handbook says about missing goods.
ENDS = {
    "plain": ["pay"],
    "closed_since": ["pay"],
    "per_hundred": ["pay"],
    "cheaper": ["pay"],
    "tolerated": ["pay"],
    "overpriced": [CLAIM],
    "capped": [CLAIM],
    "credited": ["pay", "pay"],
    "partly_credited": [CLAIM, "pay"],
    "amended": ["pay"],
    "amended_later": [CLAIM],
    "announced": [CLAIM],
    "surplus_reduces": ["pay", CLAIM, "pay"],
    "surplus_covers": ["pay", "pay", "pay"],
    "surplus_too_late": ["pay", CLAIM, "pay"],
    "booked_twice": [CLAIM],
    "withdrawn": [CLAIM],
    "withdrawn_later": [CLAIM],
    "withdrawal_unsigned": [CLAIM],
    "back_order": ["hold:goods_missing"],
    "duplicate": ["return:duplicate"],
    "twice": ["pay", "return:duplicate"],
    "alike": ["pay", "pay"],
    "closed": ["return:order_closed"],
    "currency": ["return:wrong_currency"],
    "no_order": ["return:no_order"],
    "others_order": ["return:no_order"],
    "bank_confirmed": ["pay"],
    "bank_unasked": [HELD],
    "bank_by_mail": [HELD],
    "bank_open": [HELD],
    "bank_another": [HELD],
    "bank_as_before": ["pay"],
}
HALVES = {
    "prices": [kind for group in ("price", "credit", "amendment") for kind in GROUPS[group]],
    "deliveries": [kind for group in ("quantity", "identity", "bank") for kind in GROUPS[group]],
}
RULES = {"sparing": SPARING, "excess": EXCESS}


def settle(stack: Stack, pile: Pile) -> dict[str, str | None]:
    """Return the outcome that the clerk gives to each invoice of a pile."""
    week = Week(
        pile.people.me.id, tuple(pile.items), "", stopped=False, due=next_midnight(pile.company.start)
    )
    seed = stack.given.add(pile.company, pile.people.me)
    instance = stack.given.generate(seed, parse_chaos(0), SALT)
    found = play(stack.url, stack.given, seed, Oracle(SCENARIO)).state_of(instance).view()
    rows = {one.invoice_id: found.row("datahub", "invoices", one.invoice_id) for one in pile.items}
    return {key: week.made(row) if row else None for key, row in rows.items()}


@pytest.mark.parametrize("now", RULES)
@pytest.mark.parametrize("half", HALVES)
def test_the_right_outcome_of_every_kind_of_case_can_be_found_out(stack: Stack, half: str, now: str) -> None:
    pile = pile_of(HALVES[half], now=RULES[now])
    if half == "deliveries":
        rest(pile, covers=now == "sparing")

    assert settle(stack, pile) == {one.invoice_id: one.disposition for one in pile.items}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_case_has_its_outcome_whatever_is_drawn(kind: str) -> None:
    for seed in range(6):
        for now in (SPARING, EXCESS):
            missing = "claim:short_delivery" if now.claims_missing else "hold:goods_missing"
            assert sorted(ends_of(pile_of([kind], seed, now))) == sorted(ENDS.get(kind, [missing]))


@pytest.mark.parametrize("now", [SPARING, EXCESS], ids=RULES)
def test_the_count_decides_whether_a_rest_is_paid_and_shows_in_nothing_else(now: Version) -> None:
    for seed in range(4):
        covered, short = pile_of([], seed, now), pile_of([], seed, now)
        rest(covered, covers=True)
        rest(short, covers=False)
        tables, others = covered.company.rows["datahub"], short.company.rows["datahub"]
        assert {name for name in tables if tables[name] != others[name]} == {"expected_receipts"}
        assert (ends_of(covered) == ["pay"]) > (ends_of(short) == ["pay"])


def test_an_overpriced_line_is_within_the_tolerance_of_the_edition_before() -> None:
    for seed in range(6):
        pile = pile_of(["overpriced"], seed)
        [line] = invoice_of(pile)["lines"]
        [ordered] = pile.company.row("datahub", "purchase_orders", invoice_of(pile)["order_id"])["lines"]
        agreed = round(line["quantity"] * ordered["unit_price"] / ordered["price_per"], 2)
        assert pile.terms.before.claim(agreed, line["amount"]) == 0.0
        assert pile.terms.now.claim(agreed, line["amount"]) > 0.0


@pytest.mark.parametrize(
    "kind", ["bank_confirmed", "bank_unasked", "bank_by_mail", "bank_open", "bank_another"]
)
def test_another_account_is_announced_by_a_mail_with_a_number_of_its_own(kind: str) -> None:
    pile = pile_of([kind])
    invoice = invoice_of(pile)
    fields = pile.company.row("datahub", "records", invoice["supplier_id"])["fields"]

    [mail] = [row["body"] for row in pile.company.rows["datahub"]["messages"]]

    assert invoice["account"] in mail
    assert fields["account"] != invoice["account"]
    assert fields["phone"] not in mail
