"""Stock check passes the conformance suite, and its fresh count decides."""

from pathlib import Path

import pytest

from companyos.evaluation.conformance import Sample, check_instances
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import load_scenario

SCENARIO = load_scenario(Path(__file__).parent)


def test_it_keeps_what_every_scenario_promises() -> None:
    results = list(check_instances(SCENARIO, Sample(seeds=20)))

    assert [verdict for verdict in results if not verdict.passed] == []


@pytest.mark.parametrize("seed", range(10))
def test_the_priority_follows_from_the_fresh_count(seed: int) -> None:
    instance = SCENARIO.generate(seed, parse_chaos(0), "companyos-public")
    facts = instance.facts
    sources = instance.rows["datahub"]["sources"]
    [count] = next(row["values"] for row in sources if row["id"] == facts.metric["id"])

    assert (count < facts.product["fields"]["reorder_below"]) == (facts.cause == "short")
