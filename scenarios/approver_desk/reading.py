"""How an agent finds and reads the documents of the desk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companyos.sdk.asking import Asker, Play
from companyos.sdk.simtime import from_iso

from .documents import BACK, COVER, COVER_ENDED, RULES, RULES_TITLE, STAYS
from .pack import INVOICE, PURCHASE, TRAINING

Document = Mapping[str, Any]


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


def read_rules(me: Asker) -> Play[list[Rules]]:
    """Return the versions of the rules of spending that were ever in force, newest first."""
    versions = []
    for found in (yield from search(me, "spending rules of the units", "policy")):
        if found["status"] in ("in_force", "superseded") and found["title"] == RULES_TITLE:
            document = yield from text_of(me, found)
            versions.append(_rules(document))
    return sorted(versions, key=lambda rules: -rules.since)


def read_cover(me: Asker, head: str) -> Play[Cover]:
    """Return the absent approver's newest letter of cover."""
    for found in (yield from search(me, "cover", "letter")):
        if found["status"] == "draft":
            continue
        letter = yield from text_of(me, found)
        if letter["author"] == head and me.id in letter["body"]:
            return _cover(letter["body"])
    raise LookupError("there is no letter of cover")


def read_ending(me: Asker, heads_name: str) -> Play[str | None]:
    """Return the id of the minutes that ended the cover, or None if the newest minutes say that it holds."""
    for found in (yield from search(me, "cover", "minutes")):
        body = (yield from text_of(me, found))["body"]
        if any(one["head"] == heads_name for news in (BACK, COVER_ENDED) for one in news.find(body)):
            return str(found["id"])
        if any(one["head"] == heads_name for one in STAYS.find(body)):
            return None
    return None


def supplier_of(quote: Document) -> str:
    """Return the supplier who made an offer."""
    return str(quote["body"]).partition(" offers:")[0]


def is_excluded(item: str, excluded: Sequence[str]) -> bool:
    """Return whether a line item is among what the rules exclude, which they name in the plural."""
    return any(item.casefold().startswith(name.casefold().removesuffix("s")) for name in excluded)


def _rules(document: Document) -> Rules:
    fields = RULES.read(document["body"])
    return Rules(
        since=from_iso(document["effective_from"] or document["written_at"]),
        quotes_from=fields["quotes"],
        window_days=fields["window"],
        excluded=tuple(fields["excluded"]),
        setup_hours=fields.get("hours"),
        ended_code=fields["ended"],
    )


def _cover(body: str) -> Cover:
    fields = next(iter(COVER.find(body)))
    limits = {PURCHASE: fields["purchase"], INVOICE: fields["invoice"], TRAINING: fields["training"]}
    return Cover(limits, fields["second_id"], fields["apart"], fields["keeper_id"])
