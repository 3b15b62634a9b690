"""The OpenAPI document of the trainer API, tried: whatever is sent, answers are as documented, never a crash."""

from __future__ import annotations

import httpx
import pytest

from tests.documented import check_answers, operations
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.proof


def test_every_route_answers_as_documented(url: str) -> None:
    begun = httpx.post(f"{url}/reset", timeout=PATIENCE_S).json()["metadata"]["episode_id"]
    kept = httpx.post(f"{url}/episodes/{begun}/snapshots", timeout=PATIENCE_S).json()["snapshot_id"]
    ids = {"episode_id": begun, "snapshot_id": kept, "name": "vendor_onboarding", "env_name": "companyos"}

    for operation in operations(httpx.get(f"{url}/openapi.json").json(), url):
        # JSON-RPC and batches refuse in the body of their answers.
        assert check_answers(operation, ids, refuses=False) > 0
        if operation.path == "/cell/drain":
            assert httpx.put(f"{url}/cell/drain", json={"seconds": 0}).json()["drains_s"] == 0


def test_every_route_says_what_it_does_and_how_it_fails(url: str) -> None:
    paths = httpx.get(f"{url}/openapi.json").json()["paths"]
    ways = {f"{method} {path}": way for path, methods in paths.items() for method, way in methods.items()}
    open_to_all = {"get /health", "get /ready"}

    assert [name for name, way in ways.items() if not way.get("summary")] == []
    assert [name for name, way in ways.items() if "401" not in way["responses"]] == sorted(open_to_all)
