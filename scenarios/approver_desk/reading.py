"""How an agent finds and reads the documents of the desk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills
from companyos.sdk.simtime import from_iso

from .documents import BACK, COVER, COVER_ENDED, RULES, RULES_TITLE, STAYS
from .pack import TYPES

Document = Mapping[str, Any]
#: The fields of an edition of the rules.
_STATED: Final = ("quotes_from", "window_days", "excluded", "setup_hours", "ended_code")


@dataclass(frozen=True)
class Rules:
    """One version of the rules of spending, as documented.

    Attributes:
        since: When it came into force.
        setup_hours: The most setup hours of a set of requests that is approved; 0 if it settles no sets.
    """

    since: int
    quotes_from: float
    window_days: int
    excluded: Sequence[str]
    setup_hours: int
    ended_code: str


@dataclass(frozen=True)
class Cover:
    """A letter of cover: how far it extends, and who decides the rest."""

    limits: Mapping[str, float]
    second: str
    apart: str
    keeper: str


def read_rules(me: Skills) -> Play[list[Rules]]:
    """Return the versions of the rules of spending that were ever in force, newest first."""
    versions = []
    for found in (yield from me.documents("spending rules of the units", "policy", limit=50)):
        if found["status"] in ("in_force", "superseded") and found["title"] == RULES_TITLE:
            document = yield from me.ask("datahub_get_document", document_id=found["id"])
            fields = {"setup_hours": 0, **RULES.read(document["body"])}
            since = from_iso(document["effective_from"] or document["written_at"])
            versions.append(Rules(since, **{name: fields[name] for name in _STATED}))
    return sorted(versions, key=lambda rules: -rules.since)


def read_cover(me: Skills, head: str) -> Play[Cover]:
    """Return the absent approver's newest letter of cover."""
    for found in (yield from me.documents("cover", "letter", limit=50)):
        if found["status"] == "draft":
            continue
        letter = yield from me.ask("datahub_get_document", document_id=found["id"])
        if letter["author"] == head and me.id in letter["body"]:
            fields = next(COVER.find(letter["body"]))
            limits = {type_id: fields[type_id] for type_id in TYPES}
            return Cover(limits, fields["second"], fields["apart"], fields["keeper"])
    raise LookupError("there is no letter of cover")


def read_ending(me: Skills, heads_name: str) -> Play[str | None]:
    """Return the id of the minutes that ended the cover, or None if the newest minutes say that it holds."""
    for found in (yield from me.documents("cover", "minutes", limit=50)):
        body = yield from me.text_of(found["id"])
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
