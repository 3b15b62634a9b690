"""Conversions between the rows of episodes and the records that the orchestrator works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
from psycopg.types.json import Jsonb

from companyos.sdk.chaos import Chaos

from ..protocol.options import (
    GuidanceLevel,
    Latency,
    ObservationFormat,
    RewardMode,
    RewardProfile,
    ToolChoice,
    ToolsFormat,
)
from ..protocol.records import Episode, Part, Put, Start


def start_values(start: Start) -> dict[str, Any]:
    """Return the columns `scenario` to `max_steps` of an episode's start; `start_of` reads them."""
    return {
        "scenario": start.scenario,
        "version": start.version,
        "seed": start.seed,
        "chaos": Jsonb(
            {
                **chaos_document(start.chaos),
                "latency": str(start.latency),
                "guidance": str(start.guidance),
                **start.formats,
                **tools_document(start.tools),
                **earlier_document(start.earlier),
            }
        ),
        "size": str(start.size),
        "profile": str(start.profile),
        "mode": str(start.mode),
        "max_steps": start.max_steps,
    }


def chaos_document(chaos: Chaos) -> dict[str, Any]:
    """Return a chaos setting in its stored form; `chaos_of` reads it."""
    return {"level": chaos.level, "name": chaos.name, "profile": dict(chaos.profile)}


def chaos_of(document: Mapping[str, Any]) -> Chaos:
    """Return a stored chaos setting: the same object for the same setting, so that derived values are computed once."""
    return _chaos(orjson.dumps((document["level"], document["name"], document["profile"])))


@lru_cache(maxsize=512)
def _chaos(stored: bytes) -> Chaos:
    return Chaos(*orjson.loads(stored))


def tools_document(choice: ToolChoice) -> dict[str, Any]:
    """Return the choice of tools in its stored form, empty for all tools."""
    return {} if choice == "all" else {"tools": choice if isinstance(choice, str) else list(choice)}


def earlier_document(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the earlier parts of an episode in their stored form, empty for an episode played from its beginning."""
    return {"earlier": [part.document for part in parts]} if parts else {}


def _tools_of(stored: Any) -> ToolChoice:
    return tuple(stored) if isinstance(stored, list) else stored


def start_of(row: Sequence[Any]) -> Start:
    """Return an episode's start from the columns `scenario` to `max_steps`."""
    scenario, version, seed, chaos, size, profile, mode, max_steps = row
    return Start(
        scenario,
        version,
        seed,
        chaos_of(chaos),
        int(size) if size.isdigit() else size,
        RewardProfile(profile),
        RewardMode(mode),
        max_steps,
        Latency(chaos.get("latency", Latency.VIRTUAL)),
        _tools_of(chaos.get("tools", "all")),
        GuidanceLevel(chaos.get("guidance", GuidanceLevel.NONE)),
        ToolsFormat(chaos.get("tools_format", ToolsFormat.SCHEMAS)),
        ObservationFormat(chaos.get("observation_format", ObservationFormat.FULL)),
        tuple(Part.of(part) for part in chaos.get("earlier", ())),
    )


def episode_of(row: Sequence[Any]) -> Episode:
    """Return the episode from a row of `statements.EPISODE`."""
    episode_id, world, chain, base = row[:4]
    as_stored: Sequence[Any] = (*row[12:22], tuple(row[22]), row[23], put_of(row[24]), *row[25:27])
    return Episode(episode_id, world, tuple(chain), base, start_of(row[4:12]), *as_stored)


def put_of(document: Mapping[str, Any] | None) -> Put | None:
    """Return the chaos put in force, from the column `chaos_now`."""
    if document is None:
        return None
    return Put(document["step"], chaos_of(document))
