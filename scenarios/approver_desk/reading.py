"""How an agent finds and reads the documents of the desk."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.asking import Asker, Play
from companyos.sdk.simtime import from_iso

Document = Mapping[str, Any]

_PERSON: Final = r"[^()]*\(([a-z.]+)\)"
_AMOUNT: Final = r"([\d,]+) EUR"
#: The words for the approval types in a letter of cover.
_NAMED: Final = {
    "purchase_approval": "purchases",
    "invoice_approval": "invoices",
    "training_approval": "training",
}


@dataclass(frozen=True)
class Rules:
    """One version of the rules of spending, as documented.

    Attributes:
        since: When it came into force.
        setup_hours: The most setup hours of a set of requests that is approved; None if it settles no sets.
    """

    since: int
    quotes_from: float
    window_days: int
    excluded: tuple[str, ...]
    setup_hours: int | None
    ended_code: str


@dataclass(frozen=True)
class Cover:
    """A letter of cover: how far it extends, and who decides the rest."""

    limits: Mapping[str, float]
    second: str
    apart: str
    keeper: str


def search(me: Asker, q: str, kind: str, *, status: str | None = None) -> Play[list[Document]]:
    """Search for documents of a kind and return them, newest first, without their texts."""
    wanted = {"q": q, "kind": kind, **({"status": status} if status else {}), "limit": 50}
    found = yield from me.ask("datahub_search_documents", **wanted)
    return sorted(found["items"], key=lambda one: str(one["written_at"]), reverse=True)


def text_of(me: Asker, document: Document) -> Play[Document]:
    """Read a document."""
    read: Document = yield from me.ask("datahub_get_document", document_id=document["id"])
    return read


def read_rules(me: Asker, *, all_versions: bool) -> Play[list[Rules]]:
    """Return the versions of the rules of spending that were ever in force, newest first."""
    versions = []
    for found in (yield from search(me, "spending rules of the units", "policy")):
        wanted = ("in_force", "superseded") if all_versions else ("in_force",)
        if found["status"] in wanted and found["title"] == "Spending rules of the units":
            versions.append(_rules((yield from text_of(me, found))))
    return sorted(versions, key=lambda rules: -rules.since)


def read_cover(me: Asker, head: str) -> Play[Cover]:
    """Return the absent approver's newest letter of cover."""
    for found in (yield from search(me, "cover", "letter")):
        letter = yield from text_of(me, found)
        if letter["author"] == head and me.id in letter["body"]:
            return _cover(letter["body"])
    raise LookupError("there is no letter of cover")


def read_ending(me: Asker, heads_name: str) -> Play[str | None]:
    """Return the id of the minutes that ended the cover, or None if the newest minutes say that it holds."""
    for found in (yield from search(me, "cover", "minutes")):
        body = (yield from text_of(me, found))["body"]
        if f"cover for {heads_name} has ended" in body:
            return str(found["id"])
        if f"cover for {heads_name}" in body:
            return None
    return None


def supplier_of(quote: Document) -> str:
    """Return the supplier who made an offer."""
    return str(quote["body"]).partition(" offers:")[0]


def is_excluded(item: str, excluded: Sequence[str]) -> bool:
    """Return whether a line item is among what the rules exclude, which they name in the plural."""
    return any(item.casefold().startswith(name.casefold().removesuffix("s")) for name in excluded)


def _rules(document: Document) -> Rules:
    body = document["body"]
    excluded = _found(r"not bought this way: ([^.]+)\.", body)
    hours = re.search(r"setup hours add up to no more than the (\d+) hours", body)
    return Rules(
        since=from_iso(document["effective_from"] or document["written_at"]),
        quotes_from=_number(_found(rf"{_AMOUNT} or more", body)),
        window_days=int(_found(r"within (\d+) days", body)),
        excluded=tuple(re.split(r", | and ", excluded)),
        setup_hours=int(hours[1]) if hours else None,
        ended_code=_found(r"handed back \((\w+)\)", body),
    )


def _cover(body: str) -> Cover:
    limits = {type_id: _number(_found(rf"{name} up to {_AMOUNT}", body)) for type_id, name in _NAMED.items()}
    return Cover(
        limits=limits,
        second=_found(rf"above goes to {_PERSON}", body),
        apart=_found(r"cost centre (CC-\d+)", body),
        keeper=_found(rf"cost centre CC-\d+ goes to {_PERSON}", body),
    )


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise LookupError(f"the document says nothing like {pattern}")
    return found[1]


def _number(text: str) -> float:
    return float(text.replace(",", ""))
