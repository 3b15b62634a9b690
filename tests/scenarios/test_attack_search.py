"""No attack found by a search pays: no loop keeps earning, no early ending of a drill, and no open-loop plan."""

import pytest

from companyos.evaluation.attacks import Effort, TrainerBranches, attacked, defects, search_attacks
from companyos.evaluation.trainer import TrainerApi
from companyos.sdk.scenario import find
from tests.families import ALL
from tests.sizes import size

#: One family by default, all in a proof.
FAMILIES = size(["expense_report"], ALL)
EFFORT = size(
    Effort(
        logs=2,
        looped=1,
        points=3,
        loops=6,
        starts=1,
        pairs=1,
        rounds=3,
        children=2,
        calls=3,
        longest=2,
        walks=1,
        extra=1,
        acts=12,
        variants=3,
    ),
    Effort(
        logs=24, looped=8, points=8, loops=24, starts=8, pairs=6, rounds=100, children=8, ended=4, walks=24
    ),
)


@pytest.mark.proof
@pytest.mark.parametrize("name", FAMILIES)
async def test_attacks_found_by_the_search_do_not_pay(url, name):
    async with TrainerApi.opened(url, None, at_once=8) as api:
        report = attacked(await search_attacks(TrainerBranches(api), find(name), EFFORT))

    assert defects({name: report}) == []
    assert report["endings"]["at_once"] == report["endings"]["least_failure"] == 0.0
    assert report["loops"]["played"] == EFFORT.looped * EFFORT.points * EFFORT.loops
    assert report["loops"]["refused"] < 0.8
    assert report["plans"]["scored"] > EFFORT.rounds // 2
    short = EFFORT.ended * sum(EFFORT.calls**length for length in range(EFFORT.longest + 1))
    assert report["endings"]["plans"][0] == short
