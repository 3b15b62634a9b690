"""The OpenAPI document of the trainer API, tried: whatever is sent, answers are as documented, never a crash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
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

from tests.sizes import size

pytestmark = pytest.mark.proof

PROMISES: list[Callable[..., Any]] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = size(4, 25)


def keeps_its_promises(
    operation: APIOperation, mode: GenerationMode, session: requests.Session, known: dict[str, str] | None
) -> None:
    """Send an operation a fixed series of generated requests, to things that exist or to any."""
    names = {parameter.name for parameter in operation.path_parameters}
    ids = {name: known[name] for name in names} if known else None

    @seed(2030)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(mode, path_parameters=ids))
    def check(case: Case) -> None:
        case.call_and_validate(session=session, checks=PROMISES)

    check()


def can_be_asked_wrongly(operation: APIOperation) -> bool:
    return bool(len(operation.body) or len(operation.query))


@pytest.mark.parametrize("known", [True, False], ids=["known-ids", "any-ids"])
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_every_route_answers_as_documented(url: str, mode: GenerationMode, known: bool) -> None:
    document = httpx.get(f"{url}/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=url)
    begun = httpx.post(f"{url}/reset", timeout=30).json()["metadata"]["episode_id"]
    kept = httpx.post(f"{url}/episodes/{begun}/snapshots", timeout=30).json()["snapshot_id"]
    ids = {"episode_id": begun, "snapshot_id": kept, "name": "vendor_onboarding", "env_name": "companyos"}

    with requests.Session() as session:
        for found in schema.get_all_operations():
            operation = found.ok()
            if mode is GenerationMode.POSITIVE or can_be_asked_wrongly(operation):
                keeps_its_promises(operation, mode, session, ids if known else None)
            if operation.path == "/cell/drain":
                assert session.put(f"{url}/cell/drain", json={"seconds": 0}).json()["drains_s"] == 0


def test_every_route_says_what_it_does_and_how_it_fails(url: str) -> None:
    paths = httpx.get(f"{url}/openapi.json").json()["paths"]
    ways = {f"{method} {path}": way for path, methods in paths.items() for method, way in methods.items()}
    open_to_all = {"get /health", "get /ready"}

    assert [name for name, way in ways.items() if not way.get("summary")] == []
    assert [name for name, way in ways.items() if "401" not in way["responses"]] == sorted(open_to_all)
