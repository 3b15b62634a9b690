"""The results of a growth measurement: medians along an axis, and the ratio of its two ends."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from ..figures import Measurement

MOST_RATIO = 2.0
MOST_DATABASE_RATIO = 1.1
#: The lines whose growth has a goal, by axis; for all others it is only reported.
HELD = {"open worlds": ("reset", "step: read", "step: write", "fork(8)")}
DATABASE = "finished episodes"


@dataclass(frozen=True)
class Line:
    """One action, or one size, along an axis.

    Attributes:
        axis: What grows.
        name: What was measured.
        unit: Its unit.
        points: A value for each position on the axis: a median time, or the size of the database.
    """

    axis: str
    name: str
    unit: str
    points: Mapping[int, float]

    @property
    def ratio(self) -> float:
        """The ratio of the value at the far end of the axis to that at the near end."""
        return self.points[max(self.points)] / self.points[min(self.points)]

    @property
    def figure(self) -> Measurement:
        """The ratio as a figure, with its goal."""
        goal = MOST_RATIO if self.name in HELD.get(self.axis, ()) else None
        if self.axis == DATABASE:
            goal = MOST_DATABASE_RATIO
        least, most = min(self.points), max(self.points)
        detail = ", ".join(f"{x:,}: {value:.2f}" for x, value in self.points.items())
        name = f"{self.name} at {most:,} {self.axis} / at {least:,}"
        return Measurement(name, self.ratio, "x", goal, detail=f"{detail} {self.unit}")

    def document(self) -> dict[str, Any]:
        """The line as JSON."""
        return {**asdict(self), "ratio": self.ratio, "reached": self.figure.reached}


def line_of(document: Mapping[str, Any]) -> Line:
    """Return the line of its JSON."""
    points = {int(x): value for x, value in document["points"].items()}
    return Line(document["axis"], document["name"], document["unit"], points)


def lines_of(axis: str, times_s: Mapping[int, Sequence[Mapping[str, float]]]) -> list[Line]:
    """Return a line of medians for every action, from rounds measured at each position of an axis."""
    actions = list(next(iter(times_s.values()))[0])

    def medians(action: str) -> dict[int, float]:
        return {x: median(one[action] for one in rounds) * 1e3 for x, rounds in times_s.items()}

    return [Line(axis, action, "ms", medians(action)) for action in actions]
