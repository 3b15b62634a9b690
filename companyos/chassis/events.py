"""Events between services and on the simulated clock, and the reactions to both.

An `Event` is a fact a service publishes; others react to it with a small view of their own. A `Due` is a
service's note to itself for a later simulated time. Both are applied at most once in a world.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from .work import UnitOfWork


class _Message(BaseModel):
    # A consumer names only the fields it needs, so what it does not know is left out.
    model_config = ConfigDict(frozen=True, extra="ignore")

    NAME: ClassVar[str]


class Event(_Message):
    """A fact that other services may react to; `NAME` is `<noun>.<past participle>`.

    Attributes:
        OBJECT: The field that names the object it is about; events about one object keep their order.
        FACTS: Fields of a consumer's view whose values the publisher's tools show of that object, whatever happens
            to it later: what a dead letter can be mended with.
        INSTANTS: Fields of a consumer's view that hold instants on which nothing depends.
    """

    OBJECT: ClassVar[str] = ""
    FACTS: ClassVar[tuple[str, ...]] = ()
    INSTANTS: ClassVar[tuple[str, ...]] = ()

    @property
    def about(self) -> str:
        """Id of the object it is about; empty where it says none."""
        return str(getattr(self, self.OBJECT)) if self.OBJECT else ""


class Due(_Message):
    """Something a service will do at a simulated time; `NAME` is a verb."""


E = TypeVar("E", bound=Event)
D = TypeVar("D", bound=Due)
Reaction = Callable[[Any, "UnitOfWork"], Awaitable[None]]


class Reactions:
    """What a service does when an event arrives or one of its due events comes up."""

    def __init__(self) -> None:
        self._events: dict[str, tuple[type[Event], Reaction]] = {}
        self._due: dict[str, tuple[type[Due], Reaction]] = {}

    @property
    def consumed(self) -> list[str]:
        """Names of the events reacted to, sorted."""
        return sorted(self._events)

    def view(self, name: str) -> type[Event]:
        """Return this service's view of an event that it reacts to."""
        return self._events[name][0]

    def on(
        self, event: type[E]
    ) -> Callable[
        [Callable[[E, "UnitOfWork"], Awaitable[None]]], Callable[[E, "UnitOfWork"], Awaitable[None]]
    ]:
        """Register the reaction to an event of another service."""

        def register(
            reaction: Callable[[E, "UnitOfWork"], Awaitable[None]],
        ) -> Callable[[E, "UnitOfWork"], Awaitable[None]]:
            self._events[event.NAME] = (event, reaction)
            return reaction

        return register

    def due(
        self, due: type[D]
    ) -> Callable[
        [Callable[[D, "UnitOfWork"], Awaitable[None]]], Callable[[D, "UnitOfWork"], Awaitable[None]]
    ]:
        """Register what happens when a due event comes up."""

        def register(
            reaction: Callable[[D, "UnitOfWork"], Awaitable[None]],
        ) -> Callable[[D, "UnitOfWork"], Awaitable[None]]:
            self._due[due.NAME] = (due, reaction)
            return reaction

        return register

    async def react(self, name: str, payload: dict[str, Any], unit: "UnitOfWork") -> None:
        """Apply an event of another service.

        Raises:
            KeyError: This service does not consume events of that name.
        """
        event, reaction = self._events[name]
        await reaction(event.model_validate(payload), unit)

    async def come_due(self, name: str, payload: dict[str, Any], unit: "UnitOfWork") -> None:
        """Do what was scheduled under this name."""
        due, reaction = self._due[name]
        await reaction(due.model_validate(payload), unit)
