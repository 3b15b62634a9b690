"""Episodes as this process last committed them, so that a step that only reads needs no claim.

A claim keeps two processes from carrying out two steps of one episode at once. A step that changes no service does no
harm if another is carried out beside it, so it is enough that its commit finds the episode unchanged. If the commit
does not, or a service fails, the step is played once more, under a claim.
"""

from __future__ import annotations

from collections import OrderedDict

from ..agent.actions import Action, CallTool
from ..agent.toolsets import Toolset
from ..protocol.records import Episode, KnownEpisode, StepOutcome

#: An episode takes about a kilobyte.
MOST_KNOWN = 4_096


def only_reads(action: Action, episode: Episode, tools: Toolset) -> bool:
    """Return whether a step only reads: a reading call, before which nothing is due, and not the last step."""
    tool = tools.get(action.tool_name) if isinstance(action, CallTool) else None
    if tool is None or not tool.service or not tool.reads or episode.step + 1 >= episode.start.max_steps:
        return False
    return not any(due is not None and due <= episode.now + tool.tick for due in episode.due.values())


class KnownEpisodes:
    """The episodes whose last steps this process committed, least recently used first."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, KnownEpisode] = OrderedDict()

    def take(self, episode_id: str) -> KnownEpisode | None:
        """Return an episode as it was, and forget it; others may have changed or replaced it since."""
        return self._known.pop(episode_id, None)

    def note(self, before: Episode, outcome: StepOutcome, epoch: str) -> None:
        """Note a committed step."""
        if outcome.done or before.put is not None:
            return
        self._known[before.id] = KnownEpisode(before.after(outcome), epoch)
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
