"""Workshop access passes the conformance suite, and the fresh count decides who approves."""

from pathlib import Path

import pytest

from companyos.evaluation.conformance import Sample, check_instances
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import load_scenario

SCENARIO = load_scenario(Path(__file__).parent)


def test_it_keeps_what_every_scenario_promises() -> None:
    results = list(check_instances(SCENARIO, Sample(seeds=20)))

    assert [verdict for verdict in results if not verdict.passed] == []


@pytest.mark.parametrize("seed", range(2, 10))
def test_the_fresh_count_says_who_decides(seed: int) -> None:
    instance = SCENARIO.generate(seed, parse_chaos(0), "companyos-public")
    types = instance.rows["approvalflow"]["approval_types"]
    edge = next(one["routes"][0]["below"] for one in types if one["id"] == instance.facts.type_id)

    head_decides = instance.facts.route.role == "workshop_head"
    assert head_decides == (instance.facts.value < edge)
