"""ApprovalFlow does what its OpenAPI document says, whatever it is sent."""

import asyncio
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from companyos.chassis.world.public_ids import public_id
from tests.live_services import Desk, World

from .company import NOW, away_cfo, request, start

Operation = APIOperation[Any, Any, Any, Any]
PROMISES = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
KNOWN = {
    "type_id": "vendor_approval",
    "request_id": "APR-0007",
    "purchase_id": "PUR-0001",
    "letter_id": public_id("s1.ticketdesk.1"),
}
PURCHASE = {"id": "PUR-0001", "item": "Van", "quantity": 1, "requester": "alex.agent", "status": "approved"}
PURCHASE |= {"amount": 5.0, "requested_at": NOW}
REPEATABLE = settings(
    max_examples=10,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def keeps_its_promises(operation: Operation, mode: GenerationMode, world: World, *, known: bool) -> None:
    """Send an operation a fixed series of generated calls, to ids that exist or to any, and check the answers."""
    names = {parameter.name for parameter in operation.path_parameters}
    ids = {name: KNOWN[name] for name in names} if known else None
    refuses_what_is_undocumented = [negative_data_rejection] if mode == GenerationMode.NEGATIVE else []

    @seed(2030)
    @REPEATABLE
    @given(case=operation.as_strategy(mode, path_parameters=ids))
    def check(case: Case[Any]) -> None:
        case.headers.update(world.headers())
        case.call_and_validate(session=session, checks=[*PROMISES, *refuses_what_is_undocumented])

    with requests.Session() as session:
        check()


@pytest.mark.parametrize("known", [True, False], ids=["known-ids", "any-ids"])
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
async def test_every_operation_answers_as_documented(
    approvalflow: Desk, mode: GenerationMode, known: bool
) -> None:
    schema = schemathesis.openapi.from_dict(approvalflow.app.openapi())
    schema.config.update(base_url=str(approvalflow.client.base_url))

    for found in schema.get_all_operations():
        operation: Operation = found.ok()  # type: ignore[union-attr]
        rows = {"requests": [request()], "purchases": [PURCHASE]}
        world = await start(approvalflow, people=[away_cfo()], **rows)
        await asyncio.to_thread(keeps_its_promises, operation, mode, world, known=known)
