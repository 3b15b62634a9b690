"""The folder of a leaderboard: one folder for each entry, with the run's records and traces and its `entry.json`."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson

from companyos.sdk.draws import Draws
from companyos.version import __version__

from ..runs import FolderUnusable, Run, read_run
from ..runs.folder import EPISODES, RUN, TRACES
from ..runs.metrics import RunSummary, summarize, summary_of
from .problems import EntryProblem, EntryRefused, ProblemCode

ENTRY: Final = "entry.json"
FORMAT: Final = 1
_NAME_LENGTH: Final = 40
_DIGEST_DIGITS: Final = 10
_MALFORMED: Final = (ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True)
class Verification:
    """How an entry was verified.

    Attributes:
        salt: `public`, or the SHA-256 of the held-out salt.
        replayed: The keys of the episodes that were played again.
        draw_key: The key of the draw that chose them.
        companyos_version: The release that verified.
    """

    salt: str
    replayed: Sequence[str]
    draw_key: str
    companyos_version: str = __version__


@dataclass(frozen=True)
class BoardEntry:
    """An entry of a leaderboard.

    Attributes:
        about: The content of `entry.json`.
        summary: The metrics, recomputed from the records, and from the fewest steps that are known today.
    """

    run: Run
    about: Mapping[str, Any]
    summary: RunSummary


def read_entered_run(folder: Path) -> Run:
    """Read the run that is to be an entry.

    Raises:
        EntryRefused: There is none, or it cannot be read.
    """
    if any(path.is_symlink() for path in folder.rglob("*")):
        raise EntryRefused([EntryProblem(ProblemCode.RUN_UNREADABLE, "it holds links to other files")])
    try:
        return read_run(folder)
    except (FolderUnusable, *_MALFORMED) as failure:
        raise EntryRefused([EntryProblem(ProblemCode.RUN_UNREADABLE, f"{failure}")]) from None


def entry_folders(board: Path) -> list[Path]:
    """Return the folders of all entries, by name."""
    return sorted(path.parent for path in board.glob(f"[!.]*/{ENTRY}"))


def read_entry(folder: Path) -> BoardEntry:
    """Read an entry, and check that its files and its metrics are those that were verified.

    Raises:
        EntryRefused: It cannot be read, or was altered.
    """
    run = read_entered_run(folder)
    try:
        about = dict(orjson.loads((folder / ENTRY).read_bytes()))
        if about["content"] != content_digest(run):
            raise EntryRefused(
                [EntryProblem(ProblemCode.FILES_ALTERED, "its files are not those that were verified")]
            )
        verified = Verification(**about["verified"])
        if about != _document(run, verified):
            raise EntryRefused(
                [EntryProblem(ProblemCode.METRICS_ALTERED, f"its {ENTRY} is not what its records give")]
            )
    except (OSError, *_MALFORMED) as failure:
        raise EntryRefused(
            [EntryProblem(ProblemCode.RUN_UNREADABLE, f"{ENTRY} or a record: {failure!r}")]
        ) from None
    return BoardEntry(run, about, summarize(run)[0])


def enter(board: Path, run: Run, verified: Verification) -> Path:
    """Copy a verified run to a leaderboard, and return the folder of the entry.

    Raises:
        EntryRefused: It is there already.
        OSError: The folder cannot be written.
    """
    folder = board / entry_name(run)
    if folder.exists():
        raise EntryRefused([EntryProblem(ProblemCode.ENTRY_EXISTS, f"{folder} is there already")])
    part = board / f".{folder.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    (part / TRACES).mkdir(parents=True)
    for name in _files(run):
        shutil.copyfile(run.path / name, part / name)
    document = _document(run, verified)
    (part / ENTRY).write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
    part.rename(folder)
    return folder


def entry_name(run: Run) -> str:
    """Return the name of an entry's folder: that of its agent, and a digest of its files."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in run.name)
    return f"{plain[:_NAME_LENGTH].strip('-') or 'entry'}-{content_digest(run)[:_DIGEST_DIGITS]}"


def episodes_to_replay(run: Run, most: int, draw_key: str) -> list[str]:
    """Return the keys of the episodes to play again, drawn by a key that the submitter cannot know.

    Args:
        run: The run.
        most: How many, if there are more.
        draw_key: At most 64 bytes.
    """
    keys = sorted(record.key for record in run.episodes)
    return sorted(Draws(draw_key, content_digest(run)).sample("replay", keys, most))


def content_digest(run: Run) -> str:
    """Return a digest of the files of a run that an entry keeps."""
    digest = sha256()
    for name in _files(run):
        content = (run.path / name).read_bytes()
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()


def settings_of(run: Run) -> dict[str, Any]:
    """Return what must be equal for two entries to be compared, besides the salt."""
    return {
        name: value
        for name, value in run.request.decisive().items()
        if name not in ("agent", "oracle", "split")
    }


def _files(run: Run) -> Iterator[str]:
    yield from (RUN, EPISODES)
    yield from (f"{TRACES}/{key}.jsonl" for key in sorted({record.key for record in run.episodes}))


def _document(run: Run, verified: Verification) -> dict[str, Any]:
    """Return the content of `entry.json`, which depends on nothing but the run: it is compared with it later."""
    document = {
        "format": FORMAT,
        "name": run.name,
        "agent": {"kind": run.request.agent.kind, "name": run.request.agent.name},
        "settings": settings_of(run),
        "content": content_digest(run),
        "metrics": summary_of(run.name, run.episodes).overall.document(),
        "verified": asdict(verified),
    }
    parsed: dict[str, Any] = orjson.loads(orjson.dumps(document))
    return parsed
