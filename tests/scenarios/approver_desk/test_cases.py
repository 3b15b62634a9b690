"""The kinds of cases: each holds what makes its outcome right, and nothing that would ask for another."""

from math import fsum

import pytest

from companyos.company import Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import words
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.pack import PAID, PURCHASE, TYPES, VERSION
from scenarios.approver_desk.pile import APPROVED, DUPLICATE, EXCLUDED, MISMATCH, MISSING, SPLIT, Pile
from scenarios.approver_desk.reading import is_excluded, supplier_of
from scenarios.approver_desk.terms import IN_FORCE_S

from .piles import APART, CENTRES, age_of, answer_of, lines_of_request, piles_with, quotes_of, stated_total

#: What has to become of the requests of a case; `second` and `keeper` are those to whom they are passed on.
ENDS = {
    "small": [APPROVED],
    "quoted": [APPROVED],
    "quote_comes": [APPROVED],
    "quote_never": [MISSING],
    "split": [SPLIT, SPLIT],
    "alike": [APPROVED, APPROVED],
    "paid": [DUPLICATE, APPROVED],
    "twice": [APPROVED, DUPLICATE],
    "mismatch": [MISMATCH],
    "excluded": [EXCLUDED],
    "formerly": [APPROVED],
    "own": ["second"],
    "bosses": ["second"],
    "too_much": ["second"],
    "apart": ["keeper"],
}
ASKING = {"quote_comes", "quote_never"}


def excluded_in(pile: Pile, of: Row, names: tuple[str, ...] = words.EXCLUDED) -> list[str]:
    """Return the texts of a request's line items that are among these."""
    return [line["text"] for line in lines_of_request(pile, of) if is_excluded(line["text"], names)]


def suppliers_of(pile: Pile, of: Row) -> list[str]:
    return [supplier_of(quote) for quote in quotes_of(pile, of)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_has_its_outcome_and_asks_its_requester_only_if_it_has_to(kind: str) -> None:
    for pile, requests, ends in piles_with(kind):
        people = {"second": pile.people.second, "keeper": pile.people.keeper}
        right = [f"passed_on:{people[one].id}" if one in people else one for one in ENDS[kind]]
        assert sorted(ends) == sorted(right)
        assert all(case.asks == (kind in ASKING) for case in pile.cases)
        assert not any(case.contends for case in pile.cases)
        assert all(made["status"] == "pending" for made in requests)


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_has_no_flaw_but_its_own(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        barred = {pile.people.me.id, pile.people.boss.id}
        for made in requests:
            fields = made["fields"]
            is_big = fields["amount"] >= pile.terms.now.quotes_from and made["type"] == PURCHASE
            assert (fields["amount"] > pile.terms.limits[made["type"]]) == (kind == "too_much")
            assert (fields["cost_centre"] in CENTRES) == (kind != "apart")
            assert (age_of(pile, made) > IN_FORCE_S) == (kind == "formerly")
            assert made["policy_version"] == VERSION - (kind == "formerly")
            assert bool(excluded_in(pile, made)) == (kind in ("excluded", "formerly"))
            assert (stated_total(pile, made) != fields["amount"]) == (kind == "mismatch")
            assert (made["requester"] in barred) == (kind in ("own", "bosses"))
            two = len({*suppliers_of(pile, made)}) == 2
            assert (is_big and not two) == (kind in (*ASKING, "formerly"))


@pytest.mark.parametrize("kind", sorted(ASKING))
def test_a_requester_answers_within_hours_and_attaches_a_quote_only_if_it_comes(kind: str) -> None:
    counts = set()
    for pile, [made], _ in piles_with(kind):
        answer, shown = answer_of(pile, made), suppliers_of(pile, made)
        counts.add(len(shown))
        assert {*shown} == {made["fields"]["supplier"]}
        assert HOUR <= answer["delay_s"] <= 5 * HOUR
        assert (answer["attaches"] is not None) == (kind == "quote_comes")
        if answer["attaches"]:
            quote = pile.company.row("datahub", "documents", answer["attaches"])
            assert supplier_of(quote) != made["fields"]["supplier"]
    assert counts == {1, 2}


def test_the_parts_of_a_split_need_quotes_only_together_and_those_of_colleagues_do_not() -> None:
    for kind, requesters in (("split", 1), ("alike", 2)):
        for pile, parts, _ in piles_with(kind):
            amounts = [part["fields"]["amount"] for part in parts]
            apart_s = abs(parts[0]["submitted_at"] - parts[1]["submitted_at"])
            assert max(amounts) < pile.terms.now.quotes_from <= fsum(amounts)
            assert len({part["requester"] for part in parts}) == requesters
            assert len({part["fields"]["supplier"] for part in parts}) == 1
            assert apart_s <= pile.terms.window_days * DAY
            assert {part["type"] for part in parts} == {PURCHASE}


def test_an_invoice_on_record_as_paid_is_a_duplicate_and_its_neighbor_is_not() -> None:
    for pile, [again, following], _ in piles_with("paid"):
        [record] = [row for row in pile.company.rows["datahub"]["records"] if row["kind"] == PAID]
        one, other = again["fields"], following["fields"]
        assert one["invoice_number"] in record["name"]
        assert other["invoice_number"] not in record["name"]
        assert (one["supplier"], one["amount"]) == (other["supplier"], other["amount"])


def test_of_one_invoice_submitted_twice_the_later_one_is_the_duplicate() -> None:
    first_in_turn = set()
    for _, both, ends in piles_with("twice"):
        later = max(both, key=lambda made: int(made["submitted_at"]))
        first_in_turn.add(ends[0])
        assert ends[both.index(later)] == DUPLICATE
        assert len({made["requester"] for made in both}) == 2
        for name in ("amount", "supplier", "invoice_number"):
            assert len({made["fields"][name] for made in both}) == 1
    assert first_in_turn == {APPROVED, DUPLICATE}


def test_an_older_purchase_is_approved_though_the_version_in_force_would_reject_it() -> None:
    for pile, [made], _ in piles_with("formerly"):
        assert excluded_in(pile, made, pile.terms.now.excluded)
        assert not excluded_in(pile, made, pile.terms.before.excluded)
        assert pile.terms.now.quotes_from <= made["fields"]["amount"] < pile.terms.before.quotes_from


def test_small_and_oversized_requests_are_of_every_type_and_the_apart_ones_name_their_centre() -> None:
    for kind in ("small", "too_much"):
        assert {made["type"] for _, [made], _ in piles_with(kind)} == {*TYPES}
    assert {made["fields"]["cost_centre"] for _, [made], _ in piles_with("apart")} == {APART}
