"""Rows before and after, as far as a trace knows them."""

from companyos.evaluation.viewer.changes import FieldChange, RowHistory

from .records import wrote


def test_a_row_seen_for_the_first_time_shows_what_it_holds() -> None:
    row = {"id": "TD-1", "status": "open", "assignee": None, "links": []}

    (change,) = RowHistory().changes([wrote("ticketdesk", "tickets", "TD-1", row, "s1")])

    assert not change.is_known
    assert change.fields == (FieldChange("id", None, "TD-1"), FieldChange("status", None, "open"))


def test_rows_of_the_same_id_in_two_services_are_two_rows() -> None:
    history = RowHistory()
    history.changes([wrote("ticketdesk", "tickets", "TD-1", {"status": "open"}, "s1")])

    (change,) = history.changes([wrote("approvalflow", "tickets", "TD-1", {"status": "open"}, "s1")])

    assert not change.is_known


def test_a_removed_row_is_told_as_such_and_may_come_again() -> None:
    history = RowHistory()
    history.changes([wrote("datahub", "grants", "G-1", {"held": True}, "s1")])

    (gone,) = history.changes([wrote("datahub", "grants", "G-1", None, "s2")])
    (back,) = history.changes([wrote("datahub", "grants", "G-1", {"held": True}, "s3")])

    assert (gone.is_removed, gone.fields) == (True, ())
    assert (back.is_removed, back.fields) == (False, (FieldChange("held", None, True),))
