"""The page on architecture names every package, and nothing that does not exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
#: Packages with subpackages, each named where its parent is described.
PARENTS = ("cli", "evaluation", "chassis")


def packages(folder: str) -> list[str]:
    """Return the folders of modules directly below a folder."""
    below = sorted((ROOT / folder).iterdir())
    return [path.name for path in below if path.is_dir() and any(path.glob("*.py")) and path.name[0] != "_"]


def lines_of_tables() -> list[str]:
    return [line for line in PAGE.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("top", ["orchestrator", "companyos"])
def test_every_package_has_its_line_in_a_table(top: str) -> None:
    described = {name for line in lines_of_tables() for name in re.findall(r"`(\w+)/?`", line.split("|")[1])}

    assert [package for package in packages(top) if package not in described] == []


@pytest.mark.parametrize("parent", PARENTS)
def test_a_package_within_a_package_is_named(parent: str) -> None:
    named = set(re.findall(r"`(\w+)/?`", PAGE))

    assert [package for package in packages(f"companyos/{parent}") if package not in named] == []


def test_every_path_named_is_there() -> None:
    tops = ("companyos/", "orchestrator/")
    paths = {path for path in re.findall(r"`([\w/]+/[\w/.]+)`", PAGE) if path.startswith(tops)}

    assert len(paths) > 2
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_every_module_on_the_way_of_a_call_is_there() -> None:
    way = PAGE.partition("### The way of one tool call")[2].partition("\n## ")[0]
    modules = re.findall(r"`(\w+/[\w/]+\.py)`", way)

    assert len(modules) > 10
    assert [module for module in modules if not (ROOT / "orchestrator" / module).is_file()] == []
