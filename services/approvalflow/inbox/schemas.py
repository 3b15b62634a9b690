"""The wire types of the inbox. Agents read every description here as part of the tools."""

from typing import Annotated

from pydantic import Field

from companyos.chassis import AnyCase, Body, Key, SimTime, Text, View

from ..domain import Status
from ..schemas import AttachmentView, ExpectedVersion
from .domain import Choice, ReasonCode, Topic

AnyChoice = Annotated[Choice, Field(strict=False), AnyCase]
AnyReasonCode = Annotated[ReasonCode, Field(strict=False), AnyCase]
AnyTopic = Annotated[Topic, Field(strict=False), AnyCase]


class DecideRequest(Body):
    """A decision."""

    decision: AnyChoice = Field(description="`approve` or `reject`.")
    reason_code: AnyReasonCode | None = Field(None, description="Required to reject; left out to approve.")
    comment: Text | None = Field(None, description="For the requester.")
    version: ExpectedVersion = None


class AskRequester(Body):
    """A question to the requester."""

    question: Text = Field(description="What you need to know or to have.")
    about: AnyTopic = Field(description="The topic.")
    version: ExpectedVersion = None


class PassOn(Body):
    """The person who is to decide instead."""

    to: Key = Field(description="Person id.")
    reason: Text = Field(description="Kept on record.")
    version: ExpectedVersion = None


class InboxItemView(View):
    """A request that waits for a decision."""

    id: str = Field(description="Id of the request; the other tools take it as `request_id`.")
    type: str = Field(description="Its approval type.")
    requester: str = Field(description="Person id of the requester.")
    approver: str = Field(description="Person id of the approver: you, or an absent person you stand in for.")
    status: Status = Field(description="`pending`, or `escalated` to another approver.")
    submitted_at: SimTime = Field(description="When it was made.")
    version: int = Field(description="Grows by one with every change.")


class LineItemView(View):
    """One thing that a request asks for."""

    text: str = Field(description="What it is.")
    quantity: int = Field(description="How many.")
    unit_price: float = Field(description="Price of one.")
    amount: float = Field(description="Price of all.")


class QuestionView(View):
    """A question to a requester."""

    id: str = Field(description="Id of the question.")
    request_id: str = Field(description="The request it is about.")
    about: Topic = Field(description="The topic.")
    text: str = Field(description="The question.")
    asked_by: str = Field(description="Person id of who asked.")
    asked_at: SimTime = Field(description="When it was asked.")
    due_at: SimTime = Field(description="When the requester answers.")
    answered_at: SimTime | None = Field(description="When it was answered; null until then.")
    answer: str | None = Field(description="The answer; null until then.")


class DossierView(View):
    """A request with all that was handed in about it."""

    id: str = Field(description="Id of the request.")
    type: str = Field(description="Its approval type.")
    policy_version: int = Field(description="Version of the policy it was made under.")
    status: Status = Field(description="Its status.")
    requester: str = Field(description="Person id of the requester.")
    approver: str = Field(description="Person id of the approver.")
    submitted_at: SimTime = Field(description="When it was made.")
    fields: dict[str, str | int | float | bool | None] = Field(description="The values stated, by field.")
    line_items: list[LineItemView] = Field(description="What it asks for, item by item.")
    attachments: list[AttachmentView] = Field(description="The attachments.")
    questions: list[QuestionView] = Field(description="Questions to the requester, with the answers so far.")
    version: int = Field(description="Grows by one with every change of the request.")
