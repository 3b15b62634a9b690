"""Reading tickets, contracts and the handbook: what the writer writes is understood, and other prose is not."""

import pytest

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, from_iso
from scenarios.support_triage.content import CHATTER, DEFECTS, FAILURE, QUESTIONS, SHOUTS, TIERS, VAGUE, Topic
from scenarios.support_triage.pack import add_contract, wording
from scenarios.support_triage.reading import (
    ABOUT,
    SEARCHES,
    effective_at,
    read_chapter,
    section,
    thing_of,
    tier_of,
)
from scenarios.support_triage.reading import DEFECTS as DEFECT_WORDS
from scenarios.support_triage.rulebook import draw, handbook

from .mornings import SEEDS, built

TOPICS = (*QUESTIONS, FAILURE, *DEFECTS)
COMPANY = built().company
CHAPTER = handbook(draw(Draws("reading", 0))[0], ("Export North", "Export South"))


def said(title: str, description: str = "") -> dict[str, str]:
    return {"title": title, "description": description}


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
def test_topic_of_a_ticket_is_read_whatever_the_wording(topic: Topic) -> None:
    for number in range(1000, 1060):
        thing = f"{topic.prefix}-{number}"
        title, text = wording(COMPANY, topic, thing, f"{number}")

        assert thing_of(said(title, text)) == (topic.prefix, thing)


@pytest.mark.parametrize(("title", "text"), [*VAGUE, *((one, one) for one in (*SHOUTS, *CHATTER))])
def test_vague_tickets_have_no_topic(title: str, text: str) -> None:
    assert thing_of(said(title, text)) is None


@pytest.mark.parametrize(
    "prose",
    [
        "Since 2024-05 nothing works",
        "Error HTTP-500",
        "Our number is INV-12345",
        "INV-123",
        "inv-1234",
        "INV 1234",
        "A-1234",
        "ABCDE-1234",
    ],
)
def test_prose_that_only_resembles_a_number_names_nothing(prose: str) -> None:
    assert thing_of(said(prose, prose)) is None


def test_the_title_counts_before_the_text() -> None:
    assert thing_of(said("About INV-1234", "and not about KEY-9999")) == ("INV", "INV-1234")


def test_the_text_counts_if_the_title_names_nothing() -> None:
    assert thing_of(said("A question", "How do we rotate KEY-9999?")) == ("KEY", "KEY-9999")


def test_shouting_does_not_hide_the_subject() -> None:
    assert thing_of(said("URGENT: Invoice INV-1234, please")) == ("INV", "INV-1234")


@pytest.mark.parametrize("tier", TIERS)
def test_the_tier_of_a_contract_is_read_as_it_was_written(tier: str) -> None:
    desk = built()
    account = {"id": "ACC-1", "name": "Aldgate Foods"}

    contract = add_contract(desk.company, account, tier, desk.cast.author, age_s=DAY)

    assert tier_of(contract) == tier


def test_a_contract_without_a_tier_is_an_error_and_no_guess() -> None:
    with pytest.raises(LookupError, match="nothing like"):
        tier_of({"body": "The support is premium."})


@pytest.mark.parametrize(
    ("effective_from", "at"),
    [(None, "2030-03-01T08:00:00Z"), ("2030-03-09T00:00:00Z", "2030-03-09T00:00:00Z")],
    ids=["when-written", "when-it-says"],
)
def test_a_document_takes_effect_when_it_says_and_otherwise_when_written(
    effective_from: str | None, at: str
) -> None:
    document = {"written_at": "2030-03-01T08:00:00Z", "effective_from": effective_from}

    assert effective_at(document) == from_iso(at)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("## Fixed\n\nImports.\n\n## Changed\n\nMenus.\n", "\nImports.\n"),
        ("## Fixed\n\nImports.\n", "\nImports.\n"),
        ("## Fixed\n### Part\nImports.\n## Changed\n", "### Part\nImports."),
        ("## Changed\n\nFixed menus.\n", ""),
        ("", ""),
    ],
    ids=["before-another", "last", "with-a-part", "not-there", "empty"],
)
def test_a_section_reaches_from_its_heading_to_the_next(body: str, text: str) -> None:
    assert section(body, "Fixed") == text


def test_fixed_and_changed_sections_of_a_release_are_separate() -> None:
    body = "## Fixed\n\nCalendar dates are a day off.\n\n## Changed\n\nImports are quicker.\n"

    assert DEFECT_WORDS["CAL"] in section(body, "Fixed")
    assert DEFECT_WORDS["IMP"] not in section(body, "Fixed")


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.id)
def test_a_defect_is_told_by_a_word_of_its_own_notes_alone(defect: Topic) -> None:
    [other] = [one for one in DEFECTS if one != defect]

    assert DEFECT_WORDS[defect.prefix] in defect.advice
    assert DEFECT_WORDS[defect.prefix] not in other.advice


@pytest.mark.parametrize("topic", [*QUESTIONS, FAILURE], ids=lambda topic: topic.id)
def test_the_article_of_a_topic_has_all_words_of_its_search_and_no_other_article_has(topic: Topic) -> None:
    words = SEARCHES[topic.prefix].casefold().split()

    found = [
        one.id
        for one in (*QUESTIONS, FAILURE)
        if all(word in f"{one.article} {one.advice}".casefold() for word in words)
    ]

    assert found == [topic.id]


def test_every_question_has_a_search_and_a_row_in_the_handbook() -> None:
    assert set(SEARCHES) == {topic.prefix for topic in (*QUESTIONS, FAILURE)}
    assert set(ABOUT) == {topic.prefix for topic in QUESTIONS}
    assert set(DEFECT_WORDS) == {defect.prefix for defect in DEFECTS}


def test_a_row_has_to_have_all_the_words() -> None:
    chapter = read_chapter(CHAPTER)

    with pytest.raises(StopIteration):
        chapter.queue("exports", "service asleep")


def test_the_ruler_under_the_head_of_a_table_is_no_row() -> None:
    chapter = read_chapter(CHAPTER)

    assert not any(set(about) <= {"-"} for about in chapter.routes)
    assert len(chapter.routes) == len(QUESTIONS) + 3


@pytest.mark.parametrize("lost", ["Exports run on ", " % is down", "with the code "])
def test_a_chapter_that_leaves_something_out_is_an_error_and_no_guess(lost: str) -> None:
    with pytest.raises(LookupError, match="nothing like"):
        read_chapter(CHAPTER.replace(lost, ""))


def test_a_table_with_a_cell_missing_is_an_error_and_no_guess() -> None:
    [line] = [one for one in CHAPTER.splitlines() if one.startswith("| premium | ") and "min" not in one]

    with pytest.raises(ValueError, match="zip"):
        read_chapter(CHAPTER.replace(line, line.rpartition("|")[0].rpartition("|")[0] + "|"))


def test_the_chapters_of_every_drawn_desk_are_read() -> None:
    for seed in SEEDS:
        desk = built(seed)
        library = desk.written()
        chapter = read_chapter(desk.company.row("datahub", "documents", library.handbook)["body"])

        assert chapter.matrix == desk.rules.matrix
        assert chapter.services == tuple(desk.services.names.values())
