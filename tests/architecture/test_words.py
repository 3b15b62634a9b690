"""One word for one thing, and the field's word: what was renamed comes back neither as a name nor in a text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("companyos", "orchestrator", "services", "scenarios", "examples", "tests")

#: Modules and packages, whose names say what one finds there.
MODULES = {
    *(
        "abroad",
        "befalling",
        "beginnings",
        "casework",
        "catalogue",
        "clerk",
        "companies",
        "desk",
        "direct",
        "errand",
    ),
    *(
        "gates",
        "held",
        "housekeeping",
        "journal",
        "later",
        "leavings",
        "lives",
        "marks",
        "meeting",
        "on_calls",
    ),
    *(
        "outline",
        "posts",
        "rpc",
        "seconds",
        "switch",
        "tour",
        "town",
        "verdicts",
        "waits",
        "wild",
        "wire",
        "wires",
    ),
}
CLASSES = {
    *(
        "Armed",
        "Arriving",
        "Befalling",
        "BlindPlan",
        "Can",
        "Case",
        "Clerk",
        "Deed",
        "ShortcutApp",
        "Done",
        "Errand",
    ),
    *(
        "Held",
        "Journal",
        "Letter",
        "LifeOver",
        "Never",
        "Opening",
        "Outline",
        "Outside",
        "Parts",
        "Plot",
        "Post",
    ),
    *("Prospect", "Said", "Scene", "Town", "Trouble", "Troubles", "Turn", "Wild"),
}
#: Functions, variables, attributes and arguments.
NAMES = {
    *("befall", "befallen", "befalling", "blind_plan", "casework", "catalogue", "hold_up", "housekeeping"),
    *("leavings", "nevers", "outlive", "shortcut", "troubles", "verdicts"),
}
#: The same in the product, where a document, a reply, a message or the name of a draw is called what it is.
PRODUCT = ("companyos", "orchestrator", "services", "scenarios")
VAGUE_NAMES = {"said", "summed_up", "told", "what", "who"}
#: In comments, docstrings, refusals, descriptions and documents. A cost centre is spelled as its field is.
PROSE = re.compile(
    r"\b(befall\w*|casework|catalogues?|cost centers?|how-manieth|housekeeping|leavings"
    r"|li(?:fe|ves) of (?:the|its) database)\b",
    re.IGNORECASE,
)


def trees() -> Iterator[tuple[str, ast.Module]]:
    for top in CODE:
        for path in sorted((ROOT / top).rglob("*.py")):
            if "_stack" not in path.parts and path != Path(__file__):
                yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def names_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def documents() -> Iterator[Path]:
    for top in (*CODE, "docs", "deploy"):
        for path in sorted((ROOT / top).rglob("*")):
            known = path.suffix in {".py", ".md", ".txt", ".html", ".toml", ".yml", ".yaml"}
            if known and "_stack" not in path.parts and path != Path(__file__):
                yield path
    yield from (
        ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")
    )


def test_no_module_has_a_retired_name() -> None:
    found = [name for name, _ in trees() if {part.removesuffix(".py") for part in name.split("/")} & MODULES]

    assert found == []


def test_no_class_has_a_retired_name() -> None:
    found = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name.lstrip("_") in CLASSES
    ]

    assert found == []


def test_no_function_and_no_variable_has_a_retired_name() -> None:
    found = [
        f"{name}:{line} {used}"
        for name, tree in trees()
        for line, used in names_in(tree)
        if used.lstrip("_") in NAMES
    ]

    assert found == []


def test_no_name_in_the_product_is_too_vague_to_say_what_it_holds() -> None:
    found = [
        f"{name}:{line} {used}"
        for name, tree in trees()
        for line, used in names_in(tree)
        if name.startswith(PRODUCT) and used.strip("_") in VAGUE_NAMES
    ]

    assert found == []


@pytest.mark.parametrize("top", [*CODE, "docs", "deploy", ""])
def test_no_text_has_a_retired_word(top: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number} {word[0]}"
        for path in documents()
        if path.relative_to(ROOT).parts[0] == top or (not top and path.parent == ROOT)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (word := PROSE.search(line))
    ]

    assert found == []


#: Agents read these: a company's own words, and nothing of the machinery behind it.
AGENTS_READ = re.compile(r"\b(figures?|episodes?|trainers?|fault plan)\b", re.IGNORECASE)


def test_what_agents_read_of_tools_says_metric_and_nothing_of_the_machinery() -> None:
    text = (ROOT / "docs" / "reference" / "tools.md").read_text(encoding="utf-8")
    found = [
        f"{number} {line}" for number, line in enumerate(text.splitlines(), 1) if AGENTS_READ.search(line)
    ]

    assert found == []
