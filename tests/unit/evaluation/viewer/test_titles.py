"""Titles of records, from what agents read and what steps wrote."""

from companyos.evaluation.viewer.titles import titled, titles_of

from .records import step, wrote


def test_titles_are_those_last_read_or_written() -> None:
    listed = {
        "items": [{"id": "TD-1", "title": "Old"}, {"id": "V-3", "name": "Keystone", "owner": {"id": "a.b"}}]
    }
    read = step(1, observation={"text": "", "error": None, "result": listed})
    written = step(
        2,
        observation={"text": "", "error": None, "result": None},
        changes=[
            wrote("ticketdesk", "tickets", "TD-1", {"id": "TD-1", "title": "New"}, "s2"),
            wrote("ticketdesk", "links", "L-1", None, "s2"),
        ],
    )

    assert titles_of([read, written]) == {"TD-1": "New", "V-3": "Keystone"}


def test_an_identifier_without_a_title_stands_alone() -> None:
    titles = {"TD-1": "Onboard Keystone"}

    assert (titled("TD-1", titles), titled("TD-2", titles)) == ("Onboard Keystone (TD-1)", "TD-2")
