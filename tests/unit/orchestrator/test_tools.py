"""Arguments are checked with the argument named, and become one HTTP request."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.chassis.web.http import unquoted
from orchestrator.agent.tools import FINISH, Tool, ToolRequest

UPDATE = Tool(
    name="desk_update_ticket",
    description="Update a ticket.",
    parameters={
        "type": "object",
        "properties": {
            "ticket_id": {"type": "string"},
            "dry_run": {"type": "boolean"},
            "limit": {"type": "integer", "minimum": 1},
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "share": {"type": "number", "exclusiveMaximum": 1},
            "title": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "labels": {"type": "array", "items": {"type": "string"}},
            "idempotency_key": {"type": "string"},
        },
        "required": ["ticket_id"],
        "additionalProperties": False,
    },
    tick=60,
    service="desk",
    operation="update_ticket",
    method="PATCH",
    path="/tickets/{ticket_id}",
    places={
        "ticket_id": "path",
        "dry_run": "query",
        "limit": "query",
        "title": "body",
        "labels": "body",
        "idempotency_key": "header",
    },
)


def test_arguments_go_where_the_manifest_places_them() -> None:
    arguments = {
        "title": None,
        "limit": 3,
        "dry_run": True,
        "ticket_id": "TD/1 é?",
        "idempotency_key": "mine",
        "labels": ["b", "a"],
    }

    request = UPDATE.request(arguments)

    assert request == ToolRequest(
        "PATCH",
        "/tickets/TD%2F1%20%C3%A9%3F?dry_run=true&limit=3",
        b'{"labels":["b","a"],"title":null}',
        {"Idempotency-Key": '"mine"'},
    )


def test_equal_arguments_make_equal_bytes_in_whatever_order_they_come() -> None:
    one = UPDATE.request({"ticket_id": "a", "title": "t", "labels": []})
    other = UPDATE.request({"labels": [], "title": "t", "ticket_id": "a"})

    assert one == other


def test_an_argument_that_is_null_is_left_out_of_the_query() -> None:
    listing = Tool(
        "desk_list", "List.", {"type": "object"}, method="GET", path="/tickets", places={"status": "query"}
    )

    assert listing.request({"status": None}) == ToolRequest("GET", "/tickets")


@pytest.mark.parametrize(
    ("arguments", "flaw"),
    [
        ({"ticket_id": "TD-1"}, None),
        ({"ticket_id": "TD-1", "lable": 1}, "lable: there is no such argument (did you mean labels?)."),
        ({"ticket_id": "a", "limit": 0}, "limit: must be at least 1, not 0."),
        ({"ticket_id": "a", "amount": 0}, "amount: must be more than 0, not 0."),
        ({"ticket_id": "a", "share": 1.0}, "share: must be less than 1, not 1.0."),
        ({"ticket_id": "a", "labels": ["x", 1]}, "labels.1: must be of type string, not 1."),
        ({"ticket_id": "a/b"}, "ticket_id: is not an id."),
        ({"ticket_id": ".."}, "ticket_id: is not an id."),
        ({"ticket_id": ""}, "ticket_id: is not an id."),
        ({"ticket_id": "a\nb"}, "ticket_id: is not an id."),
        ({"ticket_id": "a", "title": "x\x00"}, "title: contains the character U+0000."),
        ({"ticket_id": "a", "labels": ["\x00"]}, "labels: contains the character U+0000."),
        ({"ticket_id": "a", "title": "\\u0000"}, None),
        (
            {"ticket_id": "a", "idempotency_key": "ä"},
            "idempotency_key: has other characters than printable ASCII.",
        ),
        (
            {"ticket_id": "a", "idempotency_key": "a\r\nX: 1"},
            "idempotency_key: has other characters than printable ASCII.",
        ),
    ],
)
def test_a_flaw_names_the_argument(arguments: dict[str, Any], flaw: str | None) -> None:
    found = UPDATE.flaw(arguments)

    assert (found and found.text) == flaw


def test_several_flaws_are_told_in_order_and_not_all() -> None:
    flaw = UPDATE.flaw({"ticket_id": "a", "limit": "x", "labels": 3, "title": 4, "dry_run": 5})

    assert flaw is not None
    assert flaw.text.count(";") == 2
    assert flaw.text.startswith("dry_run:")
    assert flaw.facts == {"field": "dry_run"}


def test_a_flaw_does_not_repeat_a_huge_value() -> None:
    flaw = UPDATE.flaw({"ticket_id": "a", "labels": "x" * 100_000})

    assert flaw is not None
    assert flaw.text.startswith("labels: must be of type array")
    assert len(flaw.text) < 200


@pytest.mark.parametrize(
    ("places", "arguments", "subject"),
    [
        ({"ticket_id": "path", "blocker_id": "path"}, {"ticket_id": "T1", "blocker_id": "T2"}, "T2/T1"),
        ({"ticket_id": "body", "title": "body"}, {"ticket_id": "T1", "title": "x"}, "T1"),
        ({"q": "query"}, {"q": "x"}, ""),
        ({"ticket_id": "path"}, {}, ""),
    ],
)
def test_the_subject_of_a_call_is_the_object_it_names(
    places: dict[str, str], arguments: dict[str, Any], subject: str
) -> None:
    assert Tool("t", "T.", {"type": "object"}, places=places).subject(arguments) == subject


def test_finish_takes_a_sentence_or_a_typed_answer() -> None:
    kinds = FINISH.card["input_schema"]["properties"]["answer"]["type"]

    assert kinds == ["string", "number", "array", "object"]
    assert all(FINISH.flaw({"answer": answer}) is None for answer in ("Done.", 3, ["TD-1"], {"value": 3}))
    assert FINISH.flaw({"answer": True}) is not None


def test_an_argument_that_another_tool_of_the_service_is_for_leads_there() -> None:
    assign = replace(UPDATE, name="desk_assign_ticket", parameters={"required": ["ticket_id", "assignee"]})
    elsewhere = replace(assign, name="shop_assign_ticket", service="shop")

    flaw = UPDATE.flaw({"ticket_id": "TD-1", "assignee": "ana.lopez"}, [UPDATE, elsewhere, assign])

    assert flaw is not None
    assert flaw.text == "assignee: there is no such argument (desk_assign_ticket takes it)."


def test_a_key_is_quoted_so_that_spaces_at_its_ends_stay_part_of_it() -> None:
    keys = [" a", "a", 'say "a"\\']
    sent = [UPDATE.request({"ticket_id": "TD-1", "idempotency_key": key}).headers for key in keys]

    assert [headers["Idempotency-Key"] for headers in sent] == ['" a"', '"a"', r'"say \"a\"\\"']
    assert [unquoted(headers["Idempotency-Key"]) for headers in sent] == keys
