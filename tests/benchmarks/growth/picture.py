"""The image of growth: an SVG with a log-log panel for each axis, readable in light and dark themes."""

from collections.abc import Sequence
from itertools import groupby
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from .lines import Line

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 36, 34, 78
COLOURS = ("#2f81f7", "#e16f24", "#2da44e", "#bf3989", "#8250df", "#9a6700")
#: The image has its own background, so that it is readable on any page.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 14px }
.ground { fill: #ffffff } .grid { stroke: #d1d9e0; stroke-width: 1 } .line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ground { fill: #0d1117 } .grid { stroke: #3d444d }
}
"""


def picture(lines: Sequence[Line]) -> str:
    """Return the lines as an SVG document, with two panels side by side."""
    by_axis = [(axis, list(found)) for axis, found in groupby(lines, key=lambda line: line.axis)]
    rows = ceil(len(by_axis) / 2)
    panels = [
        f'<g transform="translate({number % 2 * WIDTH} {number // 2 * HEIGHT})">{_panel(axis, found)}</g>'
        for number, (axis, found) in enumerate(by_axis)
    ]
    size = f'width="{2 * WIDTH}" height="{rows * HEIGHT}" viewBox="0 0 {2 * WIDTH} {rows * HEIGHT}"'
    told = "Time of resets, steps, snapshots and forks, and size of the database, as things grow"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{told}">',
        f"<style>{STYLE}</style>",
        '<rect class="ground" width="100%" height="100%" rx="8"/>',
        *panels,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Scale:
    """Maps values of both axes to positions in a panel; each axis spans whole powers of ten."""

    def __init__(self, lines: Sequence[Line]) -> None:
        xs = [x for line in lines for x in line.points]
        ys = [y for line in lines for y in line.points.values()]
        self.x0, self.x1 = floor(log10(min(xs))), ceil(log10(max(xs)))
        self.y0, self.y1 = floor(log10(min(ys))), ceil(log10(max(ys)))

    def x(self, value: float) -> float:
        """Return the distance of a value from the left."""
        return LEFT + (log10(value) - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the distance of a value from the top."""
        return HEIGHT - BOTTOM - (log10(value) - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)


def _panel(axis: str, lines: Sequence[Line]) -> str:
    scale, unit = _Scale(lines), lines[0].unit
    drawn = [f'<text class="title" x="{LEFT}" y="20">{escape(axis)} ({unit})</text>', *_grid(scale)]
    for number, line in enumerate(lines):
        color = COLOURS[number % len(COLOURS)]
        drawn += [*_curve(scale, line, color), *_key(number, line, color)]
    return "\n".join(drawn)


def _grid(scale: _Scale) -> list[str]:
    bottom = HEIGHT - BOTTOM
    drawn = []
    for power in range(scale.x0, scale.x1 + 1):
        x = scale.x(10**power)
        drawn.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        drawn.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{10**power:,}</text>')
    for power in range(scale.y0, scale.y1 + 1):
        y = scale.y(10**power)
        drawn.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10**power:g}</text>')
    return drawn


def _curve(scale: _Scale, line: Line, color: str) -> list[str]:
    places = [(scale.x(x), scale.y(y)) for x, y in sorted(line.points.items())]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in places]
    return [f'<polyline class="line" stroke="{color}" points="{path}"/>', *dots]


def _key(number: int, line: Line, color: str) -> list[str]:
    x, y = LEFT + number % 3 * 130, HEIGHT - BOTTOM + 38 + number // 3 * 18
    if len(line.name) > 16:
        x, y = LEFT, HEIGHT - BOTTOM + 38 + number * 18
    return [
        f'<circle cx="{x + 4}" cy="{y - 4}" r="4" fill="{color}"/>',
        f'<text x="{x + 14}" y="{y}">{escape(line.name)}: {line.ratio:.2f}x</text>',
    ]
