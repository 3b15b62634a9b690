"""A request of an agent is the call of a tool: found by method and exact path, with its arguments as meant."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.agent.tools import OWN_TOOLS, Tool
from orchestrator.http.agent_api.operations import Operation, Operations, arguments_of
from orchestrator.http.agent_api.tool_documents import mcp_document, output_schema


def tool(name: str, method: str, path: str, **places: str) -> Tool:
    properties = {argument: {"type": "string"} for argument in places}
    return Tool(
        name=f"desk_{name}",
        description="Do it.",
        parameters={"type": "object", "properties": properties, "required": []},
        service="desk",
        operation=name,
        method=method,
        path=path,
        places=places,
    )


GET = tool("get", "GET", "/tickets/{ticket_id}", ticket_id="path", min_version="query")
SEARCH = tool("search", "GET", "/tickets/search", q="query")
CLOSE = tool("close", "POST", "/tickets/{ticket_id}/close", ticket_id="path", idempotency_key="header")
UPDATE = tool(
    "update", "PATCH", "/tickets/{ticket_id}", ticket_id="path", title="body", idempotency_key="header"
)
LINK = tool("link", "POST", "/tickets/{ticket_id}/links/{other}", ticket_id="path", other="path")
OPERATIONS = Operations([GET, SEARCH, CLOSE, UPDATE, LINK, *OWN_TOOLS])


def found(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    operation = OPERATIONS.find(method, path)
    return None if operation is None else (operation.tool.operation, dict(operation.path))


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/desk/tickets/TD-1", ("get", {"ticket_id": "TD-1"})),
        ("GET", "/desk/tickets/search", ("search", {})),
        ("GET", "/desk/tickets/%73earch", ("get", {"ticket_id": "search"})),
        ("PATCH", "/desk/tickets/search", ("update", {"ticket_id": "search"})),
        ("POST", "/desk/tickets/a%20b/close", ("close", {"ticket_id": "a b"})),
        ("POST", "/desk/tickets/a/links/b", ("link", {"ticket_id": "a", "other": "b"})),
        ("GET", "/desk/tickets/...", ("get", {"ticket_id": "..."})),
    ],
)
def test_a_request_finds_its_operation(method: str, path: str, expected: Any) -> None:
    assert found(method, path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "/desk", "/desk/", "/desk/tickets/", "/desk//tickets/TD-1", "//desk/tickets/TD-1", "desk/tickets/TD-1",
        "/desk/tickets/TD-1/", "/desk/tickets/..", "/desk/tickets/.", "/desk/tickets/%2e%2e", "/desk/tickets/a%2fb",
        "/desk/tickets/a%2Fb", "/desk/tickets/a%5Cb", "/DESK/tickets/TD-1", "/desk/Tickets/TD-1",
        "/desk/tickets/TD-1/x", "/other/tickets/TD-1", "/wait", "/{service}/tickets/TD-1",
    ],
)  # fmt: skip
def test_unknown_paths_match_no_operation(path: str) -> None:
    assert found("GET", path) is None


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "7", 7),
        ({"type": "integer"}, "-7", -7),
        ({"type": "integer"}, "7.0", "7.0"),
        ({"type": "integer"}, "seven", "seven"),
        ({"type": "integer"}, "9" * 30, "9" * 30),
        ({"type": "number"}, "7.5", 7.5),
        ({"type": "number"}, "7", 7.0),
        ({"type": "number"}, "1e400", "1e400"),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "True", "True"),
        ({"type": "string"}, "7", "7"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "7", 7),
        ({}, "7", "7"),
    ],
)
def test_a_query_is_read_as_its_schema_wants_and_otherwise_left_as_text(
    schema: dict[str, Any], text: str, value: Any
) -> None:
    listing = Tool(
        "desk_list",
        "List.",
        {"type": "object", "properties": {"x": schema}},
        service="desk",
        method="GET",
        path="/tickets",
        places={"x": "query"},
    )

    assert arguments_of(Operation(listing, {}), f"x={text}", {}, None) == {"x": value}


def test_an_argument_in_the_wrong_place_has_a_name_that_no_tool_knows() -> None:
    call = Operation(UPDATE, {"ticket_id": "TD-1"})

    arguments = arguments_of(
        call, "title=a&ticket_id=TD-2", {"ticket_id": "TD-3", "idempotency_key": "k", "title": "b"}, None
    )

    assert arguments == {
        "ticket_id": "TD-1",
        "query.title": "a",
        "query.ticket_id": "TD-2",
        "body.ticket_id": "TD-3",
        "body.idempotency_key": "k",
        "title": "b",
    }


def test_a_parameter_given_twice_is_a_list() -> None:
    assert arguments_of(Operation(SEARCH, {}), "q=a&q=b", {}, None) == {"q": ["a", "b"]}


@pytest.mark.parametrize(
    ("key", "meant"), [("mine", "mine"), ('"my own"', "my own"), ('"a\\"b"', 'a"b'), ('"', '"')]
)
def test_a_key_may_be_quoted(key: str, meant: str) -> None:
    call = Operation(CLOSE, {"ticket_id": "TD-1"})

    assert arguments_of(call, "", {}, key) == {"ticket_id": "TD-1", "idempotency_key": meant}


def test_a_key_is_for_changes_only() -> None:
    assert arguments_of(Operation(SEARCH, {}), "", {}, "mine") == {}


def test_reading_tools_are_marked_as_such() -> None:
    assert mcp_document(GET)["annotations"]["readOnlyHint"] is True
    assert mcp_document(UPDATE)["annotations"]["readOnlyHint"] is False
    assert [own.name for own in OWN_TOOLS if mcp_document(own)["annotations"]["readOnlyHint"]] == [
        "get_operation",
        "service_health",
    ]
    assert [own.name for own in OWN_TOOLS if mcp_document(own)["annotations"]["destructiveHint"]] == [
        "finish",
        "refuse",
    ]


def test_an_output_schema_promises_no_more_than_a_strained_system_keeps() -> None:
    documented = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "status": {"enum": ["open", "closed"]}},
        "required": ["id", "status"],
    }

    schema = output_schema(Tool("desk_get", "Get.", {}, service="desk", returns=documented))

    assert schema == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "status": {"type": "string"}},
    }
