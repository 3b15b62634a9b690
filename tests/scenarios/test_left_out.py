"""Whatever the oracle writes is needed: without one kind of write, an episode is not solved."""

import pytest

from companyos.evaluation.attacks.plausible import is_reading
from companyos.sdk.scenario import Scenario
from tests.sizes import size

from .play import carry_out, solution, without

pytestmark = pytest.mark.proof

SEEDS = size((4,), tuple(range(4, 16)))
#: An order of acts for everything that harms nobody is right, whether or not the agent looked the limit up.
NOT_NEEDED = {"constrained_change": {"datahub_refresh_data"}}


def test_a_play_without_a_look_at_anything_fails(url: str, family: Scenario) -> None:
    blind = {
        seed
        for seed in SEEDS
        if carry_out(
            url,
            family,
            seed,
            [one for one in solution(url, family, seed) if not is_reading(one["tool_name"])],
        ).success
    }

    assert blind == set()


def test_a_play_without_one_kind_of_write_fails(url: str, family: Scenario) -> None:
    missed = {
        (seed, tool)
        for seed in SEEDS
        for tool in dict.fromkeys(one["tool_name"] for one in solution(url, family, seed))
        if not is_reading(tool)
        and tool not in ("wait", "finish", "refuse")
        and carry_out(url, family, seed, without(solution(url, family, seed), tool)).success
    }

    assert {tool for _, tool in missed} <= NOT_NEEDED.get(family.name, set()), missed
