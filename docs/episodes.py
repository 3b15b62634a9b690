"""Writes `explanation/episodes.md`, with one episode of every family, played by its oracle.

    python -m docs.episodes

The episodes run on the stack of COMPANYOS_HOME, which is started if it is not running.
"""

from collections.abc import Iterable
from pathlib import Path

from companyos.client import CompanyosEnv
from companyos.sdk.scenario import Scenario, load_scenarios

from .narration import tell

PAGE = Path(__file__).parent / "explanation" / "episodes.md"
#: The seed and the chaos level of every episode.
SEED, LEVEL = 6, 1

INTRODUCTION = f"""\
# Example episodes

<!-- Written by docs/episodes.py, which plays them; change the code, not this page. -->

One episode of every family, played by its oracle at chaos level {LEVEL} with seed {SEED}: what it was asked, every call
with what came of it, the beginning of whatever it read, and the faults that it met. The oracle has what an agent has:
the tools and what they answer. Whoever plays them again gets the same episodes, wherever that is."""


def chapter(env: CompanyosEnv, scenario: Scenario) -> str:
    """Play an episode of a family, and return its chapter of the page."""
    lines = (line.rstrip() for line in tell(env, scenario, SEED, LEVEL))
    return "\n".join([f"## {scenario.title}", "", scenario.summary, "", "```text", *lines, "```"])


def page(chapters: Iterable[str]) -> str:
    """Return the page with these chapters."""
    return "\n\n".join([INTRODUCTION, *chapters]) + "\n"


if __name__ == "__main__":
    with CompanyosEnv.local() as player:
        PAGE.write_text(page(chapter(player, one) for one in load_scenarios().values()), encoding="utf-8")
