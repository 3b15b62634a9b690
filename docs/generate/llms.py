"""The list of pages in `llms.txt`, which tells a language model where to read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
FOLDERS: Final = {"how-to": "How to", "explanation": "Background", "reference": "Reference"}


def page_list() -> str:
    """Return every page of the documentation with its title, by kind."""
    return "\n\n".join("\n".join(_section(folder, title)) for folder, title in FOLDERS.items())


def _section(folder: str, title: str) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    for page in sorted((ROOT / "docs" / folder).glob("*.md")):
        heading = re.match(r"# (.+)", page.read_text(encoding="utf-8"))
        if heading:
            yield f"- [{heading[1]}](docs/{folder}/{page.name})"
