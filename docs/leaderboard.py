"""Fills a leaderboard with the agents that play here, and writes its page of the documentation.

    python -m docs.leaderboard FOLDER

`make leaderboard` calls it, with PyTorch and the small language model at hand. What is in the folder already is neither
trained nor played again.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from companyos.evaluation.leaderboard.board import BoardEntry, entry_folders, read_entry
from companyos.evaluation.leaderboard.page import facts_of, sections
from companyos.evaluation.pages.formats import words
from companyos.evaluation.report.tables import Cell, TableRow
from companyos.evaluation.runs.players.scripted import SCRIPTED
from docs.generate.markdown import cell, table

PAGE: Final = Path(__file__).parent / "explanation" / "leaderboard.md"
TEST: Final = ("--split", "test", "--chaos", "0")
#: What each group of agents plays: scripts, a trained policy, and a small language model.
TASKS: Final = {
    "scripts": (
        *("expense_report", "incident_change", "support_triage", "vendor_onboarding"),
        *(*TEST, "--chaos", "3", "--seeds", "8", "--oracle"),
    ),
    "policy": ("vendor_onboarding", *TEST, "--seeds", "8", "--oracle"),
    "model": (
        *("vendor_onboarding", *TEST, "--seeds", "2", "--max-steps", "8"),
        *("--tools", "ticketdesk_get_ticket", "--tools", "ticketdesk_update_ticket"),
        *("--tools", "wait", "--tools", "finish", "--tools", "refuse"),
    ),
}
#: Those that say where a scale begins and ends.
ENDS: Final = ("oracle", "do_nothing", "random")
#: The variable that tells `companyos.training.agent`, which needs PyTorch, where the policy is.
SETTING: Final = "COMPANYOS_POLICY"
MODEL: Final = (
    "openai",
    "--concurrency",
    "1",
    "--temperature",
    "0",
    "--model-seed",
    "7",
    "--answer-tokens",
    "160",
)
INTRODUCTION: Final = """\
# Leaderboard

<!-- Written by docs/leaderboard.py; change the code, not this page. -->

What the agents that come with CompanyOS reach on the first tasks of the test split. It is small: {size}.
It shows where the scale begins and ends, and that a result can be checked. The episodes of a strong model, unnamed and
unverified, are on the page about [difficulty](difficulty.md).

- The *oracle* knows how each family is solved, `random` draws plausible calls, and `do_nothing` waits.
- `small_policy` learned to imitate the oracle as
  [one page](../how-to/train-a-small-policy.md#imitate-the-oracle) says, from 60 tasks of the family at chaos 0.
- `smollm2` is a language model of 135 million parameters, which writes its calls as JSON, and `smollm2_tools` is the
  same as its endpoint calls tools. It has five tools and eight steps, with which the task cannot be done.
- Every other agent is the oracle with one flaw, which its name tells.

`make leaderboard` played and verified it. Each entry was accepted by `companyos leaderboard add`, as
[yours would be](../how-to/submit-to-a-leaderboard.md): every attempt is there, every trace was graded again, and the
share of episodes in the last column was played again to the same hashes.

None of the four families of the first table is solved by looking up automations, and policy changes are announced at
chaos 4 and 5 only, so `ignores_automations` loses nothing here. Only incident_change is decided by messages, and only
where a duty manager has to approve: `ignores_messages` loses nothing elsewhere.
"""
NOTES: Final = """\
Ranges are 95 % intervals; where those of two agents overlap, their order may be chance. *Pairs* is the share of
counterfactual pairs of which both tasks were solved, and SPL weights success by the fewest known steps over those
taken. Tokens are those per episode.
"""


@dataclass(frozen=True)
class Play:
    """An agent of a group. The command that lets it play begins with `before`, in an environment with `variables`."""

    group: str
    name: str
    agent: Sequence[str]
    before: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


def plays(folder: Path) -> Iterator[Play]:
    """Yield everything that is on the board."""
    yield from (Play("scripts", agent, (agent,)) for agent in SCRIPTED)
    yield from (Play("policy", agent, (agent,)) for agent in ENDS)
    policy = ("python", "--target", "companyos.training.agent:TrainedPolicy")
    yield Play("policy", "small_policy", policy, variables={SETTING: str(folder / "policy")})
    yield from (Play("model", agent, (agent,)) for agent in ENDS[1:])
    serving = ("-m", "examples.small_model", sys.executable)
    for name, options in {"smollm2": ("--tool-mode", "json"), "smollm2_tools": ()}.items():
        model = (*MODEL, "--context-tokens", "8192", "--model", name.replace("_", "-"), *options)
        yield Play("model", name, model, before=serving)


def train_policy(run: str) -> None:
    """Train a policy as its page says."""
    settings = Path(f"{run}.toml")
    settings.write_text(f'out = "{run}"\n', encoding="utf-8")
    companyos("train", "sft", "--config", str(settings))


def main(folder: Path) -> None:
    """Play and enter every agent, and write the page."""
    board, entered = folder / "board", folder / "entered"
    entered.mkdir(parents=True, exist_ok=True)
    for play in plays(folder):
        key = f"{play.group}-{play.name}"
        if (entered / key).exists():
            continue
        if SETTING in play.variables:
            train_policy(play.variables[SETTING])
        run = folder / "runs" / key
        options = (*TASKS[play.group], "--name", play.name, "--out", str(run))
        companyos("run", "--agent", *play.agent, *options, before=play.before, **play.variables)
        companyos("leaderboard", "add", str(run), "--board", str(board), "--cards")
        (entered / key).touch()
    companyos("leaderboard", "page", str(board))
    PAGE.write_text(page([read_entry(entry) for entry in entry_folders(board)]), encoding="utf-8")


def companyos(*arguments: str, before: Sequence[str] = (), **variables: str) -> None:
    """Run a command.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    command = [sys.executable, *before, "-m", "companyos", *arguments]
    subprocess.run(command, check=True, env={**os.environ, **variables})


def page(entries: Sequence[BoardEntry]) -> str:
    """Return the page about these entries."""
    size = f"{sum(len(entry.run.episodes) for entry in entries)} episodes"
    unplayed = [agent for agent in SCRIPTED if agent not in {entry.run.name for entry in entries}]
    missing = [f"Not on it yet: {words(f'`{agent}`' for agent in unplayed)}.\n"] if unplayed else []
    return "\n".join([INTRODUCTION.format(size=size), *missing, *_tables(entries), NOTES])


def _tables(entries: Sequence[BoardEntry]) -> Iterator[str]:
    for section, group in sections(entries):
        yield "\n".join(["Played:\n", *(f"- {fact}" for fact in facts_of(group[0])), ""])
        yield f"{table(section.table.columns, map(_line, section.table.rows))}\n"


def _line(row: TableRow) -> str:
    return f"| {' | '.join(map(_text, row))} |"


def _text(content: Cell | str) -> str:
    if isinstance(content, str):
        return cell(content)
    return cell(f"{content.text} ({content.detail})" if content.detail else content.text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
