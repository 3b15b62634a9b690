"""The plan of a pair of closes: the lineage, the figures to refresh, and the variances that count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
class Tolerances:
    """The tolerances in percent of the reference, by the entity's class and the line's category.

    Attributes:
        by: The tolerance in force, by (class, category).
        older: The factor of the previous edition.
        draft: The factor of a draft.
    """

    by: Mapping[tuple[str, str], float]
    older: float = 1.8
    draft: float = 0.6

    def edition(self, factor: float) -> dict[tuple[str, str], float]:
        """Return the tolerances of another edition."""
        return {one: round(percent * factor, 2) for one, percent in self.by.items()}


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


def draw_tolerances(draws: Draws) -> Tolerances:
    """Draw the tolerances in force."""
    balance = draws.choice("tolerance.balance", (0.4, 0.5, 0.6, 0.8))
    result = draws.choice("tolerance.result", (1.0, 1.2, 1.5, 1.6))
    factor = draws.choice("tolerance.minor", (1.5, 2.0, 2.5))
    return Tolerances(
        {
            ("major", "balance"): balance,
            ("major", "result"): result,
            ("minor", "balance"): round(balance * factor, 2),
            ("minor", "result"): round(result * factor, 2),
        }
    )


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
        needed = _downstream(roots, parents)
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
    return parents, [Feed(name, unit, value, round(value * (1 + off), 4), age)]


def draw_kinds(draws: Draws, graph: Graph, kind: str) -> dict[str, str]:
    """Draw which lines are beyond the tolerance, and the outcome of each; the first is the pair's own."""
    count = draws.choice("beyond.count", (1, 2, 3) if kind == ANSWER else (0, 1, 1, 2, 2, 3))
    lines = draws.sample("beyond.lines", graph.names, count)
    kinds = draws.shuffled("beyond.kinds", (MEMO, ANSWERED, SILENT, PART, OLD_MEMO))
    if kind == ANSWER:
        kinds = [ANSWERED, *(one for one in kinds if one != ANSWERED)]
    return dict(zip(lines, kinds, strict=False))


def draw_variance(draws: Draws, name: str, kind: str, tolerance: float, size: float) -> Variance:
    """Draw how much of a variance is explained, and by which source.

    Args:
        draws: The draws of the pair.
        name: The line.
        kind: The outcome of the variance.
        tolerance: The line's tolerance, in euros.
        size: The variance's size, in euros.
    """
    within = round(tolerance * draws.integer("left.within", 20, 60, name) / 100, 2)
    beyond = round(tolerance * draws.integer("left.beyond", 130, 170, name) / 100, 2)
    left = {MEMO: within, ANSWERED: within, PART: beyond, OLD_MEMO: beyond}.get(kind, size)
    explained = round(size - left, 2)
    memo = explained if kind in (MEMO, OLD_MEMO) else 0.0
    older = round(size - within, 2) if kind == OLD_MEMO else 0.0
    return Variance(kind, memo, older, explained if kind in (ANSWERED, PART) else 0.0, round(left, 2))


def draw_lines(
    draws: Draws,
    graph: Graph,
    parents: Mapping[str, tuple[str, ...]],
    tolerances: Mapping[str, float],
    kinds: Mapping[str, str],
) -> list[Line]:
    """Draw each line's final value, its variance, and the age of its current value.

    Args:
        draws: The draws of the pair.
        graph: The lines.
        parents: The sources of each line, including feeds.
        tolerances: Their tolerances in percent, by name.
        kinds: The outcomes of the variances beyond the tolerance, by name.
    """
    categories = dict(LINES)
    return [
        _line(draws, graph, name, at, categories[name], parents[name], tolerances[name], kinds.get(name))
        for at, name in enumerate(graph.names)
    ]


def _line(
    draws: Draws,
    graph: Graph,
    name: str,
    at: int,
    category: str,
    parents: tuple[str, ...],
    percent: float,
    kind: str | None,
) -> Line:
    final = draws.integer("final", 40_000_000, 900_000_000, name) / 100
    needed = name in graph.needed
    drift = draws.integer("drift", 8, 30, name) / 1000 * (1 if draws.chance("drift.up", 0.5, name) else -1)
    off = _times(draws, name, kind) * percent / 100 * (1 if draws.chance("variance.up", 0.5, name) else -1)
    looks_fresh = any(one in graph.needed for one in parents) and draws.chance("looks_fresh", 0.5, name)
    is_old = needed and (name in graph.swapped or not looks_fresh)
    return Line(
        name=name,
        category=category,
        parents=parents,
        final=final,
        shown=round(final * (1 + drift), 2) if needed else final,
        variance=round(final * off, 2),
        age_s=draws.integer("age", 5, 12, name) * DAY if is_old else (40 - at) * HOUR // 2,
    )


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


def _downstream(roots: Iterable[str], parents: Mapping[str, Sequence[str]]) -> set[str]:
    found = set(roots)
    while True:
        more = {name for name, above in parents.items() if name not in found and found & {*above}}
        if not more:
            return found
        found |= more


def _upstream(name: str, parents: Mapping[str, Sequence[str]]) -> set[str]:
    above = {*parents.get(name, ())}
    return above.union(*(_upstream(one, parents) for one in above))
