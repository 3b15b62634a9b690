"""Notices that change how a feed is checked, each for some days only."""

from dataclasses import dataclass

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import DAY, to_date

from . import texts
from .estate import Feed


@dataclass(frozen=True)
class Days:
    """The first and the last day on which a notice applies, counted from the day on which work starts.

    Attributes:
        to_close: Whether the last day is the close of the ledger, which the area's calendar dates.
    """

    first: int
    last: int
    to_close: bool = False

    def of(self, company: Company) -> dict[str, str]:
        """Return both as the notice words them."""
        last = texts.THE_CLOSE if self.to_close else _date(company, self.last)
        return {"first": _date(company, self.first), "last": last}


def draw_days(draws: Draws, name: str, *, applies: bool, to_close: bool = False) -> Days:
    """Draw days that include today, or else days that are over or yet to come.

    Those that end with the close of the ledger have begun.
    """
    if applies:
        first, last = -draws.integer("days.since", 15, 30, name), draws.integer("days.for", 5, 25, name)
        return Days(first, last, to_close)
    if to_close or draws.chance("days.over", 0.6, name):
        first, last = -draws.integer("days.since", 25, 45, name), -draws.integer("days.ended", 2, 9, name)
        return Days(first, last, to_close)
    return Days(draws.integer("days.begin", 3, 9, name), draws.integer("days.for", 20, 40, name))


def add_ledger_notice(
    company: Company,
    author: Person,
    feed: Feed,
    days: Days,
    amount: float,
    cause: str,
    *,
    status: str = "in_force",
    supersedes: str | None = None,
) -> Row:
    """Add the notice of an amount that the ledger holds on top of a feed, or lacks if it is negative."""
    facts = {"holds": amount > 0, "amount": abs(amount), "cause": cause}
    body = texts.LEDGER_NOTICE.write(**_named(feed), **days.of(company), **facts)
    return company.add_document(
        "notice",
        f"Ledger item: {feed.record['name']}",
        "Data",
        author,
        body,
        age_s=_written(days),
        status=status,
        supersedes=supersedes,
        links=[feed.record["id"]],
    )


def add_count_notice(company: Company, author: Person, feed: Feed, days: Days, state: str) -> Row:
    """Add the notice that rows in another state count as well."""
    body = texts.COUNT_NOTICE.write(**_named(feed), **days.of(company), state=state)
    return company.add_document(
        "notice",
        f"Rows that count: {feed.record['name']}",
        "Data",
        author,
        body,
        age_s=_written(days),
        links=[feed.record["id"]],
    )


def add_calendar(company: Company, author: Person, area: str, close: int, before: int) -> Row:
    """Add the calendar that dates the close of an area's ledger, and the edition before, with another day."""

    def edition(day: int, age_s: int, status: str, supersedes: str | None = None) -> Row:
        body = texts.CALENDAR.write(area=area, day=_date(company, day))
        title = f"Close of the ledger: {area}"
        return company.add_document(
            "calendar", title, "Finance", author, body, age_s=age_s, status=status, supersedes=supersedes
        )

    earlier = edition(before, 60 * DAY, "superseded")
    return edition(close, 14 * DAY, "in_force", earlier["id"])


def _date(company: Company, day: int) -> str:
    return to_date(company.start + day * DAY)


def _named(feed: Feed) -> dict[str, str]:
    return {"feed": feed.record["name"], "feed_id": feed.record["id"]}


def _written(days: Days) -> int:
    """Return the age of a notice: it is written shortly before it begins to apply, and before today."""
    return (max(-days.first, 0) + 2) * DAY
