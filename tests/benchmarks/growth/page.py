"""The page that shows the growth: an image, and a table between two markers."""

from collections.abc import Sequence
from pathlib import Path

from .lines import Line
from .picture import picture

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "performance.md"
PICTURE = PAGE.with_name("growth.svg")
BEGIN = "<!-- growth: written by `python -m tests.benchmarks.growth --docs` -->"
END = "<!-- end of growth -->"


def write(lines: Sequence[Line]) -> None:
    """Redraw the image, and replace the old table."""
    PICTURE.write_text(picture(lines), encoding="utf-8")
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{markdown(lines)}\n{END}{after}", encoding="utf-8")


def markdown(lines: Sequence[Line]) -> str:
    """Return the lines as a table, with missed goals highlighted."""
    rows = [
        "| what grows | what was measured | at each position | largest / smallest | goal |",
        "|---|---|---|---|---|",
    ]
    for line in lines:
        values = " · ".join(f"{x:,}: {value:.2f}" for x, value in line.points.items())
        goal = "" if line.figure.goal is None else f"≤ {line.figure.goal:g}x"
        ratio = f"**{line.ratio:.2f}x**" if line.figure.reached is False else f"{line.ratio:.2f}x"
        rows.append(f"| {line.axis} | {line.name}, {line.unit} | {values} | {ratio} | {goal} |")
    return "\n".join(rows)
