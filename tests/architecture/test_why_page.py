"""What users of OpenEnv want is answered on the page by tests that exist."""

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "explanation"
SECTION = (FOLDER / "why.md").read_text(encoding="utf-8").split("\n### OpenEnv\n")[1]
ROWS = [line for line in SECTION.splitlines() if line.startswith("| ")][1:]


def functions_of(file: str) -> set[str]:
    tree = ast.parse((FOLDER / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_wish_names_its_source_and_one_test_that_exists() -> None:
    tests = [re.findall(r"\[`(test_\w+)`\]\(([\w/.]+\.py)\)", row) for row in ROWS]
    sources = [re.findall(r"\(https://github\.com/huggingface/OpenEnv/\w+/\d+\)", row) for row in ROWS]

    assert [len(each) for each in tests] == [len(each) for each in sources] == [1] * 10
    assert [name for ((name, file),) in tests if name not in functions_of(file)] == []
