"""What a company consists of is said in `scenarios/` alone: the library and the services have no content."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import scenarios.packs
from companyos.sdk.company import Pack
from companyos.sdk.scenario import load_scenarios

ROOT = Path(__file__).parents[2]
TOPS = ("companyos", "services", "orchestrator")
#: Names of content that are ordinary words as well: a table, a column, a log level, a kind of document.
ORDINARY = {
    "account", "cost_centre", "department", "handbook", "incident", "invoice", "item", "manager", "order", "service",
    "supplier", "system", "task",
}  # fmt: skip


def packs() -> dict[str, Pack]:
    """Return every pack of this repository, shared ones and those of one scenario."""
    shared = [
        import_module(f"scenarios.packs.{module.name}").PACK
        for module in iter_modules(scenarios.packs.__path__)
    ]
    own = [pack for scenario in load_scenarios().values() for pack in getattr(scenario, "packs", ())]
    return {pack.name: pack for pack in (*shared, *own)}


def content_of(pack: Pack) -> set[str]:
    """Return what a pack has names for."""
    types = [*pack.approval_types, *(asked.type for asked in pack.side_requests)]
    named = {
        *(kind.id for kind in pack.ticket_kinds),
        *(role for kind in pack.ticket_kinds for role in kind.verifier_roles),
        *(one.id for one in types),
        *(one.metric_name for one in types if one.metric_name),
        *(role for one in types for role in one.roles),
        *(field.name for one in types for field in one.fields if "_" in field.name),
        *pack.record_kinds,
        *(office.role for office in pack.offices),
        *(metric for metric, _ in pack.side_metrics),
        *((pack.ledger and [pack.ledger.kind]) or []),
    }
    return named - ORDINARY - set(load_scenarios())


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Return the strings of a module, each with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@pytest.mark.parametrize("top", TOPS)
def test_code_outside_the_scenarios_names_no_content_of_a_pack(top):
    named = set().union(*map(content_of, packs().values()))
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / top).rglob("*.py"))
        if not {"_stack", "scaffold", "testing.py"} & {*path.parts}
        for line, text in strings_of(path)
        if text in named
    ]

    assert not found


def test_there_is_content_to_look_for():
    assert {"cfo", "vendor_approval", "handbook_section", "error_rate"} <= set().union(
        *map(content_of, packs().values())
    )
