"""The parts of every reference page: the document, its tables, and their cells."""

from collections.abc import Iterable, Sequence

NOTE = "<!-- Written by docs/generate; change the code, not this page. -->"


def document(title: str, text: str, *parts: str) -> str:
    """Return a page."""
    return "\n\n".join([f"# {title}", NOTE, text, *parts]) + "\n"


def table(columns: Sequence[str], rows: Iterable[str]) -> str:
    """Return a table of rows, each a line of cells."""
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows])


def cell(text: str) -> str:
    """Return a text as the content of a cell."""
    return " ".join(text.split()).replace("|", "\\|")


def first_line(thing: object) -> str:
    """Return the first line of a docstring, as the content of a cell."""
    return cell((thing.__doc__ or "").strip().split("\n")[0])
