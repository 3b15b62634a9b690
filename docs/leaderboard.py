"""Fills a leaderboard with the agents that play here, and writes its page of the documentation.

    python -m docs.leaderboard FOLDER

`make leaderboard` calls it. What is in the folder already is not played again.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from companyos.evaluation.leaderboard.board import BoardEntry, entry_folders, read_entry
from companyos.evaluation.leaderboard.page import facts_of, sections
from companyos.evaluation.pages.formats import words
from companyos.evaluation.report.tables import Cell, TableRow
from companyos.evaluation.runs.players.scripted import SCRIPTED
from docs.generate.markdown import cell, table

PAGE: Final = Path(__file__).parent / "explanation" / "leaderboard.md"
FAMILIES: Final = ("expense_report", "incident_change", "support_triage", "vendor_onboarding")
TASKS: Final = (
    *FAMILIES,
    *("--split", "test", "--seeds", "8", "--chaos", "0", "--chaos", "3"),
)
INTRODUCTION: Final = """\
# Leaderboard

<!-- Written by docs/leaderboard.py; change the code, not this page. -->

What the agents that come with CompanyOS reach on the first tasks of the test split. It is small: {size}.
It holds only what plays here without a model: the *oracle* knows how each family is solved, `random` draws plausible
calls, `do_nothing` waits, and every other agent is the oracle with one flaw, which its name tells. It shows where
the scale begins and ends, and that a result can be checked; it compares no language models. The episodes of
a strong model, unnamed and unverified, are on the page about [difficulty](difficulty.md).

`make leaderboard` played and verified it. Each entry was accepted by `companyos leaderboard add`, as
[yours would be](../how-to/submit-to-a-leaderboard.md): every attempt is there, every trace was graded again, and the
share of episodes in the last column was played again to the same hashes.

None of these four families is solved by looking up automations, and policy changes are announced at chaos 4 and 5 only,
so `ignores_automations` loses nothing here. Only incident_change is decided by messages, and only where a duty manager
has to approve: `ignores_messages` loses nothing elsewhere. It lost nothing there either when this was played. Since
then the roster has to be read before that manager is asked, and it fails half of these tasks, as the
[card](../../scenarios/incident_change/README.md#baselines) says.
"""
NOTES: Final = """\
Ranges are 95 % intervals; where those of two agents overlap, their order may be chance. *Pairs* is the share of
counterfactual pairs of which both tasks were solved, and SPL weights success by the fewest known steps over those
taken. Tokens are those per episode; no agent here uses any.
"""


def main(folder: Path) -> None:
    """Play and enter every agent, and write the page."""
    board = folder / "board"
    for agent in SCRIPTED:
        run = folder / "runs" / agent
        companyos("run", "--agent", agent, *TASKS, "--oracle", "--out", str(run))
        if not any(entry.name.startswith(f"{agent.replace('_', '-')}-") for entry in entry_folders(board)):
            companyos("leaderboard", "add", str(run), "--board", str(board), "--cards")
    companyos("leaderboard", "page", str(board))
    PAGE.write_text(page([read_entry(entry) for entry in entry_folders(board)]), encoding="utf-8")


def companyos(*arguments: str) -> None:
    """Run a command.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    subprocess.run([sys.executable, "-m", "companyos", *arguments], check=True)


def page(entries: Sequence[BoardEntry]) -> str:
    """Return the page about these entries."""
    overall = entries[0].summary.overall
    families, instances = (
        len(entries[0].run.request.scenarios),
        overall.success.count if overall.success else 0,
    )
    size = f"{instances} tasks of {families} families for each agent"
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
