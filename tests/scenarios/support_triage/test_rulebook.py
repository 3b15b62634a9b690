"""The rules of a support desk: how they are drawn and read back, and the outcome that they give a ticket."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import HOUR, MINUTE
from scenarios.support_triage.content import (
    CHATTER,
    DEFECTS,
    FAILURE,
    PRIORITIES,
    QUESTIONS,
    QUEUES,
    SHOUTS,
    TIERS,
    VAGUE,
    Topic,
)
from scenarios.support_triage.pack import wording
from scenarios.support_triage.reading import ABOUT, SEARCHES, read_chapter, section, thing_of
from scenarios.support_triage.reading import DEFECTS as DEFECT_WORDS
from scenarios.support_triage.rulebook import FROZEN, URGENCIES, Rulebook, answer_s, draw, handbook

from .mornings import ARRIVED, LIBRARY, NORTH, SOUTH, answering, built, rulebook, support_case

BOTH = ("Export North", "Export South")
TOPICS = (*(topic.id for topic in QUESTIONS), "exports", "down", "defect")
INVOICES, CARDS = QUESTIONS[0], QUESTIONS[1]
IMPORTS, CALENDARS = DEFECTS
COMPANY = built().company
RULES = rulebook(plus_minor="high", plus_normal="medium", plus_critical="urgent", premium_minor="medium")

rulebooks = st.builds(
    Rulebook,
    st.fixed_dictionaries(
        {(tier, urgency): st.sampled_from(PRIORITIES) for tier in TIERS for urgency in URGENCIES}
    ),
    st.fixed_dictionaries({topic: st.sampled_from(sorted(QUEUES)) for topic in TOPICS}),
    st.integers(1, 99),
)


@given(rules=rulebooks)
def test_the_chapter_is_read_as_the_rules_were_drawn(rules: Rulebook) -> None:
    chapter = read_chapter(handbook(rules, BOTH))

    queues = [chapter.queue(about) for about in ABOUT.values()]
    assert chapter.matrix == rules.matrix
    assert queues == [rules.takers[topic.id] for topic in QUESTIONS]
    assert chapter.queue("exports", "service up") == rules.takers["exports"]
    assert chapter.queue("exports", "service down") == rules.takers["down"]
    assert chapter.queue("defect") == rules.takers["defect"]
    assert (chapter.limit, chapter.code, chapter.services) == (float(rules.limit), FROZEN, BOTH)
    assert chapter.answer_s == answer_s()


@given(seed=st.integers(0, 10_000))
def test_drawn_rules_rank_by_tier_and_urgency_and_the_previous_ones_route_otherwise(seed: int) -> None:
    order = {priority: rank for rank, priority in enumerate(PRIORITIES)}
    rules, before = draw(Draws("rules", seed))

    for one in (rules, before):
        assert {*one.takers.values()} <= {*QUEUES} - {"intake"}
        assert one.takers["down"] != one.takers["exports"]
        assert one.priority("premium", "critical") == "urgent"
        table = [[order[one.priority(tier, urgency)] for urgency in URGENCIES] for tier in TIERS]
        assert all(ranks == sorted(ranks) for ranks in (*table, *map(list, zip(*table, strict=True))))
    assert rules.limit == before.limit
    assert rules.matrix != before.matrix
    assert all(rules.takers[topic] != before.takers[topic] for topic in TOPICS)


def test_every_matrix_limit_and_queue_is_drawn() -> None:
    drawn = [draw(Draws("rules", seed))[0] for seed in range(60)]

    assert len({tuple(one.matrix.values()) for one in drawn}) == 4
    assert {one.limit for one in drawn} == {*range(4, 10)}
    assert all(len({one.takers[topic] for one in drawn}) >= 2 for topic in TOPICS)


def test_a_wrong_tier_or_priority_has_another_deadline_and_all_leave_time_for_the_rates() -> None:
    levels = answer_s()

    assert all(len({levels[tier, priority] for tier in TIERS}) == len(TIERS) for priority in PRIORITIES)
    assert all(len({levels[tier, one] for one in PRIORITIES}) == len(PRIORITIES) for tier in TIERS)
    assert min(levels.values()) > 2 * HOUR
    assert (levels["standard", "urgent"], levels["premium", "medium"]) == (210 * MINUTE, 200 * MINUTE)


@pytest.mark.parametrize(
    ("sort", "topic", "tier", "served_by", "outcome"),
    [
        ("question", INVOICES, "plus", NORTH, ("billing", "high", "DOC-invoices", None, None)),
        ("question", CARDS, "plus", NORTH, ("care", "high", LIBRARY.articles[CARDS.id], None, None)),
        ("question", INVOICES, "premium", NORTH, ("billing", "medium", "DOC-invoices", None, None)),
        ("question", INVOICES, "standard", NORTH, ("billing", "low", "DOC-invoices", None, None)),
        ("failure", FAILURE, "plus", NORTH, ("platform", "urgent", "DOC-NORTH", "TD-801", "call.platform")),
        ("failure", FAILURE, "plus", SOUTH, ("integrations", "medium", "DOC-exports", None, None)),
        ("defect", CALENDARS, "plus", NORTH, ("engineering", "medium", "DOC-ISSUES", None, None)),
        ("fixed", IMPORTS, "plus", NORTH, (None, None, "DOC-NOTES", None, None)),
        ("vague", None, "plus", NORTH, (None, None, None, None, None)),
        ("duplicate", None, "plus", NORTH, (None, None, None, None, None)),
    ],
)
def test_a_ticket_has_the_outcome_that_the_rules_give_it_while_one_service_is_down(
    sort: str, topic: Topic | None, tier: str, served_by: str, outcome: tuple[str | None, ...]
) -> None:
    case = support_case(sort, topic, tier, served_by)

    found = answering(RULES, NORTH).settled(case)

    assert (found.queue, found.priority, found.document, found.relates, found.assignee) == outcome
    assert case.is_answered == (sort not in ("vague", "duplicate"))
    if sort in ("question", "fixed", "defect"):
        priority = RULES.priority(tier, "minor" if sort == "question" else "normal")
        assert found.due == ARRIVED + answer_s()[tier, priority]


def test_each_service_that_is_down_has_its_own_notice_and_incident() -> None:
    cases = [support_case("failure", FAILURE, served_by=service) for service in (NORTH, SOUTH)]

    found = [answering(RULES, NORTH, SOUTH).settled(case) for case in cases]

    assert [(one.document, one.relates) for one in found] == [
        ("DOC-NORTH", "TD-801"),
        ("DOC-SOUTH", "TD-802"),
    ]


@pytest.mark.parametrize("topic", [*QUESTIONS, FAILURE, *DEFECTS], ids=lambda topic: topic.id)
def test_the_subject_of_a_ticket_is_read_whatever_the_wording(topic: Topic) -> None:
    for number in range(1000, 1060):
        thing = f"{topic.prefix}-{number}"
        title, text = wording(COMPANY, topic, thing, f"{number}")

        assert thing_of({"title": title, "description": text}) == (topic.prefix, thing)


def test_vague_tickets_and_prose_that_resembles_a_number_have_no_subject() -> None:
    prose = ("Since 2024-05 nothing works", "Error HTTP-500", "Our number is INV-12345", "inv-1234", "A-1234")

    for title, text in (*VAGUE, *((one, one) for one in (*SHOUTS, *CHATTER, *prose))):
        assert thing_of({"title": title, "description": text}) is None


@pytest.mark.parametrize("topic", [*QUESTIONS, FAILURE], ids=lambda topic: topic.id)
def test_the_article_of_a_topic_has_all_words_of_its_search_and_no_other_article_has(topic: Topic) -> None:
    words = SEARCHES[topic.prefix].casefold().split()

    found = [
        one.id
        for one in (*QUESTIONS, FAILURE)
        if all(word in f"{one.article} {one.advice}".casefold() for word in words)
    ]

    assert found == [topic.id]


def test_a_defect_is_told_by_a_word_of_its_own_notes_in_its_own_section() -> None:
    body = "## Fixed\n\nCalendar dates are a day off.\n\n## Changed\n\nImports are quicker.\n"

    for one, other in ((IMPORTS, CALENDARS), (CALENDARS, IMPORTS)):
        assert DEFECT_WORDS[one.prefix] in one.advice
        assert DEFECT_WORDS[one.prefix] not in other.advice
    assert DEFECT_WORDS["CAL"] in section(body, "Fixed")
    assert DEFECT_WORDS["IMP"] not in section(body, "Fixed")
    assert section(body, "Open") == ""
