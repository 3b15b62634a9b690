"""The plan of a pair of closes: the lineage, the figures to refresh, and the variances that count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Final

from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from .books import LINES, Figure

EDGE, ANSWER, SOURCE, PRIOR = "edge", "answer", "source", "prior"
#: The difference between the instances of a pair; in one pair of four, one instance cannot be closed.
KINDS: Final = (EDGE, EDGE, EDGE, EDGE, ANSWER, ANSWER, SOURCE, PRIOR)
#: More refreshes than any agent has steps for.
NEVER: Final = 400
#: How many figures have to be refreshed, not counting the feed.
_NEEDED: Final = (3, 5)
#: The sources of lines besides other lines.
FEEDS: Final = (("eur_usd_rate", "USD"), ("overhead_key", "percent"), ("working_hours", "hours"))

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
        sources: The lines that each line is computed from; sources come first except for the pair's own edge.
        swapped: The two lines whose dependency the pair may reverse: the second is computed from the first.
        needed: The lines that have to be refreshed.
    """

    sources: Mapping[str, tuple[str, ...]]
    swapped: tuple[str, str]
    needed: frozenset[str]


def draw_graph(draws: Draws, *, reversed_edge: bool) -> Graph:
    """Draw lines and their lineage such that a few of them have to be refreshed."""
    names = [name for name, _ in draws.sample("lines", LINES, draws.integer("lines.count", 5, 9))]
    attempt = 0
    while True:
        sources = {name: _draw_sources(draws, names[:at], name, attempt) for at, name in enumerate(names)}
        at = draws.integer("swapped.at", 0, len(names) - 2, attempt)
        one, other = names[at : at + 2]
        sources[other] = tuple(source for source in sources[other] if source != one)
        roots = {one, other}
        if draws.chance("needed.more", 0.4, attempt):
            roots.add(draws.choice("needed.which", names, attempt))
        needed = {name for name in names if roots & {name, *_upstream(name, sources)}}
        if _NEEDED[0] <= len(needed) <= _NEEDED[1]:
            break
        attempt += 1
    first, second = (other, one) if reversed_edge else (one, other)
    sources[second] = (*sources[second], first)
    return Graph(sources, (first, second), frozenset(needed))


def in_order(needed: Iterable[str], sources: Mapping[str, Sequence[str]]) -> list[str]:
    """Return names in an order in which each comes after its sources."""
    left, done = sorted(needed), list[str]()
    while left:
        ready = [one for one in left if not {*left} & _upstream(one, sources)]
        done += ready
        left = [one for one in left if one not in ready]
    return done


def draw_kinds(draws: Draws, graph: Graph, kind: str) -> dict[str, str]:
    """Draw which lines are beyond the tolerance, and the outcome of each; the first is the pair's own."""
    count = draws.choice("beyond.count", (1, 2, 3) if kind == ANSWER else (0, 1, 1, 2, 2, 3))
    lines = draws.sample("beyond.lines", list(graph.sources), count)
    kinds = draws.shuffled("beyond.kinds", (MEMO, ANSWERED, SILENT, PART, OLD_MEMO))
    if kind == ANSWER:
        kinds = [ANSWERED, *(one for one in kinds if one != ANSWERED)]
    return dict(zip(lines, kinds, strict=False))


def draw_figures(
    draws: Draws, graph: Graph, percents: Mapping[str, float], kinds: Mapping[str, str]
) -> list[Figure]:
    """Draw the values of all lines, and in half of the pairs a feed that one of them is computed from.

    Args:
        draws: The draws of the pair.
        graph: The lines.
        percents: The tolerance of each line.
        kinds: The outcome of each variance beyond the tolerance, by line.
    """
    lines = [_draw_line(draws, graph, name, percents[name], kinds.get(name)) for name in graph.sources]
    if not draws.chance("feed", 0.5):
        return lines
    feed, fed = _draw_feed(draws), draws.choice("feed.line", sorted(graph.needed))
    return [
        feed,
        *(replace(one, sources=(*one.sources, feed.name)) if one.name == fed else one for one in lines),
    ]


def draw_variances(
    draws: Draws, figures: Iterable[Figure], kinds: Mapping[str, str], percents: Mapping[str, float]
) -> dict[str, Variance]:
    """Draw how the variances beyond the tolerance are explained, given their outcomes and each line's tolerance."""
    beyond = [one for one in figures if one.name in kinds]
    return {line.name: _draw_variance(draws, line, kinds[line.name], percents[line.name]) for line in beyond}


def _draw_feed(draws: Draws) -> Figure:
    name, unit = draws.choice("feed.which", FEEDS)
    is_stale = draws.chance("feed.stale", 0.7)
    value = draws.integer("feed.value", 8_000, 16_000) / (10_000 if unit == "USD" else 10)
    off = draws.integer("feed.off", 10, 40) / 1000 if is_stale else 0.0
    return Figure(
        name=name,
        category=None,
        unit=unit,
        final=value,
        shown=round(value * (1 + off), 4),
        age_s=draws.integer("feed.age", 6, 15) * DAY if is_stale else 30 * HOUR,
    )


def _draw_line(draws: Draws, graph: Graph, name: str, percent: float, kind: str | None) -> Figure:
    """Draw a line, whose variance has this outcome; None: it is within the tolerance of so many percent."""
    final = draws.integer("final", 40_000_000, 900_000_000, name) / 100
    drift = draws.integer("drift", 8, 30, name) / 1000 * _draw_sign(draws, "drift.up", name)
    off = _draw_multiple(draws, name, kind) * percent / 100 * _draw_sign(draws, "variance.up", name)
    looks_fresh = bool(graph.needed & {*graph.sources[name]}) and draws.chance("looks_fresh", 0.5, name)
    needed = name in graph.needed
    is_old = needed and (name in graph.swapped or not looks_fresh)
    age_s = (
        draws.integer("age", 5, 12, name) * DAY if is_old else (40 - [*graph.sources].index(name)) * HOUR // 2
    )
    return Figure(
        name=name,
        category=dict(LINES)[name],
        sources=graph.sources[name],
        final=final,
        shown=round(final * (1 + drift), 2) if needed else final,
        variance=round(final * off, 2),
        age_s=age_s,
    )


def _draw_variance(draws: Draws, line: Figure, kind: str, percent: float) -> Variance:
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


def _draw_sign(draws: Draws, draw_name: str, line: str) -> int:
    return 1 if draws.chance(draw_name, 0.5, line) else -1


def _draw_multiple(draws: Draws, line: str, kind: str | None) -> float:
    """Return a variance as a multiple of the tolerance; other editions judge some of them differently."""
    low, high = 250, 450
    if kind is None:
        low, high = draws.choice("variance.within", ((15, 52), (68, 88)), line)
    elif kind == SILENT:
        low, high = draws.choice("variance.silent", ((125, 160), (230, 420)), line)
    return draws.integer("variance.times", low, high, line) / 100


def _draw_sources(draws: Draws, earlier: Sequence[str], name: str, attempt: int) -> tuple[str, ...]:
    count = draws.integer("parents.count", 0, 2, name, attempt)
    return tuple(draws.sample("parents", list(earlier[-4:]), count, name, attempt))


def _upstream(name: str, sources: Mapping[str, Sequence[str]]) -> set[str]:
    above = {*sources.get(name, ())}
    return above.union(*(_upstream(one, sources) for one in above))
