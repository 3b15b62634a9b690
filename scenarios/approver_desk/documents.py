"""The documents of the desk: all versions of the rules of spending, letters of cover, and minutes."""

from dataclasses import replace
from typing import Final, NamedTuple

from companyos.sdk.company import Company, Edition, Person, Row
from companyos.sdk.documents import Each, OneOf, Template
from companyos.sdk.simtime import DAY, HOUR, to_date

from .spending import INVOICE, PURCHASE, TRAINING
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
of requests whose amounts the remaining budget covers, and whose setup hours add up to no more than the \
{setup_hours:d} hours that Facilities can give to one settlement, the set with the highest total of benefit points is \
approved; if two have the same total, the one with the smaller amount. All other requests for that budget are rejected \
as over_budget, whatever their priority, their date or their own points. Requests that are passed on, or rejected for \
another reason, take no part."""
)
_BY_POINTS: Final = Template(
    """\
Requests for one budget are taken by benefit points per euro, the highest first. What no longer fits, or would need \
more than {setup_hours:d} setup hours together with those already taken, is rejected as over_budget; later ones that \
still fit are approved."""
)
RULES: Final = Template(
    """\
# Spending rules of the units

## 1. Who decides
The head of a unit decides, or the person who covers for them in writing, within what the cover says. Whoever covers \
never decides a request that they made themselves, or that the person they report to made; these are passed on, as is \
everything that the cover does not extend to, to whom the cover names. If a cover has ended, nothing is decided under \
it any more: the whole task is handed back ({ended_code}), with the document that says so.

## 2. Versions
Sections 3 to 7 apply to a request as they read when it was submitted, section 8 as it reads when it is decided.

## 3. Quotes
Purchases of {quotes_from:,.0f} EUR or more need quotes of two different suppliers, attached to the request. If one is \
missing, the requester is asked for it; a request whose requester cannot bring it is rejected as evidence_missing.

## 4. One purchase
Requests of one requester to one supplier within {window_days:d} days of each other are one purchase. If together they \
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

The cover extends to purchases up to {purchase_approval:,.0f} EUR, invoices up to {invoice_approval:,.0f} EUR and \
training up to {training_approval:,.0f} EUR. Anything above goes to {second_name} ({second}), and so does what {me} \
must not decide according to the spending rules. Whatever the amount, everything on cost centre {apart} goes to \
{keeper_name} ({keeper}), who answers for that project.

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


class Papers(NamedTuple):
    """The rules in force, the letter of cover, and the minutes that say whether the cover still holds."""

    rules: Row
    cover: Row
    minutes: Row


def write_documents(company: Company, people: People, terms: Terms) -> Papers:
    """Write all documents, and return those that count."""
    rules = _write_rules(company, people, terms)
    return Papers(rules, _write_covers(company, people, terms), _write_minutes(company, people, terms))


def add_quote(company: Company, supplier: str, purpose: str, amount: float, by: Person, age_s: int) -> str:
    """Add a supplier's quote to the library and return its id."""
    number = company.draws.integer("quote", 1000, 9999, supplier, purpose, int(amount))
    reference = f"{supplier[:2].upper()}-{number}"
    body = f"{supplier} offers: {purpose}. Total {amount:,.2f} EUR. Quote {reference}, valid 60 days."
    quote = company.add_document("quote", f"Quote {number}", "Purchasing", by, body, age_s=age_s)
    return str(quote["id"])


def _write_rules(company: Company, people: People, terms: Terms) -> Row:
    """Write all editions of the rules, each of which settles a short budget in another way; return the one in force."""

    def write_rules(version: Version, settlement: str, more_hours: int = 0) -> str:
        return RULES.write(
            ended_code=ENDED,
            quotes_from=version.quotes_from,
            window_days=terms.window_days,
            excluded=[f"{category.lower()}s" for category in version.excluded],
            settlement=settlement,
            setup_hours=terms.setup_hours + more_hours,
        )

    earliest, draft = _stricter(terms.before), _stricter(terms.now)
    now, since = write_rules(terms.now, "as_one_set"), company.start - IN_FORCE_S
    return company.add_editions(
        "policy",
        RULES_TITLE,
        DEPARTMENT,
        people.boss,
        Edition("superseded", write_rules(earliest, "by_date"), 400 * DAY),
        Edition("superseded", write_rules(terms.before, "by_priority"), 200 * DAY),
        Edition("in_force", now, 20 * DAY, since),
        Edition("draft", write_rules(draft, "by_points", more_hours=4), 2 * DAY),
    )


def _stricter(version: Version) -> Version:
    return Version(version.quotes_from - 1000, version.excluded[::-1])


def _write_covers(company: Company, people: People, terms: Terms) -> Row:
    """Write an obsolete letter of cover from last year, and return the current one."""
    obsolete = replace(terms, limits={PURCHASE: 4000.0, INVOICE: 9000.0, TRAINING: 1000.0})
    former = replace(people, second=people.keeper, keeper=people.second)
    _write_cover(company, former, obsolete, age_s=190 * DAY, days=12)
    return _write_cover(company, people, terms, age_s=2 * DAY, days=9)


def _write_cover(company: Company, people: People, terms: Terms, *, age_s: int, days: int) -> Row:
    begins, head, me = company.start - age_s, people.head, people.me
    body = COVER.write(
        start=to_date(begins),
        end=to_date(begins + days * DAY),
        me=me.name,
        me_id=me.id,
        second_name=people.second.name,
        second=people.second.id,
        keeper_name=people.keeper.name,
        keeper=people.keeper.id,
        apart=terms.apart,
        head=head.name,
        **terms.limits,
    )
    title = f"Cover for {head.name}"
    return company.add_document("letter", title, DEPARTMENT, head, body, age_s=age_s, links=[me.id])


def _write_minutes(company: Company, people: People, terms: Terms) -> Row:
    """Write the minutes of four meetings of the heads, the last of them this morning."""
    for weeks in (3, 2, 1):
        about = BACK.write(head=people.second.name) if weeks == 1 else _POINTS[weeks]
        _add_minutes(company, people, about, age_s=weeks * 7 * DAY)
    news = COVER_ENDED if terms.ended else STAYS
    return _add_minutes(company, people, news.write(head=people.head.name, me=people.me.name), age_s=HOUR)


def _add_minutes(company: Company, people: People, about_cover: str, *, age_s: int) -> Row:
    first, last = company.draws.sample("points", _POINTS, 2, age_s)
    body = _MINUTES.format(
        present=f"{people.second.name}, {people.keeper.name}",
        first=first,
        about_cover=about_cover,
        last=last,
    )
    title = f"Minutes of the heads of unit, {to_date(company.start - age_s)}"
    return company.add_document("minutes", title, DEPARTMENT, people.second, body, age_s=age_s)
