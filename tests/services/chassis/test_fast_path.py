"""The short way to an operation and FastAPI's own answer alike; which of them a request takes cannot be seen."""

from typing import Any

import pytest

from companyos.chassis.web import fast_path, http
from companyos.chassis.web.requests import MAX_BODY_BYTES
from tests.live_services import Desk

JSON = "application/json"
#: Says the same, in words for which there is no short way.
SPELLED_OUT = "application/json; charset=utf-8"

REQUESTS = [
    ("GET", "/notes", None),
    ("GET", "/notes?limit=1", None),
    ("GET", "/notes?limit=0", None),
    ("GET", "/notes?limit=1&limit=2", None),
    ("GET", "/notes?color=red", None),
    ("GET", "/notes/N-1", None),
    ("GET", "/notes/N-404", None),
    ("GET", "/notes/%00", None),
    ("POST", "/notes", b'{"text": "hello", "topic": "t"}'),
    ("POST", "/notes", b'{"text": ""}'),
    ("POST", "/notes", b'{"text": 3, "color": "red"}'),
    ("POST", "/notes", b'{"text": "x", "details": {"a": [1.5, null, 12345678901234567890]}}'),
    ("POST", "/notes", b"null"),
    ("POST", "/notes", b"[]"),
    ("POST", "/notes", b""),
    ("POST", "/notes", b"{"),
    ("POST", "/notes", b'{"text": "' + b"x" * MAX_BODY_BYTES + b'"}'),
    ("PATCH", "/notes/N-1", b'{"text": "again"}'),
    ("PATCH", "/notes/N-404", b'{"text": "again"}'),
    ("POST", "/notes/N-1/remind", b"{}"),
    ("PUT", "/notes", b"{}"),
]


def scope(method: str, path: str, kind: str | None) -> dict[str, Any]:
    headers = [] if kind is None else [(b"content-type", kind.encode())]
    return {"type": "http", "method": method, "path": path.partition("?")[0], "headers": headers}


@pytest.mark.parametrize(("method", "target", "body"), REQUESTS)
async def test_both_ways_answer_alike(notebook: Desk, method: str, target: str, body: bytes | None) -> None:
    answers = []
    for kind in (JSON if body is not None else None, SPELLED_OUT):
        world = await notebook.world({"notes": [{"id": "N-1", "text": "first"}]})
        headers = {} if kind is None else {"content-type": kind}
        answer = await world.call(method, target, content=body, headers=headers)
        answers.append((answer.status_code, answer.headers["content-type"], answer.content))

    short, long = answers
    assert short == long


async def test_plain_requests_take_the_short_way_and_others_do_not(notebook: Desk) -> None:
    find = notebook.app.fast_path

    assert find(scope("GET", "/notes/N-1", None)) is not None
    assert find(scope("POST", "/notes", JSON)) is not None
    assert find(scope("POST", "/notes", SPELLED_OUT)) is None
    assert find(scope("POST", "/notes", None)) is None
    assert find(scope("GET", "/health", None)) is None


def test_under_an_unknown_release_of_fastapi_every_request_takes_the_long_way(
    notebook: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_path, "IS_KNOWN", False)

    find = http.fast_path(notebook.app, notebook.app.state.metrics)

    assert find(scope("GET", "/notes/N-1", None)) is None
    assert find(scope("POST", "/notes", JSON)) is None
