"""How an agent finds and reads the documents of the desk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companyos.sdk.documents import facts_of
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, effective_at

from .documents import BACK, COVER, COVER_ENDED, RULES, RULES_TITLE, STAYS
from .spending import TYPES

Document = Mapping[str, Any]


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
    ended_code: str
    setup_hours: int = 0


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
            since = effective_at(document)
            versions.append(facts_of(Rules, {**RULES.read(document["body"]), "since": since}))
    return sorted(versions, key=lambda rules: -rules.since)


def read_cover(me: Skills, heads_name: str) -> Play[Cover]:
    """Return the absent approver's newest letter of cover."""
    letters = yield from me.documents("cover", "letter", limit=50)
    signed = [one for one in letters if one["status"] != "draft"]
    cover = yield from me.statement(
        signed, COVER, is_meant=lambda letter: (letter["head"], letter["me_id"]) == (heads_name, me.id)
    )
    if cover is None:
        raise LookupError("there is no letter of cover")
    return facts_of(Cover, {**cover.fields, "limits": {type_id: cover.fields[type_id] for type_id in TYPES}})


def read_ending(me: Skills, heads_name: str) -> Play[str | None]:
    """Return the id of the minutes that ended the cover, or None if the newest minutes say that it holds."""
    minutes = yield from me.documents("cover", "minutes", limit=50)
    newest = yield from me.statement(
        minutes, BACK, COVER_ENDED, STAYS, is_meant=lambda news: news["head"] == heads_name
    )
    return None if newest is None or newest.wording is STAYS else newest.paper_id


def supplier_of(quote: Document) -> str:
    """Return the supplier who made an offer."""
    return str(quote["body"]).partition(" offers:")[0]


def is_excluded(item: str, excluded: Sequence[str]) -> bool:
    """Return whether a line item is among what the rules exclude, which they name in the plural."""
    return any(item.casefold().startswith(name.casefold().removesuffix("s")) for name in excluded)
