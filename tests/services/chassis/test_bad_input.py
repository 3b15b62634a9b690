"""What no rule should ever see: each is refused with a stable code and leaves no trace."""

import asyncio
from urllib.parse import urlsplit

import httpx
import pytest

from companyos.chassis.world.context import HEADER
from tests.live_services import Desk
from tests.patience import PATIENCE_S

DEEP = b'{"text": "x", "details": ' + b'{"a":' * 40 + b"1" + b"}" * 40 + b"}"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"text": "x", "surprise": 1}', 422, "invalid_request"),
        (b'{"text": 5}', 422, "invalid_request"),
        (b'{"text": ""}', 422, "invalid_request"),
        (b'{"text": NaN}', 422, "invalid_request"),
        (b'{"text": "x", "details": {"a": NaN}}', 422, "invalid_request"),
        (b'{"text": "a\\u0000b"}', 422, "invalid_request"),
        (b'{"text": "\\ud800"}', 422, "invalid_request"),
        (b'{"text": "\xff"}', 422, "invalid_request"),
        (b"[1, 2]", 422, "invalid_request"),
        (b"not json", 422, "invalid_request"),
        (DEEP, 422, "invalid_request"),
        (b'{"text": "' + b"x" * 300_000 + b'"}', 413, "body_too_large"),
    ],
    ids=lambda value: repr(value)[:24],
)
async def test_a_body_that_cannot_be_meant_is_refused(
    notebook: Desk, body: bytes, status: int, code: str
) -> None:
    world = await notebook.world()

    answer = await world.post("/notes", content=body, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["type"]) == (status, code)
    assert await world.rows("notes", scope="diff") == {}


async def test_a_backslash_that_only_looks_like_an_escape_is_text(notebook: Desk) -> None:
    world = await notebook.world()

    answer = await world.post("/notes", json={"text": "\\u0000"})

    assert answer.json()["text"] == "\\u0000"


@pytest.mark.parametrize(
    "path",
    [
        "/notes?color=red",
        "/notes?limit=0",
        "/notes?limit=x",
        "/notes?cursor=%00",
        "/notes?limit=1&limit=2",
        *(
            f"/notes?limit={number}"
            for number in ("1_0", "%2B5", "%205", "5%0A", "%EF%BC%95", "1e1", "0x10", "True")
        ),
    ],
)
async def test_a_query_that_is_not_documented_is_refused(notebook: Desk, path: str) -> None:
    answer = await (await notebook.world()).get(path)

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")


@pytest.mark.parametrize("path", ["/notes?cursor=%FF", "/notes?limit=%E9", "/notes?%C3=1"])
async def test_a_query_that_is_not_utf8_is_refused_instead_of_read_with_other_letters(
    notebook: Desk, path: str
) -> None:
    answer = await (await notebook.world()).get(path)

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")
    assert "UTF-8" in answer.json()["detail"]


async def test_hostile_text_is_stored_as_text(notebook: Desk) -> None:
    world = await notebook.world()
    hostile = "'; DROP TABLE notebook.notes; -- %s %(id)s {{7*7}} <script>\r\nX: y \u202e\U0001f600"

    note = (await world.post("/notes", json={"text": hostile})).json()

    assert (await world.get(f"/notes/{note['id']}")).json()["text"] == hostile


@pytest.mark.parametrize("token", [None, "", "nonsense", "e30=.0000"])
async def test_a_call_without_a_context_is_refused(notebook: Desk, token: str | None) -> None:
    headers = {} if token is None else {HEADER: token}

    answer = await notebook.client.post("/notes", json={"text": "x"}, headers=headers)

    assert (answer.status_code, answer.json()["type"]) == (401, "context_refused")


async def test_admin_routes_need_the_admin_token_and_are_in_no_document(notebook: Desk) -> None:
    refused = await notebook.client.get("/admin/manifest")
    forged = await notebook.client.get(
        "/admin/manifest", headers={"authorization": "Bearer ünïcode".encode()}
    )
    document = (await notebook.client.get("/admin/openapi", headers=notebook.admin)).json()

    assert refused.status_code == forged.status_code == 401
    assert refused.json()["type"] == "admin_token_required"
    assert not [path for path in document["paths"] if path.startswith("/admin")]


async def test_an_unknown_path_is_a_problem_document(notebook: Desk) -> None:
    answer = await notebook.client.get("/nothing/here")

    assert (answer.status_code, answer.json()["type"]) == (404, "not_found")


async def test_a_caller_that_hangs_up_leaves_no_lock_behind(notebook: Desk) -> None:
    world = await notebook.world()
    for _ in range(10):
        with pytest.raises(httpx.TimeoutException):
            await world.post("/notes", json={"text": "gone"}, timeout=0.0005)
    await asyncio.sleep(0)

    assert (await world.post("/notes", json={"text": "still here"})).status_code == 201


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
async def test_a_cut_request_does_nothing(notebook: Desk, kind: str) -> None:
    world = await notebook.world({"notes": []})
    body = b'{"text": "hello", "topic": "t"}'
    headers = {**world.headers(), "content-type": kind, "content-length": str(len(body) + 40)}
    head = "\r\n".join(["POST /notes HTTP/1.1", "host: x", *(f"{key}: {headers[key]}" for key in headers)])
    parts = urlsplit(str(notebook.client.base_url))
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)

    writer.write(head.encode() + b"\r\n\r\n" + body)
    writer.write_eof()

    assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
    assert (await world.get("/notes")).json()["total"] == 0
    writer.close()
