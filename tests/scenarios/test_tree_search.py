"""The example that branches: it solves what the same moves without branching do not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from companyos import CompanyosEnv
from examples.tree_search import naive, play, search

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", [90_000, 90_001])
def test_a_search_over_forks_solves_what_the_naive_script_cannot(door, seed):
    with CompanyosEnv(door) as env:
        alone, forked = (play(env, seed, 1, player) for player in (naive, search))

    assert (alone["success"], forked["success"]) == (False, True)
    assert forked["return"] > alone["return"]
    assert forked["forks"] > 0


def test_the_example_prints_what_it_played(door):
    command = [sys.executable, "-m", "examples.tree_search", "--seeds", "1", "--url", door, "--json"]

    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    assert [one["player"] for one in json.loads(printed)] == ["naive", "search"]
