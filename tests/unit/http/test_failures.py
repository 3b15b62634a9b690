"""A failure of our own is a problem document that says what follows: the connection ends with it."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI

from companyos.chassis.web.problems import add_problem_documents
from orchestrator.http.messages.answers import answer_failures


@pytest.mark.parametrize("prepare", [add_problem_documents, answer_failures], ids=["service", "orchestrator"])
async def test_a_failure_of_our_own_says_that_the_connection_ends(prepare: Callable[[FastAPI], None]) -> None:
    app = FastAPI()
    prepare(app)

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("secret")

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/broken")

    assert (answer.status_code, answer.json()["type"]) == (500, "internal_error")
    assert answer.headers["connection"] == "close"
    assert "secret" not in answer.text
