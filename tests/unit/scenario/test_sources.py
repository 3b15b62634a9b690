"""Scenarios are found in the repository, in folders that a setting names and behind entry points of packages."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from companyos.sdk.scenario import (
    ScenariosUnusable,
    folder_of,
    list_scenarios,
    load_scenario,
    load_scenarios,
)

ROOT = Path(__file__).parents[3]
PROGRAM = "from companyos.sdk.scenario import load_scenarios; print(*load_scenarios())"
SCENARIO = """
from companyos.sdk.scenario import Scenario
{imports}

class Made(Scenario):
    name, version, title, summary = "{name}", 1, "{name}", "Nothing to do."

    def generate(self, seed, chaos, salt, size="default"):
        raise NotImplementedError

    def oracle(self, observation):
        raise NotImplementedError



SCENARIO = Made()
"""


def write_scenario(folder: Path, name: str, imports: str = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "scenario.py").write_text(SCENARIO.format(name=name, imports=imports))
    return folder


@pytest.fixture
def setting(monkeypatch):
    """Return a function that names folders in COMPANYOS_SCENARIOS."""

    def name(*folders: Path) -> None:
        monkeypatch.setenv("COMPANYOS_SCENARIOS", os.pathsep.join(str(folder) for folder in folders))

    return name


def test_a_folder_that_the_setting_names_is_a_scenario_beside_those_of_the_repository(tmp_path, setting):
    known = set(load_scenarios())
    setting(write_scenario(tmp_path / "own", "own_task"))

    assert set(load_scenarios()) == known | {"own_task"}
    assert folder_of(load_scenarios()["own_task"]) == tmp_path / "own"


def test_a_folder_of_scenario_folders_brings_them_all(tmp_path, setting):
    write_scenario(tmp_path / "one", "first_task")
    write_scenario(tmp_path / "two", "second_task")
    (tmp_path / "notes").mkdir()
    setting(tmp_path)

    assert {"first_task", "second_task"} <= set(load_scenarios())


def test_scenarios_outside_share_what_lies_beside_them(tmp_path, setting):
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "logistics.py").write_text("PARCELS = 3\n")
    write_scenario(
        tmp_path / "own", "own_task", "from ..packs.logistics import PARCELS\nfrom . import content"
    )
    (tmp_path / "own" / "content.py").write_text("")
    setting(tmp_path)

    assert "own_task" in load_scenarios()


def test_a_folder_named_twice_or_lying_in_the_repository_counts_once(tmp_path, setting):
    own = write_scenario(tmp_path / "own", "own_task")
    setting(own, tmp_path, ROOT / "scenarios", ROOT / "scenarios" / "bug_escalation")

    assert "own_task" in load_scenarios()


def test_two_scenarios_of_one_name_are_refused_with_both_places(tmp_path, setting):
    setting(write_scenario(tmp_path / "own", "bug_escalation"))

    with pytest.raises(ScenariosUnusable) as refused:
        load_scenarios()

    assert "bug_escalation" in str(refused.value)
    assert str(ROOT / "scenarios" / "bug_escalation") in str(refused.value)
    assert str(tmp_path / "own") in str(refused.value)


def test_unloadable_scenarios_are_reported_and_all_others_are_listed(tmp_path, setting):
    broken = write_scenario(tmp_path / "broken", "broken", "import no_such_module")
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "scenario.py").write_text("SCENARIO = 3\n")
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "scenario.py").write_text("")
    fine = write_scenario(tmp_path / "fine", "fine_task")
    places = [broken, empty, tmp_path / "half", tmp_path / "none", tmp_path / "missing", fine]
    setting(*places)

    listing = list_scenarios()

    assert "fine_task" in listing.scenarios
    told = dict(fault.split(": ", 1) for fault in listing.faults)
    assert set(told) == {str(place) for place in places[:-1]}
    assert f"No module named 'no_such_module' ({broken}/scenario.py:3)" in told[str(broken)]
    assert "holds scenario.py" in told[str(empty)]
    assert "SCENARIO is 3, not a Scenario" in told[str(tmp_path / "half")]
    assert "has no SCENARIO" in told[str(tmp_path / "none")]
    assert "no such folder" in told[str(tmp_path / "missing")]
    with pytest.raises(ScenariosUnusable, match="no_such_module"):
        load_scenarios()


def test_one_folder_can_be_loaded_by_itself(tmp_path):
    assert load_scenario(write_scenario(tmp_path / "own", "own_task")).name == "own_task"
    with pytest.raises(ScenariosUnusable, match=r"it has no scenario\.py"):
        load_scenario(tmp_path)
    with pytest.raises(ScenariosUnusable, match="no such folder"):
        load_scenario(tmp_path / "missing")


@pytest.mark.parametrize("value", ["shop.depot:SCENARIO", "shop.depot", "shop"])
def test_an_installed_package_offers_scenarios_by_an_entry_point(tmp_path, value, monkeypatch):
    """The entry point names an object, a module or package with a SCENARIO, or a package of scenario folders."""
    write_scenario(tmp_path / "shop" / "depot", "depot_task")
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "depot" / "__init__.py").write_text("from .scenario import SCENARIO as SCENARIO\n")
    described = tmp_path / "shop-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(f"[companyos.scenarios]\nshop = {value}\n")

    assert "depot_task" in printed(PROGRAM, ROOT, tmp_path).split()


def test_an_installed_wheel_finds_its_scenarios_from_any_folder(tmp_path):
    for name in ("companyos", "scenarios"):
        inside = tmp_path / "companyos" / "_stack" / name if name == "scenarios" else tmp_path / name
        shutil.copytree(ROOT / name, inside, ignore=shutil.ignore_patterns("__pycache__", "_stack"))

    assert printed(PROGRAM, tmp_path).split() == list(load_scenarios())


def test_a_checkout_finds_its_scenarios_from_any_folder():
    assert printed(PROGRAM, ROOT).split() == list(load_scenarios())


def printed(program: str, *path: Path) -> str:
    """Return what a program prints that has these folders on its path and starts outside of all of them."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))},
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
