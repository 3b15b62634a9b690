"""The checkpoint of a certification: one line per play, from which an interrupted run resumes."""

import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import orjson

from ..chaos import parse_chaos
from .baselines import Play, Player

#: Scenario, level, seed, agent, and whether it is the replay, played alone.
Key = tuple[str, int, int, Player, bool]


class CheckpointUnreadable(ValueError):
    """The file is not a checkpoint, or cannot be written."""


class Checkpoint:
    """Plays kept in a file, or not kept at all.

    A play is valid while its scenario has the same version and the same Python files, and its level has the
    same faults. Nothing else is compared, so a checkpoint belongs to one commit and one salt. Checkpoints from
    several machines can be joined with `cat`.

    Args:
        path: The file; None to keep nothing.
        versions: The version of each scenario.
        sources: The source digest of each scenario.

    Raises:
        CheckpointUnreadable: The file is something else, or cannot be written.
    """

    def __init__(self, path: Path | None, versions: Mapping[str, int], sources: Mapping[str, str]) -> None:
        self._path = path
        self._versions = versions
        self._sources = sources
        self._append(b"")
        self._known = self._read() if path is not None else {}

    def find(self, scenario: str, level: int, seed: int, player: Player, *, alone: bool) -> Play | None:
        """Return a recorded play, or None."""
        return self._known.get((scenario, level, seed, player, alone))

    def keep(self, play: Play, *, alone: bool) -> None:
        """Record a play."""
        line = {**asdict(play), "alone": alone, **self._state(play.scenario, play.level)}
        self._append(orjson.dumps(line) + b"\n")

    def _append(self, line: bytes) -> None:
        if self._path is None:
            return
        try:
            with self._path.open("ab") as file:
                file.write(line)
        except OSError as failure:
            raise CheckpointUnreadable(f"{self._path} cannot be written ({failure.strerror})") from None

    def _read(self) -> dict[Key, Play]:
        assert self._path is not None
        whole, _, unfinished = self._path.read_bytes().rpartition(b"\n")
        if unfinished:
            os.truncate(self._path, len(whole) + 1 if whole else 0)
        try:
            return dict(filter(None, map(self._entry, whole.splitlines())))
        except (ValueError, KeyError, TypeError) as failure:
            raise CheckpointUnreadable(
                f"{self._path} is no checkpoint of a certification: {failure!r}"
            ) from failure

    def _entry(self, line: bytes) -> tuple[Key, Play] | None:
        """Return a play with its key; None if the scenario or the level has changed since."""
        document = orjson.loads(line)
        state = self._state(document["scenario"], document["level"])
        if {name: document.get(name) for name in state} != state:
            return None
        play = _play(document)
        return (play.scenario, play.level, play.seed, play.player, document["alone"]), play

    def _state(self, scenario: str, level: int) -> dict[str, Any]:
        return {
            "version": self._versions.get(scenario),
            "source": self._sources.get(scenario),
            "chaos": parse_chaos(level).digest,
        }


def _play(document: Mapping[str, Any]) -> Play:
    values = {field.name: document[field.name] for field in fields(Play)}
    met = tuple((fault, state) for fault, state in document["met"])
    return Play(**{**values, "player": Player(document["player"]), "met": met})
