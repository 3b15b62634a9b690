"""What agents, the orchestrator and readers are told of TicketDesk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companyos.chassis import ServiceError
from services.ticketdesk import errors
from services.ticketdesk.changes import errors as changes
from services.ticketdesk.merging import errors as merging
from services.ticketdesk.queues import errors as queues
from services.ticketdesk.returns import errors as returns

from ..tools import explains_itself

README = Path(errors.__file__).with_name("README.md").read_text(encoding="utf-8")
OPERATIONS = {
    "list_tickets": "GET /tickets",
    "search_tickets": "GET /search",
    "get_ticket": "GET /tickets/{ticket_id}",
    "create_ticket": "POST /tickets",
    "update_ticket": "PATCH /tickets/{ticket_id}",
    "assign_ticket": "POST /tickets/{ticket_id}/assign",
    "transition_ticket": "POST /tickets/{ticket_id}/transition",
    "verify_ticket": "POST /tickets/{ticket_id}/verify",
    "reopen_ticket": "POST /tickets/{ticket_id}/reopen",
    "list_queues": "GET /queues",
    "route_ticket": "POST /tickets/{ticket_id}/queue",
    "query_tickets": "GET /query",
    "answer_ticket": "POST /tickets/{ticket_id}/answers",
    "plan_change": "POST /tickets/{ticket_id}/changes",
    "list_changes": "GET /changes",
    "roll_out_change": "POST /changes/{change_id}/roll-out",
    "roll_back_change": "POST /changes/{change_id}/roll-back",
    "merge_ticket": "POST /tickets/{ticket_id}/merge",
    "find_personal_data": "POST /personal-data/find",
    "erase_personal_data": "POST /personal-data/{object_id}/erase",
    "return_ticket": "POST /tickets/{ticket_id}/returns",
    "close_ticket": "POST /tickets/{ticket_id}/close",
    "resolve_blocker": "POST /tickets/{ticket_id}/blockers/{blocker_id}/resolve",
    "add_comment": "POST /tickets/{ticket_id}/comments",
    "list_comments": "GET /tickets/{ticket_id}/comments",
    "link_ticket": "POST /tickets/{ticket_id}/links",
    "list_links": "GET /tickets/{ticket_id}/links",
    "get_history": "GET /tickets/{ticket_id}/history",
    "get_rules": "GET /rules/{kind}",
    "list_automations": "GET /automations",
    "list_undelivered": "GET /deliveries/undelivered",
    "replay_events": "POST /deliveries/replay",
    "list_dead_letters": "GET /deliveries/dead-letters",
    "redrive_dead_letter": "POST /deliveries/dead-letters/{letter_id}/redrive",
}


@pytest.fixture
async def manifest(desk) -> dict[str, Any]:
    """What the service says of itself."""
    return (await desk.client.get("/admin/manifest", headers=desk.admin)).json()


def refusals() -> Iterator[type[ServiceError]]:
    for module in (changes, errors, merging, queues, returns):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, ServiceError) and value is not ServiceError:
                yield value


async def test_every_operation_is_a_tool_of_its_name(manifest):
    tools = {tool["operation"]: f"{tool['method']} {tool['path']}" for tool in manifest["tools"]}

    assert tools == OPERATIONS
    assert {tool["name"] for tool in manifest["tools"]} == {f"ticketdesk_{name}" for name in OPERATIONS}


async def test_every_tool_and_every_argument_is_described(manifest):
    for tool in manifest["tools"]:
        assert 20 < len(tool["description"]) <= 300, tool["name"]
        for name, argument in tool["parameters"]["properties"].items():
            assert argument.get("description") or explains_itself(name, argument), f"{tool['name']}: {name}"


async def test_every_field_of_an_answer_is_described(desk):
    document = (await desk.client.get("/admin/openapi", headers=desk.admin)).json()
    views = [schema for name, schema in document["components"]["schemas"].items() if name.endswith("View")]

    assert views
    for view in views:
        for name, field in view["properties"].items():
            assert field.get("description"), f"{view['title']}: {name}"


async def test_the_tool_that_cannot_be_undone_says_so(manifest):
    closing = next(tool for tool in manifest["tools"] if tool["operation"] == "close_ticket")

    assert "Irreversible" in closing["description"]


async def test_the_manifest_names_the_events(manifest):
    assert manifest["publishes"] == [
        "change.rolled_back",
        "change.rolled_out",
        "ticket.closed",
        "ticket.erased",
        "ticket.merged",
        "ticket.reopened",
        "ticket.returned",
        "ticket.unblocked",
        "ticket.verified",
        "ticketdesk.triggered",
    ]
    assert manifest["consumes"] == [
        "access.granted",
        "approval.decided",
        "approval.requested",
        "asset.assigned",
        "asset.returned",
        "clearance.changed",
        "data.erased",
        "entitlement.revoked",
        "metric.refreshed",
        "person.deactivated",
        "ticketdesk.triggered",
    ]


async def test_the_manifest_says_which_tables_are_journals_and_which_are_hidden(manifest):
    assert {table["name"]: (table["journal"], table["hidden"]) for table in manifest["tables"]} == {
        "answer_clocks": (False, False),
        "answers": (False, False),
        "arrivals": (False, True),
        "automation_changes": (False, False),
        "automation_runs": (True, True),
        "automations": (False, False),
        "calendars": (False, False),
        "changes": (False, False),
        "erasures": (False, False),
        "external_blockers": (False, True),
        "comments": (False, False),
        "history": (True, False),
        "intentions": (False, True),
        "links": (False, False),
        "merges": (False, False),
        "people": (False, True),
        "permissions": (False, False),
        "placements": (False, False),
        "queues": (False, False),
        "returns": (False, False),
        "service_levels": (False, False),
        "ticket_kinds": (False, False),
        "tickets": (False, False),
    }


async def test_only_the_separation_of_duties_is_a_violation(manifest):
    ours = {error.code for error in refusals()}

    assert {error["code"] for error in manifest["errors"] if error["violation"]} & ours == {
        "separation_of_duties"
    }


def test_every_refusal_has_a_code_of_its_own_in_the_readme():
    codes = [error.code for error in refusals()]

    assert len(codes) == len(set(codes))
    assert [code for code in codes if f"`{code}`" not in README] == []


async def test_the_readme_names_every_tool_and_event(manifest):
    named = [*OPERATIONS, *manifest["publishes"], *manifest["consumes"]]

    assert [name for name in named if f"`{name}`" not in README] == []
