"""Scenarios: found by their folders, named, and given room enough."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.scenario import ScenarioUnknown, call, find, horizon, load_scenarios


def test_every_folder_with_a_scenario_is_found_under_its_own_name():
    folders = [path.parent.name for path in (Path(__file__).parents[3] / "scenarios").glob("*/scenario.py")]

    scenarios = load_scenarios()

    assert set(folders) <= set(scenarios)
    assert {"bug_escalation", "expense_report", "handbook_update", "license_renewal"} <= set(folders)
    assert all(name == scenario.name for name, scenario in scenarios.items())
    assert list(scenarios) == sorted(scenarios)


def test_an_unknown_scenario_is_refused_with_those_there_are():
    assert find("vendor_onboarding").title == "Vendor onboarding"
    with pytest.raises(
        ScenarioUnknown, match="no scenario 'nonsense'; there are approver_desk, bug_escalation"
    ):
        find("nonsense")


@given(st.integers(1, 200))
def test_an_episode_has_room_for_the_oracle_and_half_as_much_again(steps):
    assert horizon(steps) >= max(steps + 6, 1.5 * steps)
    assert horizon(steps, 1000) == 1000


def test_a_call_names_its_tool_and_arguments():
    assert call("wait", seconds=60) == {
        "type": "call_tool",
        "tool_name": "wait",
        "arguments": {"seconds": 60},
    }


def test_the_package_and_the_sdk_load_nothing_of_a_server():
    program = (
        "import sys, companyos, companyos.sdk.scenario, companyos.evaluation.agents, companyos.sdk.company\n"
        "heavy = {'fastapi', 'sqlalchemy', 'redis', 'pydantic', 'httpx'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_name_in_the_package_is_an_attribute_error():
    import companyos

    assert companyos.CompanyosEnv.__name__ == "CompanyosEnv"
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = companyos.Nonsense
