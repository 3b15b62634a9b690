"""A task's particulars as data, so that each scripted agent can work on every task."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companyos.sdk.scenario import Action

#: The readings of metrics by name.
Metrics = Mapping[str, float]


@dataclass(frozen=True)
class TaskProfile:
    """The facts that a scripted agent needs about a task; the rest is in the brief and in the tools' answers.

    Attributes:
        type_id: The approval type to request.
        kind: The kind of the ticket's record.
        title: Pattern of the ticket's title; its group is the record's name.
        mark: The field that distinguishes records with the same name.
        fields: What a request states, given the record and the metrics.
        metrics: Names of metrics that it states in addition to the policy's.
        company_wide: Whether the policy's metric belongs to the whole company, not to a record.
        instead: The action to take, given ticket and record, if the metric is below the policy's minimum.
        form: Title of the form that every case has; empty: there are no forms, and nothing is on hold.
        exclusions: Title of the exclusion list, which names the cases on hold.
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
