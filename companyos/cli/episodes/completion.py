"""Completion of a typed line: tools, missing arguments, their options, and ids seen so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .typed_calls import Tool

#: Commands of the terminal itself, with their descriptions.
COMMANDS: Final[Mapping[str, str]] = {
    "tools": "list the tools",
    "help": "say how a tool is called, as in: help wait",
    "brief": "show the task again",
    "leave": "leave the episode, as Ctrl-D does",
}
#: Ids of objects (TD-1001, APR-0003-A2) and of people (hana.diallo).
_ID: Final = re.compile(r"\b(?:[A-Z]{1,6}-\d+(?:-[A-Z]\d+)?|[a-z]+\.[a-z]+(?![\w.]))\b")
_PERSON: Final = re.compile(r"assignee|approver|delegate|person|actor|owner")


@dataclass(frozen=True)
class Suggestion:
    """A word that may come next, what it replaces, and what it is.

    Attributes:
        text: The word.
        replaces: How many characters before the cursor it replaces.
        meaning: One line about it; empty for ids.
    """

    text: str
    replaces: int
    meaning: str = ""


@dataclass
class Vocabulary:
    """The tools of an episode and the ids that its observations have shown, newest first."""

    tools: Mapping[str, Tool]
    ids: list[str] = field(default_factory=list)

    def see(self, text: str) -> None:
        """Record the ids in an observation's text."""
        for found in reversed(_ID.findall(text)):
            if found in self.ids:
                self.ids.remove(found)
            self.ids.insert(0, found)

    def suggestions(self, line: str) -> Iterator[Suggestion]:
        """Yield the suggestions for a line up to the cursor."""
        name, space, rest = line.lstrip().partition(" ")
        if not space:
            yield from _beginning_with(name, {**self._summaries(), **COMMANDS})
        elif name == "help":
            yield from _beginning_with(rest.lstrip(), self._summaries())
        elif name in self.tools:
            yield from self._of_tool(self.tools[name]["input_schema"].get("properties", {}), rest)

    def _summaries(self) -> dict[str, str]:
        return {name: summary_of(tool) for name, tool in self.tools.items()}

    def _of_tool(self, properties: Mapping[str, Any], rest: str) -> Iterator[Suggestion]:
        word = re.split(r"\s", rest)[-1]
        name, equals, value = word.partition("=")
        if equals:
            yield from self._values(name, properties.get(name, {}), value)
            return
        given = set(re.findall(r"(\w+)=", rest))
        left = {
            f"{name}=": schema.get("description", "")
            for name, schema in properties.items()
            if name not in given
        }
        yield from _beginning_with(word, left)

    def _values(self, name: str, schema: Mapping[str, Any], begun: str) -> Iterator[Suggestion]:
        options = [str(option) for option in schema.get("enum", ())]
        if "boolean" in schema.get("type", ""):
            options += ["true", "false"]
        if not options and (name.endswith(("id", "ids", "subject", "target")) or _PERSON.search(name)):
            people = _PERSON.search(name) is not None
            options = [one for one in self.ids if ("." in one) == people]
        yield from _beginning_with(begun, dict.fromkeys(options, ""))


def summary_of(tool: Tool) -> str:
    """Return the first sentence of a tool's description."""
    return str(tool["description"]).partition(". ")[0].rstrip(".")


def _beginning_with(begun: str, words: Mapping[str, str]) -> Iterator[Suggestion]:
    for word, meaning in words.items():
        if word.startswith(begun):
            yield Suggestion(word, len(begun), meaning)
