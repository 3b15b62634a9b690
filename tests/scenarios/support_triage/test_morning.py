"""The drawn mornings: which tickets occur, what others do about them, and what is only there to mislead."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.company import Row
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import MINUTE
from scenarios.support_triage.cases import CHANGED, NUDGED, TAKEN, WITHDRAWN
from scenarios.support_triage.content import (
    CHATTER,
    FAILURE,
    PRIORITIES,
    QUESTIONS,
    QUEUES,
    SHOUTS,
    TIERS,
    Topic,
)
from scenarios.support_triage.reading import read_chapter, thing_of, tier_of
from scenarios.support_triage.rulebook import URGENCIES, Rulebook, answer_s, draw, handbook
from scenarios.support_triage.scenario import SCENARIO
from tests.scenarios.conftest import instance_of

from .worked import morning

SEEDS = range(0, 48, 2)
TOPICS = (*(topic.id for topic in QUESTIONS), "exports", "down", "defect")
RULEBOOKS = st.builds(
    Rulebook,
    st.fixed_dictionaries({(tier, one): st.sampled_from(PRIORITIES) for tier in TIERS for one in URGENCIES}),
    st.fixed_dictionaries({topic: st.sampled_from(sorted(QUEUES)) for topic in TOPICS}),
    st.integers(1, 99),
)


@given(rules=RULEBOOKS)
def test_the_chapter_is_read_as_the_rules_were_drawn(rules: Rulebook) -> None:
    chapter = read_chapter(handbook(rules, ("Export North", "Export South")))

    assert (chapter.matrix, chapter.answer_s, chapter.limit) == (rules.matrix, answer_s(), rules.limit)
    assert [chapter.queue(one.about) for one in QUESTIONS] == [rules.takers[one.id] for one in QUESTIONS]
    assert chapter.queue("exports", "service up") == rules.takers["exports"]
    assert chapter.queue("exports", "service down") == rules.takers["down"]
    assert chapter.queue("defect") == rules.takers["defect"]


@given(seed=st.integers(0, 10_000))
def test_drawn_rules_rank_by_tier_and_urgency_and_the_previous_ones_route_otherwise(seed: int) -> None:
    rules, before = draw(Draws("rules", seed))

    for one in (rules, before):
        table = [[PRIORITIES.index(one.matrix[tier, how]) for how in URGENCIES] for tier in TIERS]
        assert all(ranks == sorted(ranks) for ranks in (*table, *map(list, zip(*table, strict=True))))
    assert rules.matrix != before.matrix
    assert all(rules.takers[topic] != before.takers[topic] for topic in TOPICS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_morning_has_a_duplicate_a_look_alike_and_a_failure_of_each_service(seed: int) -> None:
    start, facts = morning(seed).start, morning(seed).facts
    asked = [case.topic for case in facts.cases if case.sort == "question"]
    [again] = [case for case in facts.cases if case.sort == "duplicate"]
    [first] = [case for case in facts.cases if case.ticket_id == again.into]
    things = [case.thing for case in facts.cases if case.sort not in ("duplicate", "vague")]

    failing = sorted(case.account["fields"]["served_by"] for case in facts.cases if case.sort == "failure")
    assert failing == sorted(facts.services.names)
    assert len({*asked}) == len(asked) - 1
    assert (again.thing, again.account, again.topic) == (first.thing, first.account, first.topic)
    assert first.at < start < again.at <= start + 150 * MINUTE
    assert len(things) == len({*things})
    for case in facts.cases:
        found = thing_of({"title": case.title, "description": case.text})
        assert (found[1] if found else "") == case.thing


def test_a_look_alike_is_about_another_thing_even_if_numbers_are_drawn_alike(
    draw_alike: Callable[[str], None],
) -> None:
    draw_alike("thing")

    things = [case.thing for case in instance_of(SCENARIO, 4).facts.cases if case.sort == "question"]

    assert len(things) == len({*things})


def test_interventions_of_every_kind_come_after_their_ticket_and_concern_one_without_a_twin() -> None:
    kinds: Counter[str] = Counter()
    late = 0
    for seed in SEEDS:
        start, all_cases = morning(seed).start, morning(seed).facts.cases
        moved = [(case, case.intervention) for case in all_cases if case.intervention]
        kinds.update(intervention.kind for _, intervention in moved)
        late += any(case.is_due_first for case, _ in moved)
        assert 1 <= len(moved) <= 4
        for case, intervention in moved:
            assert max(case.at, start) < intervention.at < start + 210 * MINUTE
            assert case.topic not in [one.topic for one in all_cases if one is not case]
            if case.has(TAKEN) and case.at <= start:
                assert intervention.at < start + 15 * MINUTE
    assert kinds[CHANGED] > kinds[NUDGED]
    assert {*kinds} == {TAKEN, CHANGED, WITHDRAWN, NUDGED}
    assert late > 0.6 * len(SEEDS)


def documents(seed: int, kind: str) -> list[Row]:
    return [row for row in morning(seed).rows["datahub"]["documents"] if row["kind"] == kind]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_edition_that_applies_states_the_tier_and_no_other_edition_does(seed: int) -> None:
    facts, start = morning(seed).facts, morning(seed).start
    renewed = {case.account["id"] for case in facts.cases if case.tier != case.account["fields"]["tier"]}

    for case in facts.cases:
        for row in documents(seed, "contract"):
            if case.account["id"] in row["links"]:
                assert (tier_of(row) == case.tier) is (row["id"] == case.contract)
        [applying] = [row for row in documents(seed, "contract") if row["id"] == case.contract]
        assert applying["status"] == "in_force"
        assert int(applying["effective_from"] or applying["written_at"]) <= start
    assert len(renewed) == 1


@pytest.mark.parametrize("kind", ["handbook", "article", "release_notes", "known_issues"])
def test_other_editions_of_the_documents_that_count_say_something_else(kind: str) -> None:
    for seed in SEEDS:
        support = [row for row in documents(seed, kind) if row["department"] == "support"]
        in_force = {row["title"]: row for row in support if row["status"] == "in_force"}
        others = [row for row in support if row["status"] != "in_force"]
        assert others
        assert all(in_force.get(row["title"], {"body": ""})["body"] != row["body"] for row in others)


@pytest.mark.parametrize("topic", [*QUESTIONS, FAILURE], ids=lambda topic: topic.id)
def test_the_article_of_a_topic_has_all_words_of_its_search_and_no_other_article_has(topic: Topic) -> None:
    words = topic.search.casefold().split()

    found = [
        one.id
        for one in (*QUESTIONS, FAILURE)
        if all(word in f"{one.article} {one.advice}".casefold() for word in words)
    ]

    assert found == [topic.id]


def test_prose_that_resembles_a_number_has_no_subject() -> None:
    prose = ("Since 2024-05 nothing works", "Error HTTP-500", "Our number is INV-12345", "inv-1234", "A-1234")

    for text in (*SHOUTS, *CHATTER, *prose):
        assert thing_of({"title": text, "description": text}) is None
