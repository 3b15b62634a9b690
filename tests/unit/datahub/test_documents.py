"""Sections of a text, and the line of it that a search shows."""

from hypothesis import given
from hypothesis import strategies as st

from services.datahub.documents.domain import sections, snippet


def test_a_text_without_headings_has_no_sections() -> None:
    assert sections("One line.\n#no heading\n####### nor this") == []


def test_of_sections_with_equal_names_the_first_counts() -> None:
    found = sections("# A\none\n# A\ntwo")

    assert [(one.name, one.text) for one in found] == [("A", "# A\none")]


def test_a_section_ends_at_the_next_heading_that_is_not_below_it() -> None:
    found = {one.name: one.text for one in sections("# A\n## B\nb\n### C\nc\n## D\nd\n# E ##\ne")}

    assert found["A"] == "# A\n## B\nb\n### C\nc\n## D\nd"
    assert found["B"] == "## B\nb\n### C\nc"
    assert found["E"] == "# E ##\ne"


@given(st.lists(st.sampled_from(["# A", "## B", "### C", "text", ""]), max_size=12))
def test_every_section_is_a_part_of_its_text(lines: list[str]) -> None:
    body = "\n".join(lines)

    assert all(part.text in body and part.text.startswith("#") for part in sections(body))


def test_a_snippet_is_the_line_with_most_words_of_the_query() -> None:
    body = "# Approvals\n\nManagers approve.\nApproved invoices are paid by managers."

    assert snippet(body, "approval of invoices") == "Approved invoices are paid by managers."


def test_a_snippet_of_a_long_line_shows_the_first_word_found() -> None:
    shown = snippet("filler " * 100 + "retention " + "filler " * 100, "retention")

    assert "retention" in shown
    assert len(shown) <= 200


@given(st.text(), st.text())
def test_any_text_has_a_snippet_of_at_most_200_characters(body: str, q: str) -> None:
    assert len(snippet(body, q)) <= 200
