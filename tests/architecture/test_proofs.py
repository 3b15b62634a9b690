"""What has a full size is run at it by `make prove`, and each check of `make conformance` has tests that exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.contracts.conformance import PROGRAMS

ROOT = Path(__file__).parents[2]
SIZES = "tests.sizes"
#: Run by commands of their own.
ELSEWHERE = {"adapters", "benchmarks", "browser", "e2e"}


@cache
def tree_of(module: str) -> ast.Module | None:
    path = ROOT.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.exists():
            return ast.parse(file.read_text(encoding="utf-8"))
    return None


def imports(module: str) -> Iterator[tuple[str, str]]:
    """Yield the modules of the suite that a module imports from, each with an imported name."""
    tree = tree_of(module)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.ImportFrom):
            package = module.split(".")[: -node.level] if node.level else []
            source = ".".join([*package, *([node.module] if node.module else [])])
            yield from ((source, one.name) for one in node.names if source.startswith("tests"))


@cache
def sized_names(module: str) -> frozenset[str]:
    """Return the names of a module that differ in a proof."""
    if module == SIZES:
        return frozenset({"size", "FULL"})
    names = {name for source, name in imports(module) if name in sized_names(source)}
    tree = tree_of(module)
    for node in tree.body if tree else ():
        if isinstance(node, ast.Assign) and names & {
            one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)
        }:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(names)


def test_every_module_that_has_a_full_size_has_proofs() -> None:
    places = [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    unmarked = [
        str(place)
        for place in places
        if not ELSEWHERE & set(place.parts)
        and sized_names(".".join(place.with_suffix("").parts))
        and not re.search(r"mark\.proof|@whole_proof", (ROOT / place).read_text(encoding="utf-8"))
    ]

    assert unmarked == []


def test_every_program_of_openenvs_checks_is_there() -> None:
    for program in {each for programs in PROGRAMS.values() for each in programs}:
        module, _, test = program.partition("::")

        assert f"def {test}" in (ROOT / module).read_text(encoding="utf-8"), program
