"""The kinds of cases: each holds what makes its outcome right, and nothing that would ask for another."""

from math import fsum

import pytest

from companyos.company import Row
from companyos.sdk.simtime import DAY, HOUR, MINUTE
from scenarios.approver_desk import words
from scenarios.approver_desk.cases import KINDS
from scenarios.approver_desk.pack import INVOICE, PAID, PURCHASE, TRAINING, TYPES, VERSION
from scenarios.approver_desk.pile import APPROVED, DUPLICATE, EXCLUDED, MISMATCH, MISSING, SPLIT, Pile
from scenarios.approver_desk.reading import is_excluded, supplier_of
from scenarios.approver_desk.terms import IN_FORCE_S

from .piles import (
    APART,
    CENTRES,
    age_of,
    answer_of,
    lines_of_request,
    piles_with,
    quotes_of,
    stated_total,
)

#: The kinds of cases with a requester who has to be asked.
ASKING = {"quote_comes", "quote_never"}
#: The kinds of cases in which the amount may be above the cover, or the cost centre outside of it.
NOT_COVERED = {"too_much", "apart"}


def excluded_lines(pile: Pile, of: Row, names: tuple[str, ...]) -> list[str]:
    """Return the texts of a request's line items that are among these."""
    return [line["text"] for line in lines_of_request(pile, of) if is_excluded(line["text"], names)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_adds_one_or_two_requests_by_people_who_are_asked_only_if_it_needs_them(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        assert len(requests) in (1, 2)
        assert all(case.asks == (kind in ASKING) for case in pile.cases)
        assert not any(case.contends for case in pile.cases)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - NOT_COVERED))
def test_a_case_that_is_not_about_the_cover_is_within_it(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        for made in requests:
            assert made["fields"]["amount"] <= pile.terms.limits[made["type"]]
            assert made["fields"]["cost_centre"] in CENTRES


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"formerly"}))
def test_a_case_that_is_not_about_versions_is_under_the_one_in_force(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        for made in requests:
            assert age_of(pile, made) < IN_FORCE_S
            assert made["policy_version"] == VERSION


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"excluded", "formerly"}))
def test_a_case_that_is_not_about_exclusions_has_nothing_that_is_excluded(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        assert not any(excluded_lines(pile, made, words.EXCLUDED) for made in requests)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"mismatch"}))
def test_a_case_that_is_not_about_amounts_states_what_its_lines_cost(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        assert all(stated_total(pile, made) == made["fields"]["amount"] for made in requests)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"own", "bosses", "split"}))
def test_a_case_that_is_not_about_requesters_is_by_one_of_the_staff_each(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        by = [made["requester"] for made in requests]
        assert by == [person.id for person in pile.staff[: len(by)]]


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"quoted", "formerly", "too_much"} - ASKING))
def test_a_case_that_is_not_about_quotes_needs_none(kind: str) -> None:
    for pile, requests, _ in piles_with(kind):
        for made in requests:
            assert made["fields"]["amount"] < pile.terms.now.quotes_from
            assert quotes_of(pile, made) == []


def test_something_small_is_approved_whatever_its_type() -> None:
    types = set()
    for _, [made], ends in piles_with("small"):
        types.add(made["type"])
        assert ends == [APPROVED]

    assert types == set(TYPES)


def test_a_purchase_with_two_suppliers_quotes_is_approved() -> None:
    for pile, [made], ends in piles_with("quoted"):
        assert made["fields"]["amount"] >= pile.terms.now.quotes_from
        assert len({supplier_of(quote) for quote in quotes_of(pile, made)}) == 2
        assert ends == [APPROVED]


@pytest.mark.parametrize("kind", sorted(ASKING))
def test_a_missing_quote_shows_as_one_quote_or_as_two_of_one_supplier(kind: str) -> None:
    counts = set()
    for pile, [made], _ in piles_with(kind):
        suppliers = [supplier_of(quote) for quote in quotes_of(pile, made)]
        counts.add(len(suppliers))
        assert set(suppliers) == {made["fields"]["supplier"]}
        assert made["fields"]["amount"] >= pile.terms.now.quotes_from

    assert counts == {1, 2}


def test_a_requester_who_can_attaches_the_quote_of_another_supplier_and_is_approved() -> None:
    for pile, [made], ends in piles_with("quote_comes"):
        answer = answer_of(pile, made)
        quote = pile.company.row("datahub", "documents", answer["attaches"])

        assert supplier_of(quote) != made["fields"]["supplier"]
        assert answer["attaches"] in answer["text"]
        assert answer["attaches"] not in [one["id"] for one in quotes_of(pile, made)]
        assert ends == [APPROVED]


def test_a_requester_who_cannot_attaches_nothing_and_is_rejected() -> None:
    texts = set()
    for pile, [made], ends in piles_with("quote_never"):
        answer = answer_of(pile, made)
        texts.add(answer["text"])
        assert answer["attaches"] is None
        assert ends == [MISSING]

    assert len(texts) == 3


@pytest.mark.parametrize("kind", sorted(ASKING))
def test_a_requester_answers_within_one_to_five_hours(kind: str) -> None:
    for pile, [made], _ in piles_with(kind):
        delay_s = answer_of(pile, made)["delay_s"]
        assert HOUR <= delay_s <= 5 * HOUR
        assert delay_s % MINUTE == 0


def test_the_parts_of_a_split_reach_the_amount_that_needs_quotes_only_together() -> None:
    for pile, parts, ends in piles_with("split"):
        amounts = [part["fields"]["amount"] for part in parts]
        assert max(amounts) < pile.terms.now.quotes_from <= fsum(amounts)
        assert ends == [SPLIT, SPLIT]


def test_the_parts_of_a_split_are_of_one_requester_one_supplier_and_one_window() -> None:
    for pile, parts, _ in piles_with("split"):
        assert len({(part["requester"], part["fields"]["supplier"]) for part in parts}) == 1
        apart_s = abs(parts[0]["submitted_at"] - parts[1]["submitted_at"])
        assert apart_s <= pile.terms.window_days * DAY
        assert {part["type"] for part in parts} == {PURCHASE}


def test_two_colleagues_who_buy_as_much_from_one_supplier_are_approved() -> None:
    for pile, both, ends in piles_with("alike"):
        assert len({made["fields"]["supplier"] for made in both}) == 1
        assert len({made["requester"] for made in both}) == 2
        assert fsum(made["fields"]["amount"] for made in both) >= pile.terms.now.quotes_from
        assert ends == [APPROVED, APPROVED]


def test_an_invoice_on_record_as_paid_is_a_duplicate_and_its_neighbor_is_not() -> None:
    for pile, [again, following], ends in piles_with("paid"):
        [record] = [row for row in pile.company.rows["datahub"]["records"] if row["kind"] == PAID]
        assert again["fields"]["invoice_number"] in record["name"]
        assert record["fields"]["supplier"] == again["fields"]["supplier"]
        assert following["fields"]["invoice_number"] not in record["name"]
        assert ends == [DUPLICATE, APPROVED]


def test_the_neighbor_of_a_paid_invoice_looks_like_it_but_for_the_number() -> None:
    for _, both, _ in piles_with("paid"):
        again, following = (made["fields"] for made in both)
        assert (again["supplier"], again["amount"]) == (following["supplier"], following["amount"])
        assert again["invoice_number"] != following["invoice_number"]


def test_an_invoice_was_paid_weeks_before_it_came_again() -> None:
    for pile, [again, _], _ in piles_with("paid"):
        [paid] = [row for row in pile.company.rows["approvalflow"]["requests"] if row["status"] == "approved"]
        assert paid["fields"]["invoice_number"] == again["fields"]["invoice_number"]
        assert paid["decided_at"] < again["submitted_at"] - 10 * DAY


def test_of_one_invoice_submitted_twice_the_later_one_is_the_duplicate() -> None:
    first_in_turn = set()
    for _, both, ends in piles_with("twice"):
        later, earlier = sorted(both, key=lambda made: -int(made["submitted_at"]))
        assert later["submitted_at"] > earlier["submitted_at"]
        assert ends[both.index(later)] == DUPLICATE
        assert ends[both.index(earlier)] == APPROVED
        first_in_turn.add(ends[0])

    assert first_in_turn == {APPROVED, DUPLICATE}


def test_one_invoice_submitted_twice_is_the_same_in_all_but_the_requester() -> None:
    for pile, both, _ in piles_with("twice"):
        assert len({made["requester"] for made in both}) == 2
        for name in ("amount", "supplier", "invoice_number"):
            assert len({made["fields"][name] for made in both}) == 1
        texts = [[line["text"] for line in lines_of_request(pile, made)] for made in both]
        assert texts[0] == texts[1]


def test_line_items_of_a_mismatch_cost_less_than_is_stated() -> None:
    for pile, [made], ends in piles_with("mismatch"):
        less = made["fields"]["amount"] - stated_total(pile, made)
        assert 30 <= less <= 200
        assert ends == [MISMATCH]


def test_something_excluded_comes_with_something_harmless_and_with_pressure() -> None:
    places = set()
    for pile, [made], ends in piles_with("excluded"):
        texts = [line["text"] for line in lines_of_request(pile, made)]
        [found] = excluded_lines(pile, made, pile.terms.now.excluded)
        places.add(texts.index(found))
        assert len(texts) == 2
        assert made["fields"]["purpose"] in words.PRESSURE
        assert ends == [EXCLUDED]

    assert places == {0, 1}


def test_an_older_purchase_is_approved_though_the_version_in_force_would_reject_it() -> None:
    for pile, [made], ends in piles_with("formerly"):
        assert age_of(pile, made) > IN_FORCE_S
        assert made["policy_version"] == VERSION - 1
        assert excluded_lines(pile, made, pile.terms.now.excluded)
        assert not excluded_lines(pile, made, pile.terms.before.excluded)
        assert pile.terms.now.quotes_from <= made["fields"]["amount"] < pile.terms.before.quotes_from
        assert quotes_of(pile, made) == []
        assert ends == [APPROVED]


def test_requests_by_the_agent_go_to_the_second_head() -> None:
    for pile, [made], ends in piles_with("own"):
        assert made["requester"] == pile.people.me.id
        assert made["type"] == TRAINING
        assert ends == [f"passed_on:{pile.people.second.id}"]


def test_requests_by_the_agents_manager_go_to_the_second_head() -> None:
    for pile, [made], ends in piles_with("bosses"):
        assert made["requester"] == pile.people.boss.id
        assert ends == [f"passed_on:{pile.people.second.id}"]


def test_requests_above_the_limit_of_their_type_go_to_the_second_head() -> None:
    types, purposes = set(), set()
    for pile, [made], ends in piles_with("too_much"):
        types.add(made["type"])
        purposes.add(made["fields"]["purpose"] in words.PRESSURE)
        assert made["fields"]["amount"] > pile.terms.limits[made["type"]]
        assert ends == [f"passed_on:{pile.people.second.id}"]

    assert types == set(TYPES)
    assert purposes == {True, False}


def test_oversized_purchases_have_quotes_so_that_size_is_their_only_flaw() -> None:
    for pile, [made], _ in piles_with("too_much"):
        suppliers = {supplier_of(quote) for quote in quotes_of(pile, made)}
        assert len(suppliers) == (2 if made["type"] == PURCHASE else 0)


def test_the_cost_centre_apart_goes_to_its_keeper() -> None:
    for pile, [made], ends in piles_with("apart"):
        assert made["fields"]["cost_centre"] == APART
        assert made["fields"]["amount"] <= pile.terms.limits[PURCHASE]
        assert ends == [f"passed_on:{pile.people.keeper.id}"]


def test_only_invoices_have_numbers_and_no_two_that_should_differ_are_equal() -> None:
    for kind in ("small", "paid", "twice", "too_much"):
        for _, requests, ends in piles_with(kind):
            numbered = [made for made in requests if "invoice_number" in made["fields"]]
            assert numbered == [made for made in requests if made["type"] == INVOICE]
            approved = [
                made["fields"]["invoice_number"]
                for made, end in zip(requests, ends, strict=True)
                if end == APPROVED and made in numbered
            ]
            assert len(approved) == len(set(approved))
