"""What an agent has seen: the ids that observations named, in the order in which they came up."""

import json
import re
from collections.abc import Sequence
from typing import Final

from companyos.scenario import Observation

_OBJECT: Final = re.compile(r"\b[A-Z]{1,4}-\d+\b")
_PERSON: Final = re.compile(r"\b[a-z]+\.[a-z]+\b")


class Visible:
    """Ids of objects and people that may be named because some observation has named them."""

    def __init__(self) -> None:
        self._objects: dict[str, None] = {}
        self._people: dict[str, None] = {}

    def see(self, observation: Observation) -> None:
        """Take note of what an observation names; the descriptions of tools name examples only and do not count."""
        shown = f"{observation['text']} {json.dumps(observation['result'], sort_keys=True)}"
        self._objects |= dict.fromkeys(_OBJECT.findall(shown))
        self._people |= dict.fromkeys(_PERSON.findall(shown))

    @property
    def people(self) -> Sequence[str]:
        """Person ids; the agent's own is among them, since the brief names it."""
        return list(self._people)

    def objects(self, prefix: str = "") -> Sequence[str]:
        """Return the ids of objects, of one kind if a prefix such as `MET-` is given."""
        return [found for found in self._objects if found.startswith(prefix)]
