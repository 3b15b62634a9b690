"""FastAPI and psycopg are used beyond their public surface: every such part is named here and still there."""

import ast
import inspect
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from packaging.requirements import Requirement
from psycopg import AsyncConnection

from companyos.chassis.web.fast_path import NEWEST_KNOWN

ROOT = Path(__file__).parents[2]
CHASSIS = ROOT / "companyos" / "chassis"

#: Names that no documentation promises, as the modules import them.
PARTS = {
    "web/fast_path.py": (
        "fastapi.datastructures.DefaultPlaceholder",
        "fastapi.dependencies.utils.request_body_to_args",
        "fastapi.dependencies.utils.request_params_to_args",
        "fastapi.routing.serialize_response",
        "starlette.convertors.StringConvertor",
    ),
    "postgres/prepared.py": (
        "psycopg.generators",
        "psycopg.abc.PQGen",
        "psycopg.abc.Transformer",
        "psycopg.adapt.Transformer",
        "psycopg.errors.error_from_result",
        "psycopg.pq.ExecStatus",
        "psycopg.pq.abc.PGconn",
        "psycopg.pq.abc.PGresult",
        "psycopg.waiting.wait_async",
    ),
}
#: What the modules may import because the libraries document it.
PUBLIC = {
    "fastapi.FastAPI",
    "fastapi.Request",
    "fastapi.Response",
    "fastapi.exceptions.RequestValidationError",
    "fastapi.routing.APIRoute",
    "psycopg.AsyncConnection",
    "psycopg.DataError",
    "psycopg.types.json.Jsonb",
    "psycopg.types.json.set_json_dumps",
    "psycopg.types.json.set_json_loads",
    "starlette.types.ASGIApp",
    "starlette.types.Receive",
    "starlette.types.Scope",
    "starlette.types.Send",
}
#: Attributes of the parts, by the part.
ATTRIBUTES = {
    "psycopg.generators": ("fetch_many", "send"),
    "psycopg.adapt.Transformer": ("load_rows", "set_pgresult"),
    "psycopg.AsyncConnection": ("wait",),
    "psycopg.pq.PGconn": (
        "enter_pipeline_mode",
        "exit_pipeline_mode",
        "pipeline_sync",
        "send_prepare",
        "send_query_prepared",
    ),
    "psycopg_pool.AsyncConnectionPool": ("connection", "getconn", "putconn"),
}
ROUTE = (
    "_embed_body_fields",
    "dependant",
    "param_convertors",
    "path_regex",
    "response_class",
    "response_field",
)
DEPENDANT = (
    "background_tasks_param_name",
    "body_params",
    "cookie_params",
    "dependencies",
    "header_params",
    "http_connection_param_name",
    "path_params",
    "query_params",
    "request_param_name",
    "response_param_name",
    "security_scopes_param_name",
)


def found(name: str) -> Any:
    """Return a module, or a name of one; fail by name where the library has it no longer."""
    module, _, last = name.rpartition(".")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        part = getattr(import_module(module), last, None)
    if part is None:
        pytest.fail(
            f"{name} is gone: {module.partition('.')[0]} {version(module.partition('.')[0])} has no such part"
        )
    return part


@pytest.mark.parametrize("name", [name for names in PARTS.values() for name in names])
def test_a_private_part_is_still_there(name: str) -> None:
    assert found(name) is not None


@pytest.mark.parametrize("part", ATTRIBUTES)
def test_a_private_part_still_has_what_is_used_of_it(part: str) -> None:
    owner = found(part)

    gone = [name for name in ATTRIBUTES[part] if not hasattr(owner, name)]

    assert gone == [], f"{part} has no {gone}"


@pytest.mark.parametrize("attribute", ["lock", "pgconn"])
def test_a_connection_still_sets_what_an_exchange_uses(attribute: str) -> None:
    own = [one for one in AsyncConnection.__mro__ if one.__module__.startswith("psycopg")]
    sources = [inspect.getsource(one.__init__) for one in own if "__init__" in vars(one)]

    assert any(f"self.{attribute} = " in source for source in sources)


def test_a_route_still_has_what_the_fast_path_reads_of_it() -> None:
    app = FastAPI()

    @app.get("/things/{thing_id}")
    def show_thing(thing_id: str) -> dict[str, str]:
        return {"id": thing_id}

    route = next(one for one in app.routes if isinstance(one, APIRoute))

    assert [name for name in ROUTE if not hasattr(route, name)] == []
    assert [name for name in DEPENDANT if not hasattr(route.dependant, name)] == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("fastapi.routing.serialize_response", {"field", "response_content", "dump_json"}),
        (
            "fastapi.dependencies.utils.request_body_to_args",
            {"body_fields", "received_body", "embed_body_fields"},
        ),
        ("fastapi.dependencies.utils.request_params_to_args", {"fields", "received_params"}),
    ],
)
def test_a_private_function_still_takes_what_it_is_given(name: str, arguments: set[str]) -> None:
    taken = set(inspect.signature(found(name)).parameters)

    assert arguments - taken == set(), f"{name} takes {sorted(taken)}"


@pytest.mark.parametrize("module", PARTS)
def test_every_part_that_is_used_is_named_here(module: str) -> None:
    tree = ast.parse((CHASSIS / module).read_text(encoding="utf-8"))
    used = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("fastapi", "starlette", "psycopg"))
        for alias in node.names
    }

    assert used - PUBLIC == set(PARTS[module])


def test_the_fast_path_knows_the_release_of_fastapi_that_is_locked() -> None:
    assert tuple(map(int, version("fastapi").split(".")[:2])) <= NEWEST_KNOWN


def test_psycopg_whose_private_parts_everything_needs_has_an_upper_bound() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = next(one for one in map(Requirement, project["dependencies"]) if one.name == "psycopg")

    assert any(bound.operator == "<" for bound in wanted.specifier)
    assert version("psycopg") in wanted.specifier
