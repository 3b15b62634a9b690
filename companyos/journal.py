"""The journal of a certification: a line for every play, so that one that was stopped goes on where it was."""

import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import orjson

from .baselines import Play, Player
from .chaos import parse_chaos

#: Scenario, level, seed, agent, and whether it is the second play, by itself.
Key = tuple[str, int, int, Player, bool]


class JournalUnreadable(ValueError):
    """A file that is no journal."""


class Journal:
    """Plays kept in a file, or nowhere.

    A play counts while its scenario has the same version and its level the same faults. What else the code does is not
    looked at, so a journal belongs to one state of it, and to one salt. Journals of several machines are put together
    by `cat`.

    Args:
        path: The file; None to keep nothing.
        versions: Version of each scenario there is.

    Raises:
        JournalUnreadable: The file is something else.
    """

    def __init__(self, path: Path | None, versions: Mapping[str, int]) -> None:
        self._path = path
        self._versions = versions
        self._known = self._read() if path is not None and path.exists() else {}

    def find(self, scenario: str, level: int, seed: int, player: Player, *, alone: bool) -> Play | None:
        """Return what is known of a play."""
        return self._known.get((scenario, level, seed, player, alone))

    def keep(self, play: Play, *, alone: bool) -> None:
        """Write a play down."""
        if self._path is not None:
            line = {**asdict(play), "alone": alone, **self._state(play.scenario, play.level)}
            with self._path.open("ab") as file:
                file.write(orjson.dumps(line) + b"\n")

    def _read(self) -> dict[Key, Play]:
        assert self._path is not None
        whole, _, unfinished = self._path.read_bytes().rpartition(b"\n")
        if unfinished:
            os.truncate(self._path, len(whole) + 1 if whole else 0)
        try:
            return dict(filter(None, map(self._entry, whole.splitlines())))
        except (ValueError, KeyError, TypeError) as failure:
            raise JournalUnreadable(
                f"{self._path} is no journal of a certification: {failure!r}"
            ) from failure

    def _entry(self, line: bytes) -> tuple[Key, Play] | None:
        """Return a play and what it is a play of; None where the scenario or the level has changed since."""
        told = orjson.loads(line)
        state, play = self._state(told["scenario"], told["level"]), _play(told)
        if {name: told[name] for name in state} != state:
            return None
        return (play.scenario, play.level, play.seed, play.player, told["alone"]), play

    def _state(self, scenario: str, level: int) -> dict[str, Any]:
        return {"version": self._versions.get(scenario), "chaos": parse_chaos(level).digest}


def _play(told: Mapping[str, Any]) -> Play:
    values = {field.name: told[field.name] for field in fields(Play)}
    met = tuple((fault, state) for fault, state in told["met"])
    return Play(**{**values, "player": Player(told["player"]), "met": met})
