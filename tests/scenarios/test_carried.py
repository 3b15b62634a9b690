"""Every scenario can move to another stack mid-episode, where the three services behave identically."""

from itertools import product

import httpx
import pytest

from companyos.client import CompanyosEnv
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.sdk.scenario import find
from tests.families import SOME
from tests.sizes import size

from .conftest import WORST
from .play import solve

CHAOS = {"calm": 0, "papercuts": 1, "worst": WORST}


@pytest.fixture(scope="module")
def abroad(tmp_path_factory):
    """The trainer API of another stack, where other episodes were played before."""
    with running_stack(Home.at(tmp_path_factory.mktemp("abroad"))) as stack:
        with CompanyosEnv(stack.url) as env:
            env.reset(seed=99)
            for branch in env.fork(5):
                branch.call("ticketdesk_list_tickets")
                branch.close()
        yield stack.url


def carried(home, abroad, options, actions, path):
    """Play actions at home, and return the id of their world's snapshot abroad, with the file it came in."""
    with CompanyosEnv(home) as env:
        env.reset(**options)
        for action in actions:
            env.step(action)
        kept = env.snapshot("half way")
        env.export_snapshot(kept, path)
    with CompanyosEnv(abroad) as env:
        return env.import_snapshot(path)


def traced(env):
    """Return an episode's trace without its wall-clock times and the name of where it came from."""
    return [
        {key: value for key, value in record.items() if key not in ("took_ms", "origin", "seal")}
        for record in env.trace()
    ]


@pytest.mark.proof
@pytest.mark.parametrize(("name", "mood"), size([*zip(SOME, CHAOS, strict=True)], [*product(SOME, CHAOS)]))
def test_an_oracle_that_moves_house_half_way_ends_as_one_that_stayed(url, abroad, name, mood, tmp_path):
    scenario, chaos = find(name), CHAOS[mood]
    stayed = solve(url, scenario, 12, chaos=chaos)
    actions = [record["action"] for record in stayed.trace[1:]]
    half = len(actions) // 2
    # By default the trainer API offers all tools, and the client only those of the scenario.
    options = {"scenario": scenario.name, "seed": 12, "chaos": chaos, "tools": "all"}

    kept = carried(url, abroad, options, actions[:half], tmp_path / "half.gz")

    with CompanyosEnv(abroad) as env:
        env.reset(snapshot=kept)
        results = [env.step(action) for action in actions[half:]]
        moved = traced(env)
        graded = env.grade()
        env.export_snapshot(kept, tmp_path / "again.gz")
    stable = [
        {k: v for k, v in record.items() if k not in ("took_ms", "origin", "seal")} for record in stayed.trace
    ]
    assert moved == stable
    assert [result.metadata.trace_hash for result in results] == [
        record["hash"] for record in stable[half + 1 :]
    ]
    assert {**graded, "episode_id": None, "origin": None} == {
        **stayed.grade,
        "episode_id": None,
        "origin": None,
    }
    assert (tmp_path / "again.gz").read_bytes() == (tmp_path / "half.gz").read_bytes()


def test_a_stack_that_never_heard_of_the_episode_renders_and_grades_it(url, abroad, tmp_path):
    options = {"scenario": "vendor_onboarding", "seed": 3, "chaos": 1}
    look = {"tool_name": "ticketdesk_list_tickets", "arguments": {}}

    kept = carried(url, abroad, options, [look, look], tmp_path / "start.gz")

    with CompanyosEnv(abroad) as env:
        env.reset(snapshot=kept)
        assert env.grade().success is None
        assert "TD-" in env.render()
        assert httpx.get(f"{abroad}/snapshots/{kept}").json()["step_count"] == 2
