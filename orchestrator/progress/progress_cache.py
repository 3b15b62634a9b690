"""A cache of episodes' progress: graded state up to a step, rebuilt from the records on a miss."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from companyos.sdk.chaos import FaultId, History

from ..grading.grader import Grader
from ..protocol.problems import ScenarioChanged, StepsForgotten
from ..protocol.records import Episode
from ..protocol.trace_records import written_of
from ..services.catalog import Catalog
from ..storage.store import Store
from ..worlds.instances import Instances
from ..worlds.scenario_code import failures_named
from .fault_account import FaultAccount
from .fault_memory import FaultMemory

#: Enough for ten thousand open episodes; a miss reads all records of an episode before its next step.
MOST_KEPT = 16_384
#: Finished episodes kept for requests for their grade; most are never requested.
MOST_ENDED = 64
#: Episodes whose last answered step is remembered, which takes very little memory.
MOST_ANSWERED = 65_536

#: An episode's id and the number of its world.
Names = tuple[str, int]

K = TypeVar("K")
V = TypeVar("V")


@dataclass
class EpisodeProgress:
    """An episode's graded state, and the state that the fault plan needs.

    Attributes:
        hash: Hash of its step's record, which reveals a step that a crash undid; empty at step 0.
        account: The states of its faults; None without faults.
        memory: The state that faults depend on; None without faults.
    """

    step: int
    grader: Grader
    hash: str = ""
    history: History = field(default_factory=History)
    account: FaultAccount | None = None
    memory: FaultMemory | None = None

    def copy(self) -> EpisodeProgress:
        """Return an independent copy."""
        account = None if self.account is None else self.account.copy()
        memory = None if self.memory is None else self.memory.copy()
        return EpisodeProgress(self.step, self.grader.copy(), self.hash, self.history.copy(), account, memory)

    def forgets(self, episode: Episode) -> bool:
        """Return whether it has no fault memory although faults are possible now."""
        return self.memory is None and episode.is_eventful

    def note(self, record: Mapping[str, Any]) -> None:
        """Apply the faults in a step's record, and the state that later faults depend on."""
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
        """Apply a recorded step."""
        step = record["step"]
        if record["violation"] is not None:
            self.grader.note_violation(step, record["violation"])
        self.grader.advance(step, written_of(record))
        self.note(record)
        if self.account is not None:
            self.account.note(record, self.grader.view)
        self.step, self.hash = step, record["hash"]


class ProgressCache:
    """The progress of the episodes that this process served last."""

    def __init__(self, store: Store, instances: Instances) -> None:
        self._store = store
        self._instances = instances
        # Keyed by id and world, because after a crash the database may reuse a world's number.
        self._kept: OrderedDict[Names, EpisodeProgress] = OrderedDict()
        self._ended: OrderedDict[Names, EpisodeProgress] = OrderedDict()
        self._answered: OrderedDict[Names, int] = OrderedDict()

    async def take(self, episode: Episode, catalog: Catalog) -> EpisodeProgress:
        """Return the progress of an episode as of its last step, and remove it from the cache.

        Put it back with `keep`, but only after the step is committed.

        Raises:
            ScenarioChanged: The episode's instance can no longer be generated.
            GraderFailed: A predicate of the scenario raised.
        """
        names = _names(episode)
        progress = (
            self._kept.pop(names, None) or self._ended.pop(names, None) or self._branch_progress(episode)
        )
        if progress is None or progress.forgets(episode) or not await self._caught_up(progress, episode):
            progress = await self._anew(episode, catalog)
            await self._caught_up(progress, episode)
        progress.grader.since = episode.start.played
        if progress.account is None and episode.is_eventful:
            progress.account = FaultAccount(progress.grader.instance.faults)
        return progress

    def refuse_lost(self, episode: Episode) -> None:
        """Refuse an unnumbered step of an episode that has lost answered steps.

        Raises:
            StepsForgotten: The database has fewer steps than this process answered.
        """
        if self.remember_more(episode):
            raise StepsForgotten(
                "database", "it forgot steps that were answered (COMPANYOS_DURABILITY=full prevents it)"
            )

    def remember_more(self, episode: Episode) -> bool:
        """Return whether this process answered more steps of an episode than its row has."""
        return self._answered.get(_names(episode), 0) > episode.step

    def keep(self, episode: Episode, progress: EpisodeProgress, *, ended: bool) -> None:
        """Put progress into the cache, evicting the least recently used when full."""
        if ended:
            _put(self._ended, _names(episode), progress, MOST_ENDED)
        else:
            _put(self._kept, _names(episode), progress, MOST_KEPT)

    async def forget_unused(self) -> None:
        """Forget the progress of worlds that are closed, replaced, or ended elsewhere."""
        kept = list(self._kept)
        open_ones = await self._store.open_worlds({episode_id for episode_id, _ in kept})
        for names in kept:
            if names not in open_ones:
                self._kept.pop(names, None)

    def note_answered(self, episode: Episode, step: int) -> None:
        """Remember the last step for which the trainer got an answer."""
        _put(self._answered, _names(episode), step, MOST_ANSWERED)

    async def _caught_up(self, progress: EpisodeProgress, episode: Episode) -> bool:
        """Apply later steps; return False if the progress includes steps that a crash undid."""
        since = progress.step < episode.step
        for record in await self._store.records(episode, after=progress.step) if since else ():
            begins = record["step"] in episode.start.begins
            if progress.hash not in ("", record["previous"]) and not begins:
                return False
            with failures_named(episode.start.scenario):
                progress.replay(record)
        begins = episode.step + 1 in episode.start.begins
        return progress.step == episode.step and (progress.hash in ("", episode.hash) or begins)

    def _branch_progress(self, episode: Episode) -> EpisodeProgress | None:
        """Return a copy of the progress in the frozen world below this one."""
        names = (episode.id, episode.lineage[-1]) if episode.lineage else None
        frozen = names and (self._kept.get(names) or self._ended.get(names))
        return frozen.copy() if frozen else None

    async def _anew(self, episode: Episode, catalog: Catalog) -> EpisodeProgress:
        prepared = await self._instances.of(episode.start)
        if prepared.initial_state.base != episode.base:
            changed = f"{episode.start.scenario} changed since the episode began; restore its code, or reset"
            raise ScenarioChanged("scenario", changed)
        with failures_named(episode.start.scenario):
            grader = Grader(
                prepared.instance, prepared.base, catalog.journals, catalog.maintained, prepared.reads
            )
        progress = EpisodeProgress(0, grader)
        if episode.is_eventful:
            progress.account, progress.memory = FaultAccount(prepared.instance.faults), FaultMemory()
        return progress


def _names(episode: Episode) -> Names:
    return episode.id, episode.world


def _put(cache: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    if len(cache) > most:
        cache.popitem(last=False)
