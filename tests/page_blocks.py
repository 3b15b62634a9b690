"""The code of pages: blocks between fences, or indented, and the commands of a shell in them with what they print."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    + [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "decisions"]
)
#: The languages of fences whose content is a shell's; a fence without one may be, as an indented block may.
_SHELL: Final = ("console", "bash", "sh")
_PLAIN: Final = ("", "indented")
#: The first words of commands in blocks that mark none with `$ `.
_PROGRAMS: Final = re.compile(
    r"([A-Z_]+=\S* )*(\.venv/bin/)?(companyos|python3?|pip|make|docker|kubectl|helm|openssl|haproxy|curl|source"
    r"|export|git|bash|vf-\w+|inspect|cat|kill|tests/\S+) "
)


@dataclass(frozen=True)
class Block:
    """A block of a page, and the line at which it begins."""

    page: str
    line: int
    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command on a page, and what the page shows that it prints.

    Attributes:
        text: The command in one line, without what follows a `#`.
    """

    page: str
    text: str
    output: str = ""

    @property
    def words(self) -> list[str]:
        """The command's words, without the variables before it."""
        return [word for word in shlex.split(self.text) if not re.match(r"[A-Z_]+=", word)]


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page, in order."""
    name, lines = str(page.relative_to(ROOT)), page.read_text(encoding="utf-8").splitlines()
    place = 0
    while place < len(lines):
        begun, line = place, lines[place]
        place += 1
        if fence := re.match(r" *```(\w*)$", line):
            while not re.match(r" *```$", lines[place]):
                place += 1
            place += 1
            yield Block(name, begun + 1, fence[1], "\n".join(lines[begun + 1 : place - 1]))
        elif line.startswith("    ") and not (begun and lines[begun - 1].strip()):
            while place < len(lines) and (lines[place].startswith("    ") or not lines[place]):
                place += 1
            yield Block(
                name, begun + 1, "indented", "\n".join(each[4:] for each in lines[begun:place]).rstrip()
            )


def commands_of(block: Block) -> list[Command]:
    """Return the commands of a block; none if it is not a shell's."""
    if block.language not in (*_SHELL, *_PLAIN):
        return []
    is_marked = any(line.startswith("$ ") for line in block.text.splitlines())
    if not is_marked and block.language in _PLAIN and not _PROGRAMS.match(block.text):
        return []
    found: list[Command] = []
    text = re.sub(r"<<'(\w+)'\n.*?\n\1(?=\n|$)", r"<<'\1'", block.text.replace("\\\n", " "), flags=re.DOTALL)
    for line in text.splitlines():
        if line.startswith("$ ") or (not is_marked and line):
            command = re.sub(r"(?:^|\s+)#\s.*", "", line.removeprefix("$ "))
            found.append(Command(block.page, " ".join(command.split())))
        elif found:
            last = found.pop()
            found.append(Command(last.page, last.text, f"{last.output}{line}\n"))
    return found


def all_commands() -> list[Command]:
    """Return the commands of all pages."""
    return [command for page in PAGES for block in blocks_of(page) for command in commands_of(block)]
