"""The commands for authors of scenarios: write one, check it, list what there is, and refuse what cannot be used."""

import json
import os
import socket
from pathlib import Path

from tests.sizes import whole_proof

from .conftest import CommandLine

OUTSIDE = Path(__file__).parents[2] / "scenarios" / "outside"
PLAYED = ("--seeds", "2", "--levels", "0", "--pairs", "1")
UNMENTIONED = "The brief names the persona, and does not mention the grading"
NOT_PLAYED = ("--seeds", "2", "--levels", "0-1", "--pairs", "0")


def test_a_new_scenario_is_written_and_passes_its_check_beside_a_running_stack(
    companyos: CommandLine, tmp_path: Path
) -> None:
    written = companyos("scenario", "new", "invoice_dispute", "--into", str(tmp_path))
    folder = tmp_path / "invoice_dispute"

    with socket.create_server(("127.0.0.1", 0)) as other_stack:
        taken = str(other_stack.getsockname()[1])
        checked = companyos(
            *("scenario", "check", str(folder), *PLAYED), COMPANYOS_PORT=taken, COMPANYOS_AGENT_PORT=taken
        )

    assert written.returncode == 0, written.stderr
    assert f"companyos scenario check {folder} --levels 0 --seeds 4 --pairs 0  # 15 s" in written.stdout
    assert f"companyos scenario check {folder}  # everything: takes minutes" in written.stdout
    assert f"COMPANYOS_SCENARIOS={folder} companyos certify invoice_dispute" in written.stdout
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "✗" not in checked.stdout
    assert "✓ The oracle solves every instance played within its steps" in checked.stdout
    assert f"invoice_dispute 1 ({folder}): all " in checked.stdout


def test_failed_checks_are_reported_as_text_and_as_json(companyos: CommandLine, tmp_path: Path) -> None:
    companyos("scenario", "new", "invoice_dispute", "--into", str(tmp_path))
    brief = tmp_path / "invoice_dispute" / "brief.txt"
    brief.write_text(f"{brief.read_text()} It is your last episode.")

    checked = companyos("scenario", "check", str(brief.parent), "--seeds", "2", "--levels", "0")
    told = json.loads(companyos("scenario", "check", str(brief.parent), *NOT_PLAYED, "--json").stdout)

    assert checked.returncode == 1
    assert f"✗ {UNMENTIONED}" in checked.stdout
    assert "    seed 0, level 0: the brief mentions the environment: 'episode'" in checked.stdout
    assert "not tried: fix the failures above first" in checked.stdout
    assert not told["passed"]
    [failed] = [claim for claim in told["claims"] if not claim["passed"]]
    assert failed["claim"] == UNMENTIONED


def test_a_scenario_is_checked_by_name_wherever_it_lies(companyos: CommandLine) -> None:
    checked = companyos(
        "scenario", "check", "handover", *NOT_PLAYED, "--json", COMPANYOS_SCENARIOS=str(OUTSIDE)
    )

    told = json.loads(checked.stdout)
    assert checked.returncode == 0
    assert (told["scenario"], told["version"], told["passed"]) == ("handover", 1, True)


def test_unloadable_scenarios_are_reported_without_a_traceback(
    companyos: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "scenario.py").write_text("import no_such_module\n")

    told = {
        target: companyos("scenario", "check", target)
        for target in ("nonsense", str(tmp_path), str(tmp_path / "broken"), "./nowhere")
    }

    assert {answer.returncode for answer in told.values()} == {1}
    assert not any("Traceback" in answer.stderr for answer in told.values())
    assert "no scenario 'nonsense'" in told["nonsense"].stderr
    assert "give its folder" in told["nonsense"].stderr
    assert "it has no scenario.py" in told[str(tmp_path)].stderr
    assert "No module named 'no_such_module'" in told[str(tmp_path / "broken")].stderr
    assert "no such folder" in told["./nowhere"].stderr


def test_the_list_shows_where_each_scenario_lies_and_fails_where_one_is_broken(
    companyos: CommandLine, tmp_path: Path
) -> None:
    own = os.pathsep.join([str(OUTSIDE), str(tmp_path / "missing")])

    fine = companyos.json("scenario", "list")
    shown = companyos("scenario", "list", COMPANYOS_SCENARIOS=own)

    assert "vendor_onboarding" in [row["name"] for row in fine["scenarios"]]
    assert fine["faults"] == []
    assert shown.returncode == 1
    assert str(OUTSIDE / "handover") in shown.stdout
    assert f"{tmp_path / 'missing'}: there is no such folder" in shown.stderr


def test_a_stack_does_not_start_with_a_scenario_that_cannot_be_used(
    companyos: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "scenario.py").write_text("SCENARIO = None\n")
    setting = {"COMPANYOS_SCENARIOS": str(tmp_path / "broken")}

    refused = [
        companyos("up", **setting),
        companyos("up", "--detach", **setting),
        companyos("serve", "orchestrator", **setting),
    ]

    assert [answer.returncode for answer in refused] == [1, 1, 1]
    assert all("SCENARIO is None, not a Scenario" in answer.stderr for answer in refused)
    assert not any("Traceback" in answer.stderr for answer in refused)


@whole_proof
def test_the_fewest_known_steps_are_kept_by_certifications_and_by_entries_of_a_leaderboard(
    companyos: CommandLine, tmp_path: Path
) -> None:
    companyos("scenario", "new", "invoice_dispute", "--into", str(tmp_path))
    folder, run, board = tmp_path / "invoice_dispute", str(tmp_path / "run"), str(tmp_path / "board")
    setting = {"COMPANYOS_SCENARIOS": str(folder)}
    task = ("invoice_dispute", "--seeds", "2")
    companyos("up", "--detach", **setting)

    companyos("certify", *task, "--levels", "0", "--agent", "oracle", "--cards", **setting)
    certified = json.loads((folder / "fewest_steps.json").read_text())["steps"]["0"]
    companyos("run", *task, "--agent", "oracle", "--split", "test", "--chaos", "0", "--out", run, **setting)
    entered = companyos("leaderboard", "add", run, "--board", board, "--replays", "1", "--cards", **setting)
    known = json.loads((folder / "fewest_steps.json").read_text())["steps"]["0"]

    assert entered.returncode == 0, entered.stderr
    assert certified.keys() == {"0", "1"}
    assert len(known) == 3, "an episode that was not played again counts for nothing"
    assert known.items() > certified.items()
