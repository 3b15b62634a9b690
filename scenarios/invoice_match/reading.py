"""How an agent finds and reads the documents, mails and tickets about invoices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.documents import facts_of, read_any
from companyos.sdk.scripts.asking import Play
from companyos.sdk.scripts.skills import Skills, effective_at
from companyos.sdk.simtime import DAY, from_iso, to_date

from . import words
from .documents import AMENDMENT, CHAPTER, STOP_BEGAN, STOP_ENDED, STOP_LASTS, TITLE, WITHDRAWAL
from .terms import Version

#: How many calls an agent spends waiting for an answer that is due.
_PATIENCE: Final = 6


@dataclass(frozen=True)
class Amendment:
    """An amendment or its withdrawal: for goods booked since when, each article's price and number of units.

    A withdrawn article has None for its price.
    """

    since: int
    prices: Mapping[str, tuple[float, int] | None]


@dataclass(frozen=True)
class Transfer:
    """A transfer for several invoices of a supplier: its amount in cents, and the midnight before it."""

    supplier_id: str
    cents: int
    midnight: int

    def days_after(self, invoiced_at: int) -> int:
        """Return how many days after an invoice's date the transfer was made."""
        return (self.midnight - invoiced_at // DAY * DAY) // DAY


def price_at(amendments: Sequence[Amendment], text: str, booked_at: int) -> tuple[float, int] | None:
    """Return an article's amended price for goods booked at a time; None if the order's price applies."""
    known = [one for one in amendments if text in one.prices and one.since <= booked_at]
    return max(known, key=lambda one: one.since).prices[text] if known else None


def read_rules(me: Skills) -> Play[tuple[Version, str]]:
    """Return the rules of the handbook's chapter in force, and its reason code for a payment stop."""
    where = {"title": TITLE}
    body = yield from me.document_text("matching supplier invoices", where=where, kind="handbook", limit=20)
    fields = CHAPTER.read(body)
    return facts_of(Version, fields), fields["stopped"]


def read_stop(me: Skills) -> Play[str | None]:
    """Return the id of the notice of a payment stop, or None if the newest notice says that it is over."""
    notices = yield from me.documents("payment stop", "notice", limit=20)
    newest = yield from me.statement(notices, STOP_ENDED, STOP_BEGAN, STOP_LASTS)
    return None if newest is None or newest.wording is STOP_ENDED else newest.paper_id


def read_amendments(me: Skills, supplier: str) -> Play[list[Amendment]]:
    """Return the price amendments in force of a supplier, and what was withdrawn of them."""
    title, amendments = f"price amendment {supplier}", []
    for found in (yield from me.documents(title, "amendment", status="in_force", limit=20)):
        if found["title"].endswith(f": {supplier}"):
            document = yield from me.ask("datahub_get_document", document_id=found["id"])
            since = effective_at(document)
            amendments.append(Amendment(since, _prices(document["body"])))
    return amendments


def read_transfers(me: Skills) -> Play[list[Transfer]]:
    """Return the transfers for several invoices that colleagues have written about."""
    mails = (yield from me.ask("datahub_list_messages", q="transfer", limit=50))["items"]
    transfers = []
    for mail in mails:
        is_ours = "@" not in mail["sender"] and mail["subject"].startswith("Transfer to ")
        if is_ours and (transfer := (yield from me.statement([mail], *words.TRANSFERS))):
            midnight = from_iso(f"{transfer.fields['day']}T00:00:00Z")
            transfers.append(Transfer(mail["about"], round(transfer.fields["amount"] * 100), midnight))
    return transfers


def is_called_back(me: Skills, supplier: str, phone: str, account: str) -> Play[bool]:
    """Return whether a closed ticket reports a call to this number that confirmed this account."""
    found = yield from me.ask("ticketdesk_search_tickets", q=supplier, kind="call_back")
    resolutions = [str(one["resolution"]) for one in found["items"] if one["status"] == "closed"]
    return any(phone in one and account in one for one in resolutions)


def read_answers(me: Skills, order_ids: set[str]) -> Play[dict[str, str]]:
    """Return the colleagues' answers about orders, and wait for answers that are due.

    Raises:
        LookupError: No answer came.
    """
    answers: dict[str, str] = {}
    for _ in range(_PATIENCE):
        for line in (yield from me.ask("datahub_list_messages", limit=50))["items"]:
            if line["about"] in order_ids - answers.keys() and line["sender"] != me.id:
                answers[line["about"]] = yield from me.text_of(line["id"])
        if order_ids <= answers.keys():
            return answers
        yield from me.wait_until(me.now + 3600)
    raise LookupError("nobody answers")


def booked_by(answer: str, now: int) -> int | None:
    """Return when a pending count will be booked, on the day of `now`; None if none is pending."""
    fields = read_any(words.COUNTING, answer)
    return None if fields is None else from_iso(f"{to_date(now)}T{fields['time']}:00Z")


def comes_later(answer: str) -> bool:
    """Return whether an answer says that the rest comes another day."""
    return read_any(words.LATER, answer) is not None


def _prices(body: str) -> dict[str, tuple[float, int] | None]:
    if (withdrawn := read_any([WITHDRAWAL], body)) is not None:
        return {withdrawn["text"]: None}
    return {one["text"]: (one["price"], one["per"]) for one in AMENDMENT.read(body)["prices"]}
