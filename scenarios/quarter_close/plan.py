"""What is drawn of a pair of closes: the lineage, the values of the lines, and the variances that count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companyos.sdk.company import Person
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, HOUR

from .books import LINES, Figure, Line

EDGE, ANSWER, SOURCE, PRIOR = "edge", "answer", "source", "prior"
#: The difference between the instances of a pair; in one pair of four, one instance cannot be closed.
KINDS: Final = (EDGE, EDGE, EDGE, EDGE, ANSWER, ANSWER, SOURCE, PRIOR)
#: The numbers of lines that may have to be refreshed.
_NEEDED: Final = range(3, 6)
#: The sources of lines besides other lines, with their units.
_FEEDS: Final = (("eur_usd_rate", "USD"), ("overhead_key", "percent"), ("working_hours", "hours"))

#: The outcomes of a variance beyond the tolerance: without a ticket, or with one.
MEMO, ANSWERED = "memo", "told"
SILENT, PART, OLD_MEMO = "silent", "part", "old_memo"
TICKETED: Final = (SILENT, PART, OLD_MEMO)


@dataclass(frozen=True)
class Plan:
    """The lines of a close and what becomes of them, before they have values.

    Attributes:
        percents: The tolerance of each line, in percent of its reference.
        sources: The figures that each line is computed from; lines come after their sources except for the pair's own
            edge.
        swapped: The two lines whose dependency the pair may reverse: the second is computed from the first.
        needed: The lines that have to be refreshed.
        feed: The name and the unit of a figure that is no line and that a line is computed from, if any.
        outcomes: What becomes of each variance beyond the tolerance, by line.
        mute: The line whose owner can explain it in the pair's other instance alone, if the pair differs in that.
    """

    draws: Draws
    percents: Mapping[str, float]
    sources: Mapping[str, Sequence[str]]
    swapped: tuple[str, str]
    needed: Sequence[str]
    feed: tuple[str, str] | None
    outcomes: Mapping[str, str]
    mute: str | None

    def draw_feed(self, ids: Mapping[str, str]) -> list[Figure]:
        """Draw the values of the feed, if there is one."""
        if self.feed is None:
            return []
        (name, unit), draws = self.feed, self.draws
        value = draws.integer("feed.value", 8_000, 16_000) / (10_000 if unit == "USD" else 10)
        off = draws.integer("feed.off", 10, 40) / 1000 if draws.chance("feed.stale", 0.7) else 0.0
        return [
            Figure(
                id=ids[name],
                name=name,
                unit=unit,
                final=value,
                shown=round(value * (1 + off), 4),
                age_s=draws.integer("feed.age", 6, 15) * DAY if off else 30 * HOUR,
            )
        ]

    def draw_line(self, name: str, ids: Mapping[str, str], owners: Sequence[Person]) -> Line:
        """Draw the values of a line, and how its variance is explained if that is beyond the tolerance."""
        own, outcome, percent = self.draws.about(name), self.outcomes.get(name), self.percents[name]
        final = own.integer("final", 40_000_000, 900_000_000) / 100
        drift = own.integer("drift", 8, 30) / 1000 * _draw_sign(own, "drift.up")
        off = _draw_multiple(own, outcome) * percent / 100 * _draw_sign(own, "variance.up")
        is_needed = name in self.needed
        # A line that only looks fresh is computed from a figure that has to be refreshed.
        rests_on_needed = not {*self.needed}.isdisjoint(self.sources[name])
        looks_fresh = name not in self.swapped and rests_on_needed and own.chance("looks_fresh", 0.5)
        age_s = (40 - [*self.sources].index(name)) * HOUR // 2
        line = Line(
            id=ids[name],
            name=name,
            owner=own.choice("owner", owners),
            sources=[ids[source] for source in self.sources[name]],
            final=final,
            shown=round(final * (1 + drift), 2) if is_needed else final,
            reference=round(final - round(final * off, 2), 2),
            age_s=own.integer("age", 5, 12) * DAY if is_needed and not looks_fresh else age_s,
        )
        if outcome is None:
            return line
        return self._settle(line, SILENT if name == self.mute else outcome, percent)

    def _settle(self, line: Line, outcome: str, percent: float) -> Line:
        """Draw how much of a line's variance is explained, and by which source."""
        own, tolerance = self.draws.about(line.name), percent / 100 * abs(line.reference)
        size = abs(round(line.final - line.reference, 2))
        within = round(tolerance * own.integer("left.within", 20, 60) / 100, 2)
        beyond = round(tolerance * own.integer("left.beyond", 130, 170) / 100, 2)
        left = {MEMO: within, ANSWERED: within, PART: beyond, OLD_MEMO: beyond}.get(outcome, size)
        explained = round(size - left, 2)
        if outcome in (MEMO, OLD_MEMO):
            return replace(line, outcome=outcome, left=left, memo=explained, older=round(size - within, 2))
        return replace(line, outcome=outcome, left=left, answer=explained)


def draw_plan(draws: Draws, kind: str, percents: Mapping[str, float], *, second: bool) -> Plan:
    """Draw lines of which a few have to be refreshed, and the plan of one instance of a pair of this kind."""
    names = draws.sample("lines", [*LINES], draws.integer("lines.count", 5, 9))
    attempt, needed = 0, list[str]()
    while len(needed) not in _NEEDED:
        sources = {
            name: _draw_sources(draws.about(name, attempt), names[:at]) for at, name in enumerate(names)
        }
        at = draws.integer("swapped.at", 0, len(names) - 2, attempt)
        one, other = names[at : at + 2]
        sources[other] = [source for source in sources[other] if source != one]
        roots = [one, other]
        if draws.chance("needed.more", 0.4, attempt):
            roots.append(draws.choice("needed.which", names, attempt))
        needed = []
        for name in names:
            if name in roots or not {*needed}.isdisjoint(sources[name]):
                needed.append(name)
        attempt += 1
    is_reversed = second if kind == EDGE else draws.chance("reversed", 0.5)
    first, then = (other, one) if is_reversed else (one, other)
    sources[then].append(first)
    feed = draws.choice("feed.which", _FEEDS) if draws.chance("feed", 0.5) else None
    if feed is not None:
        sources[draws.choice("feed.line", sorted(needed))].append(feed[0])
    outcomes = _draw_outcomes(draws, names, kind)
    mute = next(iter(outcomes)) if kind == ANSWER and not second else None
    return Plan(draws, percents, sources, (first, then), needed, feed, outcomes, mute)


def _draw_outcomes(draws: Draws, names: Sequence[str], kind: str) -> dict[str, str]:
    """Draw which lines are beyond the tolerance, and the outcome of each; the first is the pair's own."""
    count = draws.choice("beyond.count", (1, 2, 3) if kind == ANSWER else (0, 1, 1, 2, 2, 3))
    outcomes = draws.shuffled("beyond.kinds", (MEMO, ANSWERED, SILENT, PART, OLD_MEMO))
    if kind == ANSWER:
        outcomes.sort(key=lambda one: one != ANSWERED)
    return dict(zip(draws.sample("beyond.lines", names, count), outcomes, strict=False))


def _draw_sources(own: Draws, earlier: Sequence[str]) -> list[str]:
    return own.sample("parents", earlier[-4:], own.integer("parents.count", 0, 2))


def _draw_sign(own: Draws, draw_name: str) -> int:
    return 1 if own.chance(draw_name, 0.5) else -1


def _draw_multiple(own: Draws, outcome: str | None) -> float:
    """Return a variance as a multiple of the tolerance; other editions judge some of them differently."""
    low, high = 250, 450
    if outcome is None:
        low, high = own.choice("variance.within", ((15, 52), (68, 88)))
    elif outcome == SILENT:
        low, high = own.choice("variance.silent", ((125, 160), (230, 420)))
    return own.integer("variance.times", low, high) / 100
