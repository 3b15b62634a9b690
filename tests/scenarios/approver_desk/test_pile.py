"""How a request comes into the pile: what is drawn, what is given, and which quotes it carries."""

import pytest

from companyos.sdk.simtime import DAY, HOUR, MINUTE
from scenarios.approver_desk import words
from scenarios.approver_desk.pack import INVOICE, PURCHASE, TRAINING, TYPES, VERSION
from scenarios.approver_desk.pile import APPROVED, DUPLICATE, MISMATCH, OVER, DeskRequest
from scenarios.approver_desk.reading import supplier_of
from scenarios.approver_desk.terms import IN_FORCE_S

from .piles import CENTRES, SEEDS, age_of, lines_of_request, new_pile, quotes_of, request, stated_total


@pytest.mark.parametrize("type_id", TYPES)
def test_a_request_waits_for_the_absent_head_until_after_today(type_id: str) -> None:
    pile = new_pile()

    made = pile.add(type_id, 400.0, APPROVED, key="one")

    assert (made["status"], made["approver"]) == ("pending", pile.people.head.id)
    assert made["decision_due"] >= pile.company.start + DAY
    assert made["decided_by"] is None


def test_omitted_request_fields_are_drawn_from_the_desk() -> None:
    for seed in SEEDS:
        made = new_pile(seed).add(PURCHASE, 400.0, APPROVED, key="one")

        fields = made["fields"]
        assert fields["cost_centre"] in CENTRES
        assert fields["supplier"] in words.SUPPLIERS
        assert fields["priority"] in (1, 2, 3)
        assert fields["purpose"] in words.PURPOSES


def test_a_drawn_age_is_of_whole_minutes_and_under_the_version_in_force() -> None:
    for seed in SEEDS:
        pile = new_pile(seed)
        age_s = age_of(pile, pile.add(PURCHASE, 400.0, APPROVED, key="one"))

        assert HOUR <= age_s <= 4 * DAY
        assert age_s % MINUTE == 0


def test_given_request_fields_are_used() -> None:
    pile = new_pile()

    made = pile.add(
        INVOICE,
        700.0,
        OVER,
        key="one",
        requester=pile.people.boss,
        supplier="Harbor Tools",
        centre="CC-555",
        texts=("Gift card", "Whiteboard"),
        age_s=7 * MINUTE,
        priority=3,
        purpose="Because.",
        invoice="RE-44444",
    )

    assert made["requester"] == pile.people.boss.id
    assert age_of(pile, made) == 7 * MINUTE
    assert made["fields"] == {
        "amount": 700.0,
        "cost_centre": "CC-555",
        "supplier": "Harbor Tools",
        "priority": 3,
        "purpose": "Because.",
        "invoice_number": "RE-44444",
    }
    assert [line["text"] for line in lines_of_request(pile, made)] == ["Gift card", "Whiteboard"]


def test_only_a_purchase_has_a_value_and_it_is_drawn_unless_it_is_given() -> None:
    pile = new_pile()

    given = pile.add(PURCHASE, 400.0, APPROVED, key="one", value={"benefit_points": 7, "setup_hours": 3})
    drawn = pile.add(PURCHASE, 400.0, APPROVED, key="two")
    training = pile.add(TRAINING, 400.0, APPROVED, key="three")

    assert (given["fields"]["benefit_points"], given["fields"]["setup_hours"]) == (7, 3)
    assert 16 <= drawn["fields"]["benefit_points"] <= 36
    assert 1 <= drawn["fields"]["setup_hours"] <= 8
    assert "benefit_points" not in training["fields"]


def test_the_pile_knows_the_ids_of_its_requests() -> None:
    pile = new_pile()

    made = {pile.add(PURCHASE, 400.0, APPROVED, key=f"{number}")["id"] for number in range(3)}

    assert pile.ids == made


def test_the_pile_remembers_each_request_in_turn_with_its_right_outcome() -> None:
    pile = new_pile()

    first = pile.add(PURCHASE, 400.0, MISMATCH, key="one", asks=True)
    second = pile.add(INVOICE, 500.0, DUPLICATE, key="two", contends=True)

    assert pile.cases == [
        DeskRequest(first["id"], MISMATCH, first["requester"], asks=True),
        DeskRequest(second["id"], DUPLICATE, second["requester"], contends=True),
    ]


def test_each_request_is_made_by_the_next_of_the_staff() -> None:
    pile = new_pile()

    made = [
        pile.add(PURCHASE, 400.0, APPROVED, key="one"),
        pile.add(PURCHASE, 400.0, APPROVED, key="two", requester=pile.people.me),
        pile.add(PURCHASE, 400.0, APPROVED, key="three"),
    ]

    assert [row["requester"] for row in made] == [pile.staff[0].id, pile.people.me.id, pile.staff[2].id]


def test_the_number_of_a_request_tells_nothing_about_its_turn() -> None:
    sorted_by_number = 0
    for seed in SEEDS:
        pile = new_pile(seed)
        ids = [pile.add(PURCHASE, 400.0, APPROVED, key=f"{number}")["id"] for number in range(4)]
        assert len(set(ids)) == 4
        sorted_by_number += ids == sorted(ids)

    assert sorted_by_number < len(SEEDS) / 4


@pytest.mark.parametrize("type_id", [PURCHASE, TRAINING])
def test_only_an_invoice_has_a_number_even_if_one_is_given(type_id: str) -> None:
    made = new_pile().add(type_id, 400.0, APPROVED, key="one", invoice="RE-44444")

    assert "invoice_number" not in made["fields"]


@pytest.mark.parametrize("total", [None, 290.0], ids=["as-stated", "as-given"])
def test_line_items_add_up_to_the_amount_unless_another_total_is_given(total: float | None) -> None:
    for seed in SEEDS:
        pile = new_pile(seed)
        made = pile.add(PURCHASE, 400.0, APPROVED, key="one", lines_total=total)

        assert stated_total(pile, made) == (total or 400.0)
        assert made["fields"]["amount"] == 400.0


@pytest.mark.parametrize(
    ("age_s", "version"),
    [(HOUR, VERSION), (IN_FORCE_S, VERSION), (IN_FORCE_S + 1, VERSION - 1)],
    ids=["recent", "of-the-day-it-changed", "older"],
)
def test_a_request_names_the_version_under_which_it_was_made(age_s: int, version: int) -> None:
    made = new_pile().add(PURCHASE, 400.0, APPROVED, key="one", age_s=age_s)

    assert made["policy_version"] == version


@pytest.mark.parametrize(("beyond", "quotes"), [(-10.0, 0), (0.0, 2), (10.0, 2)])
@pytest.mark.parametrize("age_s", [DAY, IN_FORCE_S + DAY], ids=["now", "before"])
def test_a_purchase_from_its_versions_amount_on_carries_two_quotes(
    age_s: int, beyond: float, quotes: int
) -> None:
    pile = new_pile()
    amount = pile.terms.version(age_s).quotes_from + beyond

    made = pile.add(PURCHASE, amount, APPROVED, key="one", age_s=age_s)

    assert len(quotes_of(pile, made)) == quotes


@pytest.mark.parametrize("type_id", [INVOICE, TRAINING])
def test_only_purchases_carry_quotes(type_id: str) -> None:
    pile = new_pile()

    made = pile.add(type_id, 2 * pile.terms.now.quotes_from, APPROVED, key="one")

    assert quotes_of(pile, made) == []


def test_two_quotes_are_of_the_supplier_and_of_another_one() -> None:
    for seed in SEEDS:
        pile = new_pile(seed)
        made = pile.add(PURCHASE, pile.terms.now.quotes_from, APPROVED, key="one")

        suppliers = [supplier_of(quote) for quote in quotes_of(pile, made)]
        assert suppliers[0] == made["fields"]["supplier"]
        assert len(set(suppliers)) == 2


def test_given_quotes_replace_those_that_would_be_needed() -> None:
    pile = new_pile()
    amount = pile.terms.now.quotes_from

    none = pile.add(PURCHASE, amount, APPROVED, key="one", quoted_by=())
    three = pile.add(PURCHASE, amount, APPROVED, key="two", quoted_by=["Harbor Tools"] * 3)

    assert quotes_of(pile, none) == []
    assert [supplier_of(quote) for quote in quotes_of(pile, three)] == ["Harbor Tools"] * 3


def test_a_quote_offers_the_first_line_item_and_is_older_than_the_request() -> None:
    pile = new_pile()
    made = pile.add(PURCHASE, pile.terms.now.quotes_from, APPROVED, key="one", texts=("Hand scanner",))

    for quote in quotes_of(pile, made):
        assert "offers: Hand scanner. Total " in quote["body"]
        assert quote["written_at"] < made["submitted_at"]
        assert quote["author"] == made["requester"]


def test_the_suppliers_own_offer_is_the_cheapest() -> None:
    pile = new_pile()

    made = pile.add(PURCHASE, 4000.0, APPROVED, key="one", quoted_by=("Harbor Tools", "Linden Works"))

    bodies = [quote["body"] for quote in quotes_of(pile, made)]
    assert ["4,000.00 EUR" in bodies[0], "4,010.00 EUR" in bodies[1]] == [True, True]


@pytest.mark.parametrize("supplier", words.SUPPLIERS)
def test_another_supplier_is_never_the_same(supplier: str) -> None:
    pile = new_pile()

    others = {pile.other(supplier, f"{key}") for key in range(80)}

    assert supplier not in others
    assert len(others) > 6


def test_every_attached_document_is_known_to_have_come_with_the_request() -> None:
    pile = new_pile()

    made = request(pile, pile.add(PURCHASE, 9000.0, APPROVED, key="one")["id"])

    for attached in made["evidence"]["attachments"]:
        assert (attached["by"], attached["at"]) == (made["requester"], made["submitted_at"])
