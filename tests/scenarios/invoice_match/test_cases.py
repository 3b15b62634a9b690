"""The kinds of cases: what is right for each, and that the oracle finds it out."""

import pytest

from companyos.evaluation.agents import Oracle
from companyos.sdk.chaos import parse_chaos
from scenarios.invoice_match.cases import GROUPS, add_rest
from scenarios.invoice_match.grading import dispositions
from scenarios.invoice_match.pile import Pile
from scenarios.invoice_match.scenario import SCENARIO
from scenarios.invoice_match.terms import Version

from ..conftest import SALT
from ..play import play
from ..stack import Stack
from .piles import EXCESS, KINDS, RULES, SPARING, ends_of, invoice_of, pile_of

CLAIM, HELD = "claim:price_difference", "hold:bank_unconfirmed"
#: What is right for the invoices of a case; those of the others are paid.
ENDS = {
    "overpriced": [CLAIM],
    "capped": [CLAIM],
    "credited": ["pay", "pay"],
    "partly_credited": [CLAIM, "pay"],
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
    "bank_unasked": [HELD],
    "bank_by_mail": [HELD],
    "bank_open": [HELD],
    "bank_another": [HELD],
}
PRICES = [kind for group in ("price", "credit", "amendment") for kind in GROUPS[group]]
DELIVERIES = [kind for group in ("quantity", "identity", "bank") for kind in GROUPS[group]]


def settle(stack: Stack, pile: Pile) -> dict[str, str]:
    """Return the outcome that the oracle gives to each invoice of a pile."""
    seed = stack.given.add(pile.company, pile.people.me)
    instance = stack.given.generate(seed, parse_chaos(0), SALT)
    final = play(stack.url, stack.given, seed, Oracle(SCENARIO)).state_of(instance)
    return dispositions(pile).by_object(final.view())


@pytest.mark.parametrize(
    ("kinds", "now"),
    [(PRICES, SPARING), (PRICES, EXCESS), (DELIVERIES, SPARING)],
    ids=["prices-sparing", "prices-excess", "deliveries"],
)
def test_the_right_outcome_of_every_kind_of_case_can_be_found_out(
    stack: Stack, kinds: list[str], now: Version
) -> None:
    pile = pile_of(kinds, now=now)
    if kinds == DELIVERIES:
        add_rest(pile, covers=False)

    assert settle(stack, pile) == {one.invoice_id: one.disposition for one in pile.items}


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_case_has_its_outcome_whatever_is_drawn(kind: str) -> None:
    for seed in range(3):
        for now in (SPARING, EXCESS):
            missing = "claim:short_delivery" if now.claims_missing else "hold:goods_missing"
            right = [missing] if kind == "short" else ENDS.get(kind, ["pay"])
            assert sorted(ends_of(pile_of([kind], seed, now))) == sorted(right)


@pytest.mark.parametrize("now", RULES.values(), ids=RULES)
def test_the_count_decides_whether_a_rest_is_paid_and_shows_in_nothing_else(now: Version) -> None:
    covered, short = pile_of([], now=now), pile_of([], now=now)
    add_rest(covered, covers=True)
    add_rest(short, covers=False)

    tables, others = covered.company.rows["datahub"], short.company.rows["datahub"]
    assert {name for name in tables if tables[name] != others[name]} == {"expected_receipts"}
    assert (ends_of(covered) == ["pay"]) > (ends_of(short) == ["pay"])


def test_an_overpriced_line_is_within_the_tolerance_of_the_edition_before() -> None:
    pile = pile_of(["overpriced"])
    [line] = invoice_of(pile)["lines"]
    [ordered] = pile.company.row("datahub", "purchase_orders", invoice_of(pile)["order_id"])["lines"]

    agreed = round(line["quantity"] * ordered["unit_price"] / ordered["price_per"], 2)

    assert pile.terms.before.claim(agreed, line["amount"]) == 0.0
    assert pile.terms.now.claim(agreed, line["amount"]) > 0.0


@pytest.mark.parametrize("kind", [kind for kind in GROUPS["bank"] if kind != "bank_as_before"])
def test_another_account_is_announced_by_a_mail_with_a_number_of_its_own(kind: str) -> None:
    pile = pile_of([kind])
    invoice = invoice_of(pile)
    fields = pile.company.row("datahub", "records", invoice["supplier_id"])["fields"]

    [mail] = [row["body"] for row in pile.company.rows["datahub"]["messages"]]

    assert invoice["account"] in mail
    assert fields["account"] != invoice["account"]
    assert fields["phone"] not in mail


@pytest.mark.parametrize(
    ("version", "ordered", "billed", "claimed"),
    [
        (EXCESS, 100.0, 99.0, 0.0),
        (EXCESS, 100.0, 102.0, 0.0),
        (EXCESS, 100.0, 102.01, 0.01),
        (EXCESS, 5000.0, 5030.0, 0.0),
        (EXCESS, 5000.0, 5100.0, 70.0),
        (SPARING, 100.0, 102.01, 0.51),
        (SPARING, 100.0, 110.0, 8.5),
        (Version(percent=1.0, cap=30.0, spared=3.0, claims_missing=True), 100.0, 102.0, 0.0),
    ],
)
def test_a_claim_is_for_what_goes_beyond_a_tolerance_or_for_almost_all_of_it(
    version: Version, ordered: float, billed: float, claimed: float
) -> None:
    assert version.claim(ordered, billed) == claimed
