"""Runs side by side: labels, parts, and what an episode failed for."""

from pathlib import Path

import pytest

from companyos.evaluation.report.comparison import COLLATERAL, UNFINISHED, Comparison, failure_of
from companyos.evaluation.runs import EpisodeRecord, PredicateKind, PredicateResult
from tests.unit.evaluation.runs.samples import record

from .samples import BROKEN, MET, UNMET, mixed, written


def test_runs_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    runs = [written(tmp_path / folder, mixed(), name="same") for folder in ("x", "y")]

    assert [column.label for column in Comparison(runs).columns] == ["same (x)", "same (y)"]
    assert [column.label for column in Comparison([runs[0], runs[0]]).columns] == [
        "same (x) #1",
        "same (x) #2",
    ]


def test_levels_come_before_named_settings(tmp_path: Path) -> None:
    run = written(tmp_path / "run", [record(0, chaos=chaos) for chaos in ("events-only", 3, "bad-day", 0)])  # type: ignore[arg-type]

    assert Comparison([run]).chaos == [0, 3, "bad-day", "events-only"]


@pytest.mark.parametrize(
    ("failed", "name", "kind"),
    [
        (record(predicates=(MET, UNMET)), "approved", "must"),
        (record(predicates=(UNMET, BROKEN)), "asked_twice", "forbidden"),
        (
            record(predicates=(UNMET, PredicateResult("a_before_b", PredicateKind.ORDER, False))),
            "a_before_b",
            "order",
        ),
        (record(predicates=(MET,), collateral_rows=2), COLLATERAL, "collateral"),
        (record(predicates=(MET,)), UNFINISHED, "unfinished"),
    ],
)
def test_a_failed_episode_has_one_reason(failed: EpisodeRecord, name: str, kind: str) -> None:
    failure = failure_of(failed)

    assert (failure.name, failure.kind) == (name, kind)


def test_steps_over_the_oracle_are_those_of_successes(tmp_path: Path) -> None:
    records = [
        record(0, success=True, steps=15, oracle_steps=10),
        record(1, success=False, steps=99, oracle_steps=10),
        record(2, success=True, steps=11, oracle_steps=10),
        record(3, success=True, steps=11),
    ]
    (column,) = Comparison([written(tmp_path / "run", records)]).columns

    assert column.over_oracle() == [1.1, 1.5]
    assert column.over_oracle("another") == []
