"""What a process remembers of the commits of its steps: the episodes after them, and those without an answer.

A claim keeps two processes from carrying out two steps of one episode at once. A step that changes no service does no
harm if another is carried out beside it, so it is enough that its commit finds the episode unchanged. If the commit
does not, or a service fails, the step is played once more, under a claim.

If the database does not answer a commit, the step may have been played, which is found out and never guessed. A trainer
that numbers its steps is told by the record of that number. An agent does not number its calls, so the number is
remembered here for the next call with the same action.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..protocol.problems import Outage
from ..protocol.records import Claim, StepOutcome
from ..protocol.trace import digest

#: An episode takes about a kilobyte.
MOST_KNOWN = 4_096
#: Each takes a few hundred bytes.
MOST_UNANSWERED = 4_096


class KnownEpisodes:
    """The episodes whose last steps this process committed, least recently used first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Claim] = OrderedDict()

    def take(self, episode_id: str) -> Claim | None:
        """Return the next step of an episode, unclaimed, and forget it; others may have played it since."""
        return self._known.pop(episode_id, None)

    def note(self, claim: Claim, outcome: StepOutcome) -> None:
        """Note a committed step."""
        before = claim.episode
        if outcome.record["done"] or before.put is not None:
            return
        self._known[before.id] = Claim(before.after(outcome), claim.epoch)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)


@dataclass(frozen=True)
class UnansweredCommit:
    """A step whose commit was sent.

    Attributes:
        world: The world of its episode.
        step: Its number.
        action: Digest of its action.
        agent: Digest of the agent's token; None for the trainer.
    """

    world: int
    step: int
    action: str
    agent: str | None


class UnansweredCommits:
    """The unanswered commits of this process, the last one of each episode, oldest first."""

    def __init__(self) -> None:
        self._commits: OrderedDict[str, UnansweredCommit] = OrderedDict()

    @contextmanager
    def noted(self, claim: Claim, outcome: StepOutcome, agent: str | None) -> Iterator[None]:
        """Commit a step in the block; an outage there is noted."""
        try:
            yield
        except Outage:
            action = digest(outcome.record["action"])
            episode, step = claim.episode, outcome.record["step"]
            self._commits[episode.id] = UnansweredCommit(episode.world, step, action, agent)
            if len(self._commits) > MOST_UNANSWERED:
                self._commits.popitem(last=False)
            raise

    def forget(self, episode_id: str) -> None:
        """Forget the commit of an episode: a later step was claimed or committed."""
        self._commits.pop(episode_id, None)

    def repeated(self, episode_id: str, action: str, agent: str | None) -> UnansweredCommit | None:
        """Return the commit that the same player repeats with this action, or None."""
        commit = self._commits.get(episode_id)
        return commit if commit is not None and (commit.action, commit.agent) == (action, agent) else None
