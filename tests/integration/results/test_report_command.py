"""`companyos report` on runs that `companyos run` has written."""

import os
import shutil
from pathlib import Path

from companyos.evaluation.runs import read_run
from tests import command_line
from tests.result_pages import Results, companyos


def test_a_report_is_written_into_the_run_unless_told_otherwise(results: Results) -> None:
    run = results.runs["ignores_messages"]

    said = companyos(results.home, "report", str(run))

    assert said.stdout == f"report: {run / 'report.html'}\n"
    assert (run / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_report_compares_runs_by_what_they_played(results: Results, tmp_path: Path) -> None:
    out = tmp_path / "both.html"

    companyos(results.home, "report", *map(str, results.runs.values()), "--out", str(out))

    page = out.read_text(encoding="utf-8")
    for path in results.runs.values():
        run = read_run(path)
        solved = sum(record.success for record in run.episodes)
        assert f"{run.name} solved {solved} of {len(run.episodes)} episodes" in page
    for told in (
        "vendor_onboarding",
        "expense_report",
        "Pair accuracy against success",
        "--agent believes_claims",
    ):
        assert told in page


def test_without_a_folder_the_latest_run_below_runs_is_reported(results: Results, tmp_path: Path) -> None:
    for name in ("earlier", "later"):
        shutil.copytree(results.runs["believes_claims"], tmp_path / "runs" / name)
    os.utime(tmp_path / "runs" / "earlier" / "episodes.jsonl", (1, 1))

    answer = command_line.run("report", folder=tmp_path)

    assert (answer.returncode, answer.stdout) == (0, "report: runs/later/report.html\n")


def test_a_report_says_nothing_of_a_token(results: Results, tmp_path: Path) -> None:
    out = tmp_path / "report.html"

    companyos(results.home, "report", str(results.runs["believes_claims"]), "--out", str(out))

    assert results.stack.trainer_token is None or results.stack.trainer_token not in out.read_text(
        encoding="utf-8"
    )
