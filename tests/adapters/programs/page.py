"""Run the Python of a page as it stands, all of it or the blocks of these numbers: usage `page.py PAGE [NUMBER…]`."""

import json
import re
import sys
from pathlib import Path
from typing import Any


def blocks(page: Path) -> list[str]:
    """Return the Python of a page, in order."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def run(source: list[str]) -> dict[str, Any]:
    """Run the blocks one after the other, as one program, and return its names."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in source:
        exec(compile(block, "page", "exec"), names)
    return names


def main(page: str, *numbers: str) -> None:
    found = blocks(Path(page))
    run([found[int(number)] for number in numbers] if numbers else found)
    print(json.dumps("done"))


if __name__ == "__main__":
    main(*sys.argv[1:])
