"""What agents read of the tools: bounded, short, in the names that agents call, and never parsed by our own code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.agent.tools import OWN_TOOLS
from services import manifests

ROOT = Path(__file__).parents[2]
#: Words of the environment's machinery, which no employee of the company knows.
MACHINERY = re.compile(
    r"\b(steps?|episodes?|trainers?|rewards?|faults?|seeds?|graders?|oracle)\b", re.IGNORECASE
)
#: Where sentences for people and models stand.
PROSE = frozenset({"message", "explanation", "detail", "detect", "repair"})
#: What takes a sentence apart.
PARSING = frozenset(
    {
        "compile",
        "findall",
        "finditer",
        "fullmatch",
        "match",
        "partition",
        "rpartition",
        "search",
        "split",
        "startswith",
    }
)


TOOLS = [tool for manifest in manifests() for tool in manifest["tools"]]
SCHEMAS = {tool["name"]: tool["parameters"] for tool in TOOLS} | {
    tool.name: tool.parameters for tool in OWN_TOOLS
}
TEXTS = {tool["name"]: tool["description"] for tool in TOOLS}
#: Names as services know their operations, which agents do not; one is the code of a remedy too.
OPERATIONS = {tool["operation"] for tool in TOOLS if "_" in tool["operation"]} - {"add_evidence"}
BARE = re.compile(rf"(?<!\w)({'|'.join(sorted(OPERATIONS))})(?!\w)")


def _schemas(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema within a schema, with where it stands."""
    if isinstance(schema, list):
        for number, inner in enumerate(schema):
            yield from _schemas(inner, f"{path}.{number}")
    if isinstance(schema, dict):
        yield path, schema
        for key, inner in schema.items():
            yield from _schemas(inner, f"{path}.{key}")


def _unbounded(schema: dict[str, Any]) -> bool:
    """Say whether something of any length fits a schema."""
    kinds = schema.get("type", ())
    kinds = {kinds} if isinstance(kinds, str) else set(kinds)
    texts = "string" in kinds and not ({"maxLength", "enum", "const"} & schema.keys())
    lists = "array" in kinds and "maxItems" not in schema
    is_map = "object" in kinds and "properties" not in schema
    keys = schema.get("propertyNames", {})
    return texts or lists or (is_map and not ("maxProperties" in schema and "maxLength" in keys))


@pytest.mark.parametrize("name", SCHEMAS)
def test_tool_arguments_are_bounded(name: str) -> None:
    assert [path for path, schema in _schemas(SCHEMAS[name], name) if _unbounded(schema)] == []


@pytest.mark.parametrize("name", TEXTS)
def test_a_tool_is_told_in_three_hundred_characters_and_in_the_words_of_the_company(name: str) -> None:
    assert len(TEXTS[name]) <= 300
    texts = [TEXTS[name], *(schema.get("description", "") for _, schema in _schemas(SCHEMAS[name], name))]
    assert [text for text in texts if isinstance(text, str) and MACHINERY.search(text)] == []


def _modules(*places: str) -> Iterator[tuple[str, ast.Module]]:
    for place in places:
        for path in sorted((ROOT / place).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def _sentences(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module that are not its documentation."""
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


def test_texts_name_tools_as_agents_call_them() -> None:
    names = ("errors", "schemas", "routes", "wording", "decisions", "deliveries")
    bare = [
        (path, text)
        for path, tree in _modules("services", "companyos/chassis")
        if Path(path).stem in names
        for text in _sentences(tree)
        if " " in text and BARE.search(text)
    ]

    assert bare == []


def test_a_remedy_is_the_name_of_a_tool() -> None:
    remedies = {
        (path, keyword.value.value)
        for path, tree in _modules("services", "companyos/chassis")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "remedy" and isinstance(keyword.value, ast.Constant)
    }

    assert remedies
    assert {(path, remedy) for path, remedy in remedies if remedy not in SCHEMAS} == set()


def _is_prose(node: ast.AST) -> bool:
    """Say whether an expression reads a sentence out of a refusal, a view or a description."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and inner.attr in PROSE:
            return True
        if (
            isinstance(inner, ast.Subscript)
            and isinstance(inner.slice, ast.Constant)
            and inner.slice.value in PROSE
        ):
            return True
    return False


def _parses_prose(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        membership = any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops)
        return membership and any(_is_prose(side) for side in node.comparators)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PARSING:
        return _is_prose(node.func.value) or any(_is_prose(argument) for argument in node.args)
    return False


def test_product_code_does_not_parse_refusals_descriptions_or_documentation() -> None:
    found = {
        path
        for path, tree in _modules("companyos", "orchestrator", "scenarios", "services")
        for node in ast.walk(tree)
        if _parses_prose(node)
    }

    assert found == set()
