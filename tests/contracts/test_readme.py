"""The README is true: its code runs as it stands, near its top, and plays an episode to its end."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from companyos.embedded.home import Home
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import find

from .conftest import ELSEWHERE

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def code(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def stack(url: str, home: Home, monkeypatch: pytest.MonkeyPatch) -> str:
    """A stack that is the one of this machine, as the README's code finds it."""
    if ELSEWHERE in os.environ:
        pytest.skip("the stack under test is another machine's")
    monkeypatch.setenv("COMPANYOS_HOME", str(home.path))
    return url


def test_the_readme_is_short_and_shows_running_code_early() -> None:
    assert README.count("\n") <= 120
    assert README[: README.index(code("python"))].count("\n") + code("python").count("\n") <= 25


def test_the_code_of_the_readme_plays_an_episode_as_it_stands(stack: str) -> None:
    names: dict[str, Any] = {}

    exec(code("python"), names)

    assert names["env"].base_url == stack
    assert names["result"].done
    assert names["result"].metadata["success"] is False


def test_another_agent_in_its_place_solves_the_episode(stack: str) -> None:
    oracle = Oracle(find("vendor_onboarding"))
    met: list[Any] = []

    def agent(observation: Any) -> dict[str, Any]:
        seen = dict(observation)
        if not met:
            oracle.start(seen)
        met.append(seen)
        return oracle.act(seen)

    names: dict[str, Any] = {"oracle": agent}
    exec(code("python").replace("agent(result.observation)", "oracle(result.observation)"), names)

    assert names["result"].metadata["success"] is True
    assert len(met) > 5


def test_the_readme_promises_no_package_index() -> None:
    assert "pip install openenv-companyos" not in README
