"""A refresh shows another value than the last known one, or an agent could not tell that it has happened."""

from companyos.chaos import parse_chaos
from companyos.conformance.suite import SALT
from companyos.scenario import find


def test_no_refresh_returns_the_last_known_error_rate() -> None:
    scenario, calm = find("bug_escalation"), parse_chaos(0)
    goals = {seed: scenario.generate(seed, calm, SALT).goal for seed in range(200)}

    assert [seed for seed, goal in goals.items() if goal["fresh_value"] == goal["stale_value"]] == []
