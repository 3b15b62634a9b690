"""The kinds of cases: each holds what makes its outcome right, and nothing that would ask for another."""

from collections.abc import Sequence
from math import fsum

import pytest

from companyos.sdk.company import Row
from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import words
from scenarios.approver_desk.agents import is_excluded, supplier_of
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.documents import write_documents
from scenarios.approver_desk.pile import (
    APPROVED,
    DUPLICATE,
    EXCLUDED,
    MISMATCH,
    MISSING,
    SPLIT,
    Pile,
    attached_to,
)
from scenarios.approver_desk.spending import PAID, PURCHASE, VERSION
from scenarios.approver_desk.terms import IN_FORCE_S

from .piles import SEEDS, lines_of_request, new_pile, piles_with

#: What has to become of the requests of a case; `second` and `keeper` are those to whom they are passed on.
ENDS = {
    "small": [APPROVED],
    "quoted": [APPROVED],
    "quote_comes": [APPROVED],
    "quote_never": [MISSING],
    "split": [SPLIT, SPLIT],
    "alike": [APPROVED, APPROVED],
    "paid": [APPROVED, DUPLICATE],
    "twice": [APPROVED, DUPLICATE],
    "mismatch": [MISMATCH],
    "excluded": [EXCLUDED],
    "formerly": [APPROVED],
    "own": ["second"],
    "bosses": ["second"],
    "too_much": ["second"],
    "apart": ["keeper"],
}
ASKING = ("quote_comes", "quote_never")


def excluded_in(pile: Pile, of: Row, names: Sequence[str] = words.EXCLUDED) -> list[str]:
    """Return the texts of a request's line items that are among these."""
    return [line["text"] for line in lines_of_request(pile, of) if is_excluded(line["text"], names)]


def suppliers_of(pile: Pile, of: Row) -> list[str]:
    return [supplier_of(pile.company.row("datahub", "documents", one)["body"]) for one in attached_to(of)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_has_its_outcome_and_no_flaw_but_its_own(kind: str) -> None:
    for pile, requests, ends in piles_with(kind):
        people, terms = pile.people, pile.terms
        passed_on = {"second": f"passed_on:{people.second.id}", "keeper": f"passed_on:{people.keeper.id}"}
        assert sorted(ends) == [passed_on.get(end, end) for end in ENDS[kind]]
        assert pile.asking == ([*pile.requests] if kind in ASKING else [])
        assert pile.contending == []
        assert (pile.older != []) == (kind == "formerly")
        for made in requests:
            fields = made["fields"]
            is_big = fields["amount"] >= terms.now.quotes_from and made["type"] == PURCHASE
            stated = fsum(line["amount"] for line in lines_of_request(pile, made))
            is_older = pile.company.start - made["submitted_at"] > IN_FORCE_S
            two = len({*suppliers_of(pile, made)}) == 2
            assert (fields["amount"] > terms.limits[made["type"]]) == (kind == "too_much")
            assert fields["cost_centre"] in ([terms.apart] if kind == "apart" else terms.ample)
            assert is_older == (kind == "formerly") == (made["policy_version"] == VERSION - 1)
            assert bool(excluded_in(pile, made)) == (kind in ("excluded", "formerly"))
            assert (round(stated, 2) != fields["amount"]) == (kind == "mismatch")
            assert (made["requester"] in (people.me.id, people.boss.id)) == (kind in ("own", "bosses"))
            assert (is_big and not two) == (kind in (*ASKING, "formerly"))


@pytest.mark.parametrize("kind", ASKING)
def test_a_requester_answers_within_hours_and_attaches_a_quote_only_if_it_comes(kind: str) -> None:
    for pile, [made], _ in piles_with(kind):
        answer = pile.company.row("approvalflow", "answers", f"{made['id']}:quote")
        assert {*suppliers_of(pile, made)} == {made["fields"]["supplier"]}
        assert HOUR <= answer["delay_s"] <= 5 * HOUR
        assert (answer["attaches"] is not None) == (kind == "quote_comes")
        if answer["attaches"]:
            quote = pile.company.row("datahub", "documents", answer["attaches"])
            assert supplier_of(quote["body"]) != made["fields"]["supplier"]


@pytest.mark.parametrize(("kind", "requesters"), [("split", 1), ("alike", 2)])
def test_parts_need_quotes_only_together_and_those_of_colleagues_do_not(kind: str, requesters: int) -> None:
    for pile, parts, _ in piles_with(kind):
        amounts = [part["fields"]["amount"] for part in parts]
        apart_s = abs(parts[0]["submitted_at"] - parts[1]["submitted_at"])
        assert max(amounts) < pile.terms.now.quotes_from <= fsum(amounts)
        assert len({part["requester"] for part in parts}) == requesters
        assert len({part["fields"]["supplier"] for part in parts}) == 1
        assert apart_s <= pile.terms.now.window_days * DAY


def test_an_invoice_on_record_as_paid_is_a_duplicate_and_its_neighbor_is_not() -> None:
    for pile, [again, following], _ in piles_with("paid"):
        [record] = [row for row in pile.company.rows["datahub"]["records"] if row["kind"] == PAID]
        assert again["fields"]["invoice_number"] in record["name"]
        assert following["fields"]["invoice_number"] not in record["name"]


def test_of_one_invoice_submitted_twice_the_later_one_is_the_duplicate() -> None:
    for _, both, ends in piles_with("twice"):
        later = max(both, key=lambda made: int(made["submitted_at"]))
        assert ends[both.index(later)] == DUPLICATE
        assert len({made["requester"] for made in both}) == 2
        for name in ("amount", "supplier", "invoice_number"):
            assert len({made["fields"][name] for made in both}) == 1


def test_an_older_purchase_is_approved_though_the_version_in_force_would_reject_it() -> None:
    for pile, [made], _ in piles_with("formerly"):
        assert excluded_in(pile, made, pile.terms.now.excluded)
        assert not excluded_in(pile, made, pile.terms.before.excluded)
        assert pile.terms.now.quotes_from <= made["fields"]["amount"] < pile.terms.before.quotes_from


@pytest.mark.parametrize("ended", [False, True])
def test_only_this_mornings_minutes_say_whether_the_cover_has_ended(*, ended: bool) -> None:
    for seed in SEEDS:
        pile = new_pile(seed, ended=ended)
        _, _, counts = write_documents(pile.company, pile.people, pile.terms)
        about = f"cover for {pile.people.head.name}"
        found = [row for row in pile.company.rows["datahub"]["documents"] if row["kind"] == "minutes"]
        assert [row["id"] for row in found if about in row["body"]] == [counts["id"]]
        assert max(found, key=lambda row: int(row["written_at"])) == counts
        assert (f"{about} has ended" in counts["body"]) is ended


def test_a_thing_is_excluded_by_how_it_begins() -> None:
    excluded = ("mobile phone", "gift card")

    assert all(is_excluded(one, excluded) for one in ("Gift card", "gift cards", "Gift card, 50 EUR"))
    assert not any(is_excluded(one, excluded) for one in ("Card for a gift", "A gift card", "Gift"))
