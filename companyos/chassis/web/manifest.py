"""The manifest of a service for the orchestrator: tools, events, tables and refusals."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ServiceError
from ..events.reactions import Reactions
from ..world.messages import Event
from ..world.tables import WorldTable
from .page_layouts import PageLayout, layout_documents

TOOL = "x-companyos-tool"
TICK = "x-companyos-tick"
INSTEAD = "x-companyos-instead"
VERSIONED = "x-companyos-versioned"
IDEMPOTENT = "x-companyos-idempotent"
IDEMPOTENCY = {
    "type": "string",
    "minLength": 1,
    "maxLength": 128,
    "description": "Your own key for this change. Repeating the call with the same key returns its first result "
    "instead of making the change twice.",
}


def manifest(
    *,
    name: str,
    title: str,
    summary: str,
    schema_version: int,
    openapi: dict[str, Any],
    publishes: list[type[Event]],
    reactions: Reactions,
    tables: list[WorldTable],
    pages: Sequence[PageLayout] = (),
) -> dict[str, Any]:
    """Return the manifest of a service as JSON."""
    declared = tools(name, openapi)
    return {
        "service": name,
        "title": title,
        "summary": summary,
        "schema_version": schema_version,
        "tools": declared,
        "pages": layout_documents(pages, [tool["operation"] for tool in declared]),
        "publishes": sorted(event.NAME for event in publishes),
        "consumes": reactions.consumed,
        "tables": [
            {
                "name": table.name,
                "journal": table.journal,
                "hidden": table.hidden,
                "maintained": sorted(table.maintained),
            }
            for table in tables
            if not table.internal
        ],
        "errors": sorted((_error(error) for error in _refusals()), key=lambda error: str(error["code"])),
    }


def tools(service: str, openapi: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the operations marked as tools for agents, sorted by name.

    Each has `name`, `operation`, `method`, `path`, `description`, `tick` (simulated seconds a call costs),
    `instead` (which other tools return the same information), `parameters` (a JSON Schema object), `places`
    (where each argument goes: path, query, body or header), `status` (the HTTP status of a successful call)
    and `returns` (a JSON Schema of the result).
    """
    found = [
        _tool(service, method, path, operation, openapi)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
        if operation.get(TOOL)
    ]
    return sorted(found, key=lambda tool: str(tool["name"]))


def _tool(
    service: str, method: str, path: str, operation: dict[str, Any], openapi: dict[str, Any]
) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    places: dict[str, str] = {}
    required: list[str] = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "header":
            continue
        argument = parameter["name"]
        properties[argument] = {**parameter["schema"], "description": parameter.get("description", "")}
        places[argument] = parameter["in"]
        required += [argument] if parameter.get("required") else []
    body = _body_schema(operation, openapi)
    for argument, schema in body.get("properties", {}).items():
        properties[argument], places[argument] = schema, "body"
    required += body.get("required", [])
    if takes_key(method, operation):
        properties["idempotency_key"], places["idempotency_key"] = IDEMPOTENCY, "header"
    parameters = {
        "type": "object",
        "properties": {name: _plain(schema, openapi) for name, schema in properties.items()},
        "required": required,
        "additionalProperties": False,
    }
    prose = [operation.get("summary", ""), operation.get("description", "")]
    return {
        "name": f"{service}_{operation['operationId']}",
        "operation": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "description": ". ".join(text.strip().rstrip(".") for text in prose if text) + ".",
        "tick": operation[TICK],
        "instead": operation[INSTEAD],
        "parameters": parameters,
        "places": places,
        **_success(operation, openapi),
    }


def takes_key(method: str, operation: Mapping[str, Any]) -> bool:
    """Return whether an operation takes an idempotency key: whether repeating it might do more than doing it once."""
    return method != "get" and IDEMPOTENT not in operation


def _body_schema(operation: dict[str, Any], openapi: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    return _plain(schema, openapi) if schema else {}


def _success(operation: dict[str, Any], openapi: dict[str, Any]) -> dict[str, Any]:
    status = min(status for status in operation["responses"] if status.startswith("2"))
    content = operation["responses"][status].get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    return {"status": int(status), "returns": _plain(schema, openapi)}


def _plain(schema: Any, openapi: dict[str, Any]) -> Any:
    """Resolve the references of a schema and drop generated titles, so the schema is self-contained."""
    if isinstance(schema, list):
        return [_plain(item, openapi) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        named = openapi["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        own = {key: value for key, value in _plain(named, openapi).items() if key != "description"}
        return {**own, **{key: value for key, value in schema.items() if key != "$ref"}}
    kept = {key: value for key, value in schema.items() if not (key == "title" and isinstance(value, str))}
    return {key: _plain(value, openapi) for key, value in kept.items()}


def _refusals() -> list[type[ServiceError]]:
    found, waiting = [], [ServiceError]
    while waiting:
        error = waiting.pop()
        waiting.extend(error.__subclasses__())
        found.append(error)
    return found


def _error(error: type[ServiceError]) -> dict[str, Any]:
    return {"code": error.code, "status": error.status_code, "violation": error.violation}
