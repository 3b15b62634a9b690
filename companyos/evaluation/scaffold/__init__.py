"""New scenarios: a copy of a small working one under a new name.

The templates are linted, typed and certified like any other scenario, so a copy is certified too.
"""

import re
from pathlib import Path
from typing import Final

#: The shapes of a new scenario, each with the name of its template.
SHAPES: Final = {"plain": "stock_check", "approval": "workshop_access"}


class NameUnusable(ValueError):
    """A scenario cannot have this name. The message says why."""


def write_scenario(name: str, into: Path, shape: str = "plain") -> list[Path]:
    """Write a new scenario folder and return its files.

    Args:
        name: Name of the scenario and of its folder: lowercase words joined by underscores.
        into: Folder in which the scenario folder is created.
        shape: One of `SHAPES`: `plain`, or `approval` for one made from the approval task template.

    Raises:
        NameUnusable: The name is malformed, or the folder exists.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 64:
        raise NameUnusable(f"{name!r} is not a valid scenario name. Write it like `invoice_dispute`.")
    folder = into / name
    if folder.exists():
        raise NameUnusable(f"{folder} exists already.")
    folder.mkdir(parents=True)
    template = Path(__file__).with_name(shape)
    sources = sorted(source for source in template.iterdir() if source.is_file())
    return [_copied(source, folder, SHAPES[shape], name) for source in sources]


def _copied(source: Path, folder: Path, known: str, name: str) -> Path:
    text = source.read_text(encoding="utf-8")
    for old, new in zip(_spellings(known), _spellings(name), strict=True):
        text = text.replace(old, new)
    written = folder / source.name
    written.write_text(text, encoding="utf-8")
    return written


def _spellings(name: str) -> tuple[str, str, str]:
    """Return a name unchanged, as a class name, and as words."""
    words = name.split("_")
    return name, "".join(word.capitalize() for word in words), " ".join(words).capitalize()
