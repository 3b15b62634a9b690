"""A task's particulars as data, so that one agent of each kind can work every task."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companyos.scenario import Action

#: The readings of metrics by name.
Metrics = Mapping[str, float]


@dataclass(frozen=True)
class TaskProfile:
    """The facts that a newcomer has to know about a task; the rest is in the brief and in the tools' answers.

    Attributes:
        type_id: The approval type to request.
        kind: The kind of the ticket's record.
        title: Pattern of the ticket's title; its group is the record's name.
        mark: The field that tells records of the same name apart.
        fields: What a request states, given the record and the metrics.
        metrics: Names of metrics that it states besides the policy's.
        company_wide: Whether the policy's metric belongs to the whole company, not to a record.
        instead: The action, given ticket and record, if the metric is below what the policy accepts.
        form: Title of the form that every case has; empty: no case has one, and nothing is on hold.
        exclusions: Title of the list of what is on hold.
        blocked: Whether removing blockers is part of the ordinary work.
    """

    type_id: str
    kind: str
    title: str
    mark: str
    fields: Callable[[Mapping[str, Any], Metrics], dict[str, Any]]
    metrics: tuple[str, ...] = ()
    company_wide: bool = False
    instead: Callable[[str, str], Action] | None = None
    blocked: bool = False
    form: str = ""
    exclusions: str = ""

    def name_in(self, title: str) -> str:
        """Return the record's name in a ticket's title, or the whole title if the pattern does not match."""
        found = re.search(self.title, title)
        return found[1] if found else title
