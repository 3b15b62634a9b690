"""The README is true: its code runs as it stands, near its top, and plays an episode to its end."""

import re
from pathlib import Path
from typing import Any

from companyos.agents import Oracle
from companyos.scenario import find

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def code() -> str:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_readme_is_short_and_shows_running_code_early() -> None:
    assert README.count("\n") <= 120
    assert README[: README.index(code())].count("\n") <= 25


def test_the_five_lines_of_the_readme_play_an_episode(door: str) -> None:
    oracle = Oracle(find("vendor_onboarding"))
    met: list[Any] = []

    def agent(observation: Any) -> dict[str, Any]:
        seen = dict(observation)
        if not met:
            oracle.start(seen)
        met.append(seen)
        return oracle.act(seen)

    names: dict[str, Any] = {"agent": agent}
    exec(code().replace("http://localhost:8000", door), names)

    assert names["result"].done
    assert names["result"].metadata["success"] is True
    assert len(met) > 5
