"""Export and import of snapshots: neither delays a step, and a failed import leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from ...protocol.problems import CallRejected, Outage
from ...protocol.records import Snapshot, Start
from ...protocol.trace import canonical
from ...runtime.components import Components
from ...runtime.in_flight import InFlight, working
from ...storage.episode_rows import chaos_document, earlier_document, tools_document
from ...worlds.instances import InitialState
from ..branches import base_lost, snapshot_document
from ..continuations import snapshot_unknown
from .checks import refuse_inconsistent, refuse_other_base, refuse_other_services, start_of, versions_of
from .format import Archive, Writer, read_archive
from .models import FORMAT, VERSION, SnapshotFacts
from .refusals import ArchiveInvalid
from .tables import ArchiveTables, Reserved, Whole

#: Only one at a time per process, because an archive may take up much of the process' memory.
AT_ONCE = 1
QUEUE_S = 60.0
#: Most rows and approximate bytes in one call to a service, kept small so that agents' calls never wait long.
ROWS_AT_ONCE = 200
BYTES_AT_ONCE = 1024 * 1024
#: A base may be retired between loading and adopting; more retries than this mean another problem.
ATTEMPTS = 5


class Archives:
    """Exports snapshots to files and imports them."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._tables = ArchiveTables(components.store)
        self._flight = InFlight(most=AT_ONCE, queue_s=QUEUE_S)

    async def export(self, snapshot_id: str) -> bytes:
        """Return a snapshot as a file in the format that `format` defines.

        Raises:
            Refusal: 404 snapshot_unknown, also if a service lost the company it builds on; 413 archive_too_large.
        """
        async with self._working("export"):
            whole = await self._tables.whole(snapshot_id)
            if whole is None:
                raise snapshot_unknown(snapshot_id)
            try:
                data = await self._write_archive(whole)
            except CallRejected as rejected:
                await self._refuse_lost_base(whole, rejected.part)
                raise
            # Only unowned rows are reaped: if the snapshot still exists, the export is complete.
            after = await self._tables.whole(snapshot_id)
            if after is None or _facts(after) != _facts(whole):
                raise snapshot_unknown(snapshot_id)
        return data

    async def import_(self, data: bytes, *, name: str | None = None, pinned: bool = False) -> dict[str, Any]:
        """Import a file as a snapshot and return it as `Branches.snapshot` does.

        Args:
            data: A file from `export` on any stack.
            name: Its new name; by default its old one.
            pinned: Whether to keep it even if it is unused.

        Raises:
            Refusal: 404 scenario_unknown, 409 archive_base_differs or archive_stack_differs, 413 archive_too_large,
                422 archive_damaged, archive_format_unknown or archive_invalid; nothing is left behind.
        """
        async with self._working("import"):
            archive = await asyncio.to_thread(read_archive, data)
            facts = archive.header.snapshot
            start = start_of(facts)
            initial_state, faults = await self._check_archive(archive, start)
            reserved = await self._tables.reserve()
            await self._load(archive, reserved)
            await self._tables.remember(reserved, archive.records)
            return snapshot_document(
                await self._adopt_snapshot(
                    reserved, facts, start, initial_state, faults, name=name or facts.name, pinned=pinned
                )
            )

    def _working(self, work: str) -> AbstractAsyncContextManager[None]:
        return working(self._flight, self._components.metrics, work)

    async def _write_archive(self, whole: Whole) -> bytes:
        writer, gateway, snapshot = Writer(), self._components.gateway, whole.snapshot
        versions = versions_of(await self._components.catalogs.complete())
        header = {"format": FORMAT, "version": VERSION, "services": versions, "snapshot": _facts(whole)}
        writer.add([header])
        for service in sorted(versions):
            after: Mapping[str, str] | None = None
            while True:
                page = await gateway.excerpt(service, snapshot.base, whole.chain, after)
                lines = [{"service": service, **row} for row in page.rows]
                await asyncio.to_thread(writer.add, lines)
                if (after := page.after) is None:
                    break
        await self._add_records(writer, whole)
        return await asyncio.to_thread(writer.finish)

    async def _refuse_lost_base(self, whole: Whole, service: str) -> None:
        """Refuse the export if a service lost the base, and give up everything built on it, as a reset would.

        Raises:
            Refusal: 404 snapshot_unknown.
        """
        snapshot, layer = whole.snapshot, whole.chain[0]
        found = await self._components.gateway.find_base(service, snapshot.base)
        if found is not None and found.layer == layer:
            return
        catalog = await self._components.catalogs.complete()
        await self._components.instances.restore_base(snapshot.start, catalog)
        raise base_lost(snapshot.id, service)

    async def _add_records(self, writer: Writer, whole: Whole) -> None:
        step = 0
        while step < whole.snapshot.step:
            records = await self._tables.records(whole.lineage, step)
            if not records:
                raise Outage("database", f"it forgot the record of step {step + 1}")
            await asyncio.to_thread(writer.add, [{"record": record} for record in records])
            step = records[-1]["step"]

    async def _check_archive(self, archive: Archive, start: Start) -> tuple[InitialState, dict[str, int]]:
        instances, facts = self._components.instances, archive.header.snapshot
        catalog = await self._components.catalogs.complete()
        refuse_other_services(archive.header.services, catalog)
        prepared = await instances.of(start)
        refuse_other_base(facts, prepared.initial_state)
        _, first_hash = prepared.initial_state.first(start, instances.tools_of(start, catalog))
        company = await asyncio.to_thread(refuse_inconsistent, archive, prepared, catalog, first_hash)
        await instances.load(prepared.initial_state, start, catalog)
        account = company.account
        return prepared.initial_state, {} if account is None else account.counts(done=False)

    async def _load(self, archive: Archive, reserved: Reserved) -> None:
        for service, rows in _portions(archive):
            if (
                why := await self._components.gateway.load_rows(service, reserved.layer, reserved.epoch, rows)
            ) is not None:
                raise ArchiveInvalid(f"{service} cannot have such rows: {why}")

    async def _adopt_snapshot(
        self,
        reserved: Reserved,
        facts: SnapshotFacts,
        start: Start,
        initial_state: InitialState,
        faults: Mapping[str, int],
        *,
        name: str | None,
        pinned: bool,
    ) -> Snapshot:
        catalog = await self._components.catalogs.complete()
        for _ in range(ATTEMPTS):
            await self._components.instances.load(initial_state, start, catalog)
            snapshot = await self._tables.adopt(reserved, facts, start, faults, name=name, pinned=pinned)
            if snapshot is not None:
                return snapshot
            initial_state.loaded = False
        raise Outage(
            "database", "the import took too long, or its starting company is removed as often as loaded"
        )


def _facts(whole: Whole) -> dict[str, Any]:
    snapshot, start = whole.snapshot, whole.snapshot.start
    return {
        "name": snapshot.name,
        "episode_id": snapshot.episode,
        "scenario": start.scenario,
        "version": start.version,
        "seed": start.seed,
        "chaos": chaos_document(start.chaos),
        **_put(snapshot),
        "size": start.size,
        "rewards": str(start.profile),
        "reward_mode": str(start.mode),
        "max_steps": start.max_steps,
        **tools_document(start.tools),
        "guidance": str(start.guidance),
        **start.formats,
        **earlier_document(start.earlier),
        "base": snapshot.base,
        "step": snapshot.step,
        "sim_now": snapshot.now,
        "due": whole.due,
        "total": f"{snapshot.total:.2f}",
        "hash": snapshot.hash,
    }


def _put(snapshot: Snapshot) -> dict[str, Any]:
    """Return the facts about the chaos put in force, if any; archives of older versions lack them."""
    put = snapshot.put
    return {} if put is None else {"chaos_now": {**chaos_document(put.chaos), "step": put.step}}


def _portions(archive: Archive) -> Iterable[tuple[str, Mapping[str, list[dict[str, Any]]]]]:
    """Yield an archive's rows service by service, a limited number at a time, by table."""
    service, count, size = "", 0, 0
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in archive.rows:
        if rows and (line.service != service or count >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE):
            yield service, rows
            rows, count, size = {}, 0, 0
        service, count, size = line.service, count + 1, size + len(canonical(line.row))
        rows.setdefault(line.table, []).append(line.row)
    if rows:
        yield service, rows
