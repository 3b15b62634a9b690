"""What an agent reads in the handbook, the offers and the mails: what their writers write, and no other prose."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.simtime import from_iso
from scenarios.joint_purchase import reading, words
from scenarios.joint_purchase.terms import Lot, Needs, Offer
from tests.scenarios.scripted import Conversation, by, listed

NOW = from_iso("2031-05-05T08:30:00Z")
ONE, OTHER = "Field Service East", "Design Studio North"
NAMES = [ONE, OTHER]
Row = Mapping[str, Any]


def agreement(template: str, first: int) -> str:
    return template.format(item="lamps", first=first, second=100 - first, one=ONE, other=OTHER)


def need(template: str, department: str, least: int, by_: str = "2031-07-10") -> str:
    return template.format(item="lamps", department=department, least=least, by=by_)


def mailbox(*mails: tuple[str, str, str]) -> tuple[Conversation, list[Row]]:
    """Return mails, newest first, as (sender, subject, body), and the conversation in which they are read."""
    lines: list[Row] = [
        {"id": f"MSG-{number}", "sender": sender, "subject": subject}
        for number, (sender, subject, _) in enumerate(mails)
    ]
    bodies = {line["id"]: {"body": body} for line, (_, _, body) in zip(lines, mails, strict=True)}
    return Conversation({"datahub_get_message": by("message_id", bodies)}, NOW), lines


@given(st.integers(0, 10**9).map(lambda cents: cents / 100))
def test_an_amount_is_read_as_documents_print_it(amount: float) -> None:
    assert reading.number(f"{amount:,.2f}") == amount


def test_what_a_pattern_does_not_match_is_an_error_that_names_the_pattern() -> None:
    assert reading.found(r"holds until (\S+)", "It holds until Friday.") == "Friday."

    with pytest.raises(LookupError, match="nothing like holds until"):
        reading.found(r"holds until (\S+)", "It held.")


QUARTERS = [
    {"id": "BUD-3", "starts_at": "2031-07-01T00:00:00Z", "ends_at": "2031-10-01T00:00:00Z"},
    {"id": "BUD-1", "starts_at": "2031-01-01T00:00:00Z", "ends_at": "2031-04-01T00:00:00Z"},
    {"id": "BUD-2", "starts_at": "2031-04-01T00:00:00Z", "ends_at": "2031-07-01T00:00:00Z"},
]


@pytest.mark.parametrize(
    ("now", "budget_id"),
    [
        ("2031-03-31T23:59:59Z", "BUD-1"),
        ("2031-04-01T00:00:00Z", "BUD-2"),
        ("2031-06-30T23:59:59Z", "BUD-2"),
        ("2031-07-01T00:00:00Z", "BUD-3"),
    ],
)
def test_a_budget_may_be_spent_from_its_first_second_to_its_last(now: str, budget_id: str) -> None:
    assert reading.current(QUARTERS, from_iso(now))["id"] == budget_id


def test_the_budget_after_another_begins_when_that_one_ends() -> None:
    assert reading.after(QUARTERS, QUARTERS[1])["id"] == "BUD-2"
    assert reading.after(QUARTERS, QUARTERS[2])["id"] == "BUD-3"


CHAPTER = words.POLICY.format(
    equipment=words.BASES["usage"],
    licenses=words.BASES["agreed"],
    courses=words.BASES["head_count"],
    first=2250.0,
    second=14_750.0,
    ways="\n".join(
        words.WAYS[way].format(reserve=1200.0) for way in ("smaller_lot", "next_quarter", "reserve")
    ),
)


def test_a_chapter_is_read_for_bases_signatures_remedies_and_the_limit_of_reserves() -> None:
    rules = reading.rules_of(CHAPTER)

    assert rules.bases == {"equipment": "usage", "licenses": "agreed", "courses": "head_count"}
    assert rules.signing == (2250.0, 14_750.0)
    assert rules.ways == ("smaller_lot", "next_quarter", "reserve")
    assert rules.reserve_most == 1200.0


def test_the_rules_of_another_department_are_not_taken_for_the_chapter() -> None:
    talk = Conversation(
        {
            "datahub_search_documents": listed(
                {"id": "DOC-1", "department": "Facilities"}, {"id": "DOC-2", "department": "Purchasing"}
            ),
            "datahub_get_document": by("document_id", {"DOC-2": {"body": CHAPTER}}),
        },
        NOW,
    )

    rules = talk.run(reading.read_rules(talk.asker()))

    assert rules == reading.rules_of(CHAPTER)
    assert [one["status"] for one in talk.calls_of("datahub_search_documents")] == ["in_force"]


def test_a_company_without_the_chapter_is_an_error() -> None:
    others = listed({"id": "DOC-1", "department": "Facilities"})
    talk = Conversation({"datahub_search_documents": others}, NOW)

    with pytest.raises(LookupError, match="no chapter"):
        talk.run(reading.read_rules(talk.asker()))


def offer_text(lots: list[tuple[int, float]], delivery: float = 1120.5, until: str = "2031-07-20") -> str:
    return words.OFFER.format(
        supplier="Hollis Direct",
        employer="Dunmore",
        item="noise meters A32",
        item_id="IT-7",
        lots="\n".join(words.LINE.format(quantity=quantity, unit=unit) for quantity, unit in lots),
        delivery=delivery,
        until=until,
    )


def read_offer(*offers: tuple[str, list[str], str]) -> tuple[str, Offer]:
    """Read the offer for IT-7 among those that a search finds, as (id, links, body)."""
    documents = {one: {"id": one, "links": links, "body": body} for one, links, body in offers}
    talk = Conversation(
        {
            "datahub_search_documents": listed(*({"id": one} for one in documents)),
            "datahub_get_document": by("document_id", documents),
        },
        NOW,
    )
    return talk.run(reading.read_offer(talk.asker(), "IT-7"))


def test_the_price_of_a_lot_is_its_units_and_the_delivery() -> None:
    quote, offer = read_offer(("DOC-5", ["IT-7"], offer_text([(40, 1050.25), (32, 1071.26)])))

    assert quote == "DOC-5"
    assert offer == Offer((Lot(40, 43_130.5), Lot(32, 35_400.82)), "2031-07-20")


def test_lots_are_in_order_of_size_however_the_offer_lists_them() -> None:
    _, offer = read_offer(("DOC-5", ["IT-7"], offer_text([(20, 11.0), (40, 10.0), (30, 10.5)])))

    assert [lot.quantity for lot in offer.lots] == [40, 30, 20]


def test_an_offer_for_another_item_is_not_read_for_this_one() -> None:
    own, other = offer_text([(40, 10.0)]), offer_text([(40, 9.0)])

    quote, offer = read_offer(("DOC-4", ["IT-77"], other), ("DOC-5", ["IT-8", "IT-7"], own))

    assert (quote, offer.lots[0].price) == ("DOC-5", 1520.5)


def test_an_item_without_an_offer_is_an_error() -> None:
    with pytest.raises(LookupError, match="no offer for IT-7"):
        read_offer(("DOC-4", ["IT-77"], offer_text([(40, 9.0)])))


CENTS = st.integers(1, 10**7).map(lambda cents: cents / 100)


@given(st.dictionaries(st.integers(1, 99), CENTS, min_size=1, max_size=5), CENTS)
def test_every_lot_of_an_offer_is_read_as_it_was_written(lots: dict[int, float], delivery: float) -> None:
    _, offer = read_offer(("DOC-5", ["IT-7"], offer_text(list(lots.items()), delivery)))

    assert {lot.quantity: lot.price for lot in offer.lots} == {
        quantity: round(quantity * unit + delivery, 2) for quantity, unit in lots.items()
    }


def read_split(*mails: tuple[str, str]) -> list[float]:
    """Read the agreement in mails, newest first, as (sender, body); the heads are `ada` and `bo`."""
    talk, lines = mailbox(*((sender, "Split of lamps", body) for sender, body in mails))
    return talk.run(reading.read_split(talk.asker(), lines, ["ada", "bo"], NAMES))


@pytest.mark.parametrize("template", [*words.AGREEING, words.AGREED], ids=range(4))
def test_every_wording_of_a_split_is_understood(template: str) -> None:
    assert read_split(("ada", agreement(template, 42))) == [42.0, 58.0]


def test_the_last_mail_of_the_heads_counts() -> None:
    older, newer = agreement(words.AGREEING[0], 60), agreement(words.AGREED, 45)

    assert read_split(("bo", newer), ("ada", older)) == [45.0, 55.0]


def test_nobody_else_agrees_for_the_heads() -> None:
    hearsay = words.HEARSAY.format(item="lamps", one=ONE, other=OTHER)

    assert read_split(("cy", hearsay), ("ada", agreement(words.AGREED, 45))) == [45.0, 55.0]


def test_the_percentages_belong_to_the_departments_that_they_name() -> None:
    turned = f"So be it: 30 percent for {OTHER}, which leaves 70 percent for {ONE}."

    assert read_split(("ada", turned)) == [70.0, 30.0]


@pytest.mark.parametrize(
    "remark",
    ["Let us talk tomorrow.", f"I want 80 percent for {ONE}.", f"Half and half for {ONE} and {OTHER}."],
    ids=["none", "one percentage", "no percentages"],
)
def test_a_mail_of_a_head_that_names_no_split_of_both_is_no_agreement(remark: str) -> None:
    assert read_split(("bo", remark), ("ada", agreement(words.AGREED, 45))) == [45.0, 55.0]


def test_heads_who_never_agreed_are_an_error() -> None:
    with pytest.raises(LookupError, match="agreed on nothing"):
        read_split(("cy", agreement(words.AGREED, 45)), ("ada", "Later."))


ASKED = "What we need: lamps"


def read_needs(*mails: tuple[str, str]) -> Needs:
    """Read the needs in mails, newest first, as (subject, body)."""
    talk, lines = mailbox(*(("dee", subject, body) for subject, body in mails))
    return talk.run(reading.read_needs(talk.asker(), lines, NAMES, 40))


@pytest.mark.parametrize("template", [*words.NEED, *words.CORRECTED], ids=range(4))
def test_every_wording_of_a_need_is_understood(template: str) -> None:
    needs = read_needs(
        (ASKED, need(template, ONE, 9, "2031-07-10")), (ASKED, need(template, OTHER, 14, "2031-08-02"))
    )

    assert needs == Needs(40, 23, "2031-07-10")


def test_the_needs_add_up_and_the_earlier_date_counts_for_both() -> None:
    first, second = need(words.NEED[0], OTHER, 8, "2031-06-28"), need(words.NEED[0], ONE, 9, "2031-07-10")

    assert read_needs((ASKED, first), (ASKED, second)) == Needs(40, 17, "2031-06-28")


def test_a_correction_overrules_the_mail_before() -> None:
    wrong, other = need(words.NEED[0], ONE, 30, "2031-05-30"), need(words.NEED[1], OTHER, 8)
    right = need(words.CORRECTED[0], ONE, 9)

    assert read_needs((ASKED, right), (ASKED, wrong), (ASKED, other)) == Needs(40, 17, "2031-07-10")


@pytest.mark.parametrize(
    "body",
    [
        f"The least is 3 at {ONE}.",
        f"We need ours at {ONE} by 2031-05-06.",
        "The least is 3. We need ours by 2031-05-06.",
        need(words.NEED[0], "Laboratory West", 3, "2031-05-06"),
    ],
    ids=["no date", "no quantity", "no department", "another department"],
)
def test_a_mail_that_does_not_say_everything_is_passed_over(body: str) -> None:
    told = [(ASKED, need(words.NEED[0], name, 9)) for name in NAMES]

    assert read_needs((ASKED, body), *told) == Needs(40, 18, "2031-07-10")


def test_mails_about_other_things_are_not_read_for_needs() -> None:
    told = [(ASKED, need(words.NEED[0], name, 9)) for name in NAMES]
    hint = ("Faster: lamps", need(words.CORRECTED[0], ONE, 2, "2031-05-06"))

    assert read_needs(hint, *told) == Needs(40, 18, "2031-07-10")


def test_nothing_more_is_read_once_both_have_said_what_they_need() -> None:
    told = [("dee", ASKED, need(words.NEED[0], name, 9)) for name in NAMES]
    talk, lines = mailbox(*told, ("dee", ASKED, need(words.NEED[0], ONE, 20)))

    talk.run(reading.read_needs(talk.asker(), lines, NAMES, 40))

    assert [one["message_id"] for one in talk.calls_of("datahub_get_message")] == ["MSG-0", "MSG-1"]


def test_a_department_that_said_nothing_is_an_error() -> None:
    with pytest.raises(LookupError, match="not said what it needs"):
        read_needs((ASKED, need(words.NEED[0], ONE, 9)))
