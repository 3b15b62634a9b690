"""Typed answers: what `finish` takes in tasks that ask for a value, graded by the value and never by words.

An answer of the wrong shape is refused with the required shape, and the agent may try again. An answer of the
right shape is final, whether right or wrong. The shape reveals only the kind of value.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import Any

from .allowances import is_near


class Answer(ABC):
    """A value that an agent must report."""

    @property
    @abstractmethod
    def shape(self) -> str:
        """Description of the answer's shape, with an example."""

    @property
    @abstractmethod
    def document(self) -> Any:
        """The right answer as JSON, for the grade card."""

    def flaw(self, given: Any) -> str | None:
        """Return why a value does not have this shape, or None if it does."""
        return None if self._fits(read(given)) else f"must be {self.shape}"

    def is_right(self, given: Any) -> bool:
        """Return whether a value has this shape and is right."""
        value = read(given)
        return self._fits(value) and self._equals(value)

    @abstractmethod
    def _fits(self, value: Any) -> bool: ...

    @abstractmethod
    def _equals(self, value: Any) -> bool: ...


@dataclass(frozen=True)
class NumberAnswer(Answer):
    """A number, with its unit if it has one.

    Attributes:
        value: The right number.
        unit: Its unit, such as `EUR`, compared ignoring case.
        tolerance: Largest accepted difference.
    """

    value: float
    unit: str = ""
    tolerance: float = 0.0

    @property
    def shape(self) -> str:
        """A number, or an object with the number and its unit."""
        return 'a number with its unit, such as {"value": 12.5, "unit": "kg"}' if self.unit else "a number"

    @property
    def document(self) -> Any:
        """The number, or the object."""
        return {"value": self.value, "unit": self.unit} if self.unit else self.value

    def _fits(self, value: Any) -> bool:
        if not self.unit:
            return _is_number(value)
        keys = {"value", "unit"}
        return (
            isinstance(value, Mapping)
            and set(value) == keys
            and _is_number(value["value"])
            and isinstance(value["unit"], str)
        )

    def _equals(self, value: Any) -> bool:
        number, unit = (value["value"], value["unit"]) if self.unit else (value, "")
        return is_near(self.value, self.tolerance)(number) and _same_text(unit, self.unit)


@dataclass(frozen=True)
class IdAnswer(Answer):
    """The id of an object or of a person."""

    value: str

    @property
    def shape(self) -> str:
        """An id."""
        return "an id, such as TD-1042 or jane.doe"

    @property
    def document(self) -> Any:
        """The id."""
        return self.value

    def _fits(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value.strip()) and not any(map(str.isspace, value.strip()))

    def _equals(self, value: Any) -> bool:
        return _same_text(value, self.value)


@dataclass(frozen=True)
class DateAnswer(Answer):
    """A date, such as 2030-03-04."""

    value: str

    @property
    def shape(self) -> str:
        """A date."""
        return "a date, such as 2030-03-04"

    @property
    def document(self) -> Any:
        """The date."""
        return self.value

    def _fits(self, value: Any) -> bool:
        return isinstance(value, str) and _date(value) is not None

    def _equals(self, value: Any) -> bool:
        return _date(value) == _date(self.value)


@dataclass(frozen=True)
class IdsAnswer(Answer):
    """A set of ids; neither order nor repetition matters."""

    values: Collection[str]

    @property
    def shape(self) -> str:
        """A list of ids."""
        return 'a list of ids, such as ["TD-1042", "TD-1043"]; [] if there are none'

    @property
    def document(self) -> Any:
        """The ids, in order."""
        return sorted(self.values)

    def _fits(self, value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)

    def _equals(self, value: Any) -> bool:
        return {one.strip().casefold() for one in value} == {one.casefold() for one in self.values}


@dataclass(frozen=True)
class NamedAnswers(Answer):
    """Several answers by name."""

    parts: Mapping[str, Answer]

    @property
    def shape(self) -> str:
        """An object with one member for each answer."""
        parts = "; ".join(f"`{name}`, {part.shape}" for name, part in self.parts.items())
        return f"an object with exactly these members: {parts}"

    @property
    def document(self) -> Any:
        """The object."""
        return {name: part.document for name, part in self.parts.items()}

    def _fits(self, value: Any) -> bool:
        return (
            isinstance(value, Mapping)
            and set(value) == set(self.parts)
            and all(part.flaw(value[name]) is None for name, part in self.parts.items())
        )

    def _equals(self, value: Any) -> bool:
        return all(part.is_right(value[name]) for name, part in self.parts.items())


def read(given: Any) -> Any:
    """Return an answer as a value, parsed if it is JSON text, because some models can only send text."""
    if not isinstance(given, str):
        return given
    try:
        found = json.loads(given)
    except (ValueError, RecursionError):
        return given.strip()
    return found if isinstance(found, str | dict | list) or _is_number(found) else given.strip()


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _same_text(one: str, other: str) -> bool:
    return one.strip().casefold() == other.casefold()


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()) if text.strip()[4:5] == "-" else None
    except ValueError:
        return None
