"""The rows of the inbox: line items of requests, questions to requesters, and their hidden answers."""

from companyos.chassis import world_table

from ..models import metadata
from .domain import Topic


@world_table(metadata, "line_items", indexes=[("request_id",)])
class LineItem:
    """A line item of a request; id `<request>-L<n>`."""

    id: str
    request_id: str
    text: str
    quantity: int
    unit_price: float
    amount: float


@world_table(
    metadata,
    "questions",
    indexes=[("request_id",)],
    maintained=("asked_by", "asked_at", "due_at", "answered_at", "answer"),
)
class Question:
    """A question of an approver to a requester; id `<request>-Q<n>`.

    Attributes:
        due_at: When the requester answers.
        answer: The answer; None until then.
    """

    id: str
    request_id: str
    about: Topic
    text: str
    asked_by: str
    asked_at: int
    due_at: int
    answered_at: int | None = None
    answer: str | None = None


@world_table(metadata, "answers", hidden=True)
class Answer:
    """A requester's future answer to a question; id `<request>:<topic>`. Not shown before it is given.

    Attributes:
        delay_s: How long they take to answer.
        attaches: Reference of the document that they attach to the request with the answer, if any.
    """

    id: str
    text: str
    delay_s: int
    attaches: str | None = None
