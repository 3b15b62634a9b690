"""Exports and imports of snapshots: neither keeps a step waiting, and an import that fails leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from ..beginnings import Opening
from ..branches import snapshot_document, snapshot_number, snapshot_unknown
from ..flight import Flight, working
from ..problems import Outage
from ..records import Snapshot, Start
from ..steps import Parts
from ..store import chaos_document
from ..trace import canonical
from .checks import refuse_inconsistent, refuse_other_base, refuse_other_services, start_of, versions_of
from .format import Archive, Writer, read_archive
from .models import FORMAT, VERSION, Facts
from .refusals import ArchiveInvalid
from .tables import ArchiveTables, Reserved, Whole

#: One at a time of each process: an archive may fill a good part of its memory.
AT_ONCE = 1
QUEUE_S = 60.0
#: How many rows go to a service at once, and about how many bytes, so that calls of agents never wait long.
ROWS_AT_ONCE = 200
BYTES_AT_ONCE = 1024 * 1024
#: A base may be retired between loading and adopting; more often than this it is no coincidence.
ATTEMPTS = 5


class Archives:
    """Makes files of snapshots and snapshots of files."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._tables = ArchiveTables(parts.store)
        self._flight = Flight(most=AT_ONCE, queue_s=QUEUE_S)

    async def export(self, snapshot_id: str) -> bytes:
        """Return a snapshot as a file; see `format`.

        Raises:
            Refusal: 404 snapshot_unknown, 413 archive_too_large.
        """
        number = snapshot_number(snapshot_id)
        async with self._working("export"):
            whole = await self._tables.whole(number)
            if whole is None:
                raise snapshot_unknown(snapshot_id)
            data = await self._written(whole)
            # Only what nobody has any more is reaped: a snapshot that is still there lost nothing meanwhile.
            after = await self._tables.whole(number)
            if after is None or _facts(after) != _facts(whole):
                raise snapshot_unknown(snapshot_id)
        return data

    async def import_(self, data: bytes, *, name: str | None = None, pinned: bool = False) -> dict[str, Any]:
        """Make a file a snapshot of this stack and return it as `Branches.snapshot` does.

        Args:
            data: What `export` returned, on whichever stack.
            name: What to call it; as before unless given.
            pinned: Keep it however long nobody uses it.

        Raises:
            Refusal: 404 scenario_unknown, 409 archive_base_differs or archive_stack_differs, 413 archive_too_large,
                422 archive_damaged, archive_format_unknown or archive_invalid; then nothing is left behind.
        """
        async with self._working("import"):
            archive = await asyncio.to_thread(read_archive, data)
            facts = archive.header.snapshot
            start = start_of(facts)
            opening, faults = await self._checked(archive, start)
            reserved = await self._tables.reserve()
            await self._load(archive, reserved)
            await self._tables.remember(reserved, archive.records)
            return snapshot_document(
                await self._adopted(
                    reserved, facts, start, opening, faults, name=name or facts.name, pinned=pinned
                )
            )

    def _working(self, work: str) -> AbstractAsyncContextManager[None]:
        return working(self._flight, self._parts.metrics, work)

    async def _written(self, whole: Whole) -> bytes:
        writer, gateway, snapshot = Writer(), self._parts.gateway, whole.snapshot
        versions = versions_of(await self._parts.catalogs.complete())
        header = {"format": FORMAT, "version": VERSION, "services": versions, "snapshot": _facts(whole)}
        writer.add([header])
        for service in sorted(versions):
            page: dict[str, Any] = {"after": None}
            while True:
                page = await gateway.excerpt(service, snapshot.base, whole.chain, page["after"])
                lines = [{"service": service, **row} for row in page["rows"]]
                await asyncio.to_thread(writer.add, lines)
                if page["after"] is None:
                    break
        await self._add_records(writer, whole)
        return await asyncio.to_thread(writer.finish)

    async def _add_records(self, writer: Writer, whole: Whole) -> None:
        step = 0
        while step < whole.snapshot.step:
            records = await self._tables.records(whole.lineage, step)
            if not records:
                raise Outage("database", f"it forgot the record of step {step + 1}")
            await asyncio.to_thread(writer.add, [{"record": record} for record in records])
            step = records[-1]["step"]

    async def _checked(self, archive: Archive, start: Start) -> tuple[Opening, dict[str, int]]:
        beginnings, facts = self._parts.beginnings, archive.header.snapshot
        catalog = await self._parts.catalogs.complete()
        refuse_other_services(archive.header.services, catalog)
        beginning = await beginnings.of(start)
        refuse_other_base(facts, beginning.opening)
        _, first_hash = beginning.opening.first(start, catalog)
        company = await asyncio.to_thread(refuse_inconsistent, archive, beginning, catalog, first_hash)
        await beginnings.load(beginning.opening, start, catalog)
        account = company.account
        return beginning.opening, {} if account is None else account.counts(done=False)

    async def _load(self, archive: Archive, reserved: Reserved) -> None:
        for service, rows in _portions(archive):
            if (
                why := await self._parts.gateway.load_rows(service, reserved.layer, reserved.life, rows)
            ) is not None:
                raise ArchiveInvalid(f"{service} cannot have such rows: {why}")

    async def _adopted(
        self,
        reserved: Reserved,
        facts: Facts,
        start: Start,
        opening: Opening,
        faults: Mapping[str, int],
        *,
        name: str | None,
        pinned: bool,
    ) -> Snapshot:
        catalog = await self._parts.catalogs.complete()
        for _ in range(ATTEMPTS):
            await self._parts.beginnings.load(opening, start, catalog)
            snapshot = await self._tables.adopt(reserved, facts, start, faults, name=name, pinned=pinned)
            if snapshot is not None:
                return snapshot
            opening.loaded = False
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
        "base": snapshot.base,
        "step": snapshot.step,
        "sim_now": snapshot.now,
        "due": whole.due,
        "total": f"{snapshot.total:.2f}",
        "hash": snapshot.hash,
    }


def _put(snapshot: Snapshot) -> dict[str, Any]:
    """Return what the facts say of a chaos that was put in force; older stacks read archives without one."""
    put = snapshot.put
    return {} if put is None else {"chaos_now": {**chaos_document(put.chaos), "step": put.step}}


def _portions(archive: Archive) -> Iterable[tuple[str, Mapping[str, list[dict[str, Any]]]]]:
    """Yield the rows of an archive service by service, a few at a time, by table."""
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
