"""The ledger: the rewards of each step with their reasons, in exact decimals.

A milestone pays its size when it begins to hold, and takes it back when it ceases to hold. A loop of actions
that returns to its start therefore earns nothing and still costs its steps. The return of an episode is the
sum of its entries, in every profile and both modes.

If the agent ends the episode wrongly, with a failed `finish` or a wrong refusal, it pays 2.0 and loses every
milestone. Collecting the easy ones therefore does not pay: such an ending never earns more after some work
than at once. Otherwise, the profiles differ in how they treat milestones. `seed` keeps them. `potential`
takes them back at every ending, because potential-based shaping must do so to preserve optimal policies (Ng,
Harada, Russell 1999; Grzes 2017). `progress` pays six elevenths of them and takes them back only if the agent
ended the episode, so that a truncated one still earns something. `sparse` pays for success alone.

In these profiles, a beginner who fails does best to fail at once. `drill` is for learners: steps and failures
cost nothing, milestones are kept at every ending, and mistakes cost little. At the end, what mistakes cost beyond
what the work earned is given back. Without harm, a failure therefore never earns less than giving up at once, and
a success always more than any failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from enum import StrEnum
from typing import assert_never

from companyos.sdk.scenario import Harm

from ..protocol.effects import RowKey
from ..protocol.options import RewardMode, RewardProfile
from ..protocol.records import NOTHING
from ..protocol.trace_records import CallOutcome, Entry

CENT = Decimal("0.01")


class Ending(StrEnum):
    """How an episode ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    RIGHT_REFUSAL = "right_refusal"
    WRONG_REFUSAL = "wrong_refusal"
    TIMEOUT = "timeout"

    @property
    def succeeded(self) -> bool:
        """Whether the task was solved, by its completion or by a right refusal."""
        return self in (Ending.SUCCESS, Ending.RIGHT_REFUSAL)


#: What all milestones together, 11.0 in `seed`, are worth in the profiles that scale them; rounded down, so never more.
MILESTONES = {
    RewardProfile.POTENTIAL: Decimal("11.0"),
    RewardProfile.PROGRESS: Decimal("6.0"),
    RewardProfile.DRILL: Decimal("0.5"),
}
#: The least that a `drill` without harm earns in all, by whether it succeeded.
DRILL_LEAST = {False: NOTHING, True: Decimal("0.60")}


@dataclass(frozen=True)
class PriceList:
    """What each step, call, harm and ending earns."""

    step: Decimal
    calls: Mapping[CallOutcome, Decimal]
    harms: Mapping[Harm, Decimal]
    endings: Mapping[Ending, Decimal]


PRICES = PriceList(
    step=Decimal("-0.10"),
    calls={
        CallOutcome.DONE: NOTHING,
        CallOutcome.FAILED: NOTHING,
        CallOutcome.REFUSED: Decimal("-0.30"),
        CallOutcome.BAD_ARGUMENTS: Decimal("-0.50"),
        CallOutcome.UNKNOWN_TOOL: Decimal("-1.00"),
        CallOutcome.NO_CALL: Decimal("-1.00"),
        CallOutcome.VIOLATION: Decimal("-5.00"),
    },
    harms={Harm.FORBIDDEN: NOTHING, Harm.DUPLICATE: Decimal("-3.00"), Harm.IRREVERSIBLE: Decimal("-10.00")},
    endings={
        Ending.SUCCESS: Decimal("15.00"),
        Ending.FAILURE: Decimal("-2.00"),
        Ending.RIGHT_REFUSAL: Decimal("15.00"),
        Ending.WRONG_REFUSAL: Decimal("-2.00"),
        Ending.TIMEOUT: Decimal("-5.00"),
    },
)
#: Success and harm are worth a fifteenth of their worth in the other profiles.
DRILL_PRICES = PriceList(
    step=NOTHING,
    calls={outcome: Decimal("-0.02") if price else NOTHING for outcome, price in PRICES.calls.items()}
    | {CallOutcome.VIOLATION: Decimal("-0.33")},
    harms={Harm.FORBIDDEN: NOTHING, Harm.DUPLICATE: Decimal("-0.20"), Harm.IRREVERSIBLE: Decimal("-0.67")},
    endings={ending: Decimal("1.00") if ending.succeeded else NOTHING for ending in Ending},
)


@dataclass(frozen=True)
class Moved:
    """A milestone that began or ceased to hold."""

    name: str
    size: float
    holds: bool
    evidence: tuple[RowKey, ...] = ()


@dataclass(frozen=True)
class Harmed:
    """A forbidden fact that occurred."""

    name: str
    harm: Harm
    evidence: tuple[RowKey, ...] = ()


@dataclass(frozen=True)
class StepFacts:
    """A step's facts from committed state, the ledger's only input.

    Attributes:
        call: The outcome of the call.
        moved: Milestones that began or ceased to hold.
        harmed: Forbidden facts that occurred.
        outside: Rows that the agent's own call wrote and no allowance explains.
        ending: The episode's ending in this step, or None.
        standing: Sizes of the milestones that hold after the step.
        earlier: The ledger's total before the step.
        harms: All forbidden facts that occurred so far, in this step too.
        violations: How many calls so far violated a policy, this one included.
    """

    call: CallOutcome = CallOutcome.DONE
    moved: tuple[Moved, ...] = ()
    harmed: tuple[Harmed, ...] = ()
    outside: tuple[RowKey, ...] = ()
    ending: Ending | None = None
    standing: tuple[float, ...] = ()
    earlier: Decimal = NOTHING
    harms: tuple[Harm, ...] = ()
    violations: int = 0


def entries(profile: RewardProfile, facts: StepFacts) -> list[Entry]:
    """Return the ledger's lines for a step."""
    return [line for line in _lines(profile, facts) if line.amount]


def total(lines: Iterable[Entry]) -> Decimal:
    """Return the exact sum of ledger lines."""
    return sum((line.amount for line in lines), NOTHING)


def payout(mode: RewardMode, *, earlier: Decimal, now: Decimal, done: bool) -> Decimal:
    """Return the reward of a step.

    Args:
        mode: Whether to pay at once, or everything at the end.
        earlier: The ledger's total before the step.
        now: The total of the step's lines.
        done: Whether this is the last step.
    """
    match mode:
        case RewardMode.DENSE:
            return now
        case RewardMode.OUTCOME:
            return earlier + now if done else NOTHING
        case _:
            assert_never(mode)


def _lines(profile: RewardProfile, facts: StepFacts) -> Iterable[Entry]:
    if profile is RewardProfile.SPARSE:
        succeeded = facts.ending is not None and facts.ending.succeeded
        return [Entry("success", Decimal("1.00"))] if succeeded else []
    if profile is RewardProfile.DRILL:
        lines = [*_charges(DRILL_PRICES, facts), *_shaping(profile, facts), *_outcome(DRILL_PRICES, facts)]
        return [*lines, *_given_back(facts, lines)]
    return [*_charges(PRICES, facts), *_shaping(profile, facts), *_outcome(PRICES, facts)]


def _charges(prices: PriceList, facts: StepFacts) -> Iterable[Entry]:
    yield Entry("step", prices.step)
    yield Entry(f"call:{facts.call}", prices.calls[facts.call])


def _shaping(profile: RewardProfile, facts: StepFacts) -> Iterable[Entry]:
    for milestone in facts.moved:
        worth = _worth(profile, milestone.size)
        yield Entry(f"milestone:{milestone.name}", worth if milestone.holds else -worth, milestone.evidence)
    if _takes_back(profile, facts.ending):
        # A setback is not progress, so its cost is not refunded.
        standing = sum((max(_worth(profile, size), NOTHING) for size in facts.standing), NOTHING)
        yield Entry("milestones_taken_back", -standing)


def _worth(profile: RewardProfile, size: float) -> Decimal:
    exact = Decimal(str(size))
    if profile is RewardProfile.SEED:
        return exact.quantize(CENT)
    return (max(exact, NOTHING) * MILESTONES[profile] / 11).quantize(CENT, ROUND_DOWN)


def _takes_back(profile: RewardProfile, ending: Ending | None) -> bool:
    match profile:
        case RewardProfile.POTENTIAL:
            return ending is not None
        case RewardProfile.PROGRESS:
            return ending not in (None, Ending.TIMEOUT)
        case RewardProfile.SEED:
            return ending in (Ending.FAILURE, Ending.WRONG_REFUSAL)
        case RewardProfile.SPARSE | RewardProfile.DRILL:
            return False
        case _:
            assert_never(profile)


def _outcome(prices: PriceList, facts: StepFacts) -> Iterable[Entry]:
    for harmed in facts.harmed:
        yield Entry(f"{harmed.harm}:{harmed.name}", prices.harms[harmed.harm], harmed.evidence)
    if facts.ending is not None:
        yield Entry(str(facts.ending), prices.endings[facts.ending])


def _given_back(facts: StepFacts, lines: Iterable[Entry]) -> Iterable[Entry]:
    """Yield what is given back of the cost of mistakes when a drill ends."""
    if facts.ending is not None:
        harm = sum((DRILL_PRICES.harms[harm] for harm in facts.harms), NOTHING)
        harm += facts.violations * DRILL_PRICES.calls[CallOutcome.VIOLATION]
        missing = DRILL_LEAST[facts.ending.succeeded] - (facts.earlier + total(lines) - harm)
        yield Entry("mistakes_given_back", max(missing, NOTHING))
