"""The documents and mails of drawn instances: which edition says what, and in which order people wrote."""

import re
from collections import Counter
from typing import Any

import pytest

from companyos.sdk.asking import Play
from companyos.sdk.simtime import DAY, from_iso, to_iso
from companyos.sdk.skills import Skills
from scenarios.joint_purchase import reading, words
from scenarios.joint_purchase.terms import AGREED, Needs, Offer, Rules
from tests.scenarios.stack import Stack

from .drawings import SEEDS, Drawing, drawing

Row = dict[str, Any]


def editions(purchase: Drawing) -> dict[str, Row]:
    """Return the editions of the chapter by status."""
    return {row["status"]: row for row in purchase.rows("documents", title=words.POLICY_TITLE)}


def offers(purchase: Drawing) -> dict[str, Row]:
    """Return the offers for the item by status."""
    rows = purchase.rows("documents", kind="offer")
    return {row["status"]: row for row in rows if row["links"] == [purchase.facts.item["id"]]}


def mails(purchase: Drawing, subject: str = "") -> list[Row]:
    """Return the mails about the item whose subject begins like this, newest first."""
    rows = purchase.rows("messages", about=purchase.facts.item["id"])
    found = [row for row in rows if row["subject"].startswith(subject)]
    return sorted(found, key=lambda row: (-row["sent_at"], row["id"]))


def units(body: str) -> list[float]:
    return [float(one["unit"]) for one in words.OFFER.read(body)["lots"]]


def rules_of(purchase: Drawing, status: str) -> Rules:
    return reading.rules_of(editions(purchase)[status]["body"])


def test_the_chapter_in_force_says_what_the_case_goes_by_and_others_say_something_else() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        here = rules_of(purchase, "in_force")

        assert here == purchase.facts.case.rules
        assert purchase.facts.handbook["id"] == editions(purchase)["in_force"]["id"]
        for status in ("superseded", "draft"):
            other = rules_of(purchase, status)
            assert all(here.bases[one] != other.bases[one] for one in here.bases)
            assert all(one != another for one, another in zip(here.ways, other.ways, strict=True))
            assert here.signing[1] != other.signing[1]
            assert 500 <= other.signing[0] < other.signing[1]
            assert abs(here.reserve_most - other.reserve_most) == 300
        for row in editions(purchase).values():
            ways = [
                one for one in row["body"].splitlines() if one.startswith(("- Reserve", "- Next quarter"))
            ]
            assert ways
            assert all("the full quantity is " in way for way in ways)


def test_editions_follow_each_other_from_the_previous_one_to_the_draft() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        found = editions(purchase)
        before, here, draft = (found[status] for status in ("superseded", "in_force", "draft"))

        assert [one["supersedes"] for one in (before, here, draft)] == [None, before["id"], here["id"]]
        assert before["written_at"] < here["written_at"] < draft["written_at"]
        assert purchase.company.start - draft["written_at"] == 5 * DAY


def test_another_department_also_has_a_chapter_about_shared_costs() -> None:
    [rooms] = drawing(0).rows("documents", title="Joint use of rooms")

    assert (rooms["department"], rooms["status"], rooms["kind"]) == ("Facilities", "in_force", "handbook")


def test_the_offer_in_force_has_the_lots_of_the_case_and_two_that_do_not_hold_are_cheaper() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        found, case = offers(purchase), purchase.facts.case
        here, before, other = (found[status] for status in ("in_force", "superseded", "withdrawn"))

        assert purchase.facts.offer["id"] == here["id"]
        assert units(here["body"]) == [unit for _, unit in case.units]
        assert f"until {case.offer.valid_until}." in here["body"]
        assert f"until {to_iso(purchase.company.start - DAY)[:10]}." in before["body"]
        assert f"Delivery: {case.delivery:,.2f} EUR" in here["body"]
        for row, factor in ((before, 0.93), (other, 0.88)):
            quantities = [re.findall(r"^\| \d+ ", one["body"], re.MULTILINE) for one in (row, here)]
            assert quantities[0] == quantities[1]
            assert units(row["body"]) == [
                pytest.approx(one * factor, abs=0.006) for one in units(here["body"])
            ]
        suppliers = [row["title"].partition(":")[0] for row in (before, here, other)]
        assert suppliers[0] == suppliers[1] != suppliers[2]
        assert here["supersedes"] == before["id"]
        assert before["written_at"] < other["written_at"] < here["written_at"]


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_an_agent_reads_chapter_offer_and_mails_as_they_were_written(stack: Stack, seed: int) -> None:
    purchase = drawing(seed)
    case = purchase.facts.case
    heads, names = zip(*((one.head.id, one.name) for one in purchase.facts.departments), strict=True)

    def read_papers(me: Skills) -> Play[tuple[Rules, tuple[str, Offer], Needs, list[float]]]:
        rules = yield from reading.read_rules(me)
        offer = yield from reading.read_offer(me, purchase.facts.item["id"])
        needs = yield from reading.read_needs(me, mails(purchase), names, case.wanted)
        return rules, offer, needs, (yield from reading.read_split(me, mails(purchase), heads, names))

    rules, (quote, offer), needs, percent = stack.find_out(
        purchase.company, purchase.cast.persona, read_papers
    )

    assert (rules, offer, needs) == (case.rules, case.offer, case.needs)
    assert quote == offers(purchase)["in_force"]["id"]
    assert percent == [side.weight for side in case.sides] or case.basis != AGREED
    assert sum(percent) == 100


def test_heads_propose_something_else_before_they_agree_and_hearsay_comes_last() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        heads = [one.head.id for one in purchase.facts.departments]
        last, *_ = split = mails(purchase, "Split of")
        thread = [row for row in split if row["sender"] in heads][::-1]
        percents = [int(re.findall(r"(\d+) percent", row["body"])[0]) for row in thread]

        assert [row["sender"] for row in thread] == heads * 2
        assert {row["recipient"] for row in thread} == {"Purchasing"}
        assert len({*percents}) == 3
        assert percents[2] == percents[3]
        assert thread[-1]["body"].startswith("Agreed")
        assert "50 percent for" in last["body"]
        outsider = purchase.row("people", last["sender"])
        assert outsider["team"] not in {one.name for one in purchase.facts.departments}


def test_the_chief_of_staff_wants_two_orders_below_the_first_amount() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        [mail] = mails(purchase, "Faster:")

        assert mail["sender"] == purchase.cast.offices["chief_of_staff"].id
        assert mail["recipient"] == purchase.facts.me.id
        assert f"below {purchase.facts.case.rules.signing[0]:,.0f} EUR" in mail["body"]


def test_most_needs_are_corrected_a_day_later_in_quantity_and_day() -> None:
    gaps = Counter[int]()

    for purchase in map(drawing, SEEDS):
        for side, one in zip(purchase.facts.case.sides, purchase.facts.departments, strict=True):
            told = [row for row in mails(purchase, "What we need:") if f"at {one.name}" in row["body"]]
            assert 1 <= len(told) <= 2
            gaps[told[0]["sent_at"] - told[-1]["sent_at"]] += 1
            for wrong in told[1:]:
                assert f"least is {side.least}" not in wrong["body"]
                assert f"by {side.by}" not in wrong["body"]
                assert not wrong["body"].startswith(("Sorry", "Forget"))

    assert set(gaps) == {0, DAY}
    assert gaps[DAY] > gaps[0] > 0


def test_mails_precede_the_start_and_mention_only_existing_days() -> None:
    for purchase in map(drawing, SEEDS[::2]):
        for row in mails(purchase):
            assert row["sent_at"] < purchase.company.start
            assert "{" not in row["body"]
            assert all(from_iso(f"{day}T00:00:00Z") for day in re.findall(r"\d{4}-\d\d-\d\d", row["body"]))
