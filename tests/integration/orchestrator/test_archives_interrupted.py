"""Exports and imports that something happens to: a service that breaks, a process that dies, a snapshot that goes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from orchestrator.branching.archives.format import read_archive
from orchestrator.branching.archives.tables import ArchiveTables
from orchestrator.episodes.facade import Episodes, Refusal, ResetOptions
from orchestrator.protocol.problems import Outage
from orchestrator.worlds.garbage_collection import AHEAD_S
from tests.patience import PATIENCE_S

from .faulty_proxy import FaultyProxy, State, proxy_to
from .second_stack import Leftovers
from .test_archives import kept_after
from .test_branches import BUY, WAIT, played
from .test_fork_law import OPTIONS
from .toy_stack import ToyStack, begin, pruned, ready_orchestrator


@pytest.fixture(scope="module")
async def archive(episodes: Episodes) -> bytes:
    return await episodes.archives.export(await kept_after(episodes, BUY, WAIT, BUY))


@asynccontextmanager
async def with_a_proxy_to_the_shop(
    toy_stack: ToyStack, **settings: Any
) -> AsyncIterator[tuple[Episodes, FaultyProxy]]:
    """Open an orchestrator that reaches the shop, the last service to be written to, over a wire."""
    async with proxy_to(toy_stack.services["shop"]) as proxy:
        services = {**toy_stack.services, "shop": proxy.url}
        async with ready_orchestrator(toy_stack, services=services, **settings) as opened:
            await begin(opened, **OPTIONS)
            yield opened, proxy


def layers_with_parcels(toy_stack: ToyStack) -> set[int]:
    return {layer for (layer,) in toy_stack.rows("SELECT DISTINCT layer_id FROM depot.parcels")}


async def test_an_import_that_a_service_fails_can_be_sent_again_and_leaves_nothing(
    toy_stack: ToyStack, archive: bytes
) -> None:
    async with with_a_proxy_to_the_shop(toy_stack, call_s=2.0) as (episodes, proxy):
        before, parcels = Leftovers(toy_stack), layers_with_parcels(toy_stack)
        proxy.cut()

        with pytest.raises(Refusal) as caught:
            await episodes.archives.import_(archive)

        assert (caught.value.status, caught.value.retryable) == (503, True)
        assert layers_with_parcels(toy_stack) - parcels != set()
        proxy.state = State.UP
        assert await before.found(episodes) == []
        imported = await episodes.archives.import_(archive)
        assert await episodes.archives.export(imported["snapshot_id"]) == archive


async def test_an_import_whose_process_dies_half_way_leaves_nothing(
    toy_stack: ToyStack, episodes: Episodes, archive: bytes
) -> None:
    async with with_a_proxy_to_the_shop(toy_stack) as (dying, proxy):
        before, parcels = Leftovers(toy_stack), layers_with_parcels(toy_stack)
        proxy.state = State.SILENT
        under_way = asyncio.create_task(dying.archives.import_(archive))
        async with asyncio.timeout(PATIENCE_S):
            while not layers_with_parcels(toy_stack) - parcels:
                await asyncio.sleep(0.01)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)

    assert await before.found(episodes) == []


async def test_a_call_whose_answer_got_lost_writes_nothing_twice(toy_stack: ToyStack, archive: bytes) -> None:
    async with with_a_proxy_to_the_shop(toy_stack) as (episodes, proxy):
        proxy.state = State.LOSING
        under_way = asyncio.create_task(episodes.archives.import_(archive))
        layers = set(toy_stack.rows("SELECT DISTINCT layer_id FROM shop.orders"))
        async with asyncio.timeout(PATIENCE_S):
            while not set(toy_stack.rows("SELECT DISTINCT layer_id FROM shop.orders")) - layers:
                await asyncio.sleep(0.01)
        proxy.state = State.UP

        imported = await under_way

        assert await episodes.archives.export(imported["snapshot_id"]) == archive


async def reaped_ahead(toy_stack: ToyStack, episodes: Episodes, layer: int) -> None:
    """Have a reserved layer reaped shortly before its time, as it is where many layers wait."""
    soon = (
        "UPDATE orchestrator.garbage SET due_at = now() + interval '9 seconds' WHERE layer = %s RETURNING 1"
    )
    await toy_stack.write(soon, layer)
    async with asyncio.timeout(5):
        while not toy_stack.rows("SELECT 1 FROM orchestrator.garbage WHERE layer = %s AND reaped", layer):
            await episodes._components.garbage._reap_some(1000, ahead_s=AHEAD_S)


async def test_expired_import_reservation_cannot_be_adopted(
    toy_stack: ToyStack, episodes: Episodes, archive: bytes
) -> None:
    tables = ArchiveTables(episodes._components.store)
    kept = await episodes.archives.import_(archive)
    whole = await tables.whole(kept["snapshot_id"])
    assert whole is not None
    facts = read_archive(archive).header.snapshot
    reserved = await tables.reserve()
    await reaped_ahead(toy_stack, episodes, reserved.layer)

    assert await tables.adopt(reserved, facts, whole.snapshot.start, {}, name=None, pinned=False) is None


async def test_a_layer_given_out_before_a_crash_is_not_written_after_it(
    toy_stack: ToyStack, episodes: Episodes, archive: bytes
) -> None:
    tables, gateway = ArchiveTables(episodes._components.store), episodes._components.gateway
    before = replace(await tables.reserve(), epoch="the epoch before")
    rows = {"orders": [{"id": "X", "item": "x", "status": "kept", "parcel": None, "deleted": False}]}

    for work in (
        tables.remember(before, read_archive(archive).records),
        gateway.load_rows("shop", before.layer, before.epoch, rows),
    ):
        with pytest.raises(Outage):
            await work
    assert toy_stack.rows("SELECT 1 FROM shop.orders WHERE layer_id = %s", before.layer) == []
    assert toy_stack.rows("SELECT 1 FROM orchestrator.steps WHERE world = %s", before.layer) == []


async def test_a_base_that_was_retired_meanwhile_is_loaded_again(
    toy_stack: ToyStack, episodes: Episodes, archive: bytes
) -> None:
    await begin(episodes, **OPTIONS)
    await toy_stack.write("UPDATE orchestrator.bases SET ready = false RETURNING 1")

    imported = await episodes.archives.import_(archive)

    reply = await episodes.reset(ResetOptions(snapshot=imported["snapshot_id"]))
    assert (await played(episodes, reply.metadata["episode_id"], BUY))[0][0]["error"] is None


async def test_an_export_whose_snapshot_goes_meanwhile_is_refused(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    kept = await kept_after(episodes, BUY)
    with psycopg.connect(toy_stack.databases.admin_url) as holding:
        holding.execute("LOCK TABLE shop.world_outcomes IN ACCESS EXCLUSIVE MODE")
        under_way = asyncio.create_task(episodes.archives.export(kept))
        async with asyncio.timeout(PATIENCE_S):
            while not toy_stack.rows("SELECT 1 FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0.01)
        await episodes.branches.drop(kept)

    with pytest.raises(Refusal) as caught:
        await under_way
    assert caught.value.code == "snapshot_unknown"


async def test_an_export_never_takes_lost_rows_for_none(toy_stack: ToyStack, episodes: Episodes) -> None:
    kept = await kept_after(episodes, BUY, seed=9031)
    await forget_base(toy_stack, episodes, seed=9031)

    with pytest.raises(Refusal, match="shop lost the company that this snapshot builds on") as caught:
        await episodes.archives.export(kept)

    assert (caught.value.status, caught.value.code) == (404, "snapshot_unknown")
    with pytest.raises(Refusal, match="There is no snapshot"):
        await episodes.archives.export(kept)


async def test_a_base_found_lost_by_an_export_is_loaded_for_the_next_episode(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    kept = await kept_after(episodes, BUY, seed=9032)
    await forget_base(toy_stack, episodes, seed=9032)
    with pytest.raises(Refusal):
        await episodes.archives.export(kept)

    again = await kept_after(episodes, BUY, seed=9032)

    assert read_archive(await episodes.archives.export(again)).header.snapshot.seed == 9032


async def test_an_export_that_a_service_rejects_for_another_reason_says_so(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    kept = await kept_after(episodes, BUY, seed=9033)
    chain = "UPDATE orchestrator.snapshots SET chain = chain || chain[1] WHERE id = %s RETURNING 1"
    await toy_stack.write(chain, kept)

    with pytest.raises(Refusal) as caught:
        await episodes.archives.export(kept)

    assert (caught.value.status, caught.value.code) == (500, "service_rejected_call")


async def forget_base(toy_stack: ToyStack, episodes: Episodes, *, seed: int) -> None:
    """Have the shop forget the company of a seed, as a crash of its database does."""
    [[base]] = toy_stack.rows("SELECT base FROM orchestrator.snapshots WHERE seed = %s", seed)
    await episodes._components.gateway.forget_base("shop", base)


async def test_an_export_counts_as_a_use_after_which_a_snapshot_is_kept_as_long_as_a_new_one(
    toy_stack: ToyStack, episodes: Episodes
) -> None:
    kept = await kept_after(episodes, BUY)
    # Not so old that a background job may forget it before the export.
    await toy_stack.write(
        "UPDATE orchestrator.snapshots SET used_at = now() - interval '1 hour' WHERE id = %s RETURNING 1",
        kept,
    )

    archive = await episodes.archives.export(kept)

    [(is_recent,)] = toy_stack.rows(
        "SELECT used_at > now() - interval '1 minute' FROM orchestrator.snapshots WHERE id = %s", kept
    )
    assert is_recent
    await pruned(episodes)
    assert await episodes.archives.export(kept) == archive
