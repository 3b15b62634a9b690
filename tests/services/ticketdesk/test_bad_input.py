"""Input that cannot be meant: refused with the field at fault, and nothing changes."""

from itertools import product

import orjson
import pytest

from .company import a_complete_ticket, open_company

CALLS = {
    "create_ticket": ("POST", "/tickets", {"kind": "bug", "title": "Sign-in", "description": "It fails."}),
    "update_ticket": ("PATCH", "/tickets/TD-1042", {"title": "Sign-in"}),
    "assign_ticket": ("POST", "/tickets/TD-1042/assign", {"assignee": "ana.lopez"}),
    "transition_ticket": ("POST", "/tickets/TD-1042/transition", {"to": "triage", "reason": "ours"}),
    "verify_ticket": ("POST", "/tickets/TD-1042/verify", {"evidence": "V-104", "references": ["V-104"]}),
    "reopen_ticket": ("POST", "/tickets/TD-1042/reopen", {"reason": "wrong"}),
    "route_ticket": ("POST", "/tickets/TD-1042/queue", {"queue": "billing"}),
    "answer_ticket": ("POST", "/tickets/TD-1042/answers", {"body": "Here is how."}),
    "merge_ticket": ("POST", "/tickets/TD-1042/merge", {"into": "TD-1043"}),
    "return_ticket": ("POST", "/tickets/TD-1042/returns", {"question": "Which vendor?"}),
    "close_ticket": ("POST", "/tickets/TD-1042/close", {"resolution": "over"}),
    "resolve_blocker": ("POST", "/tickets/TD-1042/blockers/TD-1001/resolve", {"version": 1}),
    "add_comment": ("POST", "/tickets/TD-1042/comments", {"body": "hello"}),
    "link_ticket": ("POST", "/tickets/TD-1042/links", {"kind": "relates", "target": "V-104"}),
}
FIELDS = [
    (name, field)
    for name, (_, _, body) in CALLS.items()
    for field in body
    if not isinstance(body[field], list)
]

#: JSON that no field of ours accepts.
HOSTILE = {
    "a number that is none": b"NaN",
    "more than a number holds": b"1e400",
    "a list": b'["high"]',
    "an object": b'{"$ne": null}',
    "a boolean": b"true",
    "nothing at all": b'""',
    "the character PostgreSQL cannot hold": b'"a\\u0000b"',
    "half a character": b'"a\\ud800b"',
    "bytes that are no text": b'"\xff"',
    "more than anybody reads": b'"' + b"x" * 5_000 + b'"',
}


async def test_a_field_with_what_cannot_be_meant_is_refused(desk):
    world = await open_company(desk, a_complete_ticket())

    refused = {}
    for (name, field), (what, value) in product(FIELDS, HOSTILE.items()):
        method, path, body = CALLS[name]
        content = orjson.dumps({**body, field: "@"}).replace(b'"@"', value)
        answer = await world.call(method, path, content=content, headers={"content-type": "application/json"})
        refused[name, field, what] = (answer.status_code, answer.json()["type"])

    assert refused == dict.fromkeys(refused, (422, "invalid_request"))
    assert await world.rows("tickets", scope="diff") == {}


async def test_a_field_that_is_not_documented_is_refused(desk):
    world = await open_company(desk, a_complete_ticket())

    refused = {}
    for name, (method, path, body) in CALLS.items():
        answer = await world.call(method, path, json={**body, "verified_by": "ben.okafor"})
        refused[name] = (answer.status_code, answer.json()["field"])

    assert refused == dict.fromkeys(CALLS, (422, "verified_by"))
    assert await world.rows("tickets", scope="diff") == {}


async def test_a_required_field_that_is_left_out_is_named(desk):
    world = await open_company(desk, a_complete_ticket())
    required = [pair for pair in FIELDS if pair[0] not in {"update_ticket", "resolve_blocker"}]

    named = []
    for name, field in required:
        method, path, body = CALLS[name]
        rest = {key: value for key, value in body.items() if key != field}
        named.append((name, (await world.call(method, path, json=rest)).json()["field"]))

    assert named == required


async def test_a_text_of_spaces_and_a_version_that_no_ticket_has_are_refused(desk):
    world = await open_company(desk, a_complete_ticket())
    wrong = [(field, " \n\t ") for field in ("title", "description")]
    wrong += [("version", version) for version in (0, -1, 1.5, "1", 2**63)]

    answers = [
        (await world.patch("/tickets/TD-1042", json={"title": "x", field: value})).json()
        for field, value in wrong
    ]

    assert [answer["field"] for answer in answers] == [field for field, _ in wrong]


async def test_an_address_that_cannot_be_meant_is_refused(desk):
    world = await open_company(desk, a_complete_ticket())
    paths = [
        "/tickets?status=finished",
        "/tickets?cursor=%00",
        "/tickets?cursor=" + "9" * 201,
        "/tickets?assignee=",
        "/tickets?color=red",
        "/tickets?limit=1&limit=2",
        "/search?q=",
        "/query",
        "/query?q=",
        "/query?q=" + "x" * 301,
        "/search?q=" + "x" * 101,
        "/tickets/" + "9" * 101,
    ]

    answers = [await world.get(path) for path in paths]

    assert [(one.status_code, one.json()["type"]) for one in answers] == [(422, "invalid_request")] * 12


@pytest.mark.parametrize(
    "path", ["/tickets/%00", "/tickets/TD-1042%00/history", "/tickets/search", "/tickets/verify"]
)
async def test_an_id_that_cannot_exist_is_an_unknown_ticket_and_no_other_operation(desk, path):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.get(path)

    assert (answer.status_code, answer.json()["type"]) == (404, "ticket_unknown")


async def test_words_of_a_closed_set_are_taken_in_any_case(desk):
    world = await open_company(desk, a_complete_ticket(status="triage", requires_approval=False))

    moved = await world.post("/tickets/TD-1042/transition", json={"to": "In_Progress", "reason": "Begun."})
    found = await world.get("/tickets", params={"status": "IN_PROGRESS", "priority": "HIGH"})

    assert moved.json()["status"] == "in_progress"
    assert [ticket["id"] for ticket in found.json()["items"]] == ["TD-1042"]


@pytest.mark.parametrize(
    "body", [{"title": "x", "version": 1.0}, {"title": "x", "priority": None, "version": None}]
)
async def test_a_whole_float_is_a_version_and_null_is_nothing_given(desk, body):
    world = await open_company(desk, a_complete_ticket(version=1))

    answer = await world.patch("/tickets/TD-1042", json=body)

    assert (answer.status_code, answer.json()["title"]) == (200, "x")


async def test_null_for_what_is_required_is_refused(desk):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.post("/tickets/TD-1042/assign", json={"assignee": None})

    assert (answer.status_code, answer.json()["field"]) == (422, "assignee")


@pytest.mark.parametrize(
    ("field", "tool"),
    [
        ("assignee", "ticketdesk_assign_ticket"),
        ("status", "ticketdesk_transition_ticket"),
        ("verified_by", "ticketdesk_verify_ticket"),
    ],
)
async def test_an_update_of_what_another_tool_sets_names_that_tool(desk, field, tool):
    world = await open_company(desk, a_complete_ticket())

    answer = await world.patch("/tickets/TD-1042", json={field: "ana.lopez"})

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")
    assert (answer.json()["field"], answer.json()["remedy"]) == (field, tool)
    assert tool in answer.json()["detail"]


async def test_spaces_around_a_quoted_idempotency_key_are_part_of_it(desk):
    world = await open_company(desk, a_complete_ticket())

    async def comment(key: str) -> str:
        headers = {"idempotency-key": key}
        answer = await world.post("/tickets/TD-1042/comments", json={"body": "Hello"}, headers=headers)
        return answer.json()["id"]

    keys = ['" a"', "a", '"a"', '"a "', r'"\"a\""']
    comments = [await comment(key) for key in keys]

    assert comments[1] == comments[2]
    assert len(set(comments)) == 4


async def test_hostile_text_is_kept_as_the_text_it_is(desk):
    world = await open_company(desk, a_complete_ticket())
    hostile = (
        "'; DROP TABLE ticketdesk.tickets; -- %s %(id)s {{7*7}} ${jndi} <script>\r\nX: y \u202e\U0001f600"
    )

    await world.patch("/tickets/TD-1042", json={"title": hostile, "description": hostile})
    comment = await world.post("/tickets/TD-1042/comments", json={"body": hostile})
    found = await world.get("/search", params={"q": hostile[:40]})

    assert comment.json()["body"] == hostile
    assert [ticket["title"] for ticket in found.json()["items"]] == [hostile]
