"""Files of snapshots at the trainer API, and as the client writes and reads them."""

from __future__ import annotations

import inspect
from pathlib import Path

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import AsyncCompanyosEnv, InvalidRequest, Refused, Via
from companyos.client.drop_in import DropIn

from .trainer_calls import LOOK, started, stepped

WAYS = list(Via)
MIB = 1024 * 1024


async def kept(http: httpx.AsyncClient) -> str:
    """Return the id of a snapshot after one step."""
    episode_id = await started(http, seed=4)
    await stepped(http, episode_id)
    taken: str = (await http.post(f"/episodes/{episode_id}/snapshots")).json()["snapshot_id"]
    return taken


async def test_a_file_is_exported_and_imported(http: httpx.AsyncClient) -> None:
    snapshot_id = await kept(http)

    exported = await http.get(f"/snapshots/{snapshot_id}/export")
    imported = await http.post(
        "/snapshots/import", params={"name": "carried", "pinned": True}, content=exported.content
    )

    assert exported.headers["content-type"] == "application/gzip"
    assert snapshot_id in exported.headers["content-disposition"]
    assert imported.status_code == 201
    assert (imported.json()["name"], imported.json()["pinned"]) == ("carried", True)
    assert (await http.get(f"/snapshots/{imported.json()['snapshot_id']}")).json() == imported.json()


@pytest.mark.parametrize("snapshot_id", ["snap-999999", "import", "yesterday"])
async def test_export_of_an_unknown_snapshot_is_not_found(http: httpx.AsyncClient, snapshot_id: str) -> None:
    answer = await http.get(f"/snapshots/{snapshot_id}/export")

    assert (answer.status_code, answer.json()["type"]) == (404, "snapshot_unknown")


@pytest.mark.parametrize("content", [b"", b"{}", b"\x1f\x8b\x08\x00", b" " * MIB])
async def test_import_of_a_damaged_archive_is_refused(http: httpx.AsyncClient, content: bytes) -> None:
    answer = await http.post("/snapshots/import", content=content)

    assert (answer.status_code, answer.json()["type"]) == (422, "archive_damaged")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_file_that_is_too_large_is_refused_and_its_sender_told(http: httpx.AsyncClient) -> None:
    answer = await http.post("/snapshots/import", content=bytes(16 * MIB + 1))

    assert (answer.status_code, answer.json()["type"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    "query", [{"pinned": "perhaps"}, {"name": ""}, {"color": "blue"}, {"name": "x" * 201}]
)
async def test_import_with_invalid_query_parameters_is_refused(
    http: httpx.AsyncClient, query: dict[str, str]
) -> None:
    answer = await http.post("/snapshots/import", params=query, content=b"{}")

    assert (answer.status_code, answer.json()["type"]) == (422, "invalid_request")


@pytest.mark.parametrize("via", WAYS)
def test_the_client_carries_a_snapshot_in_a_file(url: str, via: Via, tmp_path: Path) -> None:
    path = tmp_path / "start.gz"
    with CompanyosEnv(url, via=via) as env:
        env.reset(seed=4)
        env.step(LOOK)
        env.export_snapshot(env.snapshot("start"), path)
        expected = env.step(LOOK)

        carried = env.import_snapshot(path, name="carried", pinned=True)

        assert [file.name for file in tmp_path.iterdir()] == ["start.gz"]
        env.restore(carried)
        assert env.step(LOOK) == expected
        assert env.reset(snapshot=carried).observation.step == 1
        env.drop(carried)


@pytest.mark.parametrize("via", WAYS)
async def test_the_awaited_client_does_the_same(url: str, via: Via, tmp_path: Path) -> None:
    path = tmp_path / "start.gz"
    async with CompanyosEnv(url, via=via) as env:
        await env.reset(seed=4)
        await env.export_snapshot(await env.snapshot(), path)
        first = await env.step(LOOK)

        carried = await env.import_snapshot(path)
        await env.restore(carried)

        assert await env.step(LOOK) == first
        await env.drop(carried)


def test_a_file_can_be_imported_before_any_reset(url: str, tmp_path: Path) -> None:
    path = tmp_path / "start.gz"
    with CompanyosEnv(url) as env:
        env.reset(seed=4)
        env.export_snapshot(env.snapshot(), path)

    with CompanyosEnv(url) as fresh:
        assert fresh.reset(snapshot=fresh.import_snapshot(path)).metadata.seed == 4


def test_a_failed_export_leaves_the_file_that_was_there(url: str, tmp_path: Path) -> None:
    path = tmp_path / "start.gz"
    path.write_bytes(b"before")

    with CompanyosEnv(url) as env, pytest.raises(Refused, match="snapshot_unknown"):
        env.export_snapshot("snap-999999", path)

    assert path.read_bytes() == b"before"
    with CompanyosEnv(url) as env, pytest.raises(InvalidRequest, match="archive_damaged"):
        env.import_snapshot(path)


def test_both_clients_offer_the_same_methods_with_the_same_arguments() -> None:
    def offered(client: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(client, inspect.isfunction)
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in methods
            if name[0] != "_" and not hasattr(DropIn, name)
        }

    assert offered(CompanyosEnv) == offered(AsyncCompanyosEnv)
