"""The documents of the desk: all versions of the rules of spending, letters of cover, and minutes."""

from typing import Final

from companyos.company import Company, Edition, Person, Row
from companyos.sdk.documents import Each, OneOf, Template
from companyos.sdk.simtime import DAY, HOUR, to_iso

from .pack import INVOICE, PURCHASE, TRAINING
from .terms import ENDED, IN_FORCE_S, People, Terms, Version

DEPARTMENT: Final = "Unit Office"
RULES_TITLE: Final = "Spending rules of the units"

_BY_DATE: Final = """\
Requests for one budget are taken by date of submission. The first that no longer fits is rejected as over_budget, and \
so are all later ones."""
_BY_PRIORITY: Final = """\
Requests for one budget are taken by priority (1 first), then by date of submission. What no longer fits is rejected \
as over_budget; later ones that still fit are approved. Urgency changes nothing about this order."""
_AS_ONE_SET: Final = Template(
    """\
If the budget pays for all of these requests, all are approved. If it does not, they are settled together. Of all sets \
of requests whose amounts the remaining budget covers, and whose setup hours add up to no more than the {hours:d} \
hours that Facilities can give to one settlement, the set with the highest total of benefit points is approved; if two \
have the same total, the one with the smaller amount. All other requests for that budget are rejected as over_budget, \
whatever their priority, their date or their own points. Requests that are passed on, or rejected for another reason, \
take no part."""
)
_BY_POINTS: Final = Template(
    """\
Requests for one budget are taken by benefit points per euro, the highest first. What no longer fits, or would need \
more than {hours:d} setup hours together with those already taken, is rejected as over_budget; later ones that still \
fit are approved."""
)
RULES: Final = Template(
    """\
# Spending rules of the units

## 1. Who decides
The head of a unit decides, or the person who covers for them in writing, within what the cover says. Whoever covers \
never decides a request that they made themselves, or that the person they report to made; these are passed on, as is \
everything that the cover does not extend to, to whom the cover names. If a cover has ended, nothing is decided under \
it any more: the whole task is handed back ({ended}), with the document that says so.

## 2. Versions
Sections 3 to 7 apply to a request as they read when it was submitted, section 8 as it reads when it is decided.

## 3. Quotes
Purchases of {quotes:,.0f} EUR or more need quotes of two different suppliers, attached to the request. If one is \
missing, the requester is asked for it; a request whose requester cannot bring it is rejected as evidence_missing.

## 4. One purchase
Requests of one requester to one supplier within {window:d} days of each other are one purchase. If together they \
reach the amount of section 3 and have no quotes, all of them are rejected as split_purchase.

## 5. Invoices
An invoice is paid once. The later request for the same number of the same supplier is rejected as duplicate, whether \
the earlier one is still waiting or on record as paid.

## 6. Amounts
The amount is the sum of the line items; otherwise the request is rejected as amount_mismatch.

## 7. Exclusions
Some things are not bought this way: {excluded}. Requests with any of them are rejected as not_eligible.

## 8. Budgets
What passes all of this is checked against what remains of the cost centre's budget, with a ledger that is not stale. \
{settlement}
""",
    excluded=Each("{plural}", " and "),
    settlement=OneOf(
        {"by_date": _BY_DATE, "by_priority": _BY_PRIORITY, "as_one_set": _AS_ONE_SET, "by_points": _BY_POINTS}
    ),
)
COVER: Final = Template("""\
From {start} until {end}, {me} ({me_id}) covers for me and decides what waits in my inbox.

The cover extends to purchases up to {purchase:,.0f} EUR, invoices up to {invoice:,.0f} EUR and training up to \
{training:,.0f} EUR. Anything above goes to {second} ({second_id}), and so does what {me} must not decide according to \
the spending rules. Whatever the amount, everything on cost centre {apart} goes to {keeper} ({keeper_id}), who answers \
for that project.

{head}
""")
_MINUTES: Final = """\
Present: {present}.

1. {first}
2. {about_cover}
3. {last}
"""
STAYS: Final = Template("Absences: the cover for {head} stays as {head} put it in writing.")
BACK: Final = Template("Absences: the cover for {head} has ended. {head} is back and decides again.")
COVER_ENDED: Final = Template(
    "Absences: the cover for {head} has ended. Until {head} is back, {me} decides nothing in that inbox, and passes "
    "nothing on either."
)
_POINTS: Final = (
    "The audit of the stores is moved by a week.",
    "The new badge readers work on all floors.",
    "Two rooms on the second floor are painted next month.",
    "The fire drill took nine minutes, one fewer than last year.",
    "The suggestions of the safety round were taken up.",
    "The canteen asks for orders of more than twenty meals a day ahead.",
)


def write_documents(company: Company, people: People, terms: Terms) -> tuple[Row, Row]:
    """Write all documents, and return the letter of cover and the minutes that say whether the cover still holds."""
    _write_rules(company, people, terms)
    return _write_covers(company, people, terms), _write_minutes(company, people, terms)


def add_quote(company: Company, supplier: str, purpose: str, amount: float, by: Person, age_s: int) -> str:
    """Add a supplier's quote to the library and return its id."""
    number = company.draws.integer("quote", 1000, 9999, supplier, purpose, int(amount))
    reference = f"{supplier[:2].upper()}-{number}"
    body = f"{supplier} offers: {purpose}. Total {amount:,.2f} EUR. Quote {reference}, valid 60 days."
    quote = company.add_document("quote", f"Quote {number}", "Purchasing", by, body, age_s=age_s)
    return str(quote["id"])


def _write_rules(company: Company, people: People, terms: Terms) -> None:
    earliest, draft = _stricter(terms.before), _stricter(terms.now)

    def edition(
        version: Version, settlement: str, age_s: int, status: str, since: int | None = None
    ) -> Edition:
        body = RULES.write(
            ended=ENDED,
            quotes=version.quotes_from,
            window=terms.window_days,
            excluded=[f"{category.lower()}s" for category in version.excluded],
            settlement=settlement,
            hours=terms.setup_hours + (4 if settlement == "by_points" else 0),
        )
        return Edition(status, body, age_s, since)

    company.add_editions(
        "policy",
        RULES_TITLE,
        DEPARTMENT,
        people.boss,
        edition(earliest, "by_date", 400 * DAY, "superseded"),
        edition(terms.before, "by_priority", 200 * DAY, "superseded"),
        edition(terms.now, "as_one_set", 20 * DAY, "in_force", company.start - IN_FORCE_S),
        edition(draft, "by_points", 2 * DAY, "draft"),
    )


def _stricter(version: Version) -> Version:
    return Version(version.quotes_from - 1000, version.excluded[::-1])


def _write_covers(company: Company, people: People, terms: Terms) -> Row:
    """Write an obsolete letter of cover from last year, and return the current one."""
    limits = {PURCHASE: 4000.0, INVOICE: 9000.0, TRAINING: 1000.0}
    _cover(company, people, limits, people.keeper, people.second, terms, age_s=190 * DAY, days=12)
    return _cover(company, people, terms.limits, people.second, people.keeper, terms, age_s=2 * DAY, days=9)


def _cover(
    company: Company,
    people: People,
    limits: object,
    second: Person,
    keeper: Person,
    terms: Terms,
    *,
    age_s: int,
    days: int,
) -> Row:
    assert isinstance(limits, dict)
    begins = company.start - age_s
    body = COVER.write(
        start=to_iso(begins)[:10],
        end=to_iso(begins + days * DAY)[:10],
        me=people.me.name,
        me_id=people.me.id,
        purchase=limits[PURCHASE],
        invoice=limits[INVOICE],
        training=limits[TRAINING],
        second=second.name,
        second_id=second.id,
        keeper=keeper.name,
        keeper_id=keeper.id,
        apart=terms.apart,
        head=people.head.name,
    )
    title = f"Cover for {people.head.name}"
    return company.add_document(
        "letter", title, DEPARTMENT, people.head, body, age_s=age_s, links=[people.me.id]
    )


def _write_minutes(company: Company, people: People, terms: Terms) -> Row:
    """Write the minutes of four meetings of the heads, the last of them this morning."""
    for weeks in (3, 2, 1):
        about = BACK.write(head=people.second.name) if weeks == 1 else _POINTS[weeks]
        _minutes(company, people, about, age_s=weeks * 7 * DAY)
    news = COVER_ENDED if terms.ended else STAYS
    return _minutes(company, people, news.write(head=people.head.name, me=people.me.name), age_s=HOUR)


def _minutes(company: Company, people: People, about_cover: str, *, age_s: int) -> Row:
    first, last = company.draws.sample("points", _POINTS, 2, age_s)
    body = _MINUTES.format(
        present=f"{people.second.name}, {people.keeper.name}",
        first=first,
        about_cover=about_cover,
        last=last,
    )
    title = f"Minutes of the heads of unit, {to_iso(company.start - age_s)[:10]}"
    return company.add_document("minutes", title, DEPARTMENT, people.second, body, age_s=age_s)
