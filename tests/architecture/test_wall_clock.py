"""No test asserts how long something took: machines differ, and are busy. Speed is measured by `tests/benchmarks`.

Waiting for something until a deadline is another matter.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = [
    path
    for path in sorted((ROOT / "tests").rglob("*.py"))
    if "benchmarks" not in path.relative_to(ROOT).parts
]
CLOCKS = {"monotonic", "perf_counter", "process_time", "time"}


def durations(path: Path) -> Iterator[str]:
    """Yield the places in tests at which a duration is taken off a clock."""
    for test in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_"):
            for node in ast.walk(test):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and reads_a_clock(node):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}"


def reads_a_clock(node: ast.AST) -> bool:
    called = (inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return any(isinstance(function, ast.Attribute) and function.attr in CLOCKS for function in called)


def test_tests_do_not_measure_durations() -> None:
    assert [place for path in TESTS for place in durations(path)] == []
