"""The fewest known steps of instances are kept beside the cards, and runs of the same kind are measured by them."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.fewest_steps import FILE, fewest_steps_of, keep_fewest_steps
from companyos.evaluation.public_salt import DEFAULT_SALT, salt_digest
from companyos.evaluation.report import outcomes
from companyos.evaluation.report.comparison import Comparison
from companyos.evaluation.runs import AgentSpec, EpisodeRecord, FolderUnusable, Run
from companyos.evaluation.runs.metrics import summarize
from companyos.evaluation.runs.request import Door
from companyos.sdk.scenario import find
from tests.unit.evaluation.report.samples import written
from tests.unit.evaluation.runs.samples import record

OUTSIDE = Path(__file__).parents[2] / "scenarios" / "outside" / "handover"


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a family with a card, of which nothing is known yet."""
    folder = tmp_path / "own" / "handover"
    shutil.copytree(OUTSIDE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("COMPANYOS_SCENARIOS", str(folder))
    return folder


def record_of(seed: int, *, chaos: int = 0, **parts: Any) -> EpisodeRecord:
    """A success in the installed version of the family, unless the parts say otherwise."""
    known = {"version": find("handover").version, "success": True}
    return record(seed, chaos=chaos, scenario="handover", **(known | parts))


def run_of(folder: Path, *records: EpisodeRecord, salt: str = DEFAULT_SALT, **request: Any) -> Run:
    """A run of the family on a stack with this salt."""
    asked = {"scenarios": {"handover": find("handover").version}, **request}
    run = written(folder, records, **asked)
    return replace(run, about={**run.about, "stack": {"salt_digest": salt_digest(salt)}})


def spl_of(run: Run) -> float | None:
    (summary,) = summarize(run)
    return summary.overall.spl.value if summary.overall.spl else None


def content(family: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((family / FILE).read_text())
    return found


def test_the_fewest_steps_of_verified_successes_and_of_the_oracle_are_kept(
    family: Path, tmp_path: Path
) -> None:
    records = [
        record_of(0, steps=9, oracle_steps=11),
        record_of(1, steps=14, oracle_steps=12),
        record_of(2, chaos=3, steps=8, success=False),
        record_of(3, chaos=3, steps=7, success=False, oracle_steps=13),
    ]
    run = run_of(tmp_path / "run", *records)

    first = keep_fewest_steps(run, records)
    again = keep_fewest_steps(run, [record_of(0, steps=10), record_of(1, steps=11)])

    assert first == again == [family / FILE]
    assert content(family) == {
        "version": find("handover").version,
        "steps": {"0": {"0": 9, "1": 11}, "3": {"3": 13}},
    }
    assert keep_fewest_steps(run, records) == []


def test_spl_is_measured_by_what_is_kept_also_without_an_oracle(family: Path, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", record_of(0, steps=10), record_of(1, steps=10, oracle_steps=8))

    before = spl_of(run)
    keep_fewest_steps(run, [record_of(0, steps=5), record_of(1, steps=4)])

    assert (before, spl_of(run)) == (None, 0.45)
    assert Comparison([run]).columns[0].overall.spl == summarize(run)[0].overall.spl
    (row, *_) = outcomes.by_scenario(Comparison([run])).table.rows
    assert "SPL 45%" in str(row)


@pytest.mark.parametrize(
    "other",
    [
        {"size": "large"},
        {"start": {"calls_left": 1}},
        {"snapshot": "a snapshot"},
        {"tools": "all"},
        {"door": Door.TEXT},
        {"scenarios": {"handover": 0}},
        {"salt": "held out"},
    ],
    ids=str,
)
def test_a_run_of_another_kind_neither_uses_nor_changes_what_is_kept(
    family: Path, tmp_path: Path, other: dict[str, Any]
) -> None:
    usual = run_of(tmp_path / "usual", record_of(0))
    keep_fewest_steps(usual, [record_of(0, steps=5)])
    version = other.get("scenarios", usual.request.scenarios)["handover"]
    run = run_of(tmp_path / "other", record_of(0, version=version, steps=3), **other)

    written = keep_fewest_steps(run, run.episodes)

    assert (written, fewest_steps_of(run)) == ([], {})
    assert fewest_steps_of(usual) == {("handover", 0, 0): 5}


def test_an_oracle_that_was_offered_all_tools_adds_to_what_is_kept(family: Path, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", record_of(0), agent=AgentSpec("oracle", "oracle"), tools="all")

    assert keep_fewest_steps(run, [record_of(0, steps=6)]) == [family / FILE]
    assert content(family)["steps"] == {"0": {"0": 6}}


def test_steps_of_an_earlier_version_are_replaced(family: Path, tmp_path: Path) -> None:
    (family / FILE).write_text('{"version": 0, "steps": {"0": {"0": 1, "1": 1}}}')
    run = run_of(tmp_path / "run", record_of(0))

    assert fewest_steps_of(run) == {}
    keep_fewest_steps(run, [record_of(0, steps=6)])
    assert content(family)["steps"] == {"0": {"0": 6}}


def test_a_damaged_file_is_named_with_what_to_do(family: Path, tmp_path: Path) -> None:
    (family / FILE).write_text("{")

    with pytest.raises(FolderUnusable, match=rf"{FILE} is not JSON: .* Restore the file"):
        fewest_steps_of(run_of(tmp_path / "run", record_of(0)))
