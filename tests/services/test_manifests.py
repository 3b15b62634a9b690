"""What every service tells of itself: tools, arguments and answers are described, and what is hidden is marked."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import services
from services.approvalflow.app import create_app as approvalflow
from services.datahub.app import create_app as datahub
from services.ticketdesk.app import create_app as ticketdesk
from tests.live_services import Desk, TestDatabases, running

SERVICES = Path(services.__path__[0])
JOURNALS = {
    "ticketdesk": {"automation_runs", "history"},
    "datahub": {"automation_runs", "changes", "receipts"},
    "approvalflow": {"audit", "automation_runs"},
}
HIDDEN = {
    "ticketdesk": {"arrivals", "automation_runs", "external_blockers", "intentions", "people"},
    "datahub": {"automation_runs", "expected_receipts", "knowledge", "live_changes", "remedies", "sources"},
    "approvalflow": {"answers", "automation_runs", "planned_orders", "rejections"},
}


@pytest.fixture(
    scope="module", params=[ticketdesk, datahub, approvalflow], ids=["tickets", "data", "approvals"]
)
async def desk(request: pytest.FixtureRequest, databases: TestDatabases) -> AsyncIterator[Desk]:
    """Each service."""
    async with running(request.param, databases) as running_desk:
        yield running_desk


@pytest.fixture
async def manifest(desk: Desk) -> dict[str, Any]:
    """What a service says of itself."""
    told: dict[str, Any] = (await desk.client.get("/admin/manifest", headers=desk.admin)).json()
    return told


def explains_itself(name: str, schema: dict[str, Any]) -> bool:
    """Say whether an argument needs no description: an id, or a choice among words that are listed."""
    variants = schema.get("anyOf", [schema])
    is_id = name.endswith("_id") or name in ("role", "kind")
    return is_id or any("enum" in variant for variant in variants)


def test_every_tool_and_every_argument_is_described(manifest: dict[str, Any]) -> None:
    silent = [
        f"{tool['name']}.{name}"
        for tool in manifest["tools"]
        for name, schema in tool["parameters"]["properties"].items()
        if not (schema.get("description") or explains_itself(name, schema))
    ]

    assert silent == []
    assert [tool["name"] for tool in manifest["tools"] if not 20 < len(tool["description"]) <= 300] == []


def test_the_readme_of_a_service_names_each_of_its_tools(manifest: dict[str, Any]) -> None:
    service = manifest["service"]
    readme = (SERVICES / service / "README.md").read_text(encoding="utf-8")

    names = [tool["name"].removeprefix(f"{service}_") for tool in manifest["tools"]]

    assert [name for name in names if f"`{name}`" not in readme] == []


async def test_every_field_of_an_answer_is_described(desk: Desk) -> None:
    document = (await desk.client.get("/admin/openapi", headers=desk.admin)).json()
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    asked = str([one.get("requestBody") for one in operations])

    silent = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        if f"/{name}'" not in asked and not name.endswith(("Body", "Problem", "ValidationError"))
        for field, described in schema.get("properties", {}).items()
        if not (name.startswith("Page_") or described.get("description"))
    ]
    assert silent == []


def test_the_manifest_marks_journals_and_what_is_hidden(desk: Desk, manifest: dict[str, Any]) -> None:
    marked = [{one["name"] for one in manifest["tables"] if one[mark]} for mark in ("journal", "hidden")]

    assert marked == [JOURNALS[desk.name], HIDDEN[desk.name]]
