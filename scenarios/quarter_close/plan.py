"""The plan of a pair of closes: the lineage, the figures to refresh, and the variances that count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Final

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from .books import Feed, Line
from .words import FEEDS, LINES

EDGE, ANSWER, SOURCE, PRIOR = "edge", "answer", "source", "prior"
#: The difference between the instances of a pair; in one pair of four, one instance cannot be closed.
KINDS: Final = (EDGE, EDGE, EDGE, EDGE, ANSWER, ANSWER, SOURCE, PRIOR)
#: More refreshes than any agent has steps for.
NEVER: Final = 400
#: How many figures have to be refreshed, not counting the feed.
_NEEDED: Final = (3, 5)

#: The outcomes of a variance beyond the tolerance: without a ticket, or with one.
MEMO, ANSWERED = "memo", "told"
SILENT, PART, OLD_MEMO = "silent", "part", "old_memo"
TICKETED: Final = frozenset({SILENT, PART, OLD_MEMO})


@dataclass(frozen=True)
class Variance:
    """A line's variance beyond the tolerance.

    Attributes:
        kind: Its outcome.
        memo: The part that the controller's memo in force explains.
        older: The part that the memo's previous edition explained.
        answer: The part that the owner explains when asked.
        left: The part that remains unexplained.
    """

    kind: str
    memo: float
    older: float
    answer: float
    left: float

    @property
    def claimed(self) -> float:
        """The amount that somebody claims to explain: everything that no memo explains."""
        return round(self.left + self.answer, 2)


def unexplained(variances: Mapping[str, Variance]) -> float:
    """Return the sum of what remains unexplained in the tickets that these variances need."""
    return round(fsum(one.left for _, one in sorted(variances.items()) if one.kind in TICKETED), 2)


@dataclass(frozen=True)
class Graph:
    """The lineage of the lines, and the lines to refresh.

    Attributes:
        names: The lines, parents first except for the pair's own edge.
        parents: The sources of each line, lines only.
        swapped: The two lines whose dependency the pair may reverse: the second is computed from the first.
        needed: The lines that have to be refreshed.
    """

    names: tuple[str, ...]
    parents: Mapping[str, tuple[str, ...]]
    swapped: tuple[str, str]
    needed: frozenset[str]


def draw_graph(draws: Draws, *, reversed_edge: bool) -> Graph:
    """Draw lines and their lineage such that a few of them have to be refreshed."""
    names = tuple(name for name, _ in draws.sample("lines", LINES, draws.integer("lines.count", 5, 9)))
    attempt = 0
    while True:
        parents = {name: _parents(draws, names[:at], name, attempt=attempt) for at, name in enumerate(names)}
        at = draws.integer("swapped.at", 0, len(names) - 2, attempt)
        one, other = names[at : at + 2]
        parents[other] = tuple(parent for parent in parents[other] if parent != one)
        roots = {one, other}
        if draws.chance("needed.more", 0.4, attempt):
            roots.add(draws.choice("needed.which", names, attempt))
        needed = {name for name in names if roots & {name, *_upstream(name, parents)}}
        if _NEEDED[0] <= len(needed) <= _NEEDED[1]:
            break
        attempt += 1
    first, second = (other, one) if reversed_edge else (one, other)
    parents[second] = (*parents[second], first)
    return Graph(names, parents, (first, second), frozenset(needed))


def in_order(needed: Iterable[str], parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Return names in an order in which each comes after its sources."""
    left, done = sorted(needed), list[str]()
    while left:
        ready = [one for one in left if not {*left} & _upstream(one, parents)]
        done += ready
        left = [one for one in left if one not in ready]
    return done


def draw_feeds(draws: Draws, graph: Graph) -> tuple[dict[str, tuple[str, ...]], list[Feed]]:
    """Draw whether a line is computed from a feed, and return all parents and the feeds."""
    parents = dict(graph.parents)
    if not draws.chance("feed", 0.5):
        return parents, []
    name, unit = draws.choice("feed.which", FEEDS)
    fed = draws.choice("feed.line", sorted(graph.needed))
    parents[fed] = (*parents[fed], name)
    is_stale = draws.chance("feed.stale", 0.7)
    value = draws.integer("feed.value", 8_000, 16_000) / (10_000 if unit == "USD" else 10)
    off = draws.integer("feed.off", 10, 40) / 1000 if is_stale else 0.0
    age = draws.integer("feed.age", 6, 15) * DAY if is_stale else 30 * HOUR
    shown = round(value * (1 + off), 4)
    return parents, [Feed(name=name, unit=unit, final=value, shown=shown, age_s=age)]


def draw_kinds(draws: Draws, graph: Graph, kind: str) -> dict[str, str]:
    """Draw which lines are beyond the tolerance, and the outcome of each; the first is the pair's own."""
    count = draws.choice("beyond.count", (1, 2, 3) if kind == ANSWER else (0, 1, 1, 2, 2, 3))
    lines = draws.sample("beyond.lines", graph.names, count)
    kinds = draws.shuffled("beyond.kinds", (MEMO, ANSWERED, SILENT, PART, OLD_MEMO))
    if kind == ANSWER:
        kinds = [ANSWERED, *(one for one in kinds if one != ANSWERED)]
    return dict(zip(lines, kinds, strict=False))


def draw_variances(
    draws: Draws, lines: Iterable[Line], kinds: Mapping[str, str], percents: Mapping[str, float]
) -> dict[str, Variance]:
    """Draw the variances beyond the tolerance, given their outcomes and the tolerance of each line."""
    beyond = [line for line in lines if line.name in kinds]
    return {line.name: _draw_variance(draws, line, kinds[line.name], percents[line.name]) for line in beyond}


def _draw_variance(draws: Draws, line: Line, kind: str, percent: float) -> Variance:
    """Draw how much of the variance of a line with this tolerance is explained, and by which source."""
    size, tolerance = abs(round(line.final - line.reference, 2)), percent / 100 * abs(line.reference)
    within = round(tolerance * draws.integer("left.within", 20, 60, line.name) / 100, 2)
    beyond = round(tolerance * draws.integer("left.beyond", 130, 170, line.name) / 100, 2)
    left = {MEMO: within, ANSWERED: within, PART: beyond, OLD_MEMO: beyond}.get(kind, size)
    explained = round(size - left, 2)
    return Variance(
        kind,
        memo=explained if kind in (MEMO, OLD_MEMO) else 0.0,
        older=round(size - within, 2) if kind == OLD_MEMO else 0.0,
        answer=explained if kind in (ANSWERED, PART) else 0.0,
        left=round(left, 2),
    )


def draw_line(
    draws: Draws, graph: Graph, name: str, parents: tuple[str, ...], percent: float, kind: str | None
) -> Line:
    """Draw a line's final value, the age and the error of its current one, and its variance.

    Args:
        draws: The draws of the pair.
        graph: The lines.
        name: The line.
        parents: Its sources, including feeds.
        percent: Its tolerance.
        kind: The outcome of its variance; None: it is within the tolerance.
    """
    final = draws.integer("final", 40_000_000, 900_000_000, name) / 100
    drift = draws.integer("drift", 8, 30, name) / 1000 * _sign(draws, "drift.up", name)
    off = _times(draws, name, kind) * percent / 100 * _sign(draws, "variance.up", name)
    looks_fresh = any(one in graph.needed for one in parents) and draws.chance("looks_fresh", 0.5, name)
    needed = name in graph.needed
    is_old = needed and (name in graph.swapped or not looks_fresh)
    return Line(
        name=name,
        category=dict(LINES)[name],
        parents=parents,
        final=final,
        shown=round(final * (1 + drift), 2) if needed else final,
        variance=round(final * off, 2),
        age_s=draws.integer("age", 5, 12, name) * DAY
        if is_old
        else (40 - graph.names.index(name)) * HOUR // 2,
    )


def _sign(draws: Draws, draw_name: str, line: str) -> int:
    return 1 if draws.chance(draw_name, 0.5, line) else -1


def _times(draws: Draws, name: str, kind: str | None) -> float:
    """Return a variance as a multiple of the tolerance; other editions judge some of them differently."""
    if kind is None:
        low, high = draws.choice("variance.within", ((15, 52), (68, 88)), name)
    elif kind == SILENT:
        low, high = draws.choice("variance.silent", ((125, 160), (230, 420)), name)
    else:
        low, high = 250, 450
    return draws.integer("variance.times", low, high, name) / 100


def _parents(draws: Draws, earlier: Sequence[str], name: str, *, attempt: int) -> tuple[str, ...]:
    near = list(earlier[-4:])
    count = draws.integer("parents.count", 0, 2, name, attempt)
    return tuple(draws.sample("parents", near, count, name, attempt))


def _upstream(name: str, parents: Mapping[str, Sequence[str]]) -> set[str]:
    above = {*parents.get(name, ())}
    return above.union(*(_upstream(one, parents) for one in above))
