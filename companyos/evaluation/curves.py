"""The curves of a certification: each agent's success rate at each level, as an image and as a table."""

from collections.abc import Mapping, Set
from math import ceil
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import companyos
from companyos.evaluation.acceptance import rates
from companyos.sdk.chaos import NAMES

BEGIN: Final = "<!-- curves: written by `companyos certify --cards` -->"
END: Final = "<!-- end of curves -->"
PAGE: Final = Path(companyos.__file__).parents[1] / "docs" / "explanation" / "chaos.md"
PLAYERS: Final = {
    "oracle": "#1a7f37",
    "reads_one_edition": "#9a6700",
    "overlooks_absence": "#8250df",
    "retries_nothing": "#0969da",
    "believes_claims": "#cf222e",
}

_WIDTH, _HEIGHT, _COLUMNS = 300, 230, 3
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 14, 34, 34
_KEY_HEIGHT: Final = 34
#: The image has its own background, so that it is readable on any page.
_STYLE: Final = """
text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 14px }
.ground { fill: #ffffff } .grid { stroke: #d1d9e0; stroke-width: 1 } .line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ground { fill: #0d1117 } .grid { stroke: #3d444d }
}
"""

Curve = Mapping[int, Mapping[str, Any]]


def is_whole(report: Mapping[str, Any], published: Set[str]) -> bool:
    """Return whether a report has exactly the published scenarios, at every level, with every agent shown."""
    scenarios = report["scenarios"]
    return scenarios.keys() == published and all(
        len(rates(scenario["levels"], player)) == len(NAMES)
        for scenario in scenarios.values()
        for player in PLAYERS
    )


def write_curves(report: Mapping[str, Any]) -> None:
    """Draw the image of a report, and write its table into the page about chaos."""
    PAGE.with_suffix(".svg").write_text(picture(report), encoding="utf-8")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{markdown(report)}\n{END}{after}", encoding="utf-8")


def markdown(report: Mapping[str, Any]) -> str:
    """Return the success rates of agents with 95 % intervals, and how often faults landed."""
    levels = sorted({int(level) for scenario in report["scenarios"].values() for level in scenario["levels"]})
    lines = [
        f"| scenario | agent | {' | '.join(f'{level} `{NAMES[level]}`' for level in levels)} |",
        f"|---|---|{'---|' * len(levels)}",
    ]
    for name, scenario in report["scenarios"].items():
        for player in PLAYERS:
            curve = rates(scenario["levels"], player)
            lines.append(f"| {name} | {player} | {' | '.join(_cell(curve.get(level)) for level in levels)} |")
    met = [f"| `{fault}` | {_counts(counts)} |" for fault, counts in report["met"].items()]
    heading = ["", "| fault | landed | overcome | of landed | expired |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *(heading if met else []), *met])


def picture(report: Mapping[str, Any]) -> str:
    """Return the curves as an SVG document, one panel per scenario."""
    scenarios = report["scenarios"]
    rows = ceil(len(scenarios) / _COLUMNS)
    width, height = _COLUMNS * _WIDTH, rows * _HEIGHT + _KEY_HEIGHT
    panels = [
        f'<g transform="translate({place % _COLUMNS * _WIDTH} {place // _COLUMNS * _HEIGHT})">'
        f"{_panel(name, scenario['levels'])}</g>"
        for place, (name, scenario) in enumerate(scenarios.items())
    ]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    label = (
        "Share of episodes solved by the oracle, and with a skill left out, at each chaos level, by scenario"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">',
        f"<style>{_STYLE}</style>",
        '<rect class="ground" width="100%" height="100%" rx="8"/>',
        *panels,
        *_key(height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _panel(name: str, levels: Mapping[str, Any]) -> str:
    drawn = [f'<text class="title" x="{_LEFT}" y="20">{escape(name)}</text>', *_grid()]
    for player, color in PLAYERS.items():
        drawn += _curve(rates(levels, player), color)
    return "\n".join(drawn)


def _grid() -> list[str]:
    bottom = _HEIGHT - _BOTTOM
    drawn = [
        f'<text x="{_x(level):.1f}" y="{bottom + 18}" text-anchor="middle">{level}</text>'
        for level in range(len(NAMES))
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _y(share)
        drawn.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        drawn.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    return drawn


def _curve(curve: Curve, color: str) -> list[str]:
    line = " ".join(f"{_x(level):.1f},{_y(point['success']):.1f}" for level, point in curve.items())
    drawn = [f'<polyline class="line" stroke="{color}" points="{line}"/>']
    for level, point in curve.items():
        low, high = (_y(bound) for bound in point["interval"])
        x = f"{_x(level):.1f}"
        drawn.append(f'<line stroke="{color}" x1="{x}" x2="{x}" y1="{low:.1f}" y2="{high:.1f}"/>')
        drawn.append(f'<circle cx="{x}" cy="{_y(point["success"]):.1f}" r="3" fill="{color}"/>')
    return drawn


def _key(height: int) -> list[str]:
    drawn: list[str] = []
    for place, (player, color) in enumerate(PLAYERS.items()):
        x, y = _LEFT + place * 150, height - 14
        drawn.append(f'<circle cx="{x}" cy="{y - 4}" r="4" fill="{color}"/>')
        drawn.append(f'<text x="{x + 10}" y="{y}">{player}</text>')
    return drawn


def _x(level: int) -> float:
    return _LEFT + 10 + level / (len(NAMES) - 1) * (_WIDTH - _LEFT - _RIGHT - 20)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _cell(metrics: Mapping[str, Any] | None) -> str:
    if metrics is None:
        return ""
    low, high = metrics["interval"]
    weighted = "" if metrics["spl"] is None else f", SPL {metrics['spl']:.1%}"
    return f"{metrics['success']:.1%} ({low:.1%}–{high:.1%}){weighted}"


def _counts(counts: Mapping[str, int]) -> str:
    landed, overcome = counts["landed"], counts["overcome"]
    share = f"{overcome / landed:.0%}" if landed else ""
    return " | ".join((str(landed), str(overcome), share, str(counts["expired"])))
