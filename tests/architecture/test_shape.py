"""The shape of the code: short functions, short modules, no monsters."""

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parents[2]


def modules(*folders: str) -> list[Path]:
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*.py")))
    return [path for path in found if "_stack" not in path.parts]


SOURCE = modules("companyos", "services", "orchestrator", "scenarios")
EVERYTHING = [*SOURCE, *modules("deploy", "docs", "examples", "tests")]


def functions(paths: list[Path]) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function with its place."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


def whole_length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines from `def` to the end, signature and docstring included."""
    return (node.end_lineno or 0) - node.lineno + 1


def body_length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of the body, its docstring left out."""
    documented = ast.get_docstring(node) is not None
    body = node.body[1:] if documented and len(node.body) > 1 else node.body
    return (node.end_lineno or 0) - body[0].lineno + 1


def test_functions_have_at_most_40_lines() -> None:
    found = {place: whole_length(node) for place, node in functions(EVERYTHING)}

    assert {place: length for place, length in found.items() if length > 40} == {}


def test_most_functions_of_the_source_are_short() -> None:
    found = [body_length(node) for _, node in functions(SOURCE)]

    assert median(found) <= 8
    assert quantiles(found, n=10)[-1] <= 25


def test_modules_have_at_most_350_lines() -> None:
    found = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in EVERYTHING}

    assert {name: length for name, length in found.items() if length > 350} == {}


def test_most_modules_of_the_source_are_short() -> None:
    lengths = [path.read_text(encoding="utf-8").count("\n") for path in SOURCE]

    assert quantiles(lengths, n=10)[-1] <= 300
