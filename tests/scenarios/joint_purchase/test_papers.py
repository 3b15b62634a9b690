"""The documents and mails of drawn instances: which edition says what, and in which order people wrote."""

import re
from collections import Counter
from typing import Any

import pytest

from companyos.sdk.asking import Play
from companyos.sdk.simtime import DAY, HOUR, from_iso, to_iso
from companyos.sdk.skills import Skills
from scenarios.joint_purchase import reading, words
from scenarios.joint_purchase.terms import AGREED, Needs, Offer, Rules
from tests.scenarios.stack import Stack

from .drawings import SEEDS, Drawing, drawing

SOME = SEEDS[:16:2]
Row = dict[str, Any]


def editions(drawn: Drawing) -> dict[str, Row]:
    """Return the editions of the chapter by status."""
    return {row["status"]: row for row in drawn.rows("documents", title=words.POLICY_TITLE)}


def offers(drawn: Drawing) -> dict[str, Row]:
    """Return the offers for the item by status."""
    rows = drawn.rows("documents", kind="offer")
    return {row["status"]: row for row in rows if row["links"] == [drawn.facts.item["id"]]}


def mails(drawn: Drawing, subject: str = "") -> list[Row]:
    """Return the mails about the item whose subject begins like this, newest first."""
    rows = drawn.rows("messages", about=drawn.facts.item["id"])
    found = [row for row in rows if row["subject"].startswith(subject)]
    return sorted(found, key=lambda row: (-row["sent_at"], row["id"]))


def units(body: str) -> list[float]:
    return [float(one["unit"]) for one in words.OFFER.read(body)["lots"]]


def rules_of(drawn: Drawing, status: str) -> Rules:
    return reading.rules_of(editions(drawn)[status]["body"])


def office(drawn: Drawing, role: str) -> str:
    return drawn.cast.offices[role].id


@pytest.mark.parametrize("seed", SOME)
def test_every_edition_says_that_what_is_missing_is_of_the_full_quantity(seed: int) -> None:
    bodies = [row["body"] for row in editions(drawing(seed)).values()]

    ways = [
        line
        for body in bodies
        for line in body.splitlines()
        if line.startswith(("- Reserve", "- Next quarter"))
    ]
    assert len(ways) >= len(bodies)
    assert all("the full quantity is " in way for way in ways)


@pytest.mark.parametrize("seed", SOME)
def test_the_chapter_in_force_says_what_the_case_goes_by(seed: int) -> None:
    drawn = drawing(seed)

    assert rules_of(drawn, "in_force") == drawn.facts.case.rules
    assert drawn.facts.handbook["id"] == editions(drawn)["in_force"]["id"]


@pytest.mark.parametrize("seed", SOME)
def test_editions_follow_each_other_from_the_previous_one_to_the_draft(seed: int) -> None:
    found = editions(drawing(seed))
    before, here, draft = (found[status] for status in ("superseded", "in_force", "draft"))

    assert [one["supersedes"] for one in (before, here, draft)] == [None, before["id"], here["id"]]
    assert before["written_at"] < here["written_at"] < draft["written_at"]
    assert drawing(seed).company.start - draft["written_at"] == 5 * DAY


@pytest.mark.parametrize("status", ["superseded", "draft"])
@pytest.mark.parametrize("seed", SOME)
def test_another_edition_differs_in_every_basis_every_amount_and_every_place_of_a_remedy(
    seed: int, status: str
) -> None:
    here, other = rules_of(drawing(seed), "in_force"), rules_of(drawing(seed), status)

    assert all(here.bases[one] != other.bases[one] for one in here.bases)
    assert all(one != another for one, another in zip(here.ways, other.ways, strict=True))
    assert here.signing[1] != other.signing[1]
    assert abs(here.reserve_most - other.reserve_most) == 300


@pytest.mark.parametrize("seed", SEEDS)
def test_amounts_of_every_edition_stay_possible(seed: int) -> None:
    for status in editions(drawing(seed)):
        first, second = rules_of(drawing(seed), status).signing
        assert 500 <= first < second


def test_another_department_also_has_a_chapter_about_shared_costs() -> None:
    [rooms] = drawing(0).rows("documents", title="Joint use of rooms")

    assert (rooms["department"], rooms["status"], rooms["kind"]) == ("Facilities", "in_force", "handbook")


@pytest.mark.parametrize("seed", SOME)
def test_the_offer_in_force_has_the_lots_of_the_case(seed: int) -> None:
    drawn = drawing(seed)
    body = offers(drawn)["in_force"]["body"]
    case = drawn.facts.case

    assert drawn.facts.offer["id"] == offers(drawn)["in_force"]["id"]
    assert units(body) == [unit for _, unit in case.units]
    assert f"until {case.offer.valid_until}." in body
    assert f"Delivery: {case.delivery:,.2f} EUR" in body


@pytest.mark.parametrize(("status", "factor"), [("superseded", 0.93), ("withdrawn", 0.88)])
@pytest.mark.parametrize("seed", SOME)
def test_an_offer_that_does_not_hold_lists_the_same_lots_for_less(
    seed: int, status: str, factor: float
) -> None:
    found = offers(drawing(seed))
    here, other = found["in_force"]["body"], found[status]["body"]

    assert re.findall(r"^\| \d+ ", other, re.MULTILINE) == re.findall(r"^\| \d+ ", here, re.MULTILINE)
    assert units(other) == [pytest.approx(unit * factor, abs=0.006) for unit in units(here)]


@pytest.mark.parametrize("seed", SOME)
def test_the_previous_offer_is_by_the_same_supplier_and_the_withdrawn_one_by_another(seed: int) -> None:
    found = offers(drawing(seed))
    by_status = {status: row["title"].partition(":")[0] for status, row in found.items()}

    assert by_status["superseded"] == by_status["in_force"] != by_status["withdrawn"]
    assert found["in_force"]["supersedes"] == found["superseded"]["id"]
    assert (
        found["superseded"]["written_at"] < found["withdrawn"]["written_at"] < found["in_force"]["written_at"]
    )


@pytest.mark.parametrize("seed", SOME)
def test_the_previous_offer_ran_out_yesterday(seed: int) -> None:
    drawn = drawing(seed)

    body = offers(drawn)["superseded"]["body"]

    assert f"until {to_iso(drawn.company.start - DAY)[:10]}." in body


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_an_agent_reads_chapter_offer_and_mails_as_they_were_written(stack: Stack, seed: int) -> None:
    drawn = drawing(seed)
    case = drawn.facts.case
    heads, names = zip(*((one.head.id, one.name) for one in drawn.facts.departments), strict=True)

    def read_papers(me: Skills) -> Play[tuple[Rules, tuple[str, Offer], Needs, list[float]]]:
        rules = yield from reading.read_rules(me)
        offer = yield from reading.read_offer(me, drawn.facts.item["id"])
        needs = yield from reading.read_needs(me, mails(drawn), names, case.wanted)
        return rules, offer, needs, (yield from reading.read_split(me, mails(drawn), heads, names))

    rules, (quote, offer), needs, percent = stack.find_out(drawn.company, drawn.cast.persona, read_papers)

    assert (rules, offer, needs) == (case.rules, case.offer, case.needs)
    assert quote == offers(drawn)["in_force"]["id"]
    assert percent == [side.weight for side in case.sides] or case.basis != AGREED
    assert sum(percent) == 100


@pytest.mark.parametrize("seed", SOME)
def test_heads_write_in_turn_and_propose_something_else_before_they_agree(seed: int) -> None:
    drawn = drawing(seed)
    heads = [one.head.id for one in drawn.facts.departments]
    thread = [row for row in mails(drawn, "Split of") if row["sender"] in heads][::-1]
    percents = [int(re.findall(r"(\d+) percent", row["body"])[0]) for row in thread]

    assert [row["sender"] for row in thread] == [heads[0], heads[1], heads[0], heads[1]]
    assert {row["recipient"] for row in thread} == {"Purchasing"}
    assert len({*percents}) == 3
    assert percents[2] == percents[3]
    assert thread[-1]["body"].startswith("Agreed")


@pytest.mark.parametrize("seed", SOME)
def test_last_mail_about_the_split_is_hearsay_from_an_outsider(seed: int) -> None:
    drawn = drawing(seed)

    last = mails(drawn, "Split of")[0]

    sender = drawn.row("people", last["sender"])
    assert "50 percent for" in last["body"]
    assert sender["team"] not in {one.name for one in drawn.facts.departments}
    assert last["sent_at"] == drawn.company.start - 5 * HOUR


@pytest.mark.parametrize("seed", SOME)
def test_the_chief_of_staff_wants_two_orders_below_the_first_amount(seed: int) -> None:
    drawn = drawing(seed)

    [mail] = mails(drawn, "Faster:")

    assert mail["sender"] == office(drawn, "chief_of_staff")
    assert mail["recipient"] == drawn.facts.me.id
    assert f"below {drawn.facts.case.rules.signing[0]:,.0f} EUR" in mail["body"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_first_mail_that_was_wrong_gives_another_quantity_and_another_day(seed: int) -> None:
    drawn = drawing(seed)

    for number, department in enumerate(drawn.facts.departments):
        side = drawn.facts.case.sides[number]
        told = [
            row["body"] for row in mails(drawn, "What we need:") if f"at {department.name}" in row["body"]
        ]
        assert 1 <= len(told) <= 2
        for wrong in told[1:]:
            assert f"least is {side.least}" not in wrong
            assert f"by {side.by}" not in wrong
            assert not wrong.startswith(("Sorry", "Forget"))


def test_most_needs_are_corrected_a_day_later() -> None:
    gaps = Counter[int]()

    for seed in SEEDS:
        by_sender: dict[str, list[int]] = {}
        for row in mails(drawing(seed), "What we need:"):
            by_sender.setdefault(row["sender"], []).append(row["sent_at"])
        gaps.update(times[0] - times[-1] for times in by_sender.values())

    assert set(gaps) == {0, DAY}
    assert gaps[DAY] > gaps[0] > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_mails_precede_the_start_and_mention_only_existing_days(seed: int) -> None:
    drawn = drawing(seed)

    for row in mails(drawn):
        assert row["sent_at"] < drawn.company.start
        assert "{" not in row["body"]
        assert all(from_iso(f"{day}T00:00:00Z") for day in re.findall(r"\d{4}-\d\d-\d\d", row["body"]))
