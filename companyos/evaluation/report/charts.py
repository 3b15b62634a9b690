"""The charts of a report in Vega-Lite. Colors are style sheet variables, defined for light and dark."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .references import REFERENCES

#: Runs have colors and shapes of their own; beyond the sixth they repeat.
SHAPES: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
RUN_COLORS: Final = tuple(f"var(--run-{number})" for number in range(1, len(SHAPES) + 1))

#: How the line of each reference is drawn: the lengths of its dashes and gaps.
DASHES: Final = dict(zip(REFERENCES, ((1, 0), (7, 3), (3, 3), (1, 3)), strict=True))

Row = Mapping[str, Any]

_SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
_PERCENT_AXIS: Final = {"format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1], "title": None}
#: The width of a chart with groups, of the widest label, and of a character in a wide font, in pixels.
_WIDTH: Final = 450
_LABEL_LIMIT: Final = 230
_CHARACTER: Final = 7.4
_CONFIG: Final = {
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)",
        "titleColor": "var(--soft)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
        "labelLimit": _LABEL_LIMIT,
    },
    "axisY": {"grid": False, "labelColor": "var(--ink)"},
    "bar": {"cornerRadiusEnd": 2},
}


def intervals(
    rows: Sequence[Row], *, groups: Sequence[str], references: Sequence[Row] = ()
) -> dict[str, Any]:
    """Return rates with intervals: a line for each group, in it a point for each run, and a tick for each reference.

    Args:
        rows: `group`, `run` (a number), `rate`, `low` and `high`, all shares.
        groups: The groups from top to bottom.
        references: `group` and `rate`.
    """
    x = {"field": "rate", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": _PERCENT_AXIS}
    bounds = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    # One tick for each run, so that those of a group stand below each other.
    ticks = [{**row, "run": run} for row in references for run in _runs(rows)]
    tick = {"type": "tick", "color": "var(--soft)", "thickness": 2, "size": 13, "opacity": 0.6}
    return _chart(
        rows,
        width=_plot_width(groups),
        height={"step": _step(rows)},
        encoding=_by_group(rows, groups),
        layer=[
            *_layer_of(ticks, tick, {"x": x}),
            {"mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55}, "encoding": {**bounds, **_color()}},
            {"mark": _POINT, "encoding": {"x": x, **_color(), **_shape()}},
        ],
    )


def curves(
    rows: Sequence[Row], *, levels: Sequence[int | str], references: Sequence[Row] = ()
) -> dict[str, Any]:
    """Return success by chaos level: a line for each run, with intervals, and a thin one for each reference.

    Args:
        rows: `level`, `run`, `rate`, `low` and `high`.
        levels: The levels from left to right.
        references: `level`, `name` (one of `DASHES`) and `rate`.
    """
    axis = {**_PERCENT_AXIS, "grid": True, "labelColor": "var(--soft)"}
    y = {"field": "rate", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}
    spread = {"field": "run", "type": "nominal", "scale": {"paddingInner": 0, "range": [-4, 4]}}
    offset = {"xOffset": spread} if len({row["run"] for row in rows}) > 1 else {}
    bounds = {"y": {"field": "low", "type": "quantitative"}, "y2": {"field": "high"}}
    rule = {"type": "rule", "strokeWidth": 2, "opacity": 0.4}
    line = {"type": "line", "strokeWidth": 2, "interpolate": "linear"}
    return _chart(
        rows,
        width=190,
        height=130,
        encoding={"x": _levels(levels)},
        layer=[
            *_layer_of(references, _THIN, {"y": y, "strokeDash": _dash()}),
            {"mark": rule, "encoding": {**bounds, **offset, **_color()}},
            {"mark": line, "encoding": {"y": y, **offset, **_color()}},
            {"mark": {**_POINT, "size": 44}, "encoding": {"y": y, **offset, **_color(), **_shape()}},
        ],
    )


def gaps(rows: Sequence[Row], *, groups: Sequence[str]) -> dict[str, Any]:
    """Return two rates and the gap between them: an open point for success, a full one for pairs.

    Args:
        rows: `group`, `run`, `success` and `pairs`.
        groups: The groups from top to bottom.
    """
    scale = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": _PERCENT_AXIS}
    hollow = {**_POINT, "filled": True, "strokeWidth": 2, "fill": "var(--card)"}
    stroke = {"stroke": _color()["color"]}
    return _chart(
        rows,
        width=_plot_width(groups),
        height={"step": _step(rows)},
        encoding=_by_group(rows, groups),
        layer=[
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.55},
                "encoding": {"x": {"field": "pairs", **scale}, "x2": {"field": "success"}, **_color()},
            },
            {"mark": hollow, "encoding": {"x": {"field": "success", **scale}, **stroke, **_shape()}},
            {"mark": _POINT, "encoding": {"x": {"field": "pairs", **scale}, **_color(), **_shape()}},
        ],
    )


def bars(rows: Sequence[Row], *, groups: Sequence[str]) -> dict[str, Any]:
    """Return shares as bars: a group of bars for each group, a bar for each run.

    Args:
        rows: `group`, `run` and `rate`.
        groups: The groups from top to bottom.
    """
    axis = {"format": ".0%", "title": None, "tickCount": 4}
    x = {"field": "rate", "type": "quantitative", "axis": axis, "scale": {"domainMin": 0}}
    mark = {"type": "bar", "height": {"band": 0.8}}
    return _chart(
        rows,
        width=_plot_width(groups),
        height={"step": _step(rows)},
        encoding=_by_group(rows, groups),
        layer=[{"mark": mark, "encoding": {"x": x, **_color()}}],
    )


def stacks(rows: Sequence[Row], *, groups: Sequence[str], parts: Mapping[str, str]) -> dict[str, Any]:
    """Return one bar for each group, divided into parts.

    Args:
        rows: `group`, `part` and `rate`, whose sum over a group is 1.
        groups: The groups from top to bottom.
        parts: The color of each part, from left to right.
    """
    order = list(parts)
    numbered = [{**row, "order": order.index(row["part"])} for row in rows]
    color = {
        "field": "part",
        "type": "nominal",
        "scale": {"domain": order, "range": list(parts.values())},
        "legend": None,
    }
    x = {"field": "rate", "type": "quantitative", "axis": _PERCENT_AXIS, "stack": "zero"}
    mark = {"type": "bar", "height": 16, "stroke": "var(--card)", "strokeWidth": 1, "cornerRadiusEnd": 0}
    encoding = {"x": x, "color": color, "order": {"field": "order", "type": "quantitative"}}
    return _chart(
        numbered,
        width=_plot_width(groups),
        height={"step": 30},
        encoding={"y": _lines(groups)},
        layer=[{"mark": mark, "encoding": encoding}],
    )


def spreads(rows: Sequence[Row], *, groups: Sequence[str]) -> dict[str, Any]:
    """Return single values as marks on a line, with their mean as a point.

    Args:
        rows: `group`, `run` and `value`.
        groups: The groups from top to bottom.
    """
    values = [row["value"] for row in rows]
    # The oracle's own number of steps (1.0) is always visible.
    domain = [min([1.0, *values]), max([1.5, *values])]
    axis = {"format": ".2~f", "labelExpr": "datum.label + '×'", "title": None, "tickCount": 5}
    x = {"field": "value", "type": "quantitative", "axis": axis, "scale": {"domain": domain}}
    return _chart(
        rows,
        width=_plot_width(groups),
        height={"step": _step(rows)},
        encoding=_by_group(rows, groups),
        layer=[
            {
                "mark": {"type": "tick", "thickness": 1.5, "opacity": 0.5, "size": 9},
                "encoding": {"x": x, **_color()},
            },
            {"mark": _POINT, "encoding": {"x": {**x, "aggregate": "mean"}, **_color(), **_shape()}},
        ],
    )


_THIN: Final = {"type": "line", "strokeWidth": 1.2, "color": "var(--soft)", "interpolate": "linear"}
_POINT: Final = {"type": "point", "filled": True, "size": 64, "opacity": 1, "strokeWidth": 0}


def _chart(rows: Sequence[Row], **parts: Any) -> dict[str, Any]:
    data = {"values": [{**row, "run": str(row["run"])} if "run" in row else dict(row) for row in rows]}
    return {"$schema": _SCHEMA, "background": None, "padding": 2, "config": _CONFIG, "data": data, **parts}


def _by_group(rows: Sequence[Row], groups: Sequence[str]) -> dict[str, Any]:
    y = _lines(groups)
    runs = _runs(rows)
    if len(runs) == 1:
        return {"y": y}
    y["scale"] = {"paddingInner": 0.35, "paddingOuter": 0.2}
    return {"y": y, "yOffset": {"field": "run", "type": "nominal", "sort": runs}}


def _lines(groups: Sequence[str]) -> dict[str, Any]:
    """Return the axis of groups, with space for their names in any font."""
    axis = {"title": None, "minExtent": _room(groups)}
    return {"field": "group", "type": "nominal", "sort": list(groups), "axis": axis}


def _room(groups: Sequence[str]) -> float:
    return min(max(map(len, groups), default=0) * _CHARACTER, _LABEL_LIMIT) + 10


def _plot_width(groups: Sequence[str]) -> float:
    return _WIDTH - _room(groups)


def _step(rows: Sequence[Row]) -> int:
    runs = len(_runs(rows))
    return 26 if runs == 1 else 13


def _runs(rows: Sequence[Row]) -> list[str]:
    return [str(number) for number in sorted({row["run"] for row in rows})]


def _color() -> dict[str, Any]:
    return {"color": _by_run(RUN_COLORS)}


def _shape() -> dict[str, Any]:
    return {"shape": _by_run(SHAPES)}


def _layer_of(
    rows: Sequence[Row], mark: Mapping[str, Any], encoding: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a layer with data of its own, or none without data: a mark of nothing has no text for screen readers."""
    return [{"data": {"values": list(rows)}, "mark": mark, "encoding": encoding}] if rows else []


def _levels(levels: Sequence[int | str]) -> dict[str, Any]:
    """Return the axis of chaos levels."""
    names = [str(level) for level in levels]
    angle = 0 if all(isinstance(level, int) for level in levels) else -35
    return {
        "field": "level",
        "type": "ordinal",
        "sort": names,
        "scale": {"type": "point", "padding": 0.35, "domain": names},
        "axis": {"labelAngle": angle, "title": "chaos level", "grid": False, "labelColor": "var(--soft)"},
    }


def _dash() -> dict[str, Any]:
    scale = {"domain": list(DASHES), "range": [list(dash) for dash in DASHES.values()]}
    return {"field": "name", "type": "nominal", "scale": scale, "legend": None}


def _by_run(values: Sequence[str]) -> dict[str, Any]:
    runs = [str(number) for number in range(1, 5 * len(values) + 1)]
    return {
        "field": "run",
        "type": "nominal",
        "scale": {"domain": runs, "range": list(values) * 5},
        "legend": None,
    }
