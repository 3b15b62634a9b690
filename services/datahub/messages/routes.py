"""Messages over HTTP. Agents read each route's summary and description as the tool's description."""

from typing import Annotated, Any

from fastapi import Query

from companyos.chassis import InWorld, Page, ToolRouter, page_of

from .models import Message
from .schemas import MessageId, MessageLine, MessagesQuery, MessageView, WriteMessage
from .service import Messages

messages = ToolRouter(prefix="/messages", tags=["messages"])


@messages.get(
    "",
    response_model=Page[MessageLine],
    summary="List your messages",
    description="Shows those to you, to your team and from you, newest first, without their text: "
    "datahub_get_message returns that.",
)
async def list_messages(query: Annotated[MessagesQuery, Query()], unit: InWorld) -> dict[str, Any]:
    return page_of(await Messages(unit).page(**query.model_dump()), query.limit)


@messages.post(
    "",
    response_model=MessageView,
    status_code=201,
    summary="Write to a colleague",
    description="Ask one thing about one object, or answer a question. The reply arrives in your messages after a "
    "while, or on the colleague's return; people know what concerns their own work, and can be wrong.",
)
async def message_colleague(body: WriteMessage, unit: InWorld) -> Message:
    return await Messages(unit).write(to=body.to, about=body.about, body=body.body)


@messages.post(
    "/{message_id}/read",
    idempotent=True,
    response_model=MessageView,
    summary="Read a message",
    description="Returns its text. What a sender claims is not checked by anybody.",
)
async def get_message(message_id: MessageId, unit: InWorld) -> Message:
    return await Messages(unit).read(message_id)
