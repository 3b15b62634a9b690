"""Phrases: the wording of tickets by kind, so that a task's ticket cannot be recognized by its form."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from companyos.sdk.draws import Draws

#: The most details that a ticket includes.
_MOST_DETAILS: Final = 3


@dataclass(frozen=True)
class Phrases:
    """The sentences that tickets of one kind are made of.

    Every sentence may name facts in braces: `name` (what the ticket is about), `team` (its reporter's team),
    `value` (a related metric with its unit). A ticket that lacks a fact gets no sentence that names it.

    Attributes:
        openings: The request itself; every ticket begins with one.
        details: Reasons and circumstances; a ticket has up to three.
        closings: Closing sentences; about half of the tickets have one.
    """

    openings: Sequence[str]
    details: Sequence[str] = ()
    closings: Sequence[str] = ()

    def describe(self, draws: Draws, ticket_id: str, facts: Mapping[str, str]) -> str:
        """Return the description of a ticket.

        Args:
            draws: The company's draws.
            ticket_id: The ticket, which decides the wording.
            facts: The facts that the sentences may name.
        """
        known = frozenset(facts)
        details = draws.shuffled("ticket.details", _possible(tuple(self.details), known), ticket_id)
        included = details[: draws.integer("ticket.told", 0, min(_MOST_DETAILS, len(details)), ticket_id)]
        sentences = [
            draws.choice("ticket.opening", _possible(tuple(self.openings), known), ticket_id),
            *included,
        ]
        if self.closings and draws.chance("ticket.closes", 0.5, ticket_id):
            sentences.append(
                draws.choice("ticket.closing", _possible(tuple(self.closings), known), ticket_id)
            )
        return " ".join(sentences).format_map(facts)


@cache
def _possible(sentences: tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    """Return the sentences that name only known facts."""
    return tuple(sentence for sentence in sentences if _fact_names(sentence) <= known)


def _fact_names(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def names(text: str) -> tuple[str, ...]:
    """Return the names of a text, which have several words each and are separated by commas."""
    return tuple(name.strip() for name in text.split(","))


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, for lists of names."""
    return tuple(text.split())
