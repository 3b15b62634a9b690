"""Reactions: a service's handlers for events of other services and for its own due events.

An `Event` is a fact that a service publishes; other services react to it through a small view of their own. A `Due`
is a service's note to itself for a later simulated time. Both are applied at most once in a world.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ..world.messages import Due, Event
from ..world.work import UnitOfWork

E = TypeVar("E", bound=Event)
D = TypeVar("D", bound=Due)
Reaction = Callable[[Any, UnitOfWork], Awaitable[None]]


class Reactions:
    """A service's handlers for events and due events."""

    def __init__(self) -> None:
        self._events: dict[str, tuple[type[Event], Reaction]] = {}
        self._due: dict[str, tuple[type[Due], Reaction]] = {}

    @property
    def consumed(self) -> list[str]:
        """Names of the consumed events, sorted."""
        return sorted(self._events)

    def view(self, name: str) -> type[Event]:
        """Return this service's view of an event it consumes."""
        return self._events[name][0]

    def on(
        self, event: type[E]
    ) -> Callable[[Callable[[E, UnitOfWork], Awaitable[None]]], Callable[[E, UnitOfWork], Awaitable[None]]]:
        """Register the handler of an event of another service."""

        def register(
            reaction: Callable[[E, UnitOfWork], Awaitable[None]],
        ) -> Callable[[E, UnitOfWork], Awaitable[None]]:
            self._events[event.NAME] = (event, reaction)
            return reaction

        return register

    def due(
        self, due: type[D]
    ) -> Callable[[Callable[[D, UnitOfWork], Awaitable[None]]], Callable[[D, UnitOfWork], Awaitable[None]]]:
        """Register the handler of a due event."""

        def register(
            reaction: Callable[[D, UnitOfWork], Awaitable[None]],
        ) -> Callable[[D, UnitOfWork], Awaitable[None]]:
            self._due[due.NAME] = (due, reaction)
            return reaction

        return register

    async def react(self, name: str, payload: dict[str, Any], unit: UnitOfWork) -> None:
        """Apply an event of another service.

        Raises:
            KeyError: This service does not consume events of that name.
        """
        event, reaction = self._events[name]
        await reaction(event.model_validate(payload), unit)

    async def come_due(self, name: str, payload: dict[str, Any], unit: UnitOfWork) -> None:
        """Run the handler of a due event."""
        due, reaction = self._due[name]
        await reaction(due.model_validate(payload), unit)
