"""Trace verification: whether records were altered, by their hashes alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..protocol.trace import FORMAT, first_hash, links, next_hash, seal

Trace = Sequence[Mapping[str, Any]]


class NotATrace(ValueError):
    """The document is not a trace of this format; the message says why."""


def checked(document: Any) -> Trace:
    """Return a document as a trace: its head, then the records of steps 1, 2, … in order.

    Raises:
        NotATrace: The document is something else, or has another version of the format.
    """
    if not isinstance(document, list) or not document or not all(isinstance(one, dict) for one in document):
        raise NotATrace("A trace is a list of records, as GET /episodes/{id}/trace returns it.")
    if document[0].get("step") != 0 or "observation" not in document[0]:
        raise NotATrace("The first record is not the head of a trace: it lacks step 0 or an observation.")
    if document[0].get("format") != FORMAT:
        format_version = document[0].get("format", 1)
        raise NotATrace(
            f"The trace has format {format_version}, and this release reads format {FORMAT}. "
            "Use the release that wrote it."
        )
    return document


def broken_links(trace: Trace) -> list[str]:
    """Return the breaks in the chain of hashes, in words; empty if nothing was altered."""
    return list(_broken_links(trace))


def _broken_links(trace: Trace) -> Iterator[str]:
    head, *steps = trace
    first = previous = first_hash(head)
    begins, ends = links(head, first), {part["until"]: part["last_hash"] for part in head.get("earlier", ())}
    if head.get("hash") != first:
        yield "head: the start does not match its hash"
    for number, record in enumerate(steps, start=1):
        previous = begins.get(number, previous)
        if record.get("step") != number:
            yield f"step {number}: the record in its place says step {record.get('step')}"
        if record.get("previous") != previous:
            yield f"step {number}: does not follow the record before it"
        if record.get("hash") != next_hash(str(record.get("previous")), record):
            yield f"step {number}: the record does not match its hash"
        previous = str(record.get("hash"))
        if ends.get(number, previous) != previous:
            yield f"step {number}: the earlier part does not end with it"
    if len(steps) < max(ends, default=0):
        yield f"head: the earlier parts have {max(ends)} steps, and the trace {len(steps)}"
    previous = begins.get(len(steps) + 1, previous)
    if head.get("seal") != seal(head, previous):
        yield "seal: the trace does not match its seal"
