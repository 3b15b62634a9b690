"""Several runs side by side: what was played, and the metrics of any part of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..fewest_steps import fewest_steps_of
from ..runs import EpisodeRecord, PredicateKind, Run
from ..runs.metrics import RunMetrics, metrics_of
from ..runs.request import Instance

#: The reason for a failure that no predicate of the task explains.
UNFINISHED = "unfinished"
COLLATERAL = "something_else_changed"


@dataclass(frozen=True)
class FailureReason:
    """Why an episode failed: the deciding predicate, and what it requires."""

    name: str
    kind: str
    reason: str


@dataclass(frozen=True)
class RunColumn:
    """One run of a comparison.

    Attributes:
        number: Its position, from 1, which determines its color and shape.
        label: Its name, unique on the page.
        address: Where a viewer shows its episodes; empty if none does.
    """

    number: int
    label: str
    run: Run
    address: str = ""
    _parts: dict[tuple[str | None, int | str | None], RunMetrics] = field(default_factory=dict)

    @cached_property
    def scored(self) -> Sequence[EpisodeRecord]:
        """The episodes that count for the agent: those in which the environment did not fail."""
        return [record for record in self.run.episodes if record.is_scored]

    @cached_property
    def is_measured(self) -> bool:
        """Whether the run has any score: it has none if every episode ended in an agent error."""
        return metrics_of(self.run.episodes).is_measured

    @cached_property
    def fewest(self) -> Mapping[Instance, int]:
        """The fewest steps of its instances that are kept with the cards."""
        return fewest_steps_of(self.run)

    def part(self, scenario: str | None = None, chaos: int | str | None = None) -> RunMetrics:
        """Return the metrics of a scenario, a chaos setting, both or all; without a score if the run has none."""
        wanted = (scenario, chaos)
        if wanted not in self._parts:
            found = metrics_of(
                (
                    record
                    for record in self.run.episodes
                    if scenario in (None, record.scenario) and chaos in (None, record.chaos)
                ),
                self.fewest,
            )
            self._parts[wanted] = found if self.is_measured else found.without_score()
        return self._parts[wanted]

    @property
    def overall(self) -> RunMetrics:
        """The metrics of all its episodes."""
        return self.part()

    def failures(self) -> Counter[FailureReason]:
        """Return the reason for each failed episode, counted."""
        return Counter(failure_of(record) for record in self.scored if not record.success)

    def over_oracle(self, scenario: str | None = None) -> list[float]:
        """Return steps divided by the oracle's, for each success on an instance that the oracle played."""
        return sorted(
            record.steps / record.oracle_steps
            for record in self.scored
            if scenario in (None, record.scenario) and record.success and record.oracle_steps
        )


class Comparison:
    """Runs to compare, in the order given.

    Args:
        runs: At least one.
        addresses: Where a viewer shows the episodes of each, if one does.
    """

    def __init__(self, runs: Sequence[Run], addresses: Sequence[str] = ()) -> None:
        labels = _labels(runs)
        places = [*addresses, *[""] * (len(runs) - len(addresses))]
        self.columns = [
            RunColumn(number, label, run, place)
            for number, (label, run, place) in enumerate(zip(labels, runs, places, strict=True), start=1)
        ]
        self._records = [record for column in self.columns for record in column.run.episodes]

    @cached_property
    def scenarios(self) -> Sequence[str]:
        """Every scenario played, by name."""
        return sorted({record.scenario for record in self._records})

    @cached_property
    def chaos(self) -> Sequence[int | str]:
        """Every chaos setting played: levels in order, then others by name."""
        return sorted({record.chaos for record in self._records}, key=lambda one: (isinstance(one, str), one))

    @cached_property
    def versions(self) -> Mapping[str, int]:
        """The version of each scenario that the runs played in one version."""
        asked = [column.run.request.scenarios for column in self.columns]
        found = {name: {each[name] for each in asked if name in each} for name in self.scenarios}
        return {name: min(versions) for name, versions in found.items() if len(versions) == 1}

    @cached_property
    def seeds(self) -> Sequence[int]:
        """Every seed played."""
        return sorted({record.seed for record in self._records})

    @property
    def episodes(self) -> int:
        """How many episodes were played."""
        return len(self._records)


def failure_of(record: EpisodeRecord) -> FailureReason:
    """Return why an episode failed: a rule it broke, or else the first requirement it did not meet."""
    unmet = [each for each in record.predicates if not each.holds]
    broken = [each for each in unmet if each.kind is not PredicateKind.MUST]
    for predicate in (*broken, *unmet):
        return FailureReason(predicate.name, str(predicate.kind), predicate.reason)
    if record.collateral_rows:
        return FailureReason(COLLATERAL, "collateral", "Rows changed that are no part of the task.")
    return FailureReason(UNFINISHED, "unfinished", "Everything was done, but the episode was not finished.")


def _labels(runs: Sequence[Run]) -> list[str]:
    """Return the runs' names, extended by the folder where two runs share a name."""
    names = Counter(run.name for run in runs)
    labels = [run.name if names[run.name] == 1 else f"{run.name} ({run.path.name})" for run in runs]
    shared = Counter(labels)
    return [
        label if shared[label] == 1 else f"{label} #{number}" for number, label in enumerate(labels, start=1)
    ]
