"""What a service tells callers inside the stack: readiness to anyone, metrics to operators, documents to nobody."""

from collections.abc import AsyncIterator

import httpx
import pytest
from pydantic import SecretStr

from tests.live_services import ADMIN_TOKEN, Desk, TestDatabases, serving
from tests.patience import PATIENCE_S

from .notebook import create_app

OPERATOR_TOKEN = "an-operator-token-for-tests"


@pytest.fixture
async def watched(notebook: Desk) -> AsyncIterator[httpx.AsyncClient]:
    """A service with an operator token."""
    settings = notebook.databases.settings("notebook")
    settings = settings.model_copy(update={"operator_token": SecretStr(OPERATOR_TOKEN)})
    async with serving(create_app(settings)) as url, httpx.AsyncClient(base_url=url) as client:
        yield client


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/redoc", "/docs/oauth2-redirect"])
async def test_a_service_serves_its_document_to_nobody_without_the_admin_token(
    notebook: Desk, path: str
) -> None:
    answers = [await notebook.client.get(path), await notebook.client.get(path, headers=notebook.admin)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert (await notebook.client.get("/admin/openapi")).status_code == 401


@pytest.mark.parametrize("token", [OPERATOR_TOKEN, ADMIN_TOKEN])
async def test_metrics_are_for_operators_and_the_orchestrator(watched: httpx.AsyncClient, token: str) -> None:
    page = await watched.get("/metrics", headers={"authorization": f"Bearer {token}"})

    assert page.status_code == 200
    assert "companyos_requests_total" in page.text


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", f"Basic {OPERATOR_TOKEN}"])
async def test_metrics_are_for_nobody_else(watched: httpx.AsyncClient, authorization: str) -> None:
    answer = await watched.get("/metrics", headers={"authorization": authorization})

    assert (answer.status_code, answer.json()["type"]) == (401, "operator_token_required")


async def test_the_operator_token_opens_metrics_only(watched: httpx.AsyncClient) -> None:
    answer = await watched.get("/admin/manifest", headers={"authorization": f"Bearer {OPERATOR_TOKEN}"})

    assert (answer.status_code, answer.json()["type"]) == (401, "admin_token_required")


async def test_without_an_operator_token_no_empty_token_passes(notebook: Desk) -> None:
    answer = await notebook.client.get("/metrics", headers={"authorization": "Bearer"})

    assert answer.status_code == 401


async def test_a_service_names_what_it_waits_for_and_tells_the_reason_to_its_log_only(
    databases: TestDatabases, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = SecretStr("postgresql://notebook@127.0.0.1:1/companyos?connect_timeout=1")
    settings = databases.settings("notebook").model_copy(update={"database_url": nowhere})

    async with (
        serving(create_app(settings)) as url,
        httpx.AsyncClient(base_url=url, timeout=PATIENCE_S) as client,
    ):
        answer = await client.get("/ready")

    assert (answer.status_code, answer.json()) == (
        503,
        {"status": "waiting", "waiting_for": ["database"]},
    )
    assert "not_ready" in capsys.readouterr().err


@pytest.mark.parametrize("body", [b"{", b'{"layers": [1]}'])
async def test_an_admin_route_looks_at_the_token_before_the_body(notebook: Desk, body: bytes) -> None:
    headers = {"content-type": "application/json"}

    answer = await notebook.client.post("/admin/layers/fold", content=body, headers=headers)

    assert (answer.status_code, answer.json()["type"]) == (401, "admin_token_required")
