"""The conversation of one episode; its oldest tool results are left out when a prompt becomes too long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .endpoint import Exchange, ModelReply, Picture

OMITTED: Final = "[This result was left out to save space.]"
#: The pictures of a prompt: those of the latest results.
MOST_PICTURES: Final = 3


@dataclass
class _Played:
    """A reply, its actions that are not yet played, and the results so far."""

    reply: ModelReply
    waiting: list[dict[str, Any]]
    results: list[str] = field(default_factory=list)
    picture: Picture | None = None
    is_omitted: bool = False


class ChatHistory:
    """The replies of an episode and their results.

    Attributes:
        task: The first message to the model.
        omitted: How many results are left out of prompts.
    """

    def __init__(self, task: str, picture: Picture | None = None) -> None:
        self.task = task
        self._task_picture = picture
        self.omitted = 0
        self._played: list[_Played] = []

    def add_reply(self, reply: ModelReply, actions: Sequence[dict[str, Any]]) -> None:
        """Add a reply; its actions wait to be played."""
        self._played.append(_Played(reply, list(actions)))

    def next_action(self) -> dict[str, Any] | None:
        """Return the next action of the latest reply, once each; None if all were played."""
        waiting = self._played[-1].waiting if self._played else []
        return waiting.pop(0) if waiting else None

    def add_result(self, result: str, picture: Picture | None = None) -> None:
        """Add the result of the latest action, and what the agent's window shows of it."""
        self._played[-1].results.append(result)
        self._played[-1].picture = picture

    @property
    def task_picture(self) -> Picture | None:
        """The picture of the first message; None if there is none, or it is no longer in view."""
        return self._task_picture if len(self._played) < MOST_PICTURES else None

    def exchanges(self) -> Sequence[Exchange]:
        """Return the exchanges that a prompt contains, oldest first."""
        out_of_view = len(self._played) - MOST_PICTURES
        return [
            Exchange(played.reply, [OMITTED] * len(played.results))
            if played.is_omitted
            else Exchange(played.reply, played.results, played.picture if index >= out_of_view else None)
            for index, played in enumerate(self._played)
        ]

    def omit_oldest(self) -> bool:
        """Leave out the oldest results still in prompts, or, if none are left, the oldest exchange.

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
