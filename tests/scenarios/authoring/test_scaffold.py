"""A new scenario is a copy of one that works, under a name of its own, and can be loaded at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from companyos.evaluation.conformance import Sample, check_instances
from companyos.evaluation.scaffold import SHAPES, NameUnusable, write_scenario
from companyos.sdk import stackpath
from companyos.sdk.scenario import load_scenario
from tests.sizes import size


@pytest.mark.proof
@pytest.mark.parametrize("shape", SHAPES)
def test_a_new_scenario_keeps_what_every_scenario_promises(tmp_path: Path, shape: str) -> None:
    written = write_scenario("invoice_dispute", tmp_path, shape)

    scenario = load_scenario(tmp_path / "invoice_dispute")
    assert (scenario.name, scenario.title) == ("invoice_dispute", "Invoice dispute")
    assert type(scenario).__name__ == "InvoiceDispute"
    assert {path.name for path in written} >= {"scenario.py", "pack.py", "README.md", "test_scenario.py"}
    words = (SHAPES[shape], SHAPES[shape].replace("_", " ").capitalize())
    assert not [path.name for path in written if any(word in path.read_text() for word in words)]
    results = check_instances(scenario, Sample(seeds=size(4, 12), elsewhere=False))
    assert [verdict for verdict in results if not verdict.passed] == []


def test_its_own_test_passes(tmp_path: Path) -> None:
    write_scenario("invoice_dispute", tmp_path)

    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "fresh_count", str(tmp_path)],
        env=stackpath.environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize("name", ["Invoice", "invoice-dispute", "9lives", "_x", "x__y", "x" * 65, "../x", ""])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(NameUnusable, match="Write it like"):
        write_scenario(name, tmp_path)


def test_existing_scenario_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "invoice_dispute").mkdir()

    with pytest.raises(NameUnusable, match="exists already"):
        write_scenario("invoice_dispute", tmp_path)
