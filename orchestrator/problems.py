"""What the orchestrator answers when it says no: refusals with a stable code, and the outages that can be retried."""

from __future__ import annotations


class Refusal(Exception):
    """A request the orchestrator does not carry out; the episode is as it was before.

    Attributes:
        status: HTTP status of the answer (404, 409, 422, 429 or 503).
        code: Stable machine-readable code, the `type` of the problem document.
        detail: What is wrong and what would make it right, for people and models.
        field: The part of the request at fault, or None.
        retryable: True when the same request, sent again unchanged, may succeed.
    """

    def __init__(
        self, status: int, code: str, detail: str, *, field: str | None = None, retryable: bool = False
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.retryable = retryable
