"""Claims about counterfactual pairs: seeds 2k and 2k+1 look alike at first and require different actions."""

from collections.abc import Iterator
from typing import Final

from companyos.sdk.scenario import Answer, Instance, NamedAnswers, NumberAnswer, Scenario

from .claims import Complaints, OfPair

#: The parts of an instance shown by the first observation, which must be equal within a pair.
_FIRST_SIGHT: Final = ("brief", "guidance", "persona", "start", "max_steps")
#: The tools that may end an open-loop plan.


def look_alike(scenario: Scenario, first: Instance, second: Instance) -> Complaints:
    """Complain about anything that distinguishes a pair before the first step."""
    for part in _FIRST_SIGHT:
        one, other = getattr(first, part), getattr(second, part)
        if one != other:
            yield f"{part} differs: {_difference(str(one), str(other))}"
    shapes = [None if one.answer is None else one.answer.shape for one in (first, second)]
    if shapes[0] != shapes[1]:
        yield f"the shape of the answer differs: {shapes[0]!r} and {shapes[1]!r}"


def answer_in_one_unit(scenario: Scenario, first: Instance, second: Instance) -> Complaints:
    """Complain about numbers whose unit differs; the shape that agents see does not say which unit it is."""
    one, other = (dict(_units(instance.answer)) for instance in (first, second))
    for name in sorted(one.keys() & other.keys()):
        if one[name].casefold() != other[name].casefold():
            yield f"the unit of {name} differs: {one[name]!r} and {other[name]!r}"


def _units(answer: Answer | None, name: str = "the answer") -> Iterator[tuple[str, str]]:
    """Yield the unit of each number in an answer, with the number's name."""
    if isinstance(answer, NumberAnswer):
        yield name, answer.unit
    elif isinstance(answer, NamedAnswers):
        for part, inner in answer.parts.items():
            yield from _units(inner, f"{name}'s {part}")


def differ_in_cause(scenario: Scenario, first: Instance, second: Instance) -> Complaints:
    """Complain about a pair with the same cause or the same rows."""
    if first.cause == second.cause:
        yield f"both have the cause {first.cause!r}"
    if first.rows == second.rows:
        yield "their rows are equal, so no agent can tell them apart"


def _difference(one: str, other: str) -> str:
    """Return the first passage in which two texts differ."""
    pairs = zip(one, other, strict=False)
    at = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
    start = max(0, at - 20)
    return f"{one[start : at + 30]!r} and {other[start : at + 30]!r}"


CLAIMS: Final = (
    OfPair("A pair looks alike at first", look_alike),
    OfPair("The answers of a pair have the same units", answer_in_one_unit),
    OfPair("A pair differs in a hidden cause", differ_in_cause),
)
