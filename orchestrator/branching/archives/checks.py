"""Checks whether an archive fits this stack: the same base, services and tools, and consistent content."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from companyos.sdk.chaos import Chaos, ChaosRefused, parse_chaos

from ...grading.grader import Grader
from ...progress.fault_account import FaultAccount
from ...progress.progress_cache import EpisodeProgress
from ...protocol.effects import Row, RowKey
from ...protocol.options import ResetOptions, chaos_summary
from ...protocol.records import Part, Start
from ...protocol.trace import links, next_hash
from ...protocol.trace_records import changes_of
from ...services.catalog import Catalog
from ...worlds.instances import InitialState, PreparedInstance
from .format import Archive
from .models import ChaosFacts, SnapshotFacts, earned
from .refusals import ArchiveBaseDiffers, ArchiveInvalid, ArchiveStackDiffers


def start_of(facts: SnapshotFacts) -> Start:
    """Return the start of an archive's episode.

    Raises:
        ArchiveInvalid: The chaos or the reward profile does not exist.
    """
    try:
        ResetOptions(rewards=facts.rewards)
    except ValidationError as error:
        raise ArchiveInvalid(f"The archive's rewards are none: {error.errors()[0]['msg']}.") from None
    return Start(
        facts.scenario,
        facts.version,
        facts.seed,
        _chaos(facts.chaos),
        facts.size,
        facts.rewards,
        facts.reward_mode,
        facts.max_steps,
        tools=facts.tools if isinstance(facts.tools, str) else tuple(facts.tools),
        guidance=facts.guidance,
        tools_format=facts.tools_format,
        observation_format=facts.observation_format,
        earlier=tuple(Part.of(part.model_dump(mode="json")) for part in facts.earlier),
    )


def refuse_other_base(facts: SnapshotFacts, initial_state: InitialState) -> None:
    """Refuse an archive whose layers belong to another base than this stack generates.

    Raises:
        ArchiveBaseDiffers: The message names the remedy.
    """
    if initial_state.version != facts.version:
        raise ArchiveBaseDiffers(
            f"The archive is of version {facts.version} of {facts.scenario}; "
            f"this stack has version {initial_state.version}. "
            "Import it where that version is installed."
        )
    if initial_state.base != facts.base:
        raise ArchiveBaseDiffers(
            f"This stack generates another company for {facts.scenario}, seed {facts.seed}. It draws with another "
            "salt (set COMPANYOS_SALT as where the archive is from), or its code differs (install the same release)."
        )


def refuse_other_services(services: Mapping[str, int], catalog: Catalog) -> None:
    """Refuse an archive of other services.

    Raises:
        ArchiveStackDiffers: The message names the first difference.
    """
    here = versions_of(catalog)
    for name in sorted({*services, *here}):
        if services.get(name) != here.get(name):
            there, mine = (
                f"version {found.get(name)}" if name in found else "none" for found in (services, here)
            )
            raise ArchiveStackDiffers(
                f"The archive has {there} of the service {name}, this stack {mine}. Install the same release."
            )


def versions_of(catalog: Catalog) -> dict[str, int]:
    """Return the version of each service's rows."""
    return {name: int(manifest["schema_version"]) for name, manifest in catalog.manifests.items()}


def refuse_inconsistent(
    archive: Archive, prepared: PreparedInstance, catalog: Catalog, first_hash: str
) -> EpisodeProgress:
    """Refuse an archive whose records do not form a trace, do not lead to its rows, or cannot be graded.

    Returns:
        The progress of the episode after its records.

    Raises:
        ArchiveStackDiffers: The first observation differs, for example because of other tools.
        ArchiveInvalid: Any other inconsistency.
    """
    _refuse_broken_trace(archive, first_hash)
    _refuse_other_outcome(archive, prepared.initial_state)
    _refuse_other_chaos(archive)
    grader = Grader(prepared.instance, prepared.base, catalog.journals, catalog.maintained)
    progress = EpisodeProgress(0, grader)
    if prepared.plan is not None or archive.header.snapshot.chaos_now is not None:
        progress.account = FaultAccount(prepared.instance.faults)
    try:
        for record in archive.records:
            progress.replay(record)
    except Exception as error:
        # Predicates are a scenario's code and the rows are untrusted: an error here would recur in the next step.
        raise ArchiveInvalid(f"The archive's records cannot be graded: {error!r}") from error
    if _left_by_steps(archive) != _business_rows(archive, catalog):
        raise ArchiveInvalid("The archive's rows are not what its steps left.")
    return progress


def _chaos(facts: ChaosFacts) -> Chaos:
    try:
        known = parse_chaos(facts.profile if facts.name == "custom" else facts.name)
    except ChaosRefused as refused:
        raise ArchiveInvalid(f"The archive's chaos is none: {refused}.") from None
    chaos = Chaos(facts.level, facts.name, facts.profile)
    if chaos.digest != known.digest or (facts.name != "custom" and facts.level != known.level):
        raise ArchiveInvalid("The archive's chaos is not what this stack means by its name.")
    return chaos


def _refuse_broken_trace(archive: Archive, first_hash: str) -> None:
    facts, previous = archive.header.snapshot, first_hash
    parts = [part.model_dump(mode="json") for part in facts.earlier]
    begins, ends = links({"earlier": parts}, first_hash), {part["until"]: part["last_hash"] for part in parts}
    own = next((one for one in archive.records if one["step"] > max(ends, default=0)), None)
    if (own["previous"] if own else facts.hash) != first_hash:
        raise ArchiveStackDiffers(
            "Episodes of this stack begin with another observation: its services offer other tools. "
            "Install the same release."
        )
    for record in archive.records:
        previous = begins.get(record["step"], previous)
        if record["previous"] != previous or record["hash"] != next_hash(previous, record):
            raise ArchiveInvalid(f"The record of step {record['step']} does not follow from the one before.")
        previous = record["hash"]
        if ends.get(record["step"], previous) != previous:
            raise ArchiveInvalid(
                f"An earlier part of the archive's episode does not end with step {record['step']}."
            )
    if max(ends, default=0) > len(archive.records):
        raise ArchiveInvalid("The archive lacks the records of an earlier part of its episode.")
    previous = begins.get(len(archive.records) + 1, previous)
    if previous != facts.hash:
        raise ArchiveInvalid("The archive's hash is not that of its last record.")


def _refuse_other_chaos(archive: Archive) -> None:
    """Refuse an archive whose chaos in force differs from that of its steps."""
    facts = archive.header.snapshot
    chaos_changes = {record["step"] - 1: record["chaos"] for record in archive.records if "chaos" in record}
    if facts.chaos_now is None:
        in_force, since = None, -1
    else:
        in_force, since = chaos_summary(_chaos(facts.chaos_now)), facts.chaos_now.step
    known = since == facts.step or chaos_changes.get(since) == in_force
    if since > facts.step or not known or any(step > since for step in chaos_changes):
        raise ArchiveInvalid("The archive's chaos is not the one its steps were played under.")


def _refuse_other_outcome(archive: Archive, initial_state: InitialState) -> None:
    facts, records = archive.header.snapshot, archive.records
    now = records[-1]["sim_now"] if records else initial_state.start
    before = facts.earlier[-1].until if facts.earlier else 0
    total = sum((earned(record) for record in records[before:]), Decimal(0))
    if facts.sim_now != now or Decimal(facts.total) != total or facts.step >= facts.max_steps:
        raise ArchiveInvalid("The archive's clock, rewards or steps are not those of its records.")
    if strange := sorted(
        {*facts.due, *(line.service for line in archive.rows)} - set(archive.header.services)
    ):
        raise ArchiveInvalid(f"The archive has something of {strange[0]!r}, which is none of its services.")


def _left_by_steps(archive: Archive) -> dict[RowKey, Row | None]:
    return {row_key: row for record in archive.records for row_key, row in changes_of(record)}


def _business_rows(archive: Archive, catalog: Catalog) -> dict[RowKey, Row | None]:
    tables = {
        (service, table["name"])
        for service, manifest in catalog.manifests.items()
        for table in manifest["tables"]
    }
    return {
        RowKey(*line.row_key): _live(line.row)
        for line in archive.rows
        if (line.service, line.table) in tables
    }


def _live(row: Mapping[str, Any]) -> Row | None:
    business = {column: value for column, value in row.items() if column != "deleted"}
    return None if row.get("deleted") else business
