"""The drawn rules of an instance, and the people at its desk."""

import pytest

from companyos.sdk.simtime import DAY, HOUR
from scenarios.approver_desk import words
from scenarios.approver_desk.pack import INVOICE, PURCHASE, TRAINING, TYPES
from scenarios.approver_desk.terms import IN_FORCE_S, Terms, Version, draw_terms

from .piles import SEEDS, hired, new_company

NOW, BEFORE = Version(3000.0, ("Gift card",)), Version(5000.0, ("Tablet computer",))


def drawn(seed: int) -> Terms:
    return draw_terms(new_company(seed), apart="CC-900", ended=False)


@pytest.mark.parametrize(
    ("age_s", "applies"),
    [(0, NOW), (IN_FORCE_S - 1, NOW), (IN_FORCE_S, NOW), (IN_FORCE_S + 1, BEFORE), (90 * DAY, BEFORE)],
    ids=["new", "a-second-younger", "of-the-same-second", "a-second-older", "old"],
)
def test_a_request_is_judged_by_the_version_in_force_when_it_was_submitted(
    age_s: int, applies: Version
) -> None:
    terms = Terms(NOW, BEFORE, setup_hours=20, window_days=7, limits={}, apart="CC-900", ended=False)

    assert terms.version(age_s) is applies


def test_the_version_before_asked_for_fewer_quotes() -> None:
    for seed in SEEDS:
        terms = drawn(seed)

        assert terms.before.quotes_from >= terms.now.quotes_from + 1500


def test_the_two_versions_exclude_different_things() -> None:
    for seed in SEEDS:
        terms = drawn(seed)

        named = [*terms.now.excluded, *terms.before.excluded]
        assert len(named) == len(set(named)) == 4
        assert set(named) <= set(words.EXCLUDED)


def test_purchases_that_need_quotes_are_within_the_cover_under_both_versions() -> None:
    for seed in SEEDS:
        terms = drawn(seed)

        assert terms.limits[PURCHASE] > terms.before.quotes_from > terms.now.quotes_from


def test_the_cover_has_a_limit_for_every_type_and_the_lowest_for_training() -> None:
    for seed in SEEDS:
        limits = drawn(seed).limits

        assert set(limits) == set(TYPES)
        assert limits[TRAINING] < limits[INVOICE] < limits[PURCHASE]


def test_requests_of_the_last_days_are_never_too_far_apart_to_be_one_purchase() -> None:
    assert all(drawn(seed).window_days * DAY > 4 * DAY for seed in SEEDS)


def test_setup_hours_are_drawn_within_bounds() -> None:
    assert {drawn(seed).setup_hours for seed in SEEDS} == set(range(21, 26))


def test_terms_differ_from_seed_to_seed() -> None:
    terms = [drawn(seed) for seed in SEEDS]

    assert len({one.now.quotes_from for one in terms}) == 4
    assert len({one.window_days for one in terms}) == 3
    assert len({tuple(one.limits.values()) for one in terms}) > 10


def test_whether_the_cover_has_ended_changes_no_other_term() -> None:
    holds, ended = (draw_terms(new_company(3), apart="CC-900", ended=over) for over in (False, True))

    assert (holds.ended, ended.ended) == (False, True)
    assert (holds.now, holds.before, holds.limits, holds.window_days) == (
        ended.now,
        ended.before,
        ended.limits,
        ended.window_days,
    )


def test_the_agent_reports_to_the_boss_who_reports_to_the_absent_head() -> None:
    company = new_company(0)

    _, people = hired(company)

    manager = {row["id"]: row["manager"] for row in company.rows["datahub"]["people"]}
    assert manager[people.me.id] == people.boss.id
    assert manager[people.boss.id] == people.head.id


def test_three_heads_of_unit_sit_in_three_teams() -> None:
    _, people = hired(new_company(0))

    heads = (people.head, people.second, people.keeper)
    assert len({person.role for person in heads}) == 1
    assert len({person.team for person in heads}) == 3


@pytest.mark.parametrize("service", ["datahub", "approvalflow"])
def test_the_directory_delegates_every_type_to_the_agent_and_shows_no_limit(service: str) -> None:
    company = new_company(0)

    _, people = hired(company)

    entry = company.row(service, "people", people.head.id)
    assert entry["delegate"] == people.me.id
    assert set(entry["delegate_types"]) == set(TYPES)
    assert entry["delegate_limit"] is None


def test_only_the_head_is_away_and_stays_away_beyond_today() -> None:
    for seed in SEEDS:
        company = new_company(seed)
        _, people = hired(company)

        [absence] = company.rows["datahub"]["absences"]
        assert absence["person_id"] == people.head.id
        assert company.start - 30 * HOUR <= absence["starts_at"] < company.start
        assert absence["ends_at"] >= company.start + DAY
        away = [row["id"] for row in company.rows["approvalflow"]["people"] if row["away"]]
        assert away == [people.head.id]
