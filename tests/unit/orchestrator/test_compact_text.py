"""Compact observations leave out what says nothing, and no news."""

from companyos.sdk.simtime import to_iso
from orchestrator.agent.compact_text import OwnChange, compact_result_text

NOW = 600
TICKET = {"id": "TD-1", "title": "Order a lamp", "priority": "high", "assignee": None, "version": 2}
BEFORE = {"id": "TD-1", "title": "Order a lamp", "priority": None, "assignee": "ann.lee", "version": 1}


def test_null_and_empty_values_are_not_shown_and_zero_and_false_are() -> None:
    value = {
        "a": None,
        "b": [],
        "c": {},
        "d": "",
        "e": 0,
        "f": False,
        "g": {"h": [None], "i": None},
        "j": 85.0,
    }

    assert compact_result_text(value) == "e: 0\nf: false\ng: {h: [null]}\nj: 85"


def test_whole_minutes_are_shown_without_seconds() -> None:
    value = {
        "due_at": "2030-01-01T00:10:00Z",
        "at": "2030-01-01T00:10:05Z",
        "text": "By 2030-01-01T00:10:00Z.",
    }

    assert compact_result_text(value).splitlines() == [
        "due_at: 2030-01-01T00:10Z",
        "at: 2030-01-01T00:10:05Z",
        "text: By 2030-01-01T00:10:00Z.",
    ]


def test_several_objects_are_a_table_and_a_whole_page_is_not_counted() -> None:
    items = [{"id": "A", "note": "one"}, {"id": "B", "note": None, "size": 2}]

    assert compact_result_text({"items": items, "total": 2, "next_cursor": None}).splitlines() == [
        "items:",
        "  id | note | size",
        "  A | one | ",
        "  B |  | 2",
    ]
    assert "total: 9\nnext_cursor: B" in compact_result_text({"items": items, "total": 9, "next_cursor": "B"})


def test_a_change_shows_its_news_and_what_it_emptied() -> None:
    change = OwnChange({"ticket_id": "TD-1", "priority": "high"}, BEFORE, NOW)
    times = {"updated_at": to_iso(NOW), "due_at": to_iso(NOW + 60)}

    text = compact_result_text({**TICKET, **times}, change)

    assert text == "id: TD-1\nversion: 2\ndue_at: 2030-01-01T00:11Z\nassignee: null"


def test_a_new_object_shows_all_that_the_agent_did_not_say() -> None:
    change = OwnChange({"title": "Order a lamp"}, {}, NOW)

    assert compact_result_text(TICKET, change) == "id: TD-1\npriority: high\nversion: 2"


def test_instants_are_compared_with_those_of_the_row() -> None:
    change = OwnChange({}, {"made_at": 60, "sent_at": 60}, NOW)

    assert compact_result_text({"id": "A", "made_at": to_iso(60), "sent_at": to_iso(120)}, change) == (
        "id: A\nsent_at: 2030-01-01T00:02Z"
    )
