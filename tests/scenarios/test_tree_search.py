"""The tree search example solves what the same moves without branching do not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from companyos import CompanyosEnv
from examples.findings import FILE, keep
from examples.tree_search import PLAYERS, naive, play, search, stubborn
from tests.sizes import size

ROOT = Path(__file__).parents[2]


@pytest.mark.proof
@pytest.mark.parametrize("seed", size([90_018], [90_017, 90_018]))
def test_a_search_over_forks_solves_what_no_script_of_first_moves_can(url, seed):
    with CompanyosEnv(url) as env:
        alone, insisting, forked = (play(env, seed, 3, player) for player in (naive, stubborn, search))

    assert (alone["success"], insisting["success"], forked["success"]) == (False, False, True)
    assert forked["return"] > max(alone["return"], insisting["return"])
    assert forked["forks"] > 0


def test_a_search_finds_the_same_way_again(url):
    with CompanyosEnv(url) as env:
        first, again = (play(env, 90_018, 3, search) for _ in range(2))

    assert {**first, "seconds": 0} == {**again, "seconds": 0}


@pytest.mark.proof
@pytest.mark.parametrize("seed", size([90_018], [90_017, 90_018]))
def test_published_search_results_are_current(url, seed):
    found = json.loads(FILE.read_text(encoding="utf-8"))
    told = [play for play in found["plays"] if play["seed"] == seed]

    with CompanyosEnv(url) as env:
        today = [play(env, seed, found["chaos"], player) for player in PLAYERS]

    again = "run `python -m examples.tree_search --seeds 20 --keep` and `python -m docs.generate`"
    assert [without_seconds(one) for one in today] == told, again


def without_seconds(play):
    return {name: value for name, value in play.items() if name != "seconds"}


def test_kept_search_results_contain_no_timings(tmp_path, monkeypatch):
    monkeypatch.setattr("examples.findings.FILE", tmp_path / "kept.json")

    keep([{"seed": 1, "player": "search", "success": True, "seconds": 3.2}], chaos=3)

    kept = json.loads((tmp_path / "kept.json").read_text())
    assert kept == {"chaos": 3, "plays": [{"seed": 1, "player": "search", "success": True}]}


def test_the_example_prints_what_it_played(url):
    command = [sys.executable, "-m", "examples.tree_search", "--seeds", "1", "--chaos", "0", "--json"]
    command += ["--url", url]

    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    assert [one["player"] for one in json.loads(printed)] == [player.__name__ for player in PLAYERS]
