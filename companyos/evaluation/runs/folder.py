"""The result folder of a run: what was asked for, one line per finished episode, trajectories and traces.

A line is appended in one write, after the files of its episode, so a killed run resumes after its last line.
"""

import errno
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

from ..stored_json import FolderUnusable, bytes_of, flaw_of, object_in, read_file, read_lines
from .records import EpisodeRecord, json_bytes
from .request import RunRequest

FORMAT = 1
RUN, EPISODES, TRAJECTORIES, TRACES = "run.json", "episodes.jsonl", "trajectories", "traces"
#: Files are written under another name first.
_PART = ".part"
_UNFINISHED = f"{RUN}{_PART}"


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
        return read_file(self.path / TRAJECTORIES / f"{key}.json", remedy=_play_again(key))

    def damaged_trajectory(self, key: str, failure: Exception) -> FolderUnusable:
        """Return the error of a trajectory that is an object, but of another content."""
        file = self.path / TRAJECTORIES / f"{key}.json"
        return FolderUnusable(f"{file} is no trajectory: {flaw_of(failure)}. {_play_again(key)}")

    def trace(self, key: str) -> list[dict[str, Any]]:
        """Return the records of an episode's trace, in order.

        Raises:
            FolderUnusable: There is none.
        """
        path = self.path / TRACES / f"{key}.jsonl"
        return read_lines(path, bytes_of(path), object_in, remedy=_play_again(key))


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a result folder, of a finished run or of one still in progress.

    Raises:
        FolderUnusable: There is no run, or it cannot be read.
    """
    folder = Path(path)
    about = _about(folder)
    whole, _, _ = bytes_of(folder / EPISODES).rpartition(b"\n")
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
            _refuse_content(path)
            path.mkdir(parents=True, exist_ok=True)
            # Written first, so that a run killed right afterwards can resume.
            _replace(path / RUN, _document(request, about))
        _refuse_other(path, request)
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


def refuse_folder(path: Path, request: RunRequest | None = None) -> None:
    """Refuse early what `RunFolder.open` refuses: nothing is written, and no stack is needed to know it.

    Args:
        path: The folder.
        request: What the run plays; None if a server is still to complete it.

    Raises:
        OtherRun: It contains the run of another request.
        FolderUnusable: It contains something else, or it cannot be written.
    """
    refuse_place(path)
    if not (path / RUN).exists():
        return _refuse_content(path)
    if request is not None:
        _refuse_other(path, request)
    if (path / EPISODES).exists():
        _records(path, bytes_of(path / EPISODES).rpartition(b"\n")[0])
        _locked(path / EPISODES).close()
    return None


def refuse_place(path: Path, *, is_folder: bool = True, option: str = "--out") -> None:
    """Refuse a path at which no folder, or no file, can be written.

    Args:
        path: The path.
        is_folder: Whether a folder is to be there.
        option: The option that names it.

    Raises:
        FolderUnusable: It is something else, or below a file, or the system does not permit it.
    """
    if path.exists() and path.is_dir() is not is_folder:
        raise FolderUnusable(f"{path} is {'no' if is_folder else 'a'} folder. Choose another {option}")
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if there != path and not there.is_dir():
        raise FolderUnusable(f"{path} cannot be written: {there} is no folder. Choose another {option}")
    if not is_folder and there not in (path, path.absolute().parent):
        raise FolderUnusable(
            f"{path} cannot be written: there is no folder {path.parent}. Choose another {option}"
        )
    if not os.access(there, os.W_OK):
        raise FolderUnusable(
            f"{path} cannot be written: {os.strerror(errno.EACCES)}. Choose another {option}"
        )


def _refuse_content(path: Path) -> None:
    if path.is_dir() and {found.name for found in path.iterdir()} - {_UNFINISHED}:
        raise FolderUnusable(f"{path} is not empty and holds no run. Choose another --out")


def _refuse_other(path: Path, request: RunRequest) -> None:
    if differing := request.differences(_request(path, _about(path))):
        raise OtherRun(
            f"{path} holds a run with another value of {', '.join(differing)}. "
            "Repeat its command to resume it, or choose another --out"
        )


def _document(request: RunRequest, about: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"format": FORMAT, **about, **request.document()}, option=orjson.OPT_INDENT_2) + b"\n"


def _about(path: Path) -> dict[str, Any]:
    about = read_file(path / RUN, remedy="Restore the file, or choose another folder")
    if (found := about.get("format")) != FORMAT:
        raise FolderUnusable(f"{path / RUN} has format {found} and this release reads format {FORMAT}")
    return about


def _request(path: Path, about: Mapping[str, Any]) -> RunRequest:
    try:
        return RunRequest.of(about)
    except (KeyError, TypeError) as failure:
        raise FolderUnusable(f"{path / RUN} is not the description of a run: {failure!r}") from None


def _records(path: Path, lines: bytes) -> tuple[EpisodeRecord, ...]:
    found = read_lines(path / EPISODES, lines, EpisodeRecord.of_line)
    return tuple({record.key: record for record in found}.values())


def _play_again(key: str) -> str:
    return (
        f"Restore the file, or delete the line of {key} in {EPISODES} and repeat the command of the run, which plays "
        "the episode again"
    )


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
