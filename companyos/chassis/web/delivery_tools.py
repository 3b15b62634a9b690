"""Tools for undelivered events, offered by every service that consumes events.

They show the state of delivery, not its cause. An event that an agent replays or redrives is delivered by the
world's clock, before the agent's next call. `{service}` in the descriptions stands for the service's name.
"""

from operator import attrgetter
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field

from ..errors import ServiceError
from ..events.deferred import DeadLetter, DeferredEvent, DeferredEvents, digest
from ..world.pages import page_after
from .http import InWorld, ToolRouter
from .views import Body, Key, Page, PageOf, PageQuery, Scalar, SimTime, View, page_of


class DeadLetterUnknown(ServiceError):
    """No dead letter has this id."""

    status_code = 404
    code = "dead_letter_unknown"

    def __init__(self, letter_id: str, service: str) -> None:
        tool = f"{service}_list_dead_letters"
        super().__init__(
            f"No dead letter has this id: {letter_id!r}. Find ids with {tool}.",
            field="letter_id",
            remedy=tool,
        )


class CorrectionWrong(ServiceError):
    """The corrected event differs from the published one."""

    status_code = 422
    code = "correction_wrong"

    def __init__(self, deferred: DeferredEvent, letter: DeadLetter) -> None:
        super().__init__(
            f"The corrected event does not match what {deferred.publisher} published. Look the object up there, and "
            f"give the field named in `error` the value it has there: {deferred.object!r}.",
            field="corrections",
            required_field=letter.field,
        )


class UndeliveredView(View):
    """An event that has not been applied yet."""

    id: str = Field(validation_alias="public_id", description="Id of the event.")
    event: str = Field(validation_alias="name", description="What happened.")
    object_id: str = Field(
        validation_alias="object",
        description="Id of its object; {service}_replay_events takes it as `object_id`.",
    )
    publisher: str = Field(description="The service that published it, where the fact can be read.")
    since: SimTime = Field(validation_alias="at", description="When it was published.")


class DeadLetterView(UndeliveredView):
    """An event that could not be applied and was set aside."""

    id: str = Field(
        validation_alias="public_id",
        description="Id of the dead letter; {service}_redrive_dead_letter takes it as `letter_id`.",
    )
    error: str = Field(description="Which field could not be read, and why.")
    required_field: str = Field(description="The field to correct.")
    deliveries: int = Field(description="Number of attempts.")
    payload: dict[str, Any] = Field(description="The event as it arrived.")


class ReplayView(View):
    """The effect of a replay."""

    object_id: str = Field(description="Id of the object that the events are about.")
    coming: list[str] = Field(description="Ids of the events that arrive before your next call.")
    waiting: list[str] = Field(
        description="Ids of those that cannot arrive yet: wait, or see {service}_list_dead_letters."
    )


class Corrections(Body):
    """Correct values of the fields that could not be read."""

    corrections: dict[Key, Scalar] = Field(
        description="Correct values by field.", min_length=1, max_length=20
    )


class ObjectBody(Body):
    """The object whose events are to arrive."""

    object_id: Key = Field(description="Such as a ticket or metric.")


class ObjectQuery(PageQuery):
    """Which events to list."""

    object_id: Key | None = None


LetterId = Annotated[Key, Path()]

router = ToolRouter(prefix="/deliveries", tags=["deliveries"])


@router.get(
    "/undelivered",
    response_model=Page[UndeliveredView],
    summary="List events that have not arrived here",
    description="Use it when this service does not show yet what another one shows.",
)
async def list_undelivered(query: Annotated[ObjectQuery, Query()], unit: InWorld) -> dict[str, Any]:
    waiting = await DeferredEvents.of(unit)
    found = [deferred for deferred in waiting.all if deferred.letter is None]
    about = [deferred for deferred in found if query.object_id in (None, deferred.object)]
    return await _page(waiting, about, query)


@router.post(
    "/replay",
    response_model=ReplayView,
    summary="Deliver the events about an object now",
    description="They arrive before your next call; those behind a dead letter wait until it is redriven.",
)
async def replay_events(body: ObjectBody, unit: InWorld) -> dict[str, Any]:
    waiting = await DeferredEvents.of(unit)
    about = [
        deferred for deferred in waiting.all if deferred.object == body.object_id and deferred.letter is None
    ]
    waiting.replay(about, "replay")
    coming = [deferred.public_id for deferred in waiting.ready() if deferred.object == body.object_id]
    left = [deferred.public_id for deferred in about if deferred.public_id not in coming]
    return {"object_id": body.object_id, "coming": coming, "waiting": left}


@router.get(
    "/dead-letters",
    response_model=Page[DeadLetterView],
    summary="List events that could not be applied",
    description="Each stays until {service}_redrive_dead_letter corrects it.",
)
async def list_dead_letters(query: PageOf, unit: InWorld) -> dict[str, Any]:
    waiting = await DeferredEvents.of(unit)
    letters = [deferred for deferred in waiting.all if deferred.letter is not None]
    page = await _page(waiting, letters, query)
    return {**page, "items": [_letter(deferred) for deferred in page["items"]]}


@router.post(
    "/dead-letters/{letter_id}/redrive",
    response_model=UndeliveredView,
    summary="Correct and deliver a dead letter",
    description="Give its `required_field` the value that the publishing service shows. The event arrives before your "
    "next call.",
)
async def redrive_dead_letter(letter_id: LetterId, body: Corrections, unit: InWorld) -> DeferredEvent:
    waiting = await DeferredEvents.of(unit)
    deferred = next(
        (
            deferred
            for deferred in waiting.all
            if deferred.letter is not None and deferred.public_id == letter_id
        ),
        None,
    )
    if deferred is None or deferred.letter is None:
        raise DeadLetterUnknown(letter_id, unit.internals.schema)
    mended = {**deferred.payload, **body.corrections}
    if digest(mended) != deferred.letter.digest:
        raise CorrectionWrong(deferred, deferred.letter)
    waiting.redrive(deferred, mended)
    return deferred


def _letter(deferred: DeferredEvent) -> dict[str, Any]:
    assert deferred.letter is not None
    letter = {"error": deferred.letter.error, "required_field": deferred.letter.field}
    own = {**letter, "deliveries": deferred.letter.deliveries, "publisher": deferred.publisher}
    return {**vars(deferred), **own, "public_id": deferred.public_id}


async def _page(waiting: DeferredEvents, items: list[DeferredEvent], query: PageQuery) -> dict[str, Any]:
    """Return a page of deferred events, in the order recorded."""
    last = await waiting.ever_deferred(query.cursor) if query.cursor else None
    page = page_of(page_after(items, last, query.limit, place=attrgetter("place")), query.limit)
    return page if page["next_cursor"] is None else {**page, "next_cursor": page["items"][-1].public_id}
