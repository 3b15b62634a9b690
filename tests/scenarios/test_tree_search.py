"""The example that branches: it solves what the same moves without branching do not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from companyos import CompanyosEnv
from examples.tree_search import PLAYERS, naive, play, search, stubborn

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", [90_000, 90_003])
def test_a_search_over_forks_solves_what_no_script_of_first_moves_can(door, seed):
    with CompanyosEnv(door) as env:
        alone, insisting, forked = (play(env, seed, 3, player) for player in (naive, stubborn, search))

    assert (alone["success"], insisting["success"], forked["success"]) == (False, False, True)
    assert forked["return"] > max(alone["return"], insisting["return"])
    assert forked["forks"] > 0


def test_a_search_finds_the_same_way_again(door):
    with CompanyosEnv(door) as env:
        first, again = (play(env, 90_000, 3, search) for _ in range(2))

    assert {**first, "seconds": 0} == {**again, "seconds": 0}


def test_the_example_prints_what_it_played(door):
    command = [sys.executable, "-m", "examples.tree_search", "--seeds", "1", "--url", door, "--json"]

    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    assert [one["player"] for one in json.loads(printed)] == [player.__name__ for player in PLAYERS]
