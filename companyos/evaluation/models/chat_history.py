"""The conversation of one episode, from which the oldest tool results are left out when a prompt becomes too long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .endpoint import Exchange, ModelReply

OMITTED: Final = "[This result was left out to save space.]"


@dataclass
class _Played:
    """A reply, those of its actions that are still to be played, and the results so far."""

    reply: ModelReply
    waiting: list[dict[str, Any]]
    results: list[str] = field(default_factory=list)
    is_omitted: bool = False


class ChatHistory:
    """The replies of an episode and their results.

    Attributes:
        task: What the model read first.
        omitted: Results that are left out of prompts.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self.omitted = 0
        self._played: list[_Played] = []

    def add_reply(self, reply: ModelReply, actions: Sequence[dict[str, Any]]) -> None:
        """Add a reply; its actions wait to be played."""
        self._played.append(_Played(reply, list(actions)))

    def next_action(self) -> dict[str, Any] | None:
        """Return the next action of the latest reply, once each; None if all were played."""
        waiting = self._played[-1].waiting if self._played else []
        return waiting.pop(0) if waiting else None

    def add_result(self, result: str) -> None:
        """Add the result of the latest action."""
        self._played[-1].results.append(result)

    def exchanges(self) -> Sequence[Exchange]:
        """Return what a prompt tells of the episode, oldest first."""
        return [
            Exchange(played.reply, [OMITTED] * len(played.results) if played.is_omitted else played.results)
            for played in self._played
        ]

    def omit_oldest(self) -> bool:
        """Leave out the oldest results that are still in prompts, and once all are out, the oldest exchange.

        The latest results always stay. Returns whether there was anything to leave out.
        """
        earlier = self._played[:-1]
        for played in earlier:
            if not played.is_omitted:
                played.is_omitted = True
                self.omitted += len(played.results)
                return True
        if earlier:
            self._played.pop(0)
        return bool(earlier)
