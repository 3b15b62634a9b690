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


def modules() -> Iterator[Path]:
    for top in CODE:
        for path in sorted((ROOT / top).rglob("*.py")):
            if "_stack" not in path.parts and path != Path(__file__):
                yield path


def offenses(path: Path) -> Iterator[str]:
    """Yield each use of a name in a module that is retired, or too vague to say what it holds in the product."""
    name = str(path.relative_to(ROOT))
    vague = VAGUE_NAMES if name.startswith(PRODUCT) else set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ClassDef(name=used):
                refused = CLASSES
            case ast.FunctionDef(name=used) | ast.AsyncFunctionDef(name=used) | ast.Name(id=used):
                refused = NAMES | vague
            case ast.Attribute(attr=used) | ast.arg(arg=used):
                refused = NAMES | vague
            case _:
                continue
        if used.strip("_") in refused:
            yield f"{name}:{node.lineno} {used}"


def documents() -> Iterator[Path]:
    for top in (*CODE, "docs", "deploy"):
        for path in sorted((ROOT / top).rglob("*")):
            known = path.suffix in {".py", ".md", ".txt", ".html", ".toml", ".yml", ".yaml"}
            if known and "_stack" not in path.parts and path != Path(__file__):
                yield path
    yield from (
        ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")
    )


def test_modules_have_no_retired_names() -> None:
    found = [path for path in modules() if {path.stem, *path.relative_to(ROOT).parent.parts} & MODULES]

    assert found == []


def test_classes_functions_and_variables_have_neither_retired_nor_vague_names() -> None:
    assert [offense for path in modules() for offense in offenses(path)] == []


@pytest.mark.parametrize("top", [*CODE, "docs", "deploy", ""])
def test_texts_contain_no_retired_words(top: str) -> None:
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


def test_tool_reference_says_metric_and_does_not_mention_the_machinery() -> None:
    text = (ROOT / "docs" / "reference" / "tools.md").read_text(encoding="utf-8")
    found = [
        f"{number} {line}" for number, line in enumerate(text.splitlines(), 1) if AGENTS_READ.search(line)
    ]

    assert found == []


#: A test name that begins with one of these words hides the subject that it makes a claim about.
WITHOUT_SUBJECT = re.compile(r"def (test_(?:no|nobody|nothing|what|whatever|who|whoever|whom|whose)_\w+)")


def test_names_of_tests_begin_with_their_subject() -> None:
    found = [name for path in modules() for name in WITHOUT_SUBJECT.findall(path.read_text(encoding="utf-8"))]

    assert found == []
