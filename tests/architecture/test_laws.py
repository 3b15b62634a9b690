"""The laws of the architecture that source code can break: read off the source itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).parents[2]
BUSINESS = ("services", "scenarios", "companyos/sdk/company")
#: What reads the wall clock or an unkeyed source of chance.
FORBIDDEN = {
    ("time", "time"),
    ("time", "monotonic"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
    ("uuid", "uuid4"),
    ("uuid", "uuid1"),
    ("secrets", "token_hex"),
    ("os", "urandom"),
}
FORBIDDEN_MODULES = {"random", "secrets", "uuid", "time"}


def modules(*places: str) -> Iterator[tuple[str, ast.Module]]:
    for place in places:
        for path in sorted((ROOT / place).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield node.lineno, owner.id if isinstance(owner, ast.Name) else "", node.func.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, "", node.func.id


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module


def test_business_code_reads_no_wall_clock_and_no_shared_chance() -> None:
    found = [
        f"{name}:{line} {owner}.{attribute}"
        for name, tree in modules(*BUSINESS)
        for line, owner, attribute in calls(tree)
        if (owner, attribute) in FORBIDDEN or (owner, attribute) == ("", "hash")
    ]
    found += [
        f"{name}:{line} import {module}"
        for name, tree in modules(*BUSINESS)
        for line, module in imported(tree)
        if module.split(".")[0] in FORBIDDEN_MODULES
    ]

    assert found == []


def test_only_the_chassis_reaches_a_table() -> None:
    """Services build statements over `live` rows only: no table, no insert, no raw SQL text."""
    forbidden = {"text", "insert", "update", "delete", "table", "Table", "execute"}
    found = [
        f"{name}:{line} {attribute}"
        for name, tree in modules("services")
        for line, owner, attribute in calls(tree)
        if owner in {"sa", "sqlalchemy", "connection"} and attribute in forbidden
    ]
    found += [
        f"{name}: {module}"
        for name, tree in modules("services")
        for _, module in imported(tree)
        if module.split(".")[0] in {"psycopg", "psycopg_pool", "redis", "httpx", "aiohttp"}
    ]

    assert found == []


def test_a_service_selects_from_live_rows_and_from_nothing_else() -> None:
    """Whatever a `select` of a service is made of hangs on a name that `live(...)` gave in the same module."""
    astray = []
    for name, tree in modules("services"):
        rows = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and is_call_of(node.value, "live")
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(tree):
            if is_call_of(call, "select"):
                roots = {root(argument) for argument in call.args} or {""}
                astray += [f"{name}:{call.lineno} {used}" for used in roots - rows]

    assert astray == []


def test_services_import_only_values_and_comparisons_from_database_libraries() -> None:
    """Values and comparisons only; and of the chassis, what it offers to others."""
    allowed = {"sqlalchemy": {"ARRAY", "Integer", "Text", "any_", "bindparam", "func", "select", "tuple_"}}
    found = [
        f"{name}:{node.lineno} {node.module}.{alias.name}"
        for name, tree in modules("services")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level
        for alias in node.names
        if (node.module or "").startswith(("sqlalchemy", "companyos.chassis."))
        and alias.name not in allowed.get(node.module or "", set())
    ]
    found += [
        f"{name}:{line} import {module}"
        for name, tree in modules("services")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for line, module in ((node.lineno, alias.name) for alias in node.names)
        if module.split(".")[0] in {"sqlalchemy", "companyos"}
    ]

    assert found == []


def test_sql_text_outside_the_chassis_names_no_world_table_or_layer() -> None:
    """A statement in words: of a table in a service's schema, of `layer_id`, or of the table behind a row class."""
    schemas = "|".join(path.name for path in (ROOT / "services").iterdir() if (path / "models.py").is_file())
    words = re.compile(rf"(?i)\b(from|join|into|update|table|only)\s+\"?({schemas})\"?\s*\.|\blayer_id\b")
    found = []
    for name, tree in modules("services", "orchestrator", "scenarios", "companyos"):
        if name.startswith("companyos/chassis/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and words.search(node.value):
                found.append(f"{name}:{node.lineno} {node.value!r}")
            elif isinstance(node, ast.Attribute) and node.attr in {"__world_table__", "__table__"}:
                found.append(f"{name}:{node.lineno} {node.attr}")

    assert found == []


def is_call_of(node: ast.AST, function: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == function


def root(node: ast.AST) -> str:
    """Return the name that an expression such as `_ROWS.c.id` hangs on; what is no such thing, as it is."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def test_services_have_the_same_files() -> None:
    required = {
        "__init__",
        "__main__",
        "app",
        "domain",
        "errors",
        "events",
        "handlers",
        "models",
        "repository",
        "routes",
        "schemas",
        "service",
    }
    for service in sorted(
        path for path in (ROOT / "services").iterdir() if path.is_dir() and path.name[0] != "_"
    ):
        present = {path.stem for path in service.iterdir() if path.suffix == ".py" or path.is_dir()}
        assert required - present == set(), service.name
        assert (service / "README.md").is_file()


def test_modules_and_folders_have_no_catch_all_names() -> None:
    vague = {"common", "shared", "utils", "util", "helpers", "lib", "libs", "misc"}
    source = [
        path
        for top in ("companyos", "services", "orchestrator", "scenarios")
        for path in (ROOT / top).rglob("*")
    ]

    assert [str(path) for path in source if path.stem in vague] == []


def test_every_module_says_what_the_reader_will_find() -> None:
    silent = [
        name
        for name, tree in modules("companyos", "services", "orchestrator", "scenarios", "tests")
        if tree.body and ast.get_docstring(tree) is None
    ]

    assert silent == []


@pytest.mark.parametrize("place", ["companyos", "services", "orchestrator", "scenarios"])
def test_a_catch_all_says_why(place: str) -> None:
    unexplained = []
    for name, tree in modules(place):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        for node in ast.walk(tree):
            broad = isinstance(node, ast.ExceptHandler) and ast.unparse(node.type or ast.Name("bare")) in (
                "Exception",
                "BaseException",
                "bare",
            )
            if (
                broad
                and "#" not in "".join(lines[node.lineno - 2 : node.lineno + 1])
                and "raise" not in ast.unparse(node)
            ):
                unexplained.append(f"{name}:{node.lineno}")

    assert unexplained == []
