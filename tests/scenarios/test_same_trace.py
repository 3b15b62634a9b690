"""The same scenario, seed, profile and actions give the same trace, independent of load and location."""

import os
from pathlib import Path

import pytest

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.sdk.scenario import load_scenarios
from tests.sizes import size, whole_proof

from .logs import Log, begun, carried_out, ended, played

pytestmark = pytest.mark.proof

#: Settings that cover all differences: each level with chaos, and custom profiles.
SETTINGS = (
    1,
    2,
    3,
    4,
    5,
    {"preset": 4, "only": ["service"]},
    {"preset": 5, "except": ["business"]},
    {"faults": {"svc.http_5xx": {"p": 0.5, "B": 3, "F": 9}}, "limits": {"stack": 2}},
)
RUNS = size(16, 500)


@pytest.fixture(scope="module")
async def logs(url: str) -> list[Log]:
    """What the oracle does in some episodes of each scenario under each setting, a seed of its own for each."""
    names = sorted(load_scenarios())
    cases = [
        Log(names[number % len(names)], 4_000 + number, SETTINGS[number % len(SETTINGS)])
        for number in range(RUNS)
    ]
    found = await played(url, cases, at_once=1)
    assert len({log.trace_hash for log in found}) == RUNS
    assert {log.scenario for log in found} == set(names)
    return found


async def test_thirty_two_episodes_at_once_leave_the_traces_of_episodes_by_themselves(url, logs):
    assert await carried_out(url, logs, at_once=32) == logs


@whole_proof
async def test_another_process_in_another_zone_with_another_hash_seed_leaves_the_same_traces(
    tmp_path: Path, monkeypatch, logs
):
    monkeypatch.setenv("PYTHONHASHSEED", "4711")
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    assert os.environ["TZ"] == "Pacific/Auckland"
    with running_stack(Home.at(tmp_path)) as stack:
        assert await carried_out(stack.url, logs, at_once=16) == logs


async def test_a_stack_that_stops_in_the_midst_of_episodes_goes_on_with_the_same_traces(tmp_path: Path, logs):
    some, home = logs[: size(3, 100)], Home.at(tmp_path)
    with running_stack(home) as stack:
        episodes = await begun(stack.url, some)
    with running_stack(home) as stack:
        assert await ended(stack.url, some, episodes) == [log.trace_hash for log in some]
