"""Parsers for the documents of support."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.simtime import MINUTE, from_iso

_WITHDRAWAL: Final = re.compile(r"never mind|please ignore|no longer need", re.IGNORECASE)
_THING: Final = re.compile(r"\b(INV|CARD|KEY|ARC|EXP|IMP|CAL)-(\d{4})\b")
#: Search terms by the prefix of the number that a customer names.
SEARCHES: Final[Mapping[str, str]] = {
    "INV": "copy invoice",
    "CARD": "payment card",
    "KEY": "API key",
    "ARC": "data kept",
    "EXP": "exports arrive empty",
}
#: The handbook's terms for the subjects of tickets, and for a defect.
ABOUT: Final[Mapping[str, str]] = {
    "INV": "invoices",
    "CARD": "payment cards",
    "KEY": "API keys",
    "ARC": "how long data is kept",
}
DEFECTS: Final[Mapping[str, str]] = {"IMP": "Imports", "CAL": "Calendar"}


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
    """Parse the rules of a chapter."""
    services = _match(r"Exports run on (.+?) and (.+?)\. Read", body)
    limit, code = _match(r"above (\d+) % is down", body), _match(r"with the code `(\w+)`", body)
    levels = {key: int(cell.split()[0]) * MINUTE for key, cell in _table(body, "The first answer").items()}
    routes = _rows(body, "Where a ticket goes")
    return Chapter(
        (services[1], services[2]),
        float(limit[1]),
        code[1],
        {row[0]: row[1].strip("`") for row in routes[1:]},
        _table(body, "Priority"),
        levels,
    )


def thing_of(ticket: Mapping[str, Any], comments: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return what a ticket is about as its series and full name, or None if it does not say.

    Args:
        ticket: The ticket.
        comments: What its reporter has written since; the last other thing that they name counts.
    """
    found = _THING.search(f"{ticket['title']} {ticket['description']}")
    named = [one for text in comments for one in _THING.finditer(text)]
    others = [one for one in named if found is None or one[0] != found[0]]
    last = others[-1] if others else found
    return (last[1], last[0]) if last else None


def is_withdrawal(text: str) -> bool:
    """Say whether a customer takes their question back."""
    return _WITHDRAWAL.search(text) is not None


def tier_of(contract: Mapping[str, Any]) -> str:
    """Return the tier of a contract."""
    return _match(r"Support tier: (\w+)", str(contract["body"]))[1]


def effective_at(document: Mapping[str, Any]) -> int:
    """Return when a document takes effect."""
    return from_iso(document["effective_from"] or document["written_at"])


def section(body: str, name: str) -> str:
    """Return the text below a heading."""
    return body.partition(f"## {name}\n")[2].partition("\n## ")[0]


def _rows(body: str, heading: str) -> list[list[str]]:
    lines = [line for line in section(body, heading).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if not set(row[0]) <= {"-"}]


def _table(body: str, heading: str) -> dict[tuple[str, str], str]:
    head, *rows = _rows(body, heading)
    return {(row[0], column): cell for row in rows for column, cell in zip(head[1:], row[1:], strict=True)}


def _match(pattern: str, text: str) -> re.Match[str]:
    found = re.search(pattern, text)
    if found is None:
        raise LookupError(f"nothing like {pattern} is said")
    return found
