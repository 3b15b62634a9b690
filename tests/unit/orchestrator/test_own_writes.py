"""Closed-world grading: every row that the agent's own calls wrote is explained by an allowance, or costs success."""

from typing import Any

import pytest

from companyos.sdk.grading.allowances import OrMade
from companyos.sdk.scenario import ANYTHING, Allowance, Base, one_of, within
from orchestrator.grading.grader import Grader
from orchestrator.grading.rewards import Ending
from orchestrator.protocol.effects import OverwrittenOwn, Row, RowKey, Written, overwritten
from orchestrator.protocol.trace_records import written_of

from .sample_tasks import INSTANCE, JOURNALS, NOTE, T1, T2, grader, own, reacted, ticket

TICKETS, NOTES = ("desk", "tickets"), ("desk", "notes")
MAINTAINED = {TICKETS: frozenset({"version"}), NOTES: frozenset({"at"})}
WORK = Allowance(TICKETS, {"priority": "high", "verified": True}, key="T1")
NEW = RowKey("desk", "tickets", "T9")


def judged(*allowances: Allowance) -> Grader:
    """Return the progress of an episode of the sample task, closed by these allowances."""
    task = grader(allowances=allowances, forbidden=())
    return Grader(task.instance, Base(INSTANCE.rows), JOURNALS, MAINTAINED)


def note(number: int = 1, **columns: Any) -> tuple[RowKey, Row]:
    row = {"id": f"N{number}", "ticket": "T1", "text": "All is well.", "at": 7, **columns}
    return RowKey("desk", "notes", f"N{number}"), row


def unexplained(task: Grader) -> dict[str, set[str]]:
    return {key.id: set(columns) for key, columns in task.collateral().items()}


@pytest.mark.parametrize(
    ("row", "left"),
    [
        (ticket(priority="high", verified=True, version=3), {}),
        (ticket(priority="low"), {"T1": {"priority"}}),
        (ticket(closed=True, version=2), {"T1": {"closed"}}),
        (ticket("T2", priority="high"), {"T2": {"priority"}}),
        (ticket(owner="bob", priority="low"), {"T1": {"owner", "priority"}}),
    ],
    ids=["allowed", "value", "column", "row", "several"],
)
def test_a_write_is_explained_column_by_column(row: Row, left: dict[str, set[str]]) -> None:
    task = judged(WORK)

    task.advance(1, own((RowKey("desk", "tickets", row["id"]), row)))

    assert unexplained(task) == left


def test_a_change_that_was_undone_is_still_outside() -> None:
    task = judged(WORK)
    task.advance(1, own((T2, ticket("T2", priority="low"))))
    task.advance(2, own((T2, ticket("T2"))))
    task.advance(3, own((T1, ticket(priority="high", verified=True))))

    assert unexplained(task) == {"T2": {"priority"}}
    assert task.finished() is Ending.FAILURE


def test_reactions_journals_and_maintained_columns_need_no_explanation() -> None:
    task = judged(WORK)

    task.advance(1, reacted((T2, ticket("T2", priority="low"))))
    task.advance(2, own((NOTE, {"id": "H1", "text": "Read."}), (T2, ticket("T2", priority="low", version=9))))

    assert unexplained(task) == {}


@pytest.mark.parametrize(("row", "left"), [({"id": "H1", "text": "Unread."}, {"text"}), (None, {"*"})])
def test_a_call_that_rewrites_a_journal_is_outside(row: Row | None, left: set[str]) -> None:
    task = judged(WORK)
    task.advance(1, own((NOTE, {"id": "H1", "text": "Read."})))

    task.advance(2, own((NOTE, row)))

    assert unexplained(task) == {"H1": left}


def test_a_call_answers_for_its_own_columns_even_if_a_reaction_wrote_the_row_too() -> None:
    task = judged(WORK)

    both = Written(
        own=[(T1, ticket(priority="high"))], changes=[(T1, ticket(priority="high", owner="on.call"))]
    )
    task.advance(1, [both])
    task.advance(2, own((T1, ticket(priority="high", owner="on.call", verified=True))))

    assert unexplained(task) == {}


def test_new_rows_are_counted_and_have_only_what_is_named() -> None:
    notes = Allowance(NOTES, {"ticket": "T1", "text": ANYTHING}, created=2)
    task = judged(notes)

    task.advance(1, own(note(1), note(2)))
    assert unexplained(task) == {}

    task.advance(2, own(note(3)))
    assert unexplained(task) == {"N3": {"*"}}


@pytest.mark.parametrize(
    ("columns", "left"),
    [({"ticket": "T2"}, {"ticket"}), ({"owner": "bob"}, {"owner"}), ({"text": "", "owner": None}, set())],
)
def test_a_new_row_is_outside_if_it_says_something_else(columns: dict[str, Any], left: set[str]) -> None:
    task = judged(Allowance(NOTES, {"ticket": "T1", "text": ANYTHING}, created=1))

    task.advance(1, own(note(1, **columns)))

    assert unexplained(task) == ({"N1": left} if left else {})


def test_a_note_may_be_about_a_row_that_the_agent_has_made_before() -> None:
    made = Allowance(TICKETS, {"priority": "low", "verified": False, "closed": False}, created=1)
    about = OrMade("T1", [TICKETS])
    notes = Allowance(NOTES, {"ticket": about, "text": ANYTHING}, created=2)
    late, early = judged(made, notes), judged(made, notes)
    new, told = (NEW, ticket("T9", priority="low")), note(1, ticket="T9")

    late.advance(1, own(new))
    late.advance(2, own(told, note(2)))
    early.advance(1, own(told))
    early.advance(2, own(new))

    assert unexplained(late) == {}
    assert unexplained(early) == {"N1": {"ticket"}}
    assert (about("T1"), about("T9")) == (True, False)


def test_a_row_made_under_an_allowance_may_change_within_it_and_be_removed_only_where_it_says_so() -> None:
    columns = {"priority": one_of("high", "low"), "verified": False, "closed": False}
    kept, removable = (
        judged(Allowance(TICKETS, columns, created=1, removed=removed)) for removed in (False, True)
    )

    for task in (kept, removable):
        task.advance(1, own((NEW, ticket("T9", priority="low"))))
        task.advance(2, own((NEW, ticket("T9", priority="high"))))
        task.advance(3, own((NEW, None)))

    assert unexplained(kept) == {"T9": {"*"}}
    assert unexplained(removable) == {}


def test_a_row_of_somebody_else_is_not_covered_by_an_allowance_of_new_rows() -> None:
    task = judged(Allowance(TICKETS, {"priority": "high", "verified": False, "closed": False}, created=1))

    task.advance(1, own((T2, ticket("T2", priority="high"))))

    assert unexplained(task) == {"T2": {"priority"}}


def test_columns_of_one_row_may_be_explained_by_several_allowances() -> None:
    task = judged(WORK, Allowance(TICKETS, {"tags": within({"a", "b"})}, where={"priority": None}))

    task.advance(1, own((T1, ticket(priority="high", tags=["a"]))))

    assert unexplained(task) == {}


def test_a_row_that_must_be_reverted_is_outside_until_it_is_as_it_was() -> None:
    loan = Allowance(TICKETS, {"owner": ANYTHING}, key="T2", reverted=True, harmless="A loan is honest work.")
    task = judged(WORK, loan)

    task.advance(1, own((T2, ticket("T2", owner="bob"))))
    assert unexplained(task) == {"T2": {"owner"}}

    task.advance(2, own((T2, ticket("T2"))))
    assert unexplained(task) == {}


def test_a_loan_has_to_say_why_it_is_harmless() -> None:
    with pytest.raises(ValueError, match="harmless"):
        Allowance(TICKETS, {"owner": ANYTHING}, key="T2", reverted=True)


def test_the_grade_card_says_which_allowances_explained_which_writes() -> None:
    task = judged(WORK)
    task.advance(1, own((T1, ticket(priority="high"))))
    task.advance(2, own((T1, ticket(priority="high", verified=True))))

    assert task.own_writes.card() == [
        {
            "table": "desk.tickets",
            "columns": ["priority", "verified"],
            "harmless": "",
            "writes": {"desk/tickets/T1": 2},
        }
    ]


def test_a_copy_goes_on_by_itself_with_the_same_counts() -> None:
    task = judged(Allowance(NOTES, {"ticket": "T1", "text": ANYTHING}, created=2))
    task.advance(1, own(note(1)))
    copied = task.copy()

    copied.advance(2, own(note(2), note(3)))
    task.advance(2, own(note(2)))

    assert (unexplained(copied), unexplained(task)) == ({"N3": {"*"}}, {})


def test_a_grader_rebuilt_from_records_reports_the_same() -> None:
    allowances = (WORK, Allowance(NOTES, {"ticket": "T1", "text": ANYTHING}, created=1))
    played, rebuilt = judged(*allowances), judged(*allowances)
    paged = ticket(priority="high", owner="on.call")
    called = ticket(priority="high", owner="tick")
    steps = [
        [Written((), [(T1, ticket(owner="tick"))]), Written([(T1, called)], [(T1, paged)])],
        own(note(1)),
        own(note(2)),
        own((T1, {**paged, "verified": True})),
    ]

    for number, written in enumerate(steps, start=1):
        view = played.view
        record = recorded(number, written, lambda key, view=view: view.row(*key))
        assert rebuilt.advance(number, written_of(record)) == played.advance(number, written)

    assert unexplained(rebuilt) == unexplained(played) == {"N2": {"*"}}
    assert rebuilt.own_writes.card() == played.own_writes.card()


def recorded(step: int, written: list[Written], row_before: Any) -> dict[str, Any]:
    """Return the parts of a step's record that grading reads."""
    own_keys = {key for group in written for key, _ in group.own}
    final = {key: row for group in written for key, row in group.changes}
    changes = [
        {
            "service": key.service,
            "table": key.table,
            "id": key.id,
            "row": row,
            "causes": [f"s{step}"] if key in own_keys else [f"s{step}.t"],
        }
        for key, row in final.items()
    ]
    return {
        "step": step,
        "changes": changes,
        "own": [write.document for write in overwritten(written, row_before)],
    }


def test_only_writes_that_the_rows_of_a_step_do_not_show_are_recorded() -> None:
    plain, paged = own((T1, ticket(priority="high"))), ticket(priority="high", owner="on.call")
    reaction = [Written([(T1, ticket(priority="high"))], [(T1, paged)])]

    assert overwritten(plain, lambda key: ticket()) == []
    assert overwritten(reaction, lambda key: ticket()) == [
        OverwrittenOwn(T1, ticket(), ticket(priority="high"))
    ]
