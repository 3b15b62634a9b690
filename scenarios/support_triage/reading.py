"""Parsers for the documents of support."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.simtime import MINUTE

from .content import DEFECTS, FAILURE, PRIORITIES, QUESTIONS, Topic
from .pack import CONTRACT
from .rulebook import CHAPTER, URGENCIES

_WITHDRAWAL: Final = re.compile(r"never mind|please ignore|no longer need", re.IGNORECASE)
#: What customers ask about, by the prefix of the number that they name.
_TOPICS: Final = {topic.prefix: topic for topic in (*QUESTIONS, FAILURE, *DEFECTS)}
_THING: Final = re.compile(rf"\b({'|'.join(_TOPICS)})-(\d{{4}})\b")


@dataclass(frozen=True)
class Chapter:
    """The handbook's chapter on the support queue, as read.

    Attributes:
        services: Names of the services that run exports.
        routes: The queue by subject, in the wording of the table.
        matrix: The priority of a tier and an urgency.
        answer_s: How soon a first answer is due by tier and priority.
    """

    services: tuple[str, str]
    limit: float
    code: str
    routes: Mapping[str, str]
    matrix: Mapping[tuple[str, str], str]
    answer_s: Mapping[tuple[str, str], int]

    def queue(self, *words: str) -> str:
        """Return the queue in the table row that contains all these words."""
        return next(queue for about, queue in self.routes.items() if all(word in about for word in words))


def read_chapter(body: str) -> Chapter:
    """Return the rules that a chapter states."""
    stated = CHAPTER.read(body)
    return Chapter(
        (stated["first"], stated["second"]),
        stated["limit"],
        stated["frozen"],
        {row["about"]: row["queue"] for row in stated["routes"]},
        {(row["tier"], urgency): row[urgency] for row in stated["matrix"] for urgency in URGENCIES},
        {(row["tier"], one): row[one] * MINUTE for row in stated["levels"] for one in PRIORITIES},
    )


def thing_of(ticket: Mapping[str, Any], comments: Sequence[str] = ()) -> tuple[Topic, str] | None:
    """Return what a ticket is about as its topic and full name, or None if it does not say.

    Args:
        ticket: The ticket.
        comments: What its reporter has written since; the last other thing that they name counts.
    """
    found = _THING.search(f"{ticket['title']} {ticket['description']}")
    named = [one for text in comments for one in _THING.finditer(text)]
    others = [one for one in named if found is None or one[0] != found[0]]
    last = others[-1] if others else found
    return (_TOPICS[last[1]], last[0]) if last else None


def is_withdrawal(text: str) -> bool:
    """Say whether a customer takes their question back."""
    return _WITHDRAWAL.search(text) is not None


def tier_of(contract: Mapping[str, Any]) -> str:
    """Return the tier of a contract."""
    return str(CONTRACT.read(str(contract["body"]))["tier"])


def section(body: str, name: str) -> str:
    """Return the text below a heading."""
    return body.partition(f"## {name}\n")[2].partition("\n## ")[0]
