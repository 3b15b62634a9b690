"""The same task and calls leave the same trace, through whichever framework they are played."""

from __future__ import annotations

import pytest

from companyos import CompanyosEnv

from .conftest import Play
from .programs.oracle import played
from .programs.same_task import RESET


@pytest.mark.parametrize("framework", ["gymnasium", "skyrl", "openenv"])
def test_a_framework_leaves_the_trace_of_our_own_client(play: Play, url: str, framework: str) -> None:
    with CompanyosEnv(url) as env:
        env.reset(**RESET)
        for call in played(url, RESET).calls:
            result = env.step(call)

    through = play(framework, "same_task.py", url, framework)

    assert through == {"success": True, "trace_hash": result.metadata.trace_hash}
