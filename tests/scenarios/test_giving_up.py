"""What the page of rewards tells of giving up is what the profiles pay today."""

import json

import pytest

from docs.generate.rewards import GIVING_UP
from orchestrator.protocol.options import RewardProfile
from tests.families import ALL
from tests.sizes import size

from .giving_up import measured

FAMILIES = size(["expense_report"], ALL)
PROFILES = size(["seed", "drill"], list(RewardProfile))


@pytest.mark.proof
@pytest.mark.parametrize("name", FAMILIES)
async def test_the_page_tells_of_giving_up_what_profiles_pay(url, name):
    kept = json.loads(GIVING_UP.read_text(encoding="utf-8"))

    today = await measured(url, [name], PROFILES)

    told = {profile: kept[name][profile] for profile in PROFILES}
    assert today[name] == told, "run `python -m tests.scenarios.giving_up URL`"


@pytest.mark.parametrize("name", ALL)
def test_a_drill_pays_no_more_for_giving_up_than_for_work(name):
    kept = json.loads(GIVING_UP.read_text(encoding="utf-8"))

    at_once, half, all_but_last, oracle = kept[name]["drill"]
    assert 0.0 == at_once <= half <= all_but_last < oracle
