"""The page names the source of what it says of others, and answers users of OpenEnv by tests that exist."""

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "explanation"
PAGE = (FOLDER / "why.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n### OpenEnv\n")[1]
ROWS = [line for line in SECTION.splitlines() if line.startswith("| ")][1:]


def functions_of(file: str) -> set[str]:
    tree = ast.parse((FOLDER / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_wish_names_its_source_and_one_test_that_exists() -> None:
    tests = [re.findall(r"\[`(test_\w+)`\]\(([\w/.]+\.py)\)", row) for row in ROWS]
    sources = [re.findall(r"\(https://github\.com/huggingface/OpenEnv/\w+/\d+\)", row) for row in ROWS]

    assert [len(each) for each in tests] == [len(each) for each in sources] == [1] * 10
    assert [name for ((name, file),) in tests if name not in functions_of(file)] == []


def rows_below(heading: str) -> list[list[str]]:
    """Return the cells of the rows of the table below a heading, without its own headings."""
    table = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


#: A commit, a paper, or a discussion, whose messages have dates.
PINNED = re.compile(
    r"\]\(https://(github\.com/[\w./-]+/([0-9a-f]{40}|issues/\d+)|arxiv\.org/abs/|aclanthology\.org/)"
)
DAY = re.compile(
    r"\d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d"
)


def test_everything_said_of_others_leads_to_the_version_that_was_read_and_says_on_which_day() -> None:
    peers = [row for row in rows_below("What it is for") if row[0] != "CompanyOS"]
    statements = rows_below("What a training loop depends on")

    assert len(peers) >= 12
    assert [row[0] for row in peers if not PINNED.search(row[0])] == []
    assert [row[2] for row in statements if len(PINNED.findall(row[2])) != 1] == []
    assert [row for row in (*peers, *statements) if not DAY.fullmatch(row[-1])] == []


def test_everything_said_of_companyos_has_a_source() -> None:
    (own,) = [row for row in rows_below("What it is for") if row[0] == "CompanyOS"]
    said = [*own[1:4], *(row[1] for row in rows_below("What a training loop depends on") if row[0])]

    assert len(said) == 10
    assert [cell for cell in said if "](" not in cell] == []
