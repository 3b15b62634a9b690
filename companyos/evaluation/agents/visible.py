"""The ids an agent has seen in observations, in order of appearance."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from companyos.sdk.scenario import Observation

_OBJECT: Final = re.compile(r"\b[A-Z]{1,4}-\d+\b")
_PERSON: Final = re.compile(r"\b[a-z]+\.[a-z]+\b")
#: The company's own vocabularies, by the field name that responses use.
_NAMED: Final = ("kind", "metric_field", "role")


class Visible:
    """Ids of objects and people that observations have named."""

    def __init__(self) -> None:
        self._objects: dict[str, None] = {}
        self._people: dict[str, None] = {}
        self._names: dict[str, dict[str, None]] = {vocabulary: {} for vocabulary in _NAMED}

    def see(self, observation: Observation) -> None:
        """Record the ids in an observation; tool descriptions contain only examples and are ignored."""
        shown = f"{observation['text']} {json.dumps(observation['result'], sort_keys=True)}"
        self._objects |= dict.fromkeys(_OBJECT.findall(shown))
        self._people |= dict.fromkeys(_PERSON.findall(shown))
        self._see_names(observation["result"])

    @property
    def people(self) -> Sequence[str]:
        """Person ids, including the agent's own, which the brief names."""
        return list(self._people)

    def objects(self, prefix: str = "") -> Sequence[str]:
        """Return the ids of objects, of one kind if a prefix such as `MET-` is given."""
        return [found for found in self._objects if found.startswith(prefix)]

    def names(self, vocabulary: str) -> Sequence[str]:
        """Return the names of one vocabulary (roles, kinds or fields) that responses have shown."""
        return list(self._names.get(vocabulary, ()))

    def _see_names(self, shown: Any) -> None:
        if isinstance(shown, Mapping):
            for vocabulary in _NAMED:
                if isinstance(shown.get(vocabulary), str):
                    self._names[vocabulary][shown[vocabulary]] = None
            shown = list(shown.values())
        for part in shown if isinstance(shown, list) else ():
            self._see_names(part)
