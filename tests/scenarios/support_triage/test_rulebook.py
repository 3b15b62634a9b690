"""The rules of a support desk: how they are drawn, and that the handbook's chapter states all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import MINUTE
from scenarios.support_triage.content import DEFECTS, FAILURE, PRIORITIES, QUESTIONS, QUEUES, SERVICES, TIERS
from scenarios.support_triage.reading import ABOUT, Chapter, read_chapter
from scenarios.support_triage.rulebook import FROZEN, URGENCIES, Rulebook, answer_s, draw, handbook

BOTH = ("Export North", "Export South")
SEEDS = range(60)
TOPICS = (*(topic.id for topic in QUESTIONS), "exports", "down", "defect")

seeds = st.integers(0, 10_000)
rulebooks = st.builds(
    Rulebook,
    st.fixed_dictionaries(
        {(tier, urgency): st.sampled_from(PRIORITIES) for tier in TIERS for urgency in URGENCIES}
    ),
    st.fixed_dictionaries({topic: st.sampled_from(sorted(QUEUES)) for topic in TOPICS}),
    st.integers(1, 99),
)


def drawn(seed: int) -> tuple[Rulebook, Rulebook]:
    return draw(Draws("rules", seed))


def read(rules: Rulebook) -> Chapter:
    return read_chapter(handbook(rules, BOTH))


@given(rules=rulebooks)
def test_priority_matrix_is_read_from_the_chapter_as_drawn(rules: Rulebook) -> None:
    assert read(rules).matrix == rules.matrix


@given(rules=rulebooks)
def test_queues_are_read_from_the_chapter_as_drawn(rules: Rulebook) -> None:
    chapter = read(rules)

    assert [chapter.queue(about) for about in ABOUT.values()] == [
        rules.takers[topic.id] for topic in QUESTIONS
    ]
    assert chapter.queue("exports", "service up") == rules.takers["exports"]
    assert chapter.queue("exports", "service down") == rules.takers["down"]
    assert chapter.queue("defect") == rules.takers["defect"]


@given(rules=rulebooks)
def test_the_limit_the_code_and_the_service_levels_are_read_as_they_are(rules: Rulebook) -> None:
    chapter = read(rules)

    assert (chapter.limit, chapter.code) == (float(rules.limit), FROZEN)
    assert chapter.answer_s == answer_s()


@given(first=st.sampled_from(SERVICES), second=st.sampled_from(SERVICES))
def test_the_two_services_are_read_in_their_order(first: str, second: str) -> None:
    rules, _ = drawn(0)

    assert read_chapter(handbook(rules, (first, second))).services == (first, second)


@given(seed=seeds)
def test_every_topic_has_a_queue_that_exists_and_is_not_intake(seed: int) -> None:
    rules, before = drawn(seed)

    for one in (rules, before):
        assert set(one.takers) == set(TOPICS)
        assert set(one.takers.values()) <= set(QUEUES) - {"intake"}


@given(seed=seeds)
def test_a_service_that_is_down_has_a_queue_other_than_one_that_is_up(seed: int) -> None:
    for rules in drawn(seed):
        assert rules.takers["down"] != rules.takers["exports"]


@given(seed=seeds)
def test_more_urgency_or_a_higher_tier_never_lowers_a_priority(seed: int) -> None:
    order = {priority: rank for rank, priority in enumerate(PRIORITIES)}

    for rules in drawn(seed):
        for tier in TIERS:
            ranks = [order[rules.priority(tier, urgency)] for urgency in URGENCIES]
            assert ranks == sorted(ranks)
        for urgency in URGENCIES:
            ranks = [order[rules.priority(tier, urgency)] for tier in TIERS]
            assert ranks == sorted(ranks)


@given(seed=seeds)
def test_the_previous_rules_share_only_the_limit(seed: int) -> None:
    rules, before = drawn(seed)

    assert rules.limit == before.limit
    assert rules.matrix != before.matrix
    assert all(rules.takers[topic] != before.takers[topic] for topic in TOPICS)


@given(seed=seeds)
def test_a_premium_customer_whose_service_is_down_is_always_urgent(seed: int) -> None:
    assert all(rules.priority("premium", "critical") == "urgent" for rules in drawn(seed))


def test_every_matrix_and_every_limit_is_drawn() -> None:
    rules = [drawn(seed)[0] for seed in SEEDS]

    assert len({tuple(one.matrix.values()) for one in rules}) == 4
    assert {one.limit for one in rules} == set(range(4, 10))


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_are_not_always_taken_by_one_queue(topic: str) -> None:
    assert len({drawn(seed)[0].takers[topic] for seed in SEEDS}) >= 2


@pytest.mark.parametrize("priority", PRIORITIES)
def test_a_higher_tier_is_answered_a_quarter_of_an_hour_sooner(priority: str) -> None:
    premium, plus, standard = (answer_s()[tier, priority] for tier in TIERS)

    assert standard - plus == plus - premium == 15 * MINUTE


def test_a_wrong_tier_and_a_wrong_priority_have_another_deadline() -> None:
    levels = answer_s()

    assert set(levels) == {(tier, priority) for tier in TIERS for priority in PRIORITIES}
    for priority in PRIORITIES:
        assert len({levels[tier, priority] for tier in TIERS}) == len(TIERS)
    for tier in TIERS:
        assert len({levels[tier, priority] for priority in PRIORITIES}) == len(PRIORITIES)


def test_the_chapter_names_the_topics_in_the_words_by_which_they_are_looked_up() -> None:
    rules, _ = drawn(0)
    routes = read(rules).routes

    about = [topic.about for topic in (*QUESTIONS, FAILURE, FAILURE)]
    assert all(row.startswith(name) for row, name in zip(list(routes)[: len(about)], about, strict=True))
    assert all(defect.about in list(routes)[-1] for defect in DEFECTS)


def test_two_editions_of_the_chapter_read_alike_but_for_their_tables() -> None:
    rules, before = drawn(0)

    now, then = (
        [line for line in handbook(one, BOTH).splitlines() if not line.startswith("|")]
        for one in (rules, before)
    )

    assert now == then
