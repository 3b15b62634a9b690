"""The page about evaluations names every agent, ending and format, that about data sets every kind of rows."""

import re
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from companyos.cli.app import app
from companyos.cli.run.agents import KINDS
from companyos.cli.run.dataset import ROWS
from companyos.evaluation.runs import EpisodeEnding
from companyos.evaluation.runs.export.formats import FORMATS
from companyos.sdk.scenario import load_scenarios

PAGES = Path(__file__).parents[3] / "docs" / "how-to"
PAGE = (PAGES / "run-an-evaluation.md").read_text(encoding="utf-8")
DATASET = (PAGES / "make-a-dataset.md").read_text(encoding="utf-8")
MODEL = (PAGES / "evaluate-a-model.md").read_text(encoding="utf-8")


def names_in_table(heading: str, page: str = PAGE) -> set[str]:
    """Return the names in the first column of the table with this heading."""
    table = page.partition(f"| {heading} |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def test_every_agent_is_on_the_page() -> None:
    assert names_in_table("`--agent`") == set(KINDS)


def test_every_way_in_which_an_episode_ends_is_on_the_page() -> None:
    assert names_in_table("`ended`") == set(EpisodeEnding)


def test_every_format_is_on_the_page() -> None:
    assert names_in_table("`--format`") == set(FORMATS)


def test_every_kind_of_rows_is_on_the_page_about_data_sets() -> None:
    assert names_in_table("`--rows`", DATASET) == set(ROWS)


@pytest.mark.parametrize(("page", "commands"), [(PAGE, ("run", "export")), (DATASET, ("dataset", "run"))])
def test_every_option_on_the_page_exists(page: str, commands: tuple[str, ...]) -> None:
    context = typer.Context(command := typer.main.get_command(app))
    assert isinstance(command, TyperGroup)
    chosen = [found for name in commands if (found := command.get_command(context, name))]
    known = {option for one in chosen for parameter in one.params for option in parameter.opts}

    assert set(re.findall(r"`[^`]*?(--[a-z]+[a-z-]*)", page)) - known <= {"--help"}


@pytest.mark.parametrize("page", [PAGE, MODEL])
def test_a_page_says_how_many_episodes_all_scenarios_are(page: str) -> None:
    count = len(load_scenarios())

    assert f"{20 * count} episodes, 20 seeds of each of the {count} scenarios" in " ".join(page.split())
