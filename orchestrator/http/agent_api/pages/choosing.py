"""Choosing a value for a field: the list that has it is a page as any other, whose rows lead back to the form.

A form shows nothing of the world, so that opening it is no step. To look into the list is one, as it is for programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

#: What the address of a list says of the form. No argument begins like this.
FORM: Final = "_form"
INTO: Final = "_into"
SEVERAL: Final = "_several"


@dataclass(frozen=True)
class Choice:
    """A form that waits for a value.

    Attributes:
        form: Its address, with what it holds so far.
        into: The field.
        is_one: Whether the field takes one value, and not a line for each.
    """

    form: str
    into: str
    is_one: bool = True

    @property
    def tool(self) -> str:
        """The form's tool."""
        return self.form.partition("?")[0]

    @property
    def carried(self) -> Mapping[str, str]:
        """What the address of a list says, so that its rows lead back."""
        several = {} if self.is_one else {SEVERAL: "1"}
        return {FORM: self.form, INTO: self.into, **several}

    def address(self, value: str) -> str:
        """Return the address of the form with this value."""
        held = dict(parse_qsl(self.form.partition("?")[2]))
        before = "" if self.is_one or not held.get(self.into) else held[self.into] + "\n"
        return f"{self.tool}?{urlencode({**held, self.into: before + value})}"

    @classmethod
    def taken_from(cls, values: dict[str, str]) -> Choice | None:
        """Take what is said of a form out of the values of an address; None if nothing is."""
        form, into, several = (values.pop(mark, "") for mark in (FORM, INTO, SEVERAL))
        return cls(form, into, not several) if form and into else None
