"""The documents and mails about incidents: one edition of each counts, and its rivals say something else."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from companyos.sdk.simtime import DAY, to_iso
from scenarios.incident_change import texts
from scenarios.incident_change.calendar import Freeze
from scenarios.incident_change.pack import MANAGER
from scenarios.incident_change.plans import FIRST, PLANS, SECOND, Plan
from scenarios.incident_change.reading import read_freeze, read_handover, read_roster, read_rules

from .incidents import (
    EXEMPT,
    HOPELESS,
    HOPELESS_EXEMPT,
    MINOR,
    ONCE,
    TWICE,
    TWICE_EXEMPT,
    Drawn,
    documents,
    drawn,
    each_plan,
)

SEEDS = range(24)
PRESENT, PAST = "the current freeze", "a past one"


def incidents(plan: Plan = ONCE) -> Iterator[Drawn]:
    yield from (drawn(plan, FIRST, seed) for seed in SEEDS)


def notices(one: Drawn, status: str) -> dict[str, Freeze]:
    """Return the freezes that notices of this status announce, the current one apart from a past one."""
    found = documents(one, "Change freeze", status)
    return {PAST if "first part" in row["title"] else PRESENT: read_freeze(row["body"]) for row in found}


def area(one: Drawn, candidate: str) -> str:
    return str(one.facts.estate.root(candidate).record["fields"]["area"])


def handovers(one: Drawn) -> list[dict[str, Any]]:
    """Return the mails about the phone, newest first."""
    mails = [row for row in one.company.rows["datahub"]["messages"] if row["subject"].startswith("On call")]
    return sorted(mails, key=lambda row: int(row["sent_at"]), reverse=True)


def today(one: Drawn) -> str:
    return to_iso(one.facts.start).partition("T")[0]


def listed(one: Drawn, status: str = "in_force") -> str:
    [roster] = documents(one, texts.ROSTER_TITLE, status)
    return read_roster(roster["body"], today(one))


def news(one: Drawn) -> str:
    """Return what the mails about the phone come to: nothing for today, given to somebody, or taken back."""
    told = [mail["body"] for mail in handovers(one) if read_handover(mail["body"], today(one))]
    return {0: "none", 1: "given", 2: "taken back"}[len(told)]


def test_the_rules_have_one_edition_of_each_status_and_the_draft_is_not_in_force() -> None:
    for one in incidents():
        own = [row for row in documents(one, texts.HANDLING_TITLE) if row["department"] == "Platform"]

        assert sorted(row["status"] for row in own) == ["draft", "in_force", "superseded"]
        assert one.facts.papers.handling["status"] == "in_force"


def test_the_editions_of_the_rules_differ_in_their_upper_band_alone() -> None:
    for one in incidents():
        matrix = one.rates.matrix
        own = [row for row in documents(one, texts.HANDLING_TITLE) if row["department"] == "Platform"]
        thresholds = {row["status"]: read_rules(row["body"]).bands[0][0] for row in own}
        bodies = {row["body"].replace(f"| {thresholds[row['status']]:g} %", "| …") for row in own}

        assert thresholds == {"superseded": matrix.before, "in_force": matrix.high, "draft": matrix.draft}
        assert len(bodies) == 1


def test_an_edition_names_the_one_that_it_replaces_and_was_written_after_it() -> None:
    for one in incidents():
        by_id = {row["id"]: row for row in one.company.rows["datahub"]["documents"]}
        pairs = [(row, by_id[row["supersedes"]]) for row in by_id.values() if row["supersedes"]]

        assert pairs
        for later, earlier in pairs:
            assert later["title"] == earlier["title"]
            assert later["written_at"] > earlier["written_at"]


def test_the_windows_are_two_weekdays_of_the_rules_in_force() -> None:
    for one in incidents():
        papers = one.facts.papers
        first, second = papers.windows.weekdays

        assert read_rules(papers.handling["body"]).windows == papers.windows
        assert 0 <= first < second <= 4
        assert 19 <= papers.windows.hour <= 22


def test_the_freezes_that_count_are_those_of_the_notices_in_force() -> None:
    for one in incidents(TWICE):
        told = notices(one, "in_force")

        assert sorted(told.values(), key=lambda freeze: -freeze.ends_at) == list(one.facts.papers.freezes)


@each_plan
def test_the_current_freeze_covers_the_candidates_that_the_plan_freezes(plan: Plan) -> None:
    for seed in range(8):
        one = drawn(plan, FIRST, seed)
        freeze = notices(one, "in_force")[PRESENT]
        covered = {name: freeze.covers(area(one, name), one.facts.start) for name in (FIRST, SECOND)}

        assert covered == {name: fate.freeze != "open" for name, fate in plan.fates.items()}


@pytest.mark.parametrize(
    ("plan", "exempt"),
    [
        (ONCE, None),
        (MINOR, None),
        (EXEMPT, FIRST),
        (HOPELESS, SECOND),
        (HOPELESS_EXEMPT, FIRST),
        (TWICE_EXEMPT, FIRST),
    ],
    ids=["open", "frozen", "first", "second", "hopeless", "twice"],
)
def test_the_exception_is_for_the_area_of_the_exempt_candidate(plan: Plan, exempt: str | None) -> None:
    for seed in range(8):
        one = drawn(plan, FIRST, seed)

        assert notices(one, "in_force")[PRESENT].exempt == (exempt and area(one, exempt))


def test_a_freeze_always_covers_three_areas() -> None:
    counts = {len(notices(drawn(plan), "in_force")[PRESENT].areas) for plan in PLANS}

    assert counts == {3}


def test_the_current_freeze_began_days_ago_and_lasts_for_days() -> None:
    for one in incidents():
        freeze, now = notices(one, "in_force")[PRESENT], one.facts.start

        assert DAY / 2 < now - freeze.starts_at < 4 * DAY
        assert DAY < freeze.ends_at - now < 6 * DAY


@each_plan
def test_the_previous_notice_covers_the_candidates_that_the_one_in_force_does_not(plan: Plan) -> None:
    for seed in range(8):
        one = drawn(plan, FIRST, seed)
        now, before = (notices(one, status)[PRESENT] for status in ("in_force", "superseded"))

        for candidate in (FIRST, SECOND):
            assert (area(one, candidate) in now.areas) is not (area(one, candidate) in before.areas)
        assert before.exempt is None


def test_the_draft_would_prolong_the_freeze_by_a_week_for_both_candidates() -> None:
    for one in incidents(MINOR):
        now, draft = (notices(one, status)[PRESENT] for status in ("in_force", "draft"))

        assert (draft.starts_at, draft.ends_at) == (now.starts_at, now.ends_at + 7 * DAY)
        assert draft.areas == now.areas | {area(one, FIRST), area(one, SECOND)}


def test_some_companies_had_a_freeze_that_covered_both_candidates_and_is_over() -> None:
    found = [(one, notices(one, "in_force")) for one in incidents()]
    over = [(one, freezes[PAST]) for one, freezes in found if PAST in freezes]

    assert 0 < len(over) < len(found)
    for one, freeze in over:
        assert freeze.areas == {area(one, FIRST), area(one, SECOND)}
        assert freeze.ends_at < one.facts.start - 5 * DAY


def test_the_head_of_sales_declares_the_freezes_lifted_without_any_say_in_it() -> None:
    for one in incidents():
        [mail] = [row for row in one.company.rows["datahub"]["messages"] if row["body"] == texts.LIFTED]
        sender = one.company.row("datahub", "people", mail["sender"])

        assert (sender["role"], sender["team"]) == ("head_of_sales", "Sales")
        assert mail["sent_at"] > one.company.start - DAY


def test_the_person_on_call_is_the_one_of_the_newest_mail_about_today_or_of_the_roster() -> None:
    for one in incidents():
        told = [read_handover(mail["body"], today(one)) for mail in handovers(one)]
        counts = next((person for person in told if person), listed(one))

        assert counts == one.facts.papers.on_call.id


def test_the_roster_is_wrong_only_if_the_phone_was_given_to_somebody_else() -> None:
    for one in incidents():
        assert (listed(one) != one.facts.papers.on_call.id) is (news(one) == "given")


def test_the_phone_is_given_taken_back_or_not_spoken_of_today() -> None:
    counts = Counter(news(one) for one in incidents())

    assert set(counts) == {"none", "given", "taken back"}
    assert counts.most_common(1)[0][0] == "given"


def test_without_news_a_mail_is_about_another_week_and_names_somebody_else() -> None:
    quiet = [one for one in incidents() if news(one) == "none"]

    for one in quiet:
        [mail] = handovers(one)
        week_after = to_iso(one.facts.start + 8 * DAY).partition("T")[0]
        assert read_handover(mail["body"], week_after) not in (None, one.facts.papers.on_call.id)


def test_withdrawn_handover_alone_names_the_wrong_person() -> None:
    for one in (one for one in incidents() if news(one) == "taken back"):
        back, given = (read_handover(mail["body"], today(one)) for mail in handovers(one))

        assert back == one.facts.papers.on_call.id
        assert given != back


def test_a_mail_about_the_phone_is_sent_by_the_manager_who_has_it_until_then() -> None:
    for one in incidents():
        for mail in handovers(one):
            assert f"({mail['sender']})" in mail["body"]
            assert one.company.row("datahub", "people", mail["sender"])["role"] == MANAGER
            assert mail["recipient"] == "Platform"


def test_the_previous_roster_names_somebody_else_for_this_week() -> None:
    for one in incidents():
        assert listed(one, "superseded") != listed(one)


def test_a_roster_shows_six_weeks_in_a_row_from_monday_to_sunday() -> None:
    for one in incidents():
        [roster] = documents(one, texts.ROSTER_TITLE, "in_force")
        weeks = [line.split(" | ") for line in roster["body"].splitlines() if line.startswith("| 20")]
        named = [read_roster(roster["body"], day) for first, last, _ in weeks for day in (first[2:], last)]

        assert len(weeks) == 6
        assert named[::2] == named[1::2]
        assert weeks[2][0][2:] <= today(one) <= weeks[2][1]
