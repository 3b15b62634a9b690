"""The door of pictures at its full size: all families, many plays and many windows; tests of pixels have a sample."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.sdk.scenario import load_scenarios
from tests.sizes import whole_proof

from .player import pictures_again, play_by_pictures, replayed_hash

SEEDS = (1, 2)
#: Without faults, and with services that fail, answer late, or answer with old data or a part of it.
LEVELS = (0, 3)
#: The episodes whose pictures are compared.
REPEATED = (("vendor_onboarding", 7), ("license_renewal", 1), ("expense_report", 2))
PLAYS = 10
WINDOWS = 16
#: Names families to look at, if not all.
FAMILIES = os.environ.get("COMPANYOS_FAMILIES", "").split() or sorted(load_scenarios())

pytestmark = pytest.mark.usefixtures("browser")


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], CompanyosEnv]]:
    with running_stack(Home.at(tmp_path_factory.mktemp("pictures") / "home")) as stack:
        yield lambda: CompanyosEnv(stack.url, token=stack.trainer_token, timeout_s=600)


def task_of(scenario: str, seed: int, chaos: int = 0) -> dict[str, Any]:
    return {"scenario": scenario, "seed": seed, "chaos": chaos, "max_steps": 1000}


@whole_proof
@pytest.mark.parametrize("scenario", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_family_is_solved_in_chromium_with_the_hash_of_its_calls(
    scenario: str, seed: int, level: int, trainer: Callable[[], CompanyosEnv]
) -> None:
    task = task_of(scenario, seed, level)
    with trainer() as env:
        play = play_by_pictures(env, task)
        again = replayed_hash(env, task, play)

    assert (play.success, again) == (True, play.records[-1]["hash"])


@whole_proof
@pytest.mark.parametrize(("scenario", "seed"), REPEATED)
def test_ten_plays_show_the_same_pictures(
    scenario: str, seed: int, trainer: Callable[[], CompanyosEnv]
) -> None:
    with trainer() as env:
        first = play_by_pictures(env, task_of(scenario, seed))
        repeated = [pictures_again(env, task_of(scenario, seed), first) for _ in range(PLAYS - 1)]

    assert repeated == [first.player.pictures] * (PLAYS - 1)


@whole_proof
def test_sixteen_windows_at_once_show_the_pictures_of_a_lone_one(
    trainer: Callable[[], CompanyosEnv],
) -> None:
    task = task_of(*REPEATED[0])
    with trainer() as env:
        lone = play_by_pictures(env, task)

    def repeat(_: int) -> list[str]:
        with trainer() as env:
            return pictures_again(env, task, lone)

    with ThreadPoolExecutor(WINDOWS) as threads:
        repeated = list(threads.map(repeat, range(WINDOWS)))

    assert repeated == [lone.player.pictures] * WINDOWS
