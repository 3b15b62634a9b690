"""Tools by which an agent looks after events that a service has not applied: every service that reacts to any has them.

They say what is there, not why. What an agent brings or mends comes on the world's clock, before its next call: it is
the clock's doing then, as any delivery is.
"""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field

from .errors import InvalidRequest, ServiceError
from .held import Held, Waiting, digest
from .http import InWorld, ToolRouter
from .views import Body, Key, Page, PageOf, PageQuery, SimTime, View, page_of

Value = str | int | float | bool | None


class DeadLetterUnknown(ServiceError):
    """Nothing of that id was set aside here."""

    status_code = 404
    code = "dead_letter_unknown"

    def __init__(self, letter_id: str) -> None:
        super().__init__(
            f"There is no dead letter {letter_id!r}. list_dead_letters has those there are.",
            field="letter_id",
        )


class CorrectionWrong(ServiceError):
    """The event with these corrections is not the one that was published."""

    status_code = 422
    code = "correction_wrong"

    def __init__(self, held: Held) -> None:
        super().__init__(
            f"With these corrections the event is not what {held.publisher} signed. Look {held.object!r} up in "
            f"{held.publisher} and give the field that `error` names the value it has there.",
            field="corrections",
        )


class UndeliveredView(View):
    """An event that has reached this service and is not applied yet."""

    id: str = Field(description="Id of the event.")
    event: str = Field(validation_alias="name", description="What happened.")
    object_id: str = Field(
        validation_alias="object", description="What it is about; replay_events takes it as `object_id`."
    )
    publisher: str = Field(description="The service that announced it, and where the fact can be read.")
    since: SimTime = Field(validation_alias="at", description="When it was announced.")


class DeadLetterView(UndeliveredView):
    """An event that could not be applied and was set aside."""

    id: str = Field(description="Id of the dead letter; redrive_dead_letter takes it as `letter_id`.")
    error: str = Field(description="Which field could not be read, and why.")
    deliveries: int = Field(description="How often it was tried.")
    payload: dict[str, Any] = Field(description="The event as it arrived.")


class ReplayView(View):
    """What a replay comes to."""

    object_id: str = Field(description="What the events are about.")
    coming: list[str] = Field(description="Ids of the events that are applied before your next call.")
    waiting: list[str] = Field(
        description="Ids of those that cannot come yet: wait, or see list_dead_letters."
    )


class Corrections(Body):
    """Right values of the fields that could not be read."""

    corrections: dict[Key, Value] = Field(
        description="Right values by field of the payload.", min_length=1, max_length=20
    )


class ObjectBody(Body):
    """An object of which events are to come."""

    object_id: Key = Field(description="What the events are about, such as a ticket, a metric or a request.")


class ObjectQuery(PageQuery):
    """Which events to list."""

    object_id: str | None = Field(None, max_length=100, description="Only those about this object.")


LetterId = Annotated[str, Path(description="Id of a dead letter, from list_dead_letters.")]

router = ToolRouter(prefix="/deliveries", tags=["deliveries"])


@router.get(
    "/undelivered",
    response_model=Page[UndeliveredView],
    summary="List events that this service has not applied yet",
    description="Use it when this service does not know yet what another one shows, for example when a request still "
    "waits for a ticket that is verified. What is listed comes by itself in time, or at once by replay_events.",
)
async def list_undelivered(query: Annotated[ObjectQuery, Query()], unit: InWorld) -> dict[str, Any]:
    waiting = await Waiting.of(unit)
    found = [held for held in waiting.all if held.letter is None]
    return _page([held for held in found if query.object_id in (None, held.object)], query)


@router.post(
    "/replay",
    response_model=ReplayView,
    summary="Have the events about an object delivered now",
    description="Use it when list_undelivered names events about the object and you do not want to wait for them. They "
    "are applied before your next call. Events behind a dead letter wait until that is redriven.",
)
async def replay_events(body: ObjectBody, unit: InWorld) -> dict[str, Any]:
    waiting = await Waiting.of(unit)
    about = [held for held in waiting.all if held.object == body.object_id and held.letter is None]
    waiting.bring(about, "replay")
    coming = [held.id for held in waiting.ready() if held.object == body.object_id]
    left = [held.id for held in about if held.id not in coming]
    return {"object_id": body.object_id, "coming": coming, "waiting": left}


@router.get(
    "/dead-letters",
    response_model=Page[DeadLetterView],
    summary="List events that could not be applied and were set aside",
    description="Use it when this service does not move although list_undelivered shows nothing that would come, or "
    "events that wait behind others. A dead letter stays until you mend it with redrive_dead_letter.",
)
async def list_dead_letters(query: PageOf, unit: InWorld) -> dict[str, Any]:
    waiting = await Waiting.of(unit)
    page = _page([held for held in waiting.all if held.letter is not None], query)
    return {**page, "items": [_letter(held) for held in page["items"]]}


@router.post(
    "/dead-letters/{letter_id}/redrive",
    response_model=UndeliveredView,
    summary="Mend an event that was set aside, and have it delivered now",
    description="Look the object up in the service that published the event and give the field that `error` names the "
    "value it has there. The event and those that wait behind it are applied before your next call.",
)
async def redrive_dead_letter(letter_id: LetterId, body: Corrections, unit: InWorld) -> Held:
    waiting = await Waiting.of(unit)
    held = next((held for held in waiting.all if held.letter is not None and held.id == letter_id), None)
    if held is None or held.letter is None:
        raise DeadLetterUnknown(letter_id)
    mended = {**held.payload, **body.corrections}
    if digest(mended) != held.letter.digest:
        raise CorrectionWrong(held)
    waiting.mend(held, mended)
    return held


def _letter(held: Held) -> dict[str, Any]:
    assert held.letter is not None
    own = {"error": held.letter.error, "deliveries": held.letter.deliveries, "publisher": held.publisher}
    return {**vars(held), **own}


def _page(items: list[Held], query: PageQuery) -> dict[str, Any]:
    """Return a page of what waits, in the order recorded."""
    ids = [held.id for held in items]
    if query.cursor is not None and query.cursor not in ids:
        raise InvalidRequest(
            "That event does not wait any more. List again without a cursor.", field="cursor"
        )
    start = 0 if query.cursor is None else ids.index(query.cursor) + 1
    return page_of(items[start : start + query.limit], query.limit)
