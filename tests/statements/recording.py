"""A recording of what this process and those it starts send, and what in it breaks the law of the layers."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import statement_recorder
from .predicate import offense
from .statement_recorder import FOLDER


@contextmanager
def recording(folder: Path) -> Iterator[None]:
    """Record into a folder, one file a process; processes started meanwhile find `sitecustomize` on their path."""
    here, path = str(Path(__file__).parent), os.environ.get("PYTHONPATH")
    os.environ |= {FOLDER: str(folder), "PYTHONPATH": os.pathsep.join(filter(None, [here, path]))}
    statement_recorder.install()
    statement_recorder.install_prepared()
    try:
        yield
    finally:
        del os.environ[FOLDER]
        os.environ["PYTHONPATH"] = path or ""


def recorded(folder: Path) -> dict[str, str]:
    """Return the statements of a recording, each with the line of ours that sent it first."""
    lines = [line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    found = [json.loads(line) for line in lines]
    return {statement["text"]: statement["sender"] for statement in reversed(found)}


def offenses(folder: Path) -> list[str]:
    """Return what is wrong with each statement of a recording that breaks the law, and where it comes from."""
    judged = {text: (offense(text), sender) for text, sender in recorded(folder).items()}
    return [f"{sender} sends {text!r}: {said}" for text, (said, sender) in judged.items() if said]
