"""The OpenAPI document of the trainer API: the routes' requests, and the ways in which each can fail.

Request bodies are read without FastAPI, so it cannot see their models; each route names its model, added here.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from .answers import PROBLEM_JSON
from .models import Flaws, Problem

REF = "#/components/schemas/{model}"
API_VERSION = "1.0.0"

#: A description of this server in one sentence.
ABOUT = (
    "A company for agents to work in: tickets, data and approvals in three real services, "
    "with exact rewards, seeded chaos and the same trace for the same inputs."
)

FAILURES = {
    400: "The URL holds U+0000 or a parameter twice, the host is missing, or there is no such task",
    401: "The trainer token is missing or wrong",
    403: "A web page of another machine called an API that has no token, or the connection did not arrive at loopback",
    404: "No such thing",
    409: "Not now: the episode, or what it waits for, forbids it",
    413: "The body is too large",
    422: "The request cannot be read as documented",
    429: "Too much at once",
    503: "Something the orchestrator needs does not answer; send the same again",
}
BY_THE_GUARD = (400, 401, 403, 413)

_documented: dict[str, type[BaseModel]] = {model.__name__: model for model in (Problem, Flaws)}


def takes(model: type[BaseModel], *, required: bool = True) -> dict[str, Any]:
    """Return the documentation of `model` as a route's JSON body."""
    _documented[model.__name__] = model
    schema = {"$ref": REF.format(model=model.__name__)}
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": schema}}}}


def failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of these failures, and of those common to all routes."""
    return {status: _failure(status, PROBLEM_JSON, Problem) for status in (*BY_THE_GUARD, *statuses, 422)}


def openenv_failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the same for OpenEnv's own routes, whose 422 has OpenEnv's form."""
    return {**failures(*statuses), 422: _failure(422, "application/json", Flaws)}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of `app`, generated once."""
    if app.openapi_schema is None:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        schemas = app.openapi_schema.setdefault("components", {}).setdefault("schemas", {})
        for model in _documented.values():
            schema = model.model_json_schema(ref_template=REF)
            schemas.update(schema.pop("$defs", {}))
            schemas[model.__name__] = schema
    return app.openapi_schema


def _failure(status: int, media_type: str, model: type[BaseModel]) -> dict[str, Any]:
    schema = {"$ref": REF.format(model=model.__name__)}
    return {"description": FAILURES[status], "content": {media_type: {"schema": schema}}}
