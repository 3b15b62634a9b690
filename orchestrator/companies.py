"""Episodes' companies in memory: graded state up to a step, made again from the records where it is not at hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .beginnings import Beginnings
from .catalog import Catalog
from .grading import Progress
from .problems import ScenarioChanged
from .records import Episode, Operation, changes_of, outside_of
from .store import Store

MOST_KEPT = 4096


@dataclass
class Company:
    """One episode's graded state, and how often each operation was called and failed."""

    step: int
    progress: Progress
    attempts: dict[Operation, int] = field(default_factory=dict)
    incidents: set[Operation] = field(default_factory=set)

    def copy(self) -> Company:
        """Return a company of its own that stands where this one does."""
        return Company(self.step, self.progress.copy(), dict(self.attempts), set(self.incidents))

    def note_call(self, call: Operation | None, *, failed: bool) -> None:
        """Count an attempt at an operation; none where nothing was called."""
        if call is not None:
            self.attempts[call] = self.attempts.get(call, 0) + 1
            self.incidents |= {call} if failed else set()

    def replay(self, record: Mapping[str, Any]) -> None:
        """Take in a step from its record."""
        step = record["step"]
        if record["violation"] is not None:
            self.progress.note_violation(step, record["violation"])
        self.progress.replay(step, changes_of(record), outside_of(record))
        self.note_call(tuple(record["call"]) if record["call"] else None, failed=bool(record["faults"]))
        self.step = step


class Companies:
    """The companies of the episodes this process served last."""

    def __init__(self, store: Store, beginnings: Beginnings) -> None:
        self._store = store
        self._beginnings = beginnings
        self._kept: OrderedDict[int, Company] = OrderedDict()

    async def take(self, episode: Episode, catalog: Catalog) -> Company:
        """Return the company of an episode as of its last step, out of the cache.

        Who takes it gives it back with `keep` once what it did to it is committed, and not otherwise.

        Raises:
            ScenarioChanged: The episode's beginning cannot be generated any more.
        """
        company = self._kept.pop(episode.world, None)
        if company is None or company.step > episode.step:
            company = self._branched(episode) or await self._anew(episode, catalog)
        if company.step < episode.step:
            for record in await self._store.records(episode, after=company.step):
                company.replay(record)
        return company

    def keep(self, episode: Episode, company: Company) -> None:
        """Put a company into the cache; the one unused for longest leaves a full one."""
        self._kept[episode.world] = company
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)

    def _branched(self, episode: Episode) -> Company | None:
        """Return a copy of the company of the world this one began above; nobody plays that one any more."""
        frozen = self._kept.get(episode.lineage[-1]) if episode.lineage else None
        return None if frozen is None else frozen.copy()

    async def _anew(self, episode: Episode, catalog: Catalog) -> Company:
        beginning = await self._beginnings.of(episode.start)
        if beginning.digest != episode.base:
            raise ScenarioChanged("scenario", f"{episode.start.scenario} changed since the episode began")
        return Company(0, Progress(beginning.instance, beginning.base, catalog.journals))
