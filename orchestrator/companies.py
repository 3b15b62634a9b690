"""Episodes' companies in memory: graded state up to a step, made again from the records where it is not at hand."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from companyos.chaos import FaultId, History

from .beginnings import Beginnings
from .catalog import Catalog
from .faults.account import Account
from .faults.memory import Memory
from .grading import Progress
from .problems import ScenarioChanged, StepsLost
from .records import Episode, changes_of, outside_of
from .store import Store

#: Room for ten thousand open episodes: one whose company is not kept reads all its steps again before the next.
MOST_KEPT = 16_384
#: Episodes that are over whose company is kept for who looks at their grade; most are never looked at again.
MOST_ENDED = 64
#: Episodes whose last answered step is remembered, which takes next to nothing.
MOST_ANSWERED = 65_536

#: An episode's id and the number of its world.
Names = tuple[str, int]

K = TypeVar("K")
V = TypeVar("V")


@dataclass
class Company:
    """One episode's graded state, and what the fault plan must know of it.

    Attributes:
        hash: Hash of the record of its step, by which a step that a crash undid is known; empty at step 0.
        account: What came of its faults; None where nothing can go wrong.
        memory: What faults depend on of what went before; None where nothing can go wrong.
    """

    step: int
    progress: Progress
    hash: str = ""
    history: History = field(default_factory=History)
    account: Account | None = None
    memory: Memory | None = None

    def copy(self) -> Company:
        """Return a company of its own that stands where this one does."""
        account = None if self.account is None else self.account.copy()
        memory = None if self.memory is None else self.memory.copy()
        return Company(self.step, self.progress.copy(), self.hash, self.history.copy(), account, memory)

    def forgets(self, episode: Episode) -> bool:
        """Return whether it was told of steps when nothing could go wrong yet, and now something can."""
        return self.memory is None and episode.is_eventful

    def note(self, record: Mapping[str, Any]) -> None:
        """Take in what a step's record says of faults: those it met, and what later ones depend on."""
        attempts, landed = self.history.attempts, self.history.landed
        for fault in record["faults"]:
            if fault["state"] == "armed":
                continue
            where = tuple(fault["where"])
            landed.setdefault((FaultId(fault["fault"]), where), record["step"])
            if list(where) == list(record["call"] or ()):
                attempts[where] = attempts.get(where, 0) + 1
        if self.memory is not None:
            self.memory.note(record)

    def replay(self, record: Mapping[str, Any]) -> None:
        """Take in a step from its record."""
        step = record["step"]
        if record["violation"] is not None:
            self.progress.note_violation(step, record["violation"])
        self.progress.replay(step, changes_of(record), outside_of(record))
        self.note(record)
        if self.account is not None:
            self.account.note(record, self.progress.view)
        self.step, self.hash = step, record["hash"]


class Companies:
    """The companies of the episodes this process served last."""

    def __init__(self, store: Store, beginnings: Beginnings) -> None:
        self._store = store
        self._beginnings = beginnings
        # Under both its names: a database that crashed may give a world's number out again.
        self._kept: OrderedDict[Names, Company] = OrderedDict()
        self._ended: OrderedDict[Names, Company] = OrderedDict()
        self._answered: OrderedDict[Names, int] = OrderedDict()

    async def take(self, episode: Episode, catalog: Catalog) -> Company:
        """Return the company of an episode as of its last step, out of the cache.

        Who takes it gives it back with `keep` once what it did to it is committed, and not otherwise.

        Raises:
            ScenarioChanged: The episode's beginning cannot be generated any more.
        """
        names = _names(episode)
        company = self._kept.pop(names, None) or self._ended.pop(names, None) or self._branched(episode)
        if company is None or company.forgets(episode) or not await self._caught_up(company, episode):
            company = await self._anew(episode, catalog)
            await self._caught_up(company, episode)
        if company.account is None and episode.is_eventful:
            company.account = Account(company.progress.instance.troubles)
        return company

    def refuse_lost(self, episode: Episode) -> None:
        """Refuse to go on with an episode whose trainer does not say where it stands, after more steps than it has.

        Raises:
            StepsLost: The database remembers fewer steps than this process does.
        """
        if self.remember_more(episode):
            raise StepsLost(
                "database", "it forgot steps that were answered (COMPANYOS_DURABILITY=full prevents it)"
            )

    def remember_more(self, episode: Episode) -> bool:
        """Return whether more steps of an episode were answered here than its row tells."""
        return self._answered.get(_names(episode), 0) > episode.step

    def keep(self, episode: Episode, company: Company, *, ended: bool) -> None:
        """Put a company into the cache; the one unused for longest leaves a full one."""
        if ended:
            _put(self._ended, _names(episode), company, MOST_ENDED)
        else:
            _put(self._kept, _names(episode), company, MOST_KEPT)

    async def forget_unused(self) -> None:
        """Forget the companies of worlds in which nobody plays any more: closed, left, or ended elsewhere."""
        kept = list(self._kept)
        open_ones = await self._store.open_worlds({episode_id for episode_id, _ in kept})
        for names in kept:
            if names not in open_ones:
                self._kept.pop(names, None)

    def note_answered(self, episode: Episode, step: int) -> None:
        """Remember how far an episode has come, which is what its trainer knows of it."""
        _put(self._answered, _names(episode), step, MOST_ANSWERED)

    async def _caught_up(self, company: Company, episode: Episode) -> bool:
        """Take in the steps since; return whether the company is the episode's, and not of steps that a crash undid."""
        since = company.step < episode.step
        for record in await self._store.records(episode, after=company.step) if since else ():
            if company.hash not in ("", record["previous"]):
                return False
            company.replay(record)
        return company.step == episode.step and company.hash in ("", episode.hash)

    def _branched(self, episode: Episode) -> Company | None:
        """Return a copy of the company of the world that the episode itself left frozen below this one."""
        names = (episode.id, episode.lineage[-1]) if episode.lineage else None
        frozen = names and (self._kept.get(names) or self._ended.get(names))
        return frozen.copy() if frozen else None

    async def _anew(self, episode: Episode, catalog: Catalog) -> Company:
        beginning = await self._beginnings.of(episode.start)
        if beginning.opening.base != episode.base:
            raise ScenarioChanged("scenario", f"{episode.start.scenario} changed since the episode began")
        company = Company(0, Progress(beginning.instance, beginning.base, catalog.journals))
        if episode.is_eventful:
            company.account, company.memory = Account(beginning.instance.troubles), Memory()
        return company


def _names(episode: Episode) -> Names:
    return episode.id, episode.world


def _put(cache: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    if len(cache) > most:
        cache.popitem(last=False)
