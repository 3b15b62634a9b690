"""Whatever a request says, the answer is one that the OpenAPI document describes, and never an outage."""

import asyncio
import itertools
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from companyos.chassis import ProcessSettings
from services.ticketdesk.app import create_app
from tests.live_services import World

from .company import a_complete_ticket, a_ticket, open_company

NOWHERE = ProcessSettings(
    database_url="postgresql://nobody@nowhere/none",
    redis_url="redis://nowhere",
    context_key="sixteen letters.",
    admin_token="sixteen letters.",
)
DOCUMENT = create_app(NOWHERE).openapi()
del DOCUMENT["components"]["securitySchemes"]  # each call brings its own signed context
for methods in DOCUMENT["paths"].values():
    for operation in methods.values():
        del operation["security"]
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]
DESCRIBED = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = settings(
    max_examples=10,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)

_layers = itertools.count(2**40)


def untouched(world: World) -> World:
    """Return a new world over the same base."""
    layer = next(_layers)
    chain = (*world.context.chain[:-1], layer)
    return World(world.desk, replace(world.context, world=layer, chain=chain))


def fuzz(operation: Any, world: World, mode: GenerationMode, checks: list[Any]) -> None:
    url = str(world.desk.client.base_url)

    @seed(20_300_101)
    @EXAMPLES
    @given(case=operation.as_strategy(generation_mode=mode))
    def every_answer_is_described(case: Any) -> None:
        if mode == GenerationMode.POSITIVE and "ticket_id" in case.path_parameters:
            case.path_parameters["ticket_id"] = "TD-1042"
        answer = case.call(base_url=url, headers=untouched(world).headers())
        case.validate_response(answer, checks=checks)

    every_answer_is_described()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
async def test_a_request_as_documented_gets_an_answer_as_documented(desk, operation):
    world = await open_company(desk, a_complete_ticket(), a_ticket("TD-1001", status="done"))

    await asyncio.to_thread(fuzz, operation, world, GenerationMode.POSITIVE, DESCRIBED)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
async def test_a_request_unlike_the_document_is_refused(desk, operation):
    world = await open_company(desk, a_complete_ticket(), a_ticket("TD-1001", status="done"))

    await asyncio.to_thread(
        fuzz, operation, world, GenerationMode.NEGATIVE, [*DESCRIBED, negative_data_rejection]
    )
