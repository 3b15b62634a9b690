"""The same task and calls leave the same trace, through whichever framework they are played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.evaluation.replay import reset_options
from docs.generate.same_task import RESULTS

from .conftest import Play
from .environments import everything_is_asked_for
from .programs.oracle import played
from .programs.same_task import RESET, THROUGH

#: Plays the task through our own client, and returns the trace.
PlayOwn = Callable[[Mapping[str, Any]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def published_rows() -> Iterator[dict[str, Any]]:
    """What each framework left, which becomes a table of the documentation where all are asked for."""
    found: dict[str, Any] = {}
    yield found
    if everything_is_asked_for() and set(found) == set(THROUGH):
        rows = {framework: found[framework] for framework in THROUGH}
        RESULTS.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


@pytest.fixture
def play_own(url: str) -> PlayOwn:
    def play(options: Mapping[str, Any]) -> list[dict[str, Any]]:
        with CompanyosEnv(url) as env:
            env.reset(**options)
            for call in played(url, RESET).calls:
                env.step(call)
            return env.trace()

    return play


@pytest.mark.parametrize("framework", THROUGH)
def test_a_framework_leaves_the_trace_of_our_own_client(
    play: Play, play_own: PlayOwn, url: str, framework: str, tmp_path: Path, published_rows: dict[str, Any]
) -> None:
    through = play(framework, "same_task.py", url, framework, tmp_path)
    with CompanyosEnv(url) as env:
        head, *records = env.trace(through["episode_id"])

    own_head, *own = play_own(RESET)

    assert records[-1]["success"] is True
    assert [each["hash"] for each in records] == [each["hash"] for each in own]
    assert reset_options(head) == reset_options(own_head)
    published_rows[framework] = {
        "version": through["version"],
        "scenario": f"{head['scenario']} version {head['version']}, seed {head['seed']}",
        "steps": len(records),
        "hash": records[-1]["hash"],
    }
