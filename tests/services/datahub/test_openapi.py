"""DataHub does what its OpenAPI document says, whatever it is sent."""

import asyncio
from typing import Final

import pytest

from companyos.chassis.world.public_ids import public_id
from tests.documented import check_answers, operations
from tests.live_services import Desk

from .company import (
    absence,
    entitlement,
    invoice,
    order,
    orders,
    owned,
    period,
    period_line,
    person,
    rows,
    score,
    source,
    start,
    vendor,
)

pytestmark = pytest.mark.proof

KNOWN: Final = {
    "invoice_id": "INV-101",
    "order_id": "PO-101",
    "metric_id": "MET-0104",
    "asset_id": "AS-0001",
    "budget_id": "BUD-101",
    "job_id": "JOB-0001",
    "dataset_id": "DS-0001",
    "record_id": "V-104",
    "person_id": "sarah.chen",
    "role": "cfo",
    "permission": "refresh_metrics",
    "entitlement_id": "ENT-1",
    "object_id": "V-104",
    "document_id": "DOC-0001",
    "message_id": "MSG-0001",
    "period_id": "PER-101",
    "letter_id": public_id("s1.approvalflow.1"),
}


async def test_every_operation_answers_as_documented(datahub: Desk) -> None:
    people = [person(delegate="david.kim"), person("david.kim", role="finance_director")]
    world = await start(
        datahub,
        metrics=[score()],
        sources=[source()],
        records=[vendor()],
        people=people,
        absences=[absence()],
        datasets=[orders()],
        dataset_rows=rows(),
        entitlements=[entitlement()],
        ownerships=[owned("V-104")],
        periods=[period()],
        period_lines=[period_line("MET-0104")],
        assets=[{"id": "AST-0001", "name": "Laptop", "asset_class": "A"}],
        purchase_orders=[order()],
        invoices=[invoice()],
        permissions=[{"id": "refresh_metrics", "allows": "Refresh.", "grant_s": 60, "roles": ["analyst"]}],
    )
    await world.post("/catalog/metrics/MET-0104/refresh")

    for operation in operations(datahub.app.openapi(), str(datahub.client.base_url)):
        assert await asyncio.to_thread(check_answers, operation, KNOWN, world.headers()) > 0
