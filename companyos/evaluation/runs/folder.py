"""The result folder of a run: what was asked for, one line per finished episode, trajectories and traces.

A line is appended in one write, after the files of its episode, so a killed run resumes after its last line.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

from .records import EpisodeRecord, json_bytes
from .request import RunRequest

FORMAT = 1
RUN, EPISODES, TRAJECTORIES, TRACES = "run.json", "episodes.jsonl", "trajectories", "traces"
#: Files are written under another name first.
_PART = ".part"
_UNFINISHED = f"{RUN}{_PART}"


class FolderUnusable(ValueError):
    """The folder contains no run, or cannot be read or written. The message says what to do."""


class OtherRun(FolderUnusable):
    """The folder contains a run of another request."""


@dataclass(frozen=True)
class Run:
    """A run as read from its folder.

    Attributes:
        path: The folder.
        about: The content of `run.json`.
        request: What was asked for.
        episodes: The finished episodes in the order in which they finished; only the latest of repeated ones.
    """

    path: Path
    about: Mapping[str, Any]
    request: RunRequest
    episodes: tuple[EpisodeRecord, ...]

    @property
    def name(self) -> str:
        """The name of the run, by default that of its agent."""
        return str(self.about["name"])

    def trajectory(self, key: str) -> dict[str, Any]:
        """Return the trajectory of an episode, in Harbor's ATIF.

        Raises:
            FolderUnusable: There is none.
        """
        document: dict[str, Any] = orjson.loads(_bytes_of(self.path / TRAJECTORIES / f"{key}.json"))
        return document

    def trace(self, key: str) -> list[dict[str, Any]]:
        """Return the records of an episode's trace, in order.

        Raises:
            FolderUnusable: There is none.
        """
        return [orjson.loads(line) for line in _bytes_of(self.path / TRACES / f"{key}.jsonl").splitlines()]


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a result folder, of a finished run or of one still in progress.

    Raises:
        FolderUnusable: There is no run, or it cannot be read.
    """
    folder = Path(path)
    about = _about(folder)
    whole, _, _ = _bytes_of(folder / EPISODES).rpartition(b"\n")
    return Run(folder, about, _request(folder, about), _records(folder, whole))


class RunFolder:
    """A result folder that this process alone writes."""

    def __init__(self, path: Path, lines: BinaryIO, records: Iterable[EpisodeRecord]) -> None:
        self.path = path
        self._lines = lines
        self.records = {record.key: record for record in records}

    @classmethod
    def open(cls, path: Path, request: RunRequest, about: Mapping[str, Any]) -> "RunFolder":
        """Create the folder of a run, or open it to resume the run.

        Args:
            path: The folder, which is created if it does not exist.
            request: What the run plays.
            about: What else `run.json` says.

        Raises:
            OtherRun: It contains the run of another request.
            FolderUnusable: It contains something else, another process writes it, or it cannot be written.
        """
        try:
            return cls._opened(path, request, about)
        except OSError as failure:
            raise FolderUnusable(
                f"{path} cannot be written: {failure.strerror}. Choose another --out"
            ) from None

    @classmethod
    def _opened(cls, path: Path, request: RunRequest, about: Mapping[str, Any]) -> "RunFolder":
        if not (path / RUN).exists():
            if path.is_dir() and {found.name for found in path.iterdir()} - {_UNFINISHED}:
                raise FolderUnusable(f"{path} is not empty and holds no run. Choose another --out")
            path.mkdir(parents=True, exist_ok=True)
            # Written first, so that a run killed right afterwards can resume.
            _replace(path / RUN, _document(request, about))
        found = _request(path, _about(path))
        if differing := request.differences(found):
            raise OtherRun(
                f"{path} holds a run with another value of {', '.join(differing)}. "
                "Repeat its command to resume it, or choose another --out"
            )
        for folder in (path / TRAJECTORIES, path / TRACES):
            folder.mkdir(exist_ok=True)
        lines = _locked(path / EPISODES)
        return cls(path, lines, _records(path, _whole_lines(lines)))

    def keep(self, record: EpisodeRecord, trajectory: Mapping[str, Any] | None, trace: str | None) -> None:
        """Write a finished episode: its files, then its line.

        Raises:
            FolderUnusable: The disk is full, or the folder cannot be written any more.
        """
        try:
            self._write(record, trajectory, trace)
        except OSError as failure:
            raise FolderUnusable(f"{self.path} cannot be written: {failure.strerror}") from None
        self.records[record.key] = record

    def _write(self, record: EpisodeRecord, trajectory: Mapping[str, Any] | None, trace: str | None) -> None:
        if trajectory is not None:
            _replace(
                self.path / TRAJECTORIES / f"{record.key}.json", json_bytes(trajectory, orjson.OPT_INDENT_2)
            )
        if trace is not None:
            _replace(self.path / TRACES / f"{record.key}.jsonl", trace.encode())
        self._lines.write(record.line())
        self._lines.flush()

    def close(self) -> None:
        """Release the folder for other processes."""
        self._lines.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _document(request: RunRequest, about: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"format": FORMAT, **about, **request.document()}, option=orjson.OPT_INDENT_2) + b"\n"


def _about(path: Path) -> dict[str, Any]:
    try:
        about = orjson.loads(_bytes_of(path / RUN))
        found = about["format"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise FolderUnusable(f"{path / RUN} is not the description of a run") from None
    if found != FORMAT:
        raise FolderUnusable(f"{path} has format {found} and this release reads format {FORMAT}")
    return dict(about)


def _request(path: Path, about: Mapping[str, Any]) -> RunRequest:
    try:
        return RunRequest.of(about)
    except (KeyError, TypeError) as failure:
        raise FolderUnusable(f"{path / RUN} is not the description of a run: {failure!r}") from None


def _records(path: Path, lines: bytes) -> tuple[EpisodeRecord, ...]:
    try:
        found = [EpisodeRecord.of_line(line) for line in lines.splitlines()]
    except (ValueError, KeyError, TypeError) as failure:
        raise FolderUnusable(f"{path / EPISODES} holds a line that is no episode: {failure!r}") from None
    return tuple({record.key: record for record in found}.values())


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as failure:
        raise FolderUnusable(f"{path} cannot be read: {failure.strerror}") from None


def _locked(path: Path) -> BinaryIO:
    """Open the file for appending under an exclusive lock, which the system releases with the process."""
    import fcntl  # Not available on Windows, where folders can only be read.

    lines = path.open("a+b")
    try:
        fcntl.flock(lines, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lines.close()
        raise FolderUnusable(f"{path.parent} is being written by another `companyos run`") from None
    return lines


def _whole_lines(lines: BinaryIO) -> bytes:
    """Return the file's lines, and truncate an unfinished last line left by a killed process."""
    lines.seek(0)
    whole, newline, unfinished = lines.read().rpartition(b"\n")
    if unfinished:
        lines.truncate(len(whole) + len(newline))
    lines.seek(0, os.SEEK_END)
    return whole


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}{_PART}")
    part.write_bytes(data)
    part.replace(path)
