"""Committed state: base rows, what changed since, and what a predicate looked at."""

from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.grading.predicates import all_of, any_changed, any_of, row_where
from companyos.sdk.scenario import Base, CompanyState

TICKETS = [
    {"id": "TD-1", "status": "new", "blocked_by": []},
    {"id": "TD-2", "status": "done", "blocked_by": []},
    {"id": "TD-3", "status": "new", "blocked_by": []},
]
ROWS = {"ticketdesk": {"tickets": TICKETS}}


def state_with(*changes: dict[str, object]) -> CompanyState:
    state = CompanyState(ROWS)
    state.apply("ticketdesk", [{"table": "tickets", **change} for change in changes])
    return state


def ids(rows) -> list[str]:
    return [row["id"] for row in rows]


def test_a_view_shows_the_newest_row_of_each_id():
    view = state_with({"id": "TD-1", "row": {**TICKETS[0], "status": "triage"}}).view()

    assert view.row("ticketdesk", "tickets", "TD-1")["status"] == "triage"
    assert view.row("ticketdesk", "tickets", "TD-2") == TICKETS[1]


def test_rows_are_found_by_what_they_equal_now():
    view = state_with(
        {"id": "TD-1", "row": {**TICKETS[0], "status": "done"}},
        {"id": "TD-4", "row": {"id": "TD-4", "status": "new", "blocked_by": []}},
    ).view()

    assert ids(view.rows("ticketdesk", "tickets", status="new")) == ["TD-3", "TD-4"]
    assert ids(view.rows("ticketdesk", "tickets", status="done", id="TD-1")) == ["TD-1"]
    assert ids(view.rows("ticketdesk", "tickets")) == ["TD-1", "TD-2", "TD-3", "TD-4"]


def test_a_removed_row_is_gone_and_still_shown_as_changed():
    view = state_with({"id": "TD-2", "row": None}).view()

    assert view.row("ticketdesk", "tickets", "TD-2") is None
    assert ids(view.rows("ticketdesk", "tickets")) == ["TD-1", "TD-3"]
    assert view.changed("ticketdesk", "tickets") == [TICKETS[1]]


def test_a_row_that_is_as_it_was_has_not_changed():
    view = state_with(
        {"id": "TD-1", "row": {**TICKETS[0], "status": "done"}}, {"id": "TD-1", "row": TICKETS[0]}
    ).view()

    assert view.changed("ticketdesk", "tickets") == []


def test_a_row_that_came_and_went_has_not_changed():
    view = state_with({"id": "TD-9", "row": {"id": "TD-9"}}, {"id": "TD-9", "row": None}).view()

    assert view.changed("ticketdesk", "tickets") == []


def test_the_start_stays_in_view():
    view = state_with({"id": "TD-1", "row": {**TICKETS[0], "status": "done"}}).view()

    assert view.initial.row("ticketdesk", "tickets", "TD-1")["status"] == "new"


def test_a_view_remembers_the_rows_it_showed():
    view = CompanyState(ROWS).view()

    view.row("ticketdesk", "tickets", "TD-2")
    view.row("ticketdesk", "tickets", "TD-404")
    view.rows("ticketdesk", "tickets", status="new")

    assert view.touched == [("ticketdesk", "tickets", number) for number in ("TD-2", "TD-1", "TD-3")]


def test_states_over_one_base_do_not_see_each_other():
    base = Base(ROWS)
    changed, other = CompanyState(base), CompanyState(base)

    changed.apply("ticketdesk", [{"table": "tickets", "id": "TD-1", "row": None}])

    assert changed.view().row("ticketdesk", "tickets", "TD-1") is None
    assert other.view().row("ticketdesk", "tickets", "TD-1") == TICKETS[0]


def test_a_table_nobody_wrote_is_empty():
    view = CompanyState(ROWS).view()

    assert view.rows("datahub", "metrics", name="x") == []
    assert view.row("datahub", "metrics", "MET-1") is None
    assert view.changed("datahub", "metrics") == []


def test_a_copy_and_its_original_go_on_apart():
    original = state_with({"id": "TD-1", "row": {**TICKETS[0], "status": "done"}})
    copy = original.copy()

    original.apply("ticketdesk", [{"table": "tickets", "id": "TD-2", "row": None}])
    copy.apply("ticketdesk", [{"table": "tickets", "id": "TD-3", "row": None}])

    assert ids(original.view().rows("ticketdesk", "tickets")) == ["TD-1", "TD-3"]
    assert ids(copy.view().rows("ticketdesk", "tickets")) == ["TD-1", "TD-2"]


ROW = st.none() | st.fixed_dictionaries(
    {"status": st.sampled_from("abc"), "n": st.none() | st.integers(0, 3)}
)
WRITES = st.tuples(st.sampled_from(["tickets", "history"]), st.sampled_from(["1", "2", "3"]), ROW)
LOOKS = st.sampled_from(["tickets", "history", "links"])


@given(st.lists(WRITES | LOOKS, max_size=12))
def test_looking_in_between_changes_nothing_of_what_is_seen(acts):
    looked, plain = CompanyState(ROWS), CompanyState(ROWS)
    last: dict[tuple[str, str], object] = {}
    for act in acts:
        if isinstance(act, str):
            looked.view().rows("ticketdesk", act)
            continue
        table, row_id, row = act
        last[table, row_id] = row = row and {"id": row_id, **row}
        for state in (looked, plain):
            state.apply("ticketdesk", [{"table": table, "id": row_id, "row": row}])

    for state in (looked, plain):
        assert {place: state.view().row("ticketdesk", *place) for place in last} == last
        assert {(table, row_id) for _, table, row_id in state.written} == set(last)


def test_a_changed_row_is_asked_for_by_its_values_and_by_a_claim():
    view = state_with(
        {"id": "TD-1", "row": {**TICKETS[0], "status": "done"}}, {"id": "TD-2", "row": None}
    ).view()

    def is_changed(*claims, **columns):
        return any_changed("ticketdesk", "tickets", *claims, **columns)(view)

    assert is_changed()
    assert is_changed(id="TD-1", status="done")
    assert not is_changed(id="TD-1", status="new")
    assert is_changed(lambda row: row["id"] == "TD-2", status="done")
    assert not is_changed(lambda row: row["id"] == "TD-3")


def test_joined_predicates_look_no_further_than_the_one_that_decides():
    is_new, is_done = (row_where("ticketdesk", "tickets", one, status="new") for one in ("TD-1", "TD-2"))
    view = state_with().view()

    assert [all_of(is_done, is_new)(view), any_of(is_new, is_done)(view)] == [False, True]
    assert ids({"id": row_id} for _, _, row_id in view.touched) == ["TD-2", "TD-1"]
    assert [all_of(is_new, is_done)(view), any_of(is_done, is_new)(view)] == [False, True]
    assert [all_of()(view), any_of()(view)] == [True, False]
