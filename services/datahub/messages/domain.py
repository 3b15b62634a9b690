"""The rules by which a colleague answers a message. Everything here is pure."""

from collections.abc import Collection, Sequence
from typing import Final, Protocol

#: How long people take to say that they do not know, in simulated seconds.
NOTHING_KNOWN_S: Final = 7200


class Fact(Protocol):
    """What a person knows about an object, and the question that they ask first."""

    about: str
    body: str
    delay_s: int
    question: str | None
    needs: str | None


def fact_asked_for(known: Sequence[Fact], about: str, mentioned: Collection[str]) -> Fact | None:
    """Return the fact that a message about an object asks for, or None.

    It is the one about the object, or else the one whose question the message answers.

    Args:
        known: What the recipient knows.
        about: The object that the message is about.
        mentioned: The objects that the sender has written to the recipient about so far, including this one.
    """
    answered = (fact for fact in known if fact.needs == about and fact.about in mentioned)
    return next((fact for fact in known if fact.about == about), None) or next(answered, None)


def delay(fact: Fact | None) -> int:
    """Return how long the recipient takes to answer, in simulated seconds."""
    return NOTHING_KNOWN_S if fact is None else fact.delay_s


def answer(fact: Fact | None, about: str, mentioned: Collection[str]) -> str:
    """Return the answer: the fact, a question that must be answered first, or that nothing is known."""
    if fact is None:
        return f"I know nothing about {about}, sorry. Perhaps somebody else does."
    if fact.question is not None and fact.needs not in mentioned:
        return fact.question
    return fact.body


def subject_line(about: str) -> str:
    """Return the subject of a new message about an object."""
    return f"About {about}"


def reply_line(subject: str) -> str:
    """Return the subject of an answer."""
    return subject if subject.startswith("Re: ") else f"Re: {subject}"
