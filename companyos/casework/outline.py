"""What is particular to a task, as data, so that one agent of each kind can work all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companyos.scenario import Action

#: The readings of figures by name.
Figures = Mapping[str, float]


@dataclass(frozen=True)
class Outline:
    """A task as somebody new to it is told in a minute; all else is in the brief and in what tools answer.

    Attributes:
        type_id: The approval asked for.
        kind: What kind of record the ticket is about.
        title: Pattern of the ticket's title; its group is the record's name.
        mark: The field that tells records of one name apart.
        fields: What a request states, of the record and the figures.
        figures: Names of figures that it states besides the one the policy names.
        company_wide: Whether the policy's figure is the company's own, and about no record.
        instead: What is done, of ticket and record, where the figure is below what the policy accepts.
        blocked: Whether freeing the ticket is part of the ordinary work.
    """

    type_id: str
    kind: str
    title: str
    mark: str
    fields: Callable[[Mapping[str, Any], Figures], dict[str, Any]]
    figures: tuple[str, ...] = ()
    company_wide: bool = False
    instead: Callable[[str, str], Action] | None = None
    blocked: bool = False

    def name_in(self, title: str) -> str:
        """Return the record's name as a ticket's title has it; the whole title where it has none."""
        found = re.search(self.title, title)
        return found[1] if found else title
