"""The events of a step as a small graph: what the call and the clock caused."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.simtime import to_iso

NODE_WIDTH: Final = 216
NODE_HEIGHT: Final = 42
_COLUMN: Final = NODE_WIDTH + 44
_LINE: Final = NODE_HEIGHT + 14
_MARGIN: Final = 2


@dataclass(frozen=True)
class CauseNode:
    """One box of the graph.

    Attributes:
        kind: `call`, `clock`, `event` or `rows`.
        title: What happened.
        detail: Where or when it happened.
        service: The service it happened in; empty for the call and the clock.
        x: Left edge, in pixels.
        y: Top edge, in pixels.
    """

    kind: str
    title: str
    detail: str
    service: str
    x: int
    y: int


@dataclass(frozen=True)
class CauseGraph:
    """Boxes, and the lines between them as SVG paths; empty if the step caused nothing."""

    nodes: Sequence[CauseNode]
    edges: Sequence[str]
    width: int
    height: int

    @property
    def sentence(self) -> str:
        """The graph in words."""
        texts = [f"{node.title} ({node.detail})" for node in self.nodes]
        return f"{'; '.join(texts)}."


@dataclass(frozen=True)
class _Box:
    kind: str
    title: str
    detail: str
    service: str = ""
    causes: str | None = None


def cause_graph(step: int, tool: str, record: Mapping[str, Any]) -> CauseGraph:
    """Return the graph of a step.

    Args:
        step: Its number, which the trace uses to name causes.
        tool: The tool it called.
        record: Its record in the trace.
    """
    boxes = _boxes(record)
    roots = sorted(set(boxes) - {event["id"] for event in record["events"]}, key=_moment)
    nodes: list[CauseNode] = []
    edges: list[str] = []
    line = 0
    for cause in roots:
        line = _place(_root(cause, step, tool), boxes, 0, line, nodes, edges)
    width = max((node.x for node in nodes), default=0) + NODE_WIDTH + _MARGIN
    return CauseGraph(nodes, edges, width, max(line * _LINE - 14, 0) + 2 * _MARGIN)


def _boxes(record: Mapping[str, Any]) -> dict[str, list[_Box]]:
    """Return the effects of each cause: events, and rows by service."""
    found: dict[str, list[_Box]] = defaultdict(list)
    for event in record["events"]:
        found[event["cause"]].append(
            _Box("event", event["name"], event["service"], event["service"], event["id"])
        )
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for change in record["changes"]:
        for cause in change["causes"]:
            rows[cause, change["service"]].append(f"{change['table']} {change['id']}")
    for (cause, service), written in rows.items():
        title = written[0] if len(written) == 1 else f"{len(written)} rows"
        found[cause].append(_Box("rows", title, f"{service}, written", service))
    return found


def _root(cause: str, step: int, tool: str) -> _Box:
    instant = _instant(cause)
    if instant is not None:
        return _Box("clock", "the clock", f"at {to_iso(instant)[11:16]}", causes=cause)
    if cause == f"s{step}":
        return _Box("call", tool, "the call", causes=cause)
    return _Box("event", "an earlier event", cause, causes=cause)


def _moment(cause: str) -> tuple[int, str]:
    return _instant(cause) or 0, cause


def _instant(cause: str) -> int | None:
    """Return the time of a cause such as `s15.t17149332`; None for a call or an event."""
    _, _, rest = cause.partition(".")
    return int(rest[1:]) if rest[:1] == "t" and rest[1:].isdecimal() else None


def _place(
    box: _Box,
    boxes: Mapping[str, Sequence[_Box]],
    depth: int,
    line: int,
    nodes: list[CauseNode],
    edges: list[str],
) -> int:
    """Place a box and its effects, and return the first line below them."""
    here = CauseNode(
        box.kind, box.title, box.detail, box.service, depth * _COLUMN + _MARGIN, line * _LINE + _MARGIN
    )
    nodes.append(here)
    below = line
    for child in boxes.get(box.causes, ()) if box.causes else ():
        first = len(nodes)
        below = _place(child, boxes, depth + 1, below, nodes, edges)
        edges.extend(_edge(here, nodes[first]))
    return max(below, line + 1)


def _edge(start: CauseNode, end: CauseNode) -> Iterator[str]:
    x, y = start.x + NODE_WIDTH, start.y + NODE_HEIGHT // 2
    to_y, bend = end.y + NODE_HEIGHT // 2, (x + end.x) // 2
    yield f"M{x} {y}C{bend} {y} {bend} {to_y} {end.x} {to_y}"
