"""Choosing a value for a field: the list that has it is a page as any other, whose rows lead back to the form.

A form shows nothing of the world, so that opening it is no step. To look into the list is one, as it is for programs.
What was written is sent along in the bodies of requests, where there is room for a long text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

from ....agent.tools import Tool
from .fields import text_of, value_of

#: What a button says that leads from a form to a list: the form's tool, and the field. No argument begins like this.
CHOOSE: Final = "_choose"
#: What the page of a list carries of the form: its address with what it holds, and the field.
FORM: Final = "_form"
INTO: Final = "_into"
#: What a row of the list says: its value.
CHOSEN: Final = "_chosen"


@dataclass(frozen=True)
class Choice:
    """A form that waits for a value.

    Attributes:
        form: Its address, with what it holds so far.
        into: The field.
        chosen: The value, once a row was chosen.
    """

    form: str
    into: str
    chosen: str = ""

    @property
    def tool(self) -> str:
        """The form's tool."""
        return self.form.partition("?")[0]

    @property
    def carried(self) -> Mapping[str, str]:
        """What the page of a list carries, so that its rows lead back."""
        return {FORM: self.form, INTO: self.into}

    def values(self, tool: Tool) -> dict[str, str]:
        """Return what the form of its tool holds, with the chosen value: in a list after those that it has."""
        held = dict(parse_qsl(self.form.partition("?")[2]))
        if not self.chosen:
            return held
        schema = tool.parameters["properties"].get(self.into, {})
        before = value_of(schema, held.get(self.into, ""))
        text = text_of(schema, [*before, self.chosen]) if isinstance(before, list) else self.chosen
        return {**held, self.into: text}


def take_choice(values: dict[str, str]) -> Choice | None:
    """Take what is said of a form out of the values of a request; None if nothing is.

    A button that leads to a list sends along all that its form holds, which is none of the list's.
    """
    tool, _, field = values.pop(CHOOSE, "").partition(".")
    form, into, chosen = (values.pop(mark, "") for mark in (FORM, INTO, CHOSEN))
    if tool and field:
        form, into, chosen = f"{tool}?{urlencode(values)}", field, ""
        values.clear()
    return Choice(form, into, chosen) if form and into else None
