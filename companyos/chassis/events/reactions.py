"""Reactions: a service's handlers for events of other services and for its own due events.

An `Event` is a fact that a service publishes; other services react to it through a small view of their own. A
`Due` is a service's note to itself for a later simulated time. Both are applied at most once per world.
"""

from __future__ import annotations

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
        self._events: dict[str, tuple[type[Event], list[Reaction]]] = {}
        self._due: dict[str, tuple[type[Due], Reaction]] = {}

    @classmethod
    def merged(cls, *parts: Reactions) -> Reactions:
        """Return the reactions of all parts of a service.

        Raises:
            ValueError: Two parts use different views of one event, or handle due events of the same name.
        """
        merged = cls()
        for part in parts:
            for event, reactions in part._events.values():
                for reaction in reactions:
                    merged.on(event)(reaction)
            for due, reaction in part._due.values():
                merged.due(due)(reaction)
        return merged

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
        """Register a handler of an event of another service.

        Several handlers of one event share its view, run in one transaction, and must commute.

        Raises:
            ValueError: Another handler uses a different view of the event.
        """
        view, reactions = self._events.setdefault(event.NAME, (event, []))
        if view is not event:
            raise ValueError(f"{event.NAME} is seen as {view.__qualname__} and as {event.__qualname__}")

        def register(
            reaction: Callable[[E, UnitOfWork], Awaitable[None]],
        ) -> Callable[[E, UnitOfWork], Awaitable[None]]:
            reactions.append(reaction)
            return reaction

        return register

    def due(
        self, due: type[D]
    ) -> Callable[[Callable[[D, UnitOfWork], Awaitable[None]]], Callable[[D, UnitOfWork], Awaitable[None]]]:
        """Register the handler of a due event.

        Raises:
            ValueError: It already has a handler.
        """
        if due.NAME in self._due:
            raise ValueError(f"{due.NAME} has two handlers")

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
        view, reactions = self._events[name]
        event = view.model_validate(payload)
        for reaction in reactions:
            await reaction(event, unit)

    async def come_due(self, name: str, payload: dict[str, Any], unit: UnitOfWork) -> None:
        """Run the handler of a due event."""
        due, reaction = self._due[name]
        await reaction(due.model_validate(payload), unit)
