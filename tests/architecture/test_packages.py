"""The packages of the code: no import goes in a circle, no folder is crowded, and no two public things share a name."""

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOPS = ("companyos", "orchestrator", "services", "scenarios")
MOST_MODULES = 15


def sources() -> dict[str, Path]:
    """Return every module's file by its dotted name; a package goes by its own."""
    found = {}
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*.py")):
            if "_stack" not in path.parts:
                dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                found[dotted.removesuffix(".__init__")] = path
    return found


SOURCES = sources()


def imports_of(module: str) -> set[str]:
    """Return the modules of ours that a module imports, wherever it does: for types and in functions as well."""
    tree = ast.parse(SOURCES[module].read_text(encoding="utf-8"))
    named = {name for node in ast.walk(tree) for name in names_in(node, package_of(module))}
    return {closest(name) for name in named if name.split(".")[0] in TOPS} - {module, ""}


def package_of(module: str) -> list[str]:
    return module.split(".") if SOURCES[module].name == "__init__.py" else module.split(".")[:-1]


def names_in(node: ast.AST, package: list[str]) -> Iterator[str]:
    """Yield what an import names, dotted from the top: `from a import b` may mean a module `a.b`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else []
        base = [*above, *([node.module] if node.module else [])]
        yield from (".".join([*base, alias.name]) for alias in node.names)


def closest(name: str) -> str:
    """Return the module that a name is, or is in."""
    while name and name not in SOURCES:
        name = name.rpartition(".")[0]
    return name


def public_classes(top: str) -> Mapping[str, list[str]]:
    found = defaultdict(list)
    for module, path in SOURCES.items():
        if module.split(".")[0] == top:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(module)
    return found


def test_imports_form_no_cycle() -> None:
    graph = {module: imports_of(module) for module in SOURCES}

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


@pytest.mark.parametrize("top", TOPS)
def test_folders_hold_a_limited_number_of_modules(top: str) -> None:
    held = Counter(
        str(path.parent.relative_to(ROOT))
        for module, path in SOURCES.items()
        if module.split(".")[0] == top and path.name != "__init__.py"
    )

    assert {folder: count for folder, count in held.items() if count > MOST_MODULES} == {}


def test_library_and_orchestrator_share_no_public_class_name() -> None:
    library, orchestrator = public_classes("companyos"), public_classes("orchestrator")

    assert {name: [*library[name], *orchestrator[name]] for name in library if name in orchestrator} == {}


def test_every_folder_of_code_says_what_is_in_it() -> None:
    silent = [
        module
        for module, path in SOURCES.items()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert silent == []


def test_every_area_of_a_service_is_kept_from_its_other_areas() -> None:
    services = ROOT / "services"
    modules = [*services.glob("*/*.py"), *services.glob("*/*/__init__.py")]
    areas = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in modules
        if "AREA = Area(" in path.read_text(encoding="utf-8")
    }
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    apart = {
        f"{contract['containers'][0]}.{area}"
        for contract in contracts
        if contract["name"].startswith("The areas of")
        for layer in contract["layers"]
        for area in layer.split(" | ")
    }

    assert len(areas) > 18
    assert areas <= apart
