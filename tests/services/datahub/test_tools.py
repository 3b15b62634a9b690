"""What DataHub tells of itself: its tools as a model reads them, its events, and what it never shows."""

from typing import Any

from tests.live_services import Desk

from ..tools import explains_itself
from .company import absence, person, score, source, start, vendor

TOOLS = {
    "list_metrics",
    "query_metric",
    "refresh_data",
    "get_lineage",
    "get_metric_history",
    "quarantine_metric",
    "release_metric",
    "list_datasets",
    "get_dataset",
    "query_dataset",
    "list_jobs",
    "get_job",
    "list_records",
    "get_record",
    "update_record",
    "list_people",
    "get_person",
    "get_approver",
    "list_access",
    "get_access",
    "request_access",
    "list_assets",
    "assign_asset",
    "return_asset",
    "erase_personal_data",
    "find_personal_data",
    "get_clearance",
    "list_automations",
    "list_budgets",
    "get_budget",
    "list_invoices",
    "get_invoice",
    "get_order",
    "settle_invoice",
    "list_periods",
    "get_period",
    "lock_period",
    "list_messages",
    "get_message",
    "message_colleague",
    "search_documents",
    "get_document",
    "list_entitlements",
    "revoke_entitlement",
    "list_ownerships",
    "transfer_ownership",
    "set_delegate",
    "deactivate_person",
    "list_undelivered",
    "replay_events",
    "list_dead_letters",
    "redrive_dead_letter",
}
CANARY = 31_337.125


async def manifest(datahub: Desk) -> dict[str, Any]:
    answer = await datahub.client.get("/admin/manifest", headers=datahub.admin)
    told: dict[str, Any] = answer.json()
    return told


async def test_the_tools_are_those_agents_are_promised(datahub: Desk) -> None:
    tools = (await manifest(datahub))["tools"]

    assert {tool["name"] for tool in tools} == {f"datahub_{name}" for name in TOOLS}


async def test_every_tool_and_every_argument_says_what_it_is_for(datahub: Desk) -> None:
    for tool in (await manifest(datahub))["tools"]:
        assert 20 < len(tool["description"]) <= 300, tool["name"]
        for name, schema in tool["parameters"]["properties"].items():
            assert schema.get("description") or explains_itself(name, schema), (tool["name"], name)


async def test_every_field_of_every_answer_says_what_it_means(datahub: Desk) -> None:
    schemas = datahub.app.openapi()["components"]["schemas"]
    silent = [
        f"{schema}.{field}"
        for schema, definition in schemas.items()
        for field, described in definition.get("properties", {}).items()
        if schema.endswith(("View", "Summary", "Reading")) and "description" not in described
    ]

    assert silent == []


async def test_the_manifest_names_the_events(datahub: Desk) -> None:
    told = await manifest(datahub)

    assert told["publishes"] == [
        "access.granted",
        "asset.assigned",
        "asset.returned",
        "clearance.changed",
        "data.erased",
        "datahub.triggered",
        "delegation.changed",
        "entitlement.revoked",
        "metric.expired",
        "metric.quarantined",
        "metric.refreshed",
        "metric.released",
        "person.away",
        "person.back",
        "person.deactivated",
        "record.changed",
    ]
    assert told["consumes"] == [
        "approval.decided",
        "budget.consumed",
        "change.rolled_back",
        "change.rolled_out",
        "datahub.triggered",
        "ticket.reopened",
    ]


async def test_the_manifest_marks_journals_and_what_is_hidden(datahub: Desk) -> None:
    told = await manifest(datahub)

    assert {table["name"] for table in told["tables"] if table["journal"]} == {
        "automation_runs",
        "changes",
        "receipts",
    }
    assert {table["name"] for table in told["tables"] if table["hidden"]} == {
        "automation_runs",
        "expected_receipts",
        "knowledge",
        "live_changes",
        "remedies",
        "sources",
    }


async def test_tools_do_not_reveal_the_result_of_a_refresh(datahub: Desk) -> None:
    world = await start(
        datahub,
        metrics=[score(upstream=["MET-0104"])],
        sources=[source(values=[CANARY], failures=[31_337])],
        records=[vendor()],
        people=[person(delegate="sarah.chen")],
        absences=[absence()],
    )

    shown = [
        await world.post("/catalog/metrics/MET-0104/query"),
        await world.post("/catalog/metrics/MET-0104/refresh"),
    ]
    shown += [await world.get(path) for path in ("/catalog/metrics", "/jobs", "/records", "/people")]
    shown += [await world.get(path) for path in ("/jobs/JOB-0001", "/records/V-104", "/people/sarah.chen")]
    shown += [await world.get(path) for path in ("/catalog/metrics/MET-0104/lineage", "/approvers/cfo")]

    assert {answer.status_code for answer in shown} <= {200, 202}
    assert not any("31337" in answer.text for answer in shown)
    assert "sources" not in {part for path in datahub.app.openapi()["paths"] for part in path.split("/")}
