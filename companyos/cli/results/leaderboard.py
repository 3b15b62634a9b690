"""The `leaderboard` commands: verify runs, enter them in a folder, and write its page."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from companyos.embedded.errors import Misuse, StackError
from companyos.evaluation.leaderboard.board import (
    Verification,
    enter,
    entry_folders,
    episodes_to_replay,
    read_entered_run,
    read_entry,
)
from companyos.evaluation.leaderboard.page import write_page
from companyos.evaluation.leaderboard.problems import EntryProblem, EntryRefused, ProblemCode
from companyos.evaluation.leaderboard.rules import run_problems
from companyos.evaluation.leaderboard.salts import PUBLIC, salt_label
from companyos.evaluation.public_salt import DEFAULT_SALT
from companyos.evaluation.runs import FolderUnusable, Run, refuse_place
from companyos.sdk.scenario import load_scenarios

from ..certify import card_of, check_card, keep_steps
from ..demo import checked_url
from ..output import echo, print_json
from . import refuse_file
from .verification import Connect, StackOptions, live_problems, offline_problems, replay_stack

REFUSED: Final = 1
#: The most problems of an entry that are printed.
MOST_SHOWN: Final = 10
_DRAW_KEY_BYTES: Final = 16
_MOST_KEY_BYTES: Final = 64


@dataclass(frozen=True)
class ReplayOptions:
    """How many episodes of an entry are played again, and where.

    Attributes:
        most: The most episodes of an entry; 0 for none.
        draw_key: The key of the draw that chooses them; a new one if None.
    """

    most: int
    draw_key: str | None
    stack: StackOptions


def add(folder: Path, board: Path, replays: ReplayOptions, *, cards: bool = False, as_json: bool) -> None:
    """Verify a run and copy it to a leaderboard; exit with 1 if it is refused.

    Args:
        folder: The run.
        board: The leaderboard.
        replays: Which episodes are played again.
        cards: Whether to keep the steps of these, where they are the fewest known, beside the scenarios' cards.
        as_json: Whether to print JSON.

    Raises:
        typer.BadParameter: A card cannot be written.
        Misuse: An option cannot be used.
        StackError: The stack failed, or the leaderboard cannot be written.
    """
    _check(replays)
    try:
        refuse_place(board, option="--board")
        run = read_entered_run(folder)
        for name in sorted(run.request.scenarios.keys() & load_scenarios().keys()) if cards else ():
            check_card(card_of(name))
        with replay_stack(replays.stack) as connect:
            verified = _verified(connect, board, run, replays)
        entered = enter(board, run, verified)
        if cards and verified.salt == PUBLIC:
            keep_steps(run, [record for record in run.episodes if record.key in verified.replayed])
    except FolderUnusable as failure:
        raise Misuse(f"{failure}.") from None
    except EntryRefused as refused:
        _tell(_document(folder, refused.problems), as_json=as_json)
        raise typer.Exit(REFUSED) from None
    except OSError as failure:
        raise StackError(f"{board} cannot be written: {failure.strerror}. Choose another --board.") from None
    _tell(_document(entered, replayed=len(verified.replayed)), as_json=as_json)


def verify(board: Path, replays: ReplayOptions, *, as_json: bool) -> None:
    """Verify every entry of a leaderboard; exit with 1 if any is refused.

    Raises:
        Misuse: An option cannot be used, or there is no entry.
        StackError: The stack failed.
    """
    _check(replays)
    folders, documents = _folders(board), []
    with replay_stack(replays.stack) as connect:
        for folder in folders:
            try:
                entry = read_entry(folder)
                verified = _verified(connect, board, entry.run, replays, salt=entry.about["verified"]["salt"])
                documents.append(_document(folder, replayed=len(verified.replayed)))
            except EntryRefused as refused:
                documents.append(_document(folder, refused.problems))
    if as_json:
        print_json({"entries": documents})
    else:
        for document in documents:
            _tell(document, as_json=False)
    if not all(document["accepted"] for document in documents):
        raise typer.Exit(REFUSED)


def page(board: Path, out: Path | None) -> None:
    """Write the page of a leaderboard; exit with 1 if an entry was altered.

    Raises:
        Misuse: There is no entry, or the page cannot be written there.
        StackError: The page cannot be written.
    """
    path, entries = out or board / "index.html", []
    refuse_file(path)
    for folder in _folders(board):
        try:
            entries.append(read_entry(folder))
        except EntryRefused as refused:
            _tell(_document(folder, refused.problems), as_json=False)
            raise typer.Exit(REFUSED) from None
    try:
        write_page(entries, path)
    except OSError as failure:
        raise StackError(f"{path} cannot be written: {failure.strerror}. Choose another --out.") from None
    echo(f"page: {path}")


def _verified(
    connect: Connect, board: Path, run: Run, replays: ReplayOptions, salt: str | None = None
) -> Verification:
    """Verify a run.

    Raises:
        EntryRefused: It cannot be an entry.
        StackError: The stack failed.
    """
    secret = os.environ.get("COMPANYOS_SALT") or DEFAULT_SALT
    label = salt_label(board, None if secret == DEFAULT_SALT else secret, run.about)
    if salt not in (None, label):
        raise EntryRefused(
            [EntryProblem(ProblemCode.SALT_UNCOMMITTED, f"COMPANYOS_SALT is not the entry's, {salt}")]
        )
    if problems := run_problems(run) or offline_problems(run):
        raise EntryRefused(problems)
    key = replays.draw_key or secrets.token_hex(_DRAW_KEY_BYTES)
    chosen = episodes_to_replay(run, replays.most, key)
    if problems := live_problems(connect, run, chosen):
        raise EntryRefused(problems)
    return Verification(label, chosen, key)


def _check(replays: ReplayOptions) -> None:
    checked_url(replays.stack.url)
    if len((replays.draw_key or "").encode()) > _MOST_KEY_BYTES:
        raise Misuse(f"--draw-key has at most {_MOST_KEY_BYTES} bytes.")


def _folders(board: Path) -> list[Path]:
    if not (folders := entry_folders(board)):
        raise Misuse(f"{board} holds no entry. Add one with `companyos leaderboard add RUN --board {board}`.")
    return folders


def _document(folder: Path, problems: Sequence[EntryProblem] = (), replayed: int = 0) -> dict[str, Any]:
    listed = [problem.document() for problem in problems]
    return {"folder": str(folder), "accepted": not problems, "replayed": replayed, "problems": listed}


def _tell(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    if document["accepted"]:
        echo(f"accepted: {document['folder']}, {document['replayed']} episodes played again")
        return
    problems = document["problems"]
    echo(f"refused: {document['folder']}")
    for problem in problems[:MOST_SHOWN]:
        place = f" in {problem['episode']}" if problem["episode"] else ""
        echo(f"  {problem['code']}{place}: {problem['detail'].rstrip('.')}. {problem['remedy']}")
    if len(problems) > MOST_SHOWN:
        echo(f"  and {len(problems) - MOST_SHOWN} more")
