"""The reference of the trainer API: routes, messages of sockets, limits and error codes, read from the application."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from docs.access import TITLES, WEBSOCKET, routes
from docs.trainer_errors import ERRORS, FLAWS, found

TEXT = """Every route that trainers call on port 8000. [Access](access.md) says who may call which, and
[Settings](settings.md) how to change the limits. `GET /openapi.json` is the same for programs.

- Send `Authorization: Bearer <token>` if the stack has a trainer token. `/health` and `/ready` need none.
- Requests and responses are JSON in UTF-8. Where a field may be null, null counts as absent.
- A failure is a problem document (RFC 9457): `type` is a code of [Errors](#errors), `detail` says how to correct the
  request, `retryable` whether the same request may succeed later, and `field` which part is at fault. Temporary
  refusals carry `Retry-After`.
- `HEAD` is answered wherever `GET` is. There is no CORS: `OPTIONS` gets 405 and `Allow`, with or without a token.
  Paths have no slash at their end, except `/mcp/`, and nothing redirects.
- A 422 of the routes under [OpenEnv](#openenv) is `{"detail": [{type, loc, msg}]}`, because OpenEnv's clients read
  that. All others are problem documents with the code `invalid_request` and such a list in `errors`."""
#: What the routes with sockets are for.
SOCKETS = {
    "/ws": "One connection is one session of OpenEnv's protocol: each message gets one response, in order. The query "
    "may name a `session_id` to hold, or an `episode_id` to continue. Only exhausted capacity, an unknown session and "
    "`close` end a connection, with code 1000; every other error is a response. A connection that is cut leaves its "
    "episode open; `close` ends an unfinished one.",
    "/observe": "The steps of an episode as they are committed, on any replica, for whoever grades or watches: each "
    "message is a record as in the trace, with its `events` and `faults`. The query names the `episode_id`, and the "
    "last step already seen as `after` (0 by default); whatever else is refused before the socket opens, with a "
    "problem document. The server closes with code 1000 when the episode is done or deleted, and with 1013 while "
    "the database does not answer: connect again with `after`. Nothing sent to it is read.",
    "/mcp": "The JSON-RPC requests of `POST /mcp`, one in each message. `tools/call` needs no `session_id` here. The "
    "end of the connection ends its episode.",
}
#: The response to each message of `/ws`.
ANSWERS = {
    "reset": "`observation`, whose `data` is the response of `POST /reset`",
    "step": "`observation`, whose `data` is the response of `POST /step`",
    "state": "`state`, whose `data` is the response of `GET /state`",
    "mcp": "`mcp`, whose `data` is the JSON-RPC response",
    "close": "None; the connection is closed.",
    "validation_open": "`validation_open`, whose `data` has the `capability` of this socket",
    "validation_read": "`validation`, whose `data` has `seed`, `rubric`, `attribution` and `trajectory`",
}
#: What OpenEnv's error codes mean on `/ws`.
SOCKET_CODES = {
    "INVALID_JSON": "The message is not JSON text. Correct it.",
    "UNKNOWN_TYPE": "There is no such type of message. Send one of those above.",
    "VALIDATION_ERROR": "A field is invalid; `errors` says which, as in a 422. Or the telemetry stays closed.",
    "EXECUTION_ERROR": "The request was refused; `type`, `status` and `retryable` are those of the problem document.",
    "CAPACITY_REACHED": "Too many sessions or episodes are open; `retry_after_s` says when to try again, if known.",
    "SESSION_ERROR": "The session or episode in the query does not exist, or another socket holds the session.",
}
#: What JSON-RPC's error codes mean.
JSONRPC_CODES = {
    -32700: "The message is not JSON.",
    -32600: "It is not a JSON-RPC 2.0 request, or closes the session of its own socket.",
    -32601: "There is no such method.",
    -32602: "A parameter is missing or invalid, or there is no such session.",
    -32603: "The request was refused; `data` has the `type`, `status` and `retryable` of the problem document.",
    -32000: "Too many sessions are open; `data` has `active_sessions` and `max_sessions`.",
}
METHODS = {
    "initialize": "Begin as MCP clients do; a notification gets 202 and no body.",
    "ping": "Return an empty result.",
    "tools/list": "List the tools of the session's episode, or all tools.",
    "tools/call": "Play a step: `name`, `arguments`, and `session_id` or `episode_id`.",
    "openenv/session/create": "Create a session, which every replica knows by its `session_id`.",
    "openenv/session/reset": "Start an episode: `session_id` and the fields of `POST /reset`.",
    "openenv/session/close": "Close a session: `session_id`.",
}
#: Objects that a response contains without naming their model.
OBJECTS = {
    "messages.models": ("Action", "ObservationDocument"),
    "messages.responses": ("ResetMetadata", "StepMetadata"),
}


def page() -> str:
    """Return the page without its title."""
    document = _document()
    schemas = document["components"]["schemas"]
    sections = [_section(tag, document) for tag in _tags(document)]
    return "\n\n".join(
        [_limits(), *sections, _sockets(), _jsonrpc(), _errors(), _request_errors(), _objects(schemas)]
    )


def _document() -> dict[str, Any]:
    api = import_module("orchestrator.http.app").trainer_api(
        lambda: None, _module("messages.guard").TrainerAccess(published_host="127.0.0.1"), max_sessions=1
    )
    document: dict[str, Any] = api.openapi()
    for module, names in OBJECTS.items():
        models = import_module(f"orchestrator.http.{module}")
        for model in (getattr(models, name) for name in names):
            schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
            document["components"]["schemas"] |= {model.__name__: schema, **schema.pop("$defs", {})}
    return document


def _limits() -> str:
    rows = [f"| {name} | {value} |" for name, value in _measured_limits()]
    text = (
        "A client that exceeds a limit of connections gets 408, 431 or 503, before its request has any effect, and the "
        "connection is closed. So does what is no HTTP, with 400 `http_invalid`, a request of HTTP/1.0 that does not "
        "say how long its body is, with 411 `length_required`, and a version but HTTP/1.1 and HTTP/1.0, or a request "
        "of RTSP or ICE, with 505 `http_version_unsupported`. Browsers get a page. A request that arrived in full "
        "before is answered first. The limits of connections apply to every listener: trainer API, agent API and "
        "services."
    )
    return "\n".join(["## Limits", "", text, "", "| limit | value |", "|---|---|", *rows])


def _measured_limits() -> Iterator[tuple[str, str]]:
    body, guard = _module("messages.body"), _module("messages.guard")
    settings = import_module("orchestrator.runtime.settings").Settings.model_fields
    yield "body of a request, WebSocket message", f"{body.MAX_BODY_BYTES // 1024} KiB"
    for path, size in guard.LARGER_BODIES.items():
        unpacked = import_module("orchestrator.branching.archives.format").MOST_UNPACKED
        yield f"body of `POST {path}`", f"{size // 2**20} MiB, {unpacked // 2**20} MiB unpacked"
    yield "nesting of a JSON value", f"{body.MAX_DEPTH} levels"
    yield (
        "batch",
        f"{_module('openenv.batches').LONGEST:,} items, {_module('openenv.batches').AT_ONCE} at once",
    )
    yield "resets of one prefetch", str(_module("openenv.prefetch").LONGEST)
    yield "episodes of one fork", str(_module("trainer.snapshot_routes").MOST_BRANCHES)
    yield "page of a list", f"{import_module('orchestrator.episodes.facade').LONGEST_PAGE} items"
    yield "tasks in one response", f"{_module('openenv.task_api').MAX_TASKS:,}"
    yield (
        "name of a tool, text of an `invalid` action",
        "{0.MAX_NAME}, {0.MAX_RAW:,} characters".format(import_module("orchestrator.agent.actions")),
    )
    yield "idle session with an id, when room is needed", f"{_module('openenv.client_sessions').IDLE_S:g} s"
    connections = import_module("companyos.embedded.listeners.connections")
    yield "request line, headers and trailers", f"{connections.MAX_HEAD_BYTES // 1024} KiB; then 431"
    for name in ("max_connections", "head_s", "body_s", "keep_alive_s"):
        yield f"`COMPANYOS_{name.upper()}`", _setting(settings[name])
    for name in ("max_sessions", "max_episodes", "keep_episodes", "idle_s", "max_in_flight", "queue_s"):
        yield f"`COMPANYOS_{name.upper()}`", _setting(settings[name])
    for name in ("settle_s", "patience_s", "call_s"):
        yield f"`COMPANYOS_{name.upper()}`", _setting(settings[name])


def _setting(field: Any) -> str:
    return f"{field.default:g} by default. {_cell(field.description)}"


def _tags(document: Mapping[str, Any]) -> list[str]:
    tags = [way.get("tags", [""])[0] for ways in document["paths"].values() for way in ways.values()]
    return sorted(set(tags), key=lambda tag: (tag != "OpenEnv", not tag, tag))


def _section(tag: str, document: Mapping[str, Any]) -> str:
    parts = [
        _route(method, path, way)
        for path, ways in document["paths"].items()
        for method, way in ways.items()
        if way.get("tags", [""])[0] == tag
    ]
    return "\n\n".join([f"## {tag or 'Pages'}", *parts])


def _route(method: str, path: str, way: Mapping[str, Any]) -> str:
    text = ". ".join(filter(None, (way["summary"], way.get("description", "").rstrip(".")))) + "."
    statuses = [int(status) for status in way["responses"]]
    failures = ", ".join(str(status) for status in sorted(statuses) if status >= 400)
    success = next(status for status in sorted(statuses) if status < 400)
    parts = [
        _parameters(way.get("parameters", ())),
        *_content("Request", way.get("requestBody")),
        *_content(f"Response {success}", way["responses"][str(success)]),
        f"Failures: {failures or 'none'}.",
    ]
    return "\n\n".join(filter(None, [f"### `{method.upper()} {path}`", text, *parts]))


def _parameters(parameters: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        f"| `{one['name']}` | {one['in']} | {_type(one['schema'])} | {'yes' if one.get('required') else ''} "
        f"| {_cell(one.get('description') or one['schema'].get('description', ''))} |"
        for one in parameters
    ]
    head = ["| parameter | in | type | required | meaning |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) if rows else ""


def _content(title: str, body: Mapping[str, Any] | None) -> Iterator[str]:
    if body is None:
        return
    media, content = next(iter(body.get("content", {}).items()), ("nothing", {}))
    schema = content.get("schema", {})
    optional = " (optional)" if title == "Request" and not body.get("required") else ""
    if media != "application/json":
        yield f"{title}{optional}: {' or '.join(f'`{name}`' for name in body.get('content', {})) or 'no body'}."
        return
    yield f"{title}{optional}: {_type(schema) if schema else 'JSON'}."


def _fields(model: Mapping[str, Any]) -> str:
    required = set(model.get("required", ()))
    rows = [
        f"| `{name}` | {_type(schema)} | {'yes' if name in required else ''} | {_meaning(schema)} |"
        for name, schema in model.get("properties", {}).items()
    ]
    return "\n".join(["| field | type | required | meaning |", "|---|---|---|---|", *rows]) if rows else ""


def _meaning(schema: Mapping[str, Any]) -> str:
    default = schema.get("default")
    text = _cell(schema.get("description", ""))
    return " ".join(
        filter(
            None,
            (text, f"Default: `{json.dumps(default).strip(chr(34))}`." if default not in (None, "") else ""),
        )
    )


def _type(schema: Mapping[str, Any]) -> str:
    if name := _name(schema):
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_type, options)))
    if values := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
        return " or ".join(f"`{value}`" for value in values)
    if schema.get("type") == "array":
        return f"array of {_type(schema.get('items', {}))}{_bounds(schema)}"
    return f"{schema.get('type', 'any')}{_bounds(schema)}"


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = (
        next((schema[name] for name in names if name in schema), None)
        for names in (("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems"))
    )
    over = f"over {schema['exclusiveMinimum']}" if "exclusiveMinimum" in schema else ""
    bounds = (
        f"{'' if low is None else low} to {high}" if high is not None else over or (low and f"from {low}")
    )
    unit = " characters" if schema.get("type") == "string" else ""
    return f", {str(bounds).strip()}{unit}" if bounds else ""


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _objects(schemas: Mapping[str, Any]) -> str:
    parts = [
        "\n\n".join(
            filter(None, (f"### {name}", _first_line(schema), _fields(schema) or _type(schema) + "."))
        )
        for name, schema in sorted(schemas.items())
    ]
    return "\n\n".join(["## Objects", *parts])


def _first_line(schema: Mapping[str, Any]) -> str:
    return str(schema.get("description", "")).partition("\n\n")[0].replace("\n", " ")


def _sockets() -> str:
    sockets = [route.path for route in routes() if route.listener in TITLES and route.method == WEBSOCKET]
    socket = _module("openenv.websocket")
    rows = [
        f"| `{kind}` | {_cell(model.__doc__)} | {ANSWERS[kind]} |" for kind, model in socket.MESSAGES.items()
    ]
    codes = [f"| `{code}` | {SOCKET_CODES[code]} |" for code in socket.WebSocketErrorCode]
    text = 'A message is `{"type": …, "data": …}`. An error is `{"type": "error", "data": {"code", "message", …}}`.'
    return "\n".join(
        [
            "## Sockets",
            *(f"\n### `{WEBSOCKET} {path}`\n\n{SOCKETS[path]}" for path in sockets),
            f"\n### Messages of `/ws`\n\n{text}\n",
            *("| type | purpose | response |", "|---|---|---|", *rows, ""),
            *("| error code | meaning |", "|---|---|", *codes),
        ]
    )


def _jsonrpc() -> str:
    jsonrpc = _module("openenv.jsonrpc")
    methods = [f"| `{method}` | {METHODS[method]} |" for method in jsonrpc.Method]
    codes = [f"| {code.value} | {JSONRPC_CODES[code]} |" for code in jsonrpc.JsonRpcErrorCode]
    text = (
        "A client of MCP 2025-03-26 may send a list of messages, which are played in order and answered by a list. "
        "A later revision in the header `MCP-Protocol-Version` has no batches."
    )
    return "\n".join(
        [
            *("## JSON-RPC", "", text, "", "| method | purpose |", "|---|---|", *methods, ""),
            *("| error code | meaning |", "|---|---|", *codes),
        ]
    )


def _errors() -> str:
    codes = sorted(found().items())
    rows = [
        f"| `{code}` | {', '.join(map(str, sorted(statuses)))} | {' | '.join(ERRORS[code])} |"
        for code, statuses in codes
    ]
    head = ["| code | status | meaning | what to do |", "|---|---|---|---|"]
    return "\n".join(["## Errors", "", "The codes never change.", "", *head, *rows])


def _request_errors() -> str:
    text = (
        "A 422 lists every error of the request: `loc` is the path of the value, and `msg` says what is allowed. "
        "The `type` is one of Pydantic, such as `missing`, `extra_forbidden` or `int_type`, or one of these:"
    )
    rows = [f"| `{name}` | {' | '.join(meaning)} |" for name, meaning in sorted(FLAWS.items())]
    head = ["| type | meaning | what to do |", "|---|---|---|"]
    return "\n".join(["## Errors in requests", "", text, "", *head, *rows])


def _module(name: str) -> Any:
    return import_module(f"orchestrator.http.{name}")


def _cell(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip().replace("|", "\\|")
