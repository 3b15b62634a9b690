"""Exports and imports that something happens to: a service that breaks, a process that dies, a snapshot that goes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from orchestrator.archives.format import read_archive
from orchestrator.archives.tables import ArchiveTables
from orchestrator.episodes import Episodes, Refusal, ResetOptions
from orchestrator.leavings import AHEAD_S
from orchestrator.problems import Outage

from .abroad import Leftovers
from .test_archives import kept_after
from .test_branches import BUY, WAIT, played
from .test_fork_law import OPTIONS
from .town import Town, begin, pruned, ready_orchestrator
from .wires import State, Wire, wire_to


@pytest.fixture(scope="module")
async def archive(episodes: Episodes) -> bytes:
    return await episodes.archives.export(await kept_after(episodes, BUY, WAIT, BUY))


@asynccontextmanager
async def with_a_wire_to_the_shop(town: Town, **settings: Any) -> AsyncIterator[tuple[Episodes, Wire]]:
    """Open an orchestrator that reaches the shop, the last service to be written to, over a wire."""
    async with wire_to(town.services["shop"]) as wire:
        services = {**town.services, "shop": wire.url}
        async with ready_orchestrator(town, services=services, **settings) as opened:
            await begin(opened, **OPTIONS)
            yield opened, wire


def layers_with_parcels(town: Town) -> set[int]:
    return {layer for (layer,) in town.rows("SELECT DISTINCT layer_id FROM depot.parcels")}


async def test_an_import_that_a_service_fails_can_be_sent_again_and_leaves_nothing(
    town: Town, archive: bytes
) -> None:
    async with with_a_wire_to_the_shop(town, call_s=0.2) as (episodes, wire):
        before, parcels = Leftovers(town), layers_with_parcels(town)
        wire.cut()

        with pytest.raises(Refusal) as caught:
            await episodes.archives.import_(archive)

        assert (caught.value.status, caught.value.retryable) == (503, True)
        assert layers_with_parcels(town) - parcels != set()
        wire.state = State.UP
        assert await before.found(episodes) == []
        imported = await episodes.archives.import_(archive)
        assert await episodes.archives.export(imported["snapshot_id"]) == archive


async def test_an_import_whose_process_dies_half_way_leaves_nothing(
    town: Town, episodes: Episodes, archive: bytes
) -> None:
    async with with_a_wire_to_the_shop(town) as (dying, wire):
        before, parcels = Leftovers(town), layers_with_parcels(town)
        wire.state = State.SILENT
        under_way = asyncio.create_task(dying.archives.import_(archive))
        async with asyncio.timeout(10):
            while not layers_with_parcels(town) - parcels:
                await asyncio.sleep(0.01)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)

    assert await before.found(episodes) == []


async def test_a_call_whose_answer_got_lost_writes_nothing_twice(town: Town, archive: bytes) -> None:
    async with with_a_wire_to_the_shop(town) as (episodes, wire):
        wire.state = State.LOSING
        under_way = asyncio.create_task(episodes.archives.import_(archive))
        layers = set(town.rows("SELECT DISTINCT layer_id FROM shop.orders"))
        async with asyncio.timeout(10):
            while not set(town.rows("SELECT DISTINCT layer_id FROM shop.orders")) - layers:
                await asyncio.sleep(0.01)
        wire.state = State.UP

        imported = await under_way

        assert await episodes.archives.export(imported["snapshot_id"]) == archive


async def reaped_ahead(town: Town, episodes: Episodes, layer: int) -> None:
    """Have a reserved layer reaped shortly before its time, as it is where many layers wait."""
    soon = (
        "UPDATE orchestrator.garbage SET due_at = now() + interval '9 seconds' WHERE layer = %s RETURNING 1"
    )
    await asyncio.to_thread(town.rows, soon, layer)
    async with asyncio.timeout(5):
        while not town.rows("SELECT 1 FROM orchestrator.garbage WHERE layer = %s AND reaped", layer):
            await episodes._parts.leavings._reap_some(1000, ahead_s=AHEAD_S)


async def test_what_was_reserved_too_long_ago_is_nobodys(
    town: Town, episodes: Episodes, archive: bytes
) -> None:
    tables = ArchiveTables(episodes._parts.store)
    kept = await episodes.archives.import_(archive)
    whole = await tables.whole(int(kept["snapshot_id"].removeprefix("snap-")))
    assert whole is not None
    facts = read_archive(archive).header.snapshot
    reserved = await tables.reserve()
    await reaped_ahead(town, episodes, reserved.layer)

    assert await tables.adopt(reserved, facts, whole.snapshot.start, {}, name=None, pinned=False) is None


async def test_a_layer_given_out_before_a_crash_is_not_written_after_it(
    town: Town, episodes: Episodes, archive: bytes
) -> None:
    tables, gateway = ArchiveTables(episodes._parts.store), episodes._parts.gateway
    before = replace(await tables.reserve(), life="the life before")
    rows = {"orders": [{"id": "X", "item": "x", "status": "kept", "parcel": None, "deleted": False}]}

    for work in (
        tables.remember(before, read_archive(archive).records),
        gateway.load_rows("shop", before.layer, before.life, rows),
    ):
        with pytest.raises(Outage):
            await work
    assert town.rows("SELECT 1 FROM shop.orders WHERE layer_id = %s", before.layer) == []
    assert town.rows("SELECT 1 FROM orchestrator.steps WHERE world = %s", before.layer) == []


async def test_a_base_that_was_retired_meanwhile_is_loaded_again(
    town: Town, episodes: Episodes, archive: bytes
) -> None:
    await begin(episodes, **OPTIONS)
    town.rows("UPDATE orchestrator.bases SET ready = false RETURNING 1")

    imported = await episodes.archives.import_(archive)

    reply = await episodes.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    assert (await played(episodes, reply.metadata["episode_id"], BUY))[0][0]["error"] is None


async def test_an_export_whose_snapshot_goes_meanwhile_is_refused(town: Town, episodes: Episodes) -> None:
    kept = await kept_after(episodes, BUY)
    with psycopg.connect(town.databases.admin_url) as holding:
        holding.execute("LOCK TABLE shop.world_outcomes IN ACCESS EXCLUSIVE MODE")
        under_way = asyncio.create_task(episodes.archives.export(kept))
        async with asyncio.timeout(10):
            while not town.rows("SELECT 1 FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
        await episodes.branches.drop(kept)

    with pytest.raises(Refusal) as caught:
        await under_way
    assert caught.value.code == "snapshot_unknown"


async def test_an_export_never_takes_lost_rows_for_none(town: Town, episodes: Episodes) -> None:
    kept = await kept_after(episodes, BUY, seed=9031)
    [[base]] = town.rows("SELECT base FROM orchestrator.snapshots ORDER BY number DESC LIMIT 1")
    town.rows("DELETE FROM shop.bases WHERE digest = %s RETURNING 1", base)

    with pytest.raises(Refusal) as caught:
        await episodes.archives.export(kept)

    assert (caught.value.status, caught.value.code) == (503, "service_unavailable")


async def test_an_old_snapshot_that_is_exported_is_not_forgotten(town: Town, episodes: Episodes) -> None:
    kept = await kept_after(episodes, BUY)
    town.rows(
        "UPDATE orchestrator.snapshots SET used_at = now() - interval '2 days' WHERE number = %s RETURNING 1",
        int(kept.removeprefix("snap-")),
    )

    archive = await episodes.archives.export(kept)
    await pruned(episodes)

    assert await episodes.archives.export(kept) == archive
