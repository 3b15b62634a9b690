"""The tree search example solves what the same moves without branching do not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from companyos import CompanyosEnv
from examples.findings import FILE, keep
from examples.tree_search import PLAYERS, play
from tests.sizes import size

ROOT = Path(__file__).parents[2]


KEPT = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module", params=size([90_018], [90_017, 90_018]))
def plays(url, request):
    """How each player does on a seed today."""
    with CompanyosEnv(url) as env:
        return [play(env, request.param, KEPT["chaos"], player) for player in PLAYERS]


@pytest.mark.proof
def test_a_search_over_forks_solves_what_no_script_of_first_moves_can(plays):
    alone, insisting, forked = plays

    assert (alone["success"], insisting["success"], forked["success"]) == (False, False, True)
    assert forked["return"] > max(alone["return"], insisting["return"])
    assert forked["forks"] > 0


@pytest.mark.proof
def test_published_search_results_are_current(plays):
    told = [one for one in KEPT["plays"] if one["seed"] == plays[0]["seed"]]

    again = "run `python -m examples.tree_search --seeds 20 --keep` and `python -m docs.generate`"
    assert [without_seconds(one) for one in plays] == told, again


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
