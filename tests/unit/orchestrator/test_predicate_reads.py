"""Only predicates whose tables were written are judged again, and the findings are those of judging all of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.scenario import Base, Check, Forbidden, Harm, Milestone, Order, View
from orchestrator.grading.grader import Grader
from orchestrator.grading.predicate_reads import PredicateReads
from orchestrator.protocol.effects import RowKey, Written

from .sample_tasks import INSTANCE, JOURNALS

TABLES = ("tickets", "people", "jobs")
ROWS = {"desk": {table: [{"id": "1", "value": 0}] for table in TABLES}}


class JudgeEverything(PredicateReads):
    """Knows of no predicate that it cannot have changed."""

    def may_change(self, predicate: Any, written: Any) -> bool:
        """Say that it may."""
        return True


def value(view: View, table: str) -> int:
    """Return the value of a table's row, or -1 if it was removed."""
    row = view.row("desk", table, "1")
    return -1 if row is None else int(row["value"])


def person_if_open(view: View) -> bool:
    """A predicate that looks at a second table only where the first says so."""
    return value(view, "tickets") > 1 and value(view, "people") > 1


def no_jobs(view: View) -> bool:
    """A predicate that may find nothing at all."""
    return not view.rows("desk", "jobs", value=1)


def task(reads: PredicateReads) -> Grader:
    """A fresh episode of a task whose predicates look at different tables."""
    instance = replace(
        INSTANCE,
        rows=ROWS,
        milestones=(Milestone("known", 1.0, person_if_open), Milestone("idle", 1.0, no_jobs)),
        musts=(Check("idle", no_jobs, "No job is left."),),
        forbidden=(
            Forbidden("busy", lambda view: value(view, "jobs") > 2, "Too many jobs.", Harm.FORBIDDEN),
            Forbidden("empty", lambda view: value(view, "people") == 0, "Nobody.", Harm.FORBIDDEN),
        ),
        orders=(Order("person_first", person_if_open, lambda view: not no_jobs(view)),),
    )
    return Grader(instance, Base(ROWS), JOURNALS, reads=reads)


WRITES = st.lists(st.tuples(st.sampled_from(TABLES), st.none() | st.integers(0, 3)), min_size=0, max_size=2)


def written(writes: Sequence[tuple[str, int | None]]) -> list[Written]:
    """Return the effects of a step that wrote these rows."""
    rows = [
        (RowKey("desk", table, "1"), None if new is None else {"id": "1", "value": new})
        for table, new in writes
    ]
    return [Written(own=rows, changes=rows)] if rows else []


@given(episodes=st.lists(st.lists(WRITES, max_size=8), min_size=1, max_size=3))
def test_findings_equal_those_of_judging_every_predicate_after_every_step(
    episodes: list[list[list[tuple[str, int | None]]]],
) -> None:
    shared = PredicateReads()
    for steps in episodes:
        sparing, thorough = task(shared), task(JudgeEverything())
        for number, writes in enumerate(steps, start=1):
            assert sparing.advance(number, written(writes)) == thorough.advance(number, written(writes))
        assert sparing.harm == thorough.harm
        assert sparing.broken_orders == thorough.broken_orders
        assert sparing.standing == thorough.standing
