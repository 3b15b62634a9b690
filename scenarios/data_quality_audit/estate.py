"""The area under audit: suspects and sound feeds, and the dashboards computed from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.company import Row
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY
from scenarios.packs.analytics import Area, Board, Feed

#: The suspects: two feeds that repeat their value and have a control total, and one with a dataset.
FIRST, SECOND, THIRD = "first", "second", "third"
MANAGEMENT, STATUTORY = "management", "statutory"


@dataclass(frozen=True)
class Tolerance:
    """How much feeds may differ according to each edition of the rules, in tenths of a percent."""

    in_force: int
    superseded: int
    draft: int

    @property
    def sound(self) -> tuple[int, int]:
        """The difference of sound feeds, in hundredths of a percent: just within the tolerance."""
        return 10 * self.in_force - 9, 10 * self.in_force - 3

    @property
    def failed(self) -> tuple[int, int]:
        """The difference of failed feeds, in hundredths of a percent."""
        return 10 * self.in_force + 3, 10 * self.in_force + 9


def draw_tolerance(draws: Draws) -> Tolerance:
    """Draw the tolerances of the edition in force, the previous one and a draft, one stricter, one laxer."""
    limit = draws.integer("tolerance", 15, 80)
    strict = draws.integer("tolerance.strict", 5, limit - 10)
    lax = limit + draws.integer("tolerance.lax", 10, 40)
    superseded, draft = (lax, strict) if draws.chance("tolerance.lowered", 0.5) else (strict, lax)
    return Tolerance(limit, superseded, draft)


@dataclass(frozen=True)
class Plan:
    """What both instances of a pair share: the feeds that can fail, and whether a release is missing.

    Attributes:
        causes: The feeds with a control total that have failed, in each of the two instances.
        lacks_release: Whether a dashboard that depends on the first feed lacks a release.
    """

    causes: tuple[str, str]
    lacks_release: bool = False


#: Which of the first two feeds have failed, by cause.
FAILED: Final[Mapping[str, frozenset[str]]] = {
    "first": frozenset({FIRST}),
    "second": frozenset({SECOND}),
    "both": frozenset({FIRST, SECOND}),
    "neither": frozenset(),
}
PLANS: Final = (
    Plan(("first", "second")),
    Plan(("first", "second")),
    Plan(("first", "both")),
    Plan(("both", "second")),
    Plan(("neither", "second")),
    Plan(("neither", "first")),
    Plan(("first", "second"), lacks_release=True),
    Plan(("second", "first"), lacks_release=True),
)


class Differences:
    """The differences between feeds and their checks; the sign of a difference reveals nothing."""

    def __init__(self, draws: Draws, tolerance: Tolerance) -> None:
        self._draws = draws
        self._tolerance = tolerance

    def share(self, name: str, *, failed: bool) -> float:
        """Return the difference of a sound or a failed feed, as a share."""
        size = self.size(name, failed=failed)
        return -size if self._draws.chance("off.sign", 0.5, name) else size

    def size(self, name: str, *, failed: bool) -> float:
        """Return the size of this difference."""
        bounds = self._tolerance.failed if failed else self._tolerance.sound
        return self._draws.integer("off", *bounds, name, str(failed)) / 10_000

    def misleading(self, name: str) -> float:
        """Return a difference that reveals nothing about a feed."""
        return self.share(f"shown.{name}", failed=self._draws.chance("off.shown", 0.5, name))


@dataclass(frozen=True)
class Resting:
    """A dashboard, and the suspect that it is computed from, if any."""

    board: Board
    suspect: str | None

    @property
    def is_active(self) -> bool:
        """Whether anybody bases decisions on it."""
        return bool(self.board.record["status"] == "active")

    @property
    def is_statutory(self) -> bool:
        """Whether it goes to authorities."""
        return bool(self.board.record["fields"]["use"] == STATUTORY)


def third_has_failed(draws: Draws, plan: Plan) -> bool:
    """Return whether the feed with a dataset has failed, which is the same in both instances of a pair.

    It usually has if it may be the only failed feed, and it has not if no suspect would remain sound.
    """
    if plan.lacks_release or "both" in plan.causes:
        return False
    return draws.chance("third", 0.6 if "neither" in plan.causes else 0.4)


def add_sound_feeds(draws: Draws, area: Area, differences: Differences) -> list[Feed]:
    """Add three feeds with changing values: one that jumped, one that is stale, and an ordinary one."""
    jumped = area.feed(before=draws.integer("jump", 45, 60) / 100)
    stale = area.feed(age_s=draws.integer("stale", 33, 50) * DAY)
    return [
        area.with_control(
            feed, shown_off=differences.misleading(name), truly_off=differences.share(name, failed=False)
        )
        for name, feed in (("jumped", jumped), ("stale", stale), ("ordinary", area.feed()))
    ]


def add_boards(
    draws: Draws, area: Area, plan: Plan, suspects: Mapping[str, Feed], sound: Sequence[Feed]
) -> list[Resting]:
    """Add dashboards in a drawn order: some on each suspect, directly or via marts, some on sound feeds."""
    totals = [feed.metric for feed in sound]
    group = area.mart(totals[0], totals[1])
    planned = [*_on_sound_feeds(draws, totals, group)]
    for name in sorted(suspects):
        mart = area.mart(suspects[name].metric, draws.choice("mart.beside", totals, name))
        planned += _on_suspect(draws, plan, name, [[mart], [suspects[name].metric], [mart, totals[2]]], group)
    return [
        Resting(area.board(*upstream, use=use, status=status), name)
        for upstream, name, use, status in draws.shuffled("boards", planned)
    ]


#: A dashboard's inputs, the suspect among them, its use and its status.
Planned = tuple[list[Row], str | None, str, str]


def _on_sound_feeds(draws: Draws, totals: Sequence[Row], group: Row) -> list[Planned]:
    ways = [[group], [totals[2]], [totals[0]], [group, totals[2]]]
    return [(way, None, MANAGEMENT, "active") for way in ways[: draws.integer("boards.sound", 2, 4)]]


def _on_suspect(draws: Draws, plan: Plan, name: str, ways: list[list[Row]], group: Row) -> list[Planned]:
    count = draws.integer("boards.count", 1, 3, name)
    planned: list[Planned] = [
        (way, name, MANAGEMENT, "active") for way in draws.shuffled("boards.ways", ways, name)[:count]
    ]
    if name == THIRD:
        return planned
    if draws.chance("boards.statutory", 0.5, name) or (plan.lacks_release and name == FIRST):
        planned.append(([*ways[0], group], name, STATUTORY, "active"))
    if draws.chance("boards.retired", 0.6, name):
        planned.append((ways[0], name, MANAGEMENT, "inactive"))
    return planned
