"""The wire types of messages. Agents read every description here as part of the tools."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from companyos.chassis import Body, Key, Name, PageQuery, SimTime, Text, View

MessageId = Annotated[Key, Path()]


class MessagesQuery(PageQuery):
    """Which messages to list."""

    q: Name | None = Field(None, description="Text in subject or body.")
    about: Key | None = Field(None, description="Id of the object they are about.")
    sender: Key | None = Field(None, description="Person id of the sender.")
    limit: int = Field(20, ge=1, le=200, description="The most items to return.")


class WriteMessage(Body):
    """A message to a colleague."""

    to: Key = Field(description="Person id of the recipient.")
    about: Key = Field(description="Id of the object it is about, such as `V-104`.")
    body: Text = Field(description="The message.")


class MessageLine(View):
    """A message as the mailbox shows it."""

    id: str = Field(description="Id of the message; datahub_get_message takes it as `message_id`.")
    sender: str = Field(description="Person id of the sender, or an address outside the company.")
    recipient: str = Field(description="Person id of the recipient, or the team whose mailbox it is.")
    sent_at: SimTime = Field(description="When it was sent.")
    subject: str = Field(description="Its subject.")
    about: str | None = Field(description="Id of the object it is about, if one is named.")
    is_read: bool = Field(description="Whether you have read it.")


class MessageView(View):
    """A message."""

    id: str = Field(description="Id of the message.")
    thread: str = Field(description="Id of the first message of its thread.")
    sender: str = Field(description="Person id of the sender, or an address outside the company.")
    recipient: str = Field(description="Person id of the recipient, or the team whose mailbox it is.")
    sent_at: SimTime = Field(description="When it was sent.")
    subject: str = Field(description="Its subject.")
    about: str | None = Field(description="Id of the object it is about, if one is named.")
    body: str = Field(description="Its text.")
