"""What `scenario check` prints: each claim with its mark, and which claims nothing could be checked on."""

import json
import os
import shutil
from pathlib import Path

import pytest

from companyos.cli import scenario as command
from companyos.cli.scenario import Extent, check
from companyos.sdk.scenario_sources import SETTING

HANDOVER = Path(__file__).parents[1] / "outside" / "handover"
NOT_PLAYED = Extent(levels=(0,), seeds=4, pairs=0)


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the folder of a scenario none of whose seeds generates."""
    monkeypatch.setenv(SETTING, os.environ.get(SETTING, ""))
    folder = tmp_path / "broken_handover"
    shutil.copytree(HANDOVER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    code = (folder / "scenario.py").read_text(encoding="utf-8")
    spoilt = code.replace("cause=facts.cause,", "cause=facts.cause + no_such_name,")
    assert spoilt != code
    (folder / "scenario.py").write_text(spoilt, encoding="utf-8")
    return str(folder)


def test_claims_that_nothing_was_checked_on_are_counted_in_one_line_and_the_cause_is_printed_once(
    broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        check(broken, NOT_PLAYED, url=None, token=None, as_json=False)

    told = capsys.readouterr().out
    assert told.count("no_such_name") == 1
    assert "A pair looks alike at first" not in told
    assert "\n- 20 claims were not checked\n" in told
    assert "✓ It has a name, a version, a title and a summary" in told
    assert told.endswith(": 1 of 25 claims do not hold.\n")


def test_a_check_says_at_once_what_it_does_and_then_how_far_it_is(
    broken: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "FIRST_S", 0.0)

    with pytest.raises(SystemExit):
        check(broken, NOT_PLAYED, url=None, token=None, as_json=False)

    assert capsys.readouterr().err.splitlines() == ["generating pairs …", "generating pairs: 1 of 2"]


def test_as_data_a_claim_that_was_not_checked_has_not_passed(
    broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        check(broken, NOT_PLAYED, url=None, token=None, as_json=True)

    claims = {one["claim"]: one for one in json.loads(capsys.readouterr().out)["claims"]}
    unchecked = claims["A pair looks alike at first"]
    assert (unchecked["checked"], unchecked["passed"], unchecked["complaints"]) == (False, False, [])
