"""The documents at the desk: one of each kind counts, and the others are plausible and wrong."""

import pytest

from companyos.company import Company, Row
from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.approver_desk.documents import add_quote, write_documents
from scenarios.approver_desk.pack import INVOICE, PURCHASE, TRAINING
from scenarios.approver_desk.terms import ENDED, IN_FORCE_S, People, Terms, draw_terms

from .piles import APART, SEEDS, hired, new_company


def written(seed: int = 0, *, ended: bool = False) -> tuple[Company, People, Terms, Row]:
    company = new_company(seed)
    _, people = hired(company)
    terms = draw_terms(company, apart=APART, ended=ended)
    _, minutes = write_documents(company, people, terms)
    return company, people, terms, minutes


def of_kind(company: Company, kind: str) -> list[Row]:
    """Return the documents of a kind, oldest first."""
    found = [row for row in company.rows["datahub"]["documents"] if row["kind"] == kind]
    return sorted(found, key=lambda row: int(row["written_at"]))


def test_the_rules_exist_in_four_editions_of_which_one_is_in_force() -> None:
    company, *_ = written()

    editions = of_kind(company, "policy")

    assert [row["status"] for row in editions] == ["superseded", "superseded", "in_force", "draft"]
    assert len({row["title"] for row in editions}) == 1


def test_each_edition_replaces_the_one_before() -> None:
    company, *_ = written()

    editions = of_kind(company, "policy")

    assert [row["supersedes"] for row in editions] == [None, *(row["id"] for row in editions[:-1])]


def test_the_edition_in_force_was_written_before_it_took_effect() -> None:
    company, *_ = written()

    first, before, now, draft = of_kind(company, "policy")

    assert now["written_at"] < now["effective_from"] == company.start - IN_FORCE_S
    assert [row["effective_from"] for row in (first, before, draft)] == [None, None, None]


def test_every_edition_asks_for_quotes_from_another_amount() -> None:
    for seed in SEEDS:
        company, _, terms, _ = written(seed)
        now, before = terms.now.quotes_from, terms.before.quotes_from
        amounts = (before - 1000, before, now, now - 1000)

        for row, amount in zip(of_kind(company, "policy"), amounts, strict=True):
            assert f"Purchases of {amount:,.0f} EUR or more need quotes" in row["body"]


def test_only_the_edition_in_force_settles_a_short_budget_as_one_set() -> None:
    for seed in SEEDS:
        company, _, terms, _ = written(seed)
        first, before, now, draft = (row["body"] for row in of_kind(company, "policy"))

        limit = f"setup hours add up to no more than the {terms.setup_hours} hours"
        assert [limit in body for body in (first, before, now, draft)] == [False, False, True, False]
        assert "taken by date of submission" in first
        assert "taken by priority (1 first), then by date" in before
        assert "taken by benefit points per euro" in draft
        assert f"more than {terms.setup_hours + 4} setup hours" in draft


def test_the_draft_excludes_the_same_things_in_another_order() -> None:
    for seed in SEEDS:
        company, _, terms, _ = written(seed)
        *_, now, draft = of_kind(company, "policy")
        one, other = (f"{thing.lower()}s" for thing in terms.now.excluded)

        assert f"not bought this way: {one} and {other}. " in now["body"]
        assert f"not bought this way: {other} and {one}. " in draft["body"]


@pytest.mark.parametrize(
    "reason",
    [
        "evidence_missing",
        "split_purchase",
        "duplicate",
        "amount_mismatch",
        "not_eligible",
        "over_budget",
        ENDED,
    ],
)
def test_the_rules_name_every_reason_that_the_desk_needs(reason: str) -> None:
    company, *_ = written()

    assert all(reason in row["body"] for row in of_kind(company, "policy"))


def test_only_the_newest_letter_states_the_limits_that_apply() -> None:
    for seed in SEEDS:
        company, _, terms, _ = written(seed)
        old, current = of_kind(company, "letter")
        stated = (
            f"purchases up to {terms.limits[PURCHASE]:,.0f} EUR",
            f"invoices up to {terms.limits[INVOICE]:,.0f} EUR",
            f"training up to {terms.limits[TRAINING]:,.0f} EUR",
        )

        assert all(limit in current["body"] for limit in stated)
        assert not any(limit in old["body"] for limit in stated)


def test_last_years_letter_has_the_two_heads_the_other_way_round() -> None:
    company, people, *_ = written()

    old, current = of_kind(company, "letter")

    assert f"Anything above goes to {people.second.name} ({people.second.id})" in current["body"]
    assert f"Anything above goes to {people.keeper.name} ({people.keeper.id})" in old["body"]
    assert f"everything on cost centre {APART} goes to {people.keeper.name}" in current["body"]


def test_both_letters_are_the_heads_to_the_agent_and_look_alike() -> None:
    company, people, *_ = written()

    letters = of_kind(company, "letter")

    assert [row["author"] for row in letters] == [people.head.id] * 2
    assert [row["links"] for row in letters] == [[people.me.id]] * 2
    assert len({row["title"] for row in letters}) == 1


def test_the_current_cover_lasts_beyond_today_and_the_old_one_is_long_over() -> None:
    company, *_ = written()

    old, current = of_kind(company, "letter")

    assert f"until {to_iso(company.start + 7 * DAY)[:10]}" in current["body"]
    assert f"until {to_iso(company.start - 178 * DAY)[:10]}" in old["body"]


def test_the_heads_met_every_week_and_the_last_time_this_morning() -> None:
    company, _, _, counts = written()

    ages = [company.start - row["written_at"] for row in of_kind(company, "minutes")]

    assert ages == [21 * DAY, 14 * DAY, 7 * DAY, HOUR]
    assert counts["id"] == of_kind(company, "minutes")[-1]["id"]


@pytest.mark.parametrize("ended", [False, True])
def test_only_this_mornings_minutes_speak_of_the_absent_heads_cover(*, ended: bool) -> None:
    for seed in SEEDS:
        company, people, _, counts = written(seed, ended=ended)
        about = f"cover for {people.head.name}"

        found = [row["id"] for row in of_kind(company, "minutes") if about in row["body"]]

        assert found == [counts["id"]]
        assert (f"{about} has ended" in counts["body"]) is ended
        assert (f"{about} stays" in counts["body"]) is not ended


def test_last_weeks_minutes_end_the_cover_of_the_second_head() -> None:
    company, people, *_ = written()

    *_, last_week, _ = of_kind(company, "minutes")

    assert f"The cover for {people.second.name} has ended".casefold() in last_week["body"].casefold()


def test_whether_the_cover_has_ended_shows_nowhere_else() -> None:
    holds, ended = (written(5, ended=over) for over in (False, True))

    bodies = [
        {row["id"]: row["body"] for row in one[0].rows["datahub"]["documents"]} for one in (holds, ended)
    ]

    assert bodies[0].keys() == bodies[1].keys()
    differing = {key for key in bodies[0] if bodies[0][key] != bodies[1][key]}
    assert differing == {holds[3]["id"]}


def test_a_quote_names_its_supplier_and_its_total() -> None:
    company, people, *_ = written()

    quote_id = add_quote(company, "Harbor Tools", "Hand scanner", 1234.5, people.boss, 3 * DAY)

    quote = company.row("datahub", "documents", quote_id)
    assert quote["body"].startswith("Harbor Tools offers: Hand scanner. Total 1,234.50 EUR. Quote HA-")
    assert (quote["kind"], quote["author"]) == ("quote", people.boss.id)
    assert quote["written_at"] == company.start - 3 * DAY
