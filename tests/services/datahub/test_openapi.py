"""DataHub does what its OpenAPI document says, whatever it is sent."""

import asyncio

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from companyos.chassis.world.public_ids import public_id
from tests.live_services import Desk, World
from tests.sizes import size

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

PROMISES = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
KNOWN = {
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
EXAMPLES = size(5, 15)


def keeps_its_promises(operation: APIOperation, mode: GenerationMode, world: World, *, known: bool) -> None:
    """Send an operation a fixed series of generated calls, to ids that exist or to any, and check the answers."""
    names = {parameter.name for parameter in operation.path_parameters}
    ids = {name: KNOWN[name] for name in names} if known else None

    @seed(2030)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(mode, path_parameters=ids))
    def check(case: Case) -> None:
        case.headers.update(world.headers())
        case.call_and_validate(session=session, checks=PROMISES)

    with requests.Session() as session:
        check()


@pytest.mark.parametrize("known", [True, False], ids=["known-ids", "any-ids"])
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
async def test_every_operation_answers_as_documented(
    datahub: Desk, mode: GenerationMode, known: bool
) -> None:
    document = datahub.app.openapi()
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=str(datahub.client.base_url))
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

    for operation in schema.get_all_operations():
        await asyncio.to_thread(keeps_its_promises, operation.ok(), mode, world, known=known)
