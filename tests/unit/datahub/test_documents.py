"""The sections of a document, and the line of it that a search shows: all of a short one, the best part of a long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.datahub.documents.domain import sections, snippet

LONGEST = 200
#: A line of a hundred words that a query does not contain.
FILLER = "filler " * 100
lines = st.lists(
    st.sampled_from(["# Rooms", "## Trains", "rooms cost", "trains are late", "", "  "]), max_size=9
)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("# A", "A"),
        ("###### A", "A"),
        ("#  A and B  ##", "A and B"),
        ("# A #1", "A #1"),
        ("#\tA", "A"),
    ],
)
def test_a_heading_is_one_to_six_hashes_and_a_name(heading: str, name: str) -> None:
    assert [one.name for one in sections(f"{heading}\ntext")] == [name]


@pytest.mark.parametrize("line", ["#A", "####### A", " # A", "#", "# ", "A #", "- # A"])
def test_lines_that_resemble_headings_begin_no_section(line: str) -> None:
    assert sections(f"{line}\ntext") == []


def test_a_section_holds_its_heading_and_no_blank_lines_around_it() -> None:
    found = sections("before\n# A\n\nfirst\n\n\n# B\nsecond\n")

    assert [one.text for one in found] == ["# A\n\nfirst", "# B\nsecond"]


def test_a_section_ends_before_a_heading_above_it_even_if_one_below_came_between() -> None:
    found = {one.name: one.text for one in sections("## A\n### B\nb\n# C\nc")}

    assert found == {"A": "## A\n### B\nb", "B": "### B\nb", "C": "# C\nc"}


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("room manager", "Rooms need a manager."),
        ("hotels", "Book hotels early."),
        ("ROOMS", "Rooms need a manager."),
        ("unheard of", "Book hotels early."),
        ("managerial approval", "Rooms need a manager."),
    ],
)
def test_a_snippet_is_the_first_line_with_most_words_in_any_case_and_form(query: str, shown: str) -> None:
    assert snippet("Book hotels early.\nRooms need a manager.\nRooms are warm.", query) == shown


@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST])
def test_a_line_of_two_hundred_characters_is_shown_whole(length: int) -> None:
    line = "x" * (length - 7) + " hotels"

    assert snippet(line, "hotels") == line


def test_a_longer_line_is_cut_shortly_before_the_first_wanted_word() -> None:
    shown = snippet(FILLER + "retention is ten years. " + FILLER, "retention")

    assert len(shown) <= LONGEST
    assert shown.index("retention") == LONGEST // 4 - len("r") or shown.startswith("filler")
    assert "retention is ten years." in shown


def test_words_are_compared_by_their_first_five_letters() -> None:
    body = "appro\napprentice"

    assert snippet(body, "approval") == "appro"
    assert snippet(body, "apprentices") == "apprentice"


@given(lines, st.sampled_from(["rooms", "trains", "rooms trains", "nothing"]))
def test_a_snippet_is_a_line_of_its_text_and_no_other_line_has_more_of_the_query(
    body: list[str], query: str
) -> None:
    shown = snippet("\n".join(body), query)

    eligible = [line.strip() for line in body if line.strip() and not line.startswith("#")]
    hits = {line: len(set(query.split()) & set(line.split())) for line in eligible}
    assert shown in (eligible or [""])
    assert hits.get(shown, 0) == max(hits.values(), default=0)


@given(lines)
def test_sections_of_one_level_are_the_text_from_the_first_heading_on(body: list[str]) -> None:
    flat = [line.replace("##", "#") for line in body]
    found = sections("\n".join(flat))

    names = [line[2:] for line in flat if line.startswith("# ")]
    assert [one.name for one in found] == list(dict.fromkeys(names))
    assert all(one.text.startswith(f"# {one.name}") for one in found)


@given(st.lists(st.sampled_from(["# A", "## B", "### C", "text", ""]), max_size=12))
def test_every_section_is_a_part_of_its_text(lines: list[str]) -> None:
    body = "\n".join(lines)

    assert all(part.text in body and part.text.startswith("#") for part in sections(body))


@given(st.text(), st.text())
def test_any_text_has_a_snippet_of_at_most_200_characters(body: str, q: str) -> None:
    assert len(snippet(body, q)) <= 200
