"""The runs that the viewer shows, reloaded when their folders have grown."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..runs import FolderUnusable, Run, read_run
from ..runs.folder import EPISODES, RUN
from .episodes import EpisodeView, recorded_episode

Trace = Sequence[Mapping[str, Any]]


class RunShelf:
    """Runs by URL-safe names.

    Args:
        folders: Result folders, or folders that contain result folders.

    Raises:
        FolderUnusable: One is neither.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = dict(_named(folder for given in folders for folder in _runs_in(given)))
        self._read: dict[str, tuple[int, Run]] = {}

    def runs(self) -> Mapping[str, Run]:
        """Return every run by its name, except those whose folders no longer exist."""
        return {name: run for name in self._folders if (run := self.run(name))}

    def run(self, name: str) -> Run | None:
        """Return the current state of a run; None if no run has this name."""
        folder = self._folders.get(name)
        if folder is None:
            return None
        try:
            size = (folder / EPISODES).stat().st_size
            if name not in self._read or self._read[name][0] != size:
                self._read[name] = (size, read_run(folder))
        except (OSError, FolderUnusable):
            return None
        return self._read[name][1]

    def episode(self, name: str, key: str) -> EpisodeView | None:
        """Return an episode of a run with its steps, even if files are missing; None if there is none."""
        run = self.run(name)
        record = next((each for each in run.episodes if each.key == key), None) if run else None
        if run is None or record is None:
            return None
        try:
            trajectory = run.trajectory(key)
        except FolderUnusable:
            trajectory = None
        return recorded_episode(record, self.trace(name, key), trajectory)

    def trace(self, name: str, key: str) -> Trace:
        """Return the trace of an episode of a run; empty if it is missing."""
        run = self.run(name)
        try:
            return run.trace(key) if run else []
        except FolderUnusable:
            return []


def _runs_in(folder: Path) -> list[Path]:
    if (folder / RUN).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{RUN}"))
    if not found:
        raise FolderUnusable(f"{folder} holds no run. Write one with `companyos run --out {folder}`")
    return found


def _named(folders: Iterator[Path]) -> Iterator[tuple[str, Path]]:
    taken: set[str] = set()
    for folder in folders:
        base = folder.resolve().name
        name = next(
            each
            for number in range(1, 10_000)
            if (each := base if number == 1 else f"{base}-{number}") not in taken
        )
        taken.add(name)
        yield name, folder
