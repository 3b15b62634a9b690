"""The headers and responses that all operations of a service share, in its OpenAPI document."""

from typing import Any

import orjson
from fastapi import FastAPI

from .manifest import TOOL, VERSIONED, takes_key
from .views import GREATEST_VERSION, MIN_VERSION


def document_headers(app: FastAPI) -> None:
    """Document the headers and responses common to all operations: context, idempotency key, problems."""
    generate = app.openapi

    def documented() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            schemes = document.setdefault("components", {}).setdefault("securitySchemes", {})
            schemes["context"] = {"type": "apiKey", "in": "header", "name": "X-Companyos-Context"}
            document["components"].setdefault("schemas", {})["Problem"] = _PROBLEM
            for methods in document["paths"].values():
                for method, operation in methods.items():
                    _document_operation(method, operation)
            named = orjson.dumps(document).replace(_SERVICE, app.state.service.name.encode())
            app.openapi_schema = orjson.loads(named)
        return app.openapi_schema or {}

    app.openapi = documented  # type: ignore[method-assign]


def _document_operation(method: str, operation: dict[str, Any]) -> None:
    if TOOL in operation:
        operation["security"] = [{"context": []}]
        if takes_key(method, operation):
            operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
        if VERSIONED in operation:
            operation.setdefault("parameters", []).append(_MIN_VERSION)
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    refusals = {"4XX": {"description": "Refused: `type` says why, `detail` what would make it right."}}
    operation["responses"] = {
        **{status: answer for status, answer in operation["responses"].items() if status != "422"},
        **{status: {**answer, "content": content} for status, answer in refusals.items()},
    }


#: Placeholder for the service's name in shared descriptions.
_SERVICE = b"{service}"
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Your own key for this change, up to 128 characters, quoted (RFC 8941) or bare.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 258, "pattern": "^[ -~]+$"},
}
_MIN_VERSION = {
    "name": MIN_VERSION,
    "in": "query",
    "required": False,
    "description": "Refuse an answer whose `version` is lower.",
    "schema": {"type": "integer", "minimum": 1, "maximum": GREATEST_VERSION},
}
_PROBLEM = {
    "type": "object",
    "description": "A problem document, RFC 9457.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "The stable code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what would make it right."},
        "field": {"type": "string"},
        "violation": {"type": "boolean"},
        "remedy": {"type": "string", "description": "Name of the tool whose call makes it right."},
        "required_field": {"type": "string", "description": "The field to supply or to set first."},
        "allowed_values": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Every value that would have been accepted.",
        },
        "permission": {"type": "string", "description": "The permission that is missing."},
        "retry_after_s": {"type": "integer", "description": "Simulated seconds after which to call again."},
        "errors": {"type": "array", "items": {"type": "object"}},
    },
}
