"""The documents of the desk: all versions of the rules of spending, letters of cover, and minutes."""

from dataclasses import replace
from typing import Final

from companyos.sdk.company import Company, Edition, Row
from companyos.sdk.documents import Each, OneOf, Template
from companyos.sdk.simtime import DAY, HOUR, to_date

from .spending import INVOICE, PURCHASE, TRAINING
from .terms import IN_FORCE_S, People, Terms, Version

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
    excluded=Each("{thing}s", " and "),
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


def write_documents(company: Company, people: People, terms: Terms) -> tuple[Row, Row, Row]:
    """Write all documents; return the rules in force, the letter of cover, and the minutes that say if it holds."""
    rules, cover = _write_rules(company, people, terms), _write_covers(company, people, terms)
    return rules, cover, _write_minutes(company, people, terms)


def _write_rules(company: Company, people: People, terms: Terms) -> Row:
    """Write all editions of the rules, each of which settles a short budget in another way; return the one in force."""
    now, before, more_hours = terms.now, terms.before, terms.now.setup_hours + 4
    earliest = replace(_stricter(before), settlement="by_date")
    draft = replace(_stricter(now), settlement="by_points", setup_hours=more_hours)
    return company.add_editions(
        "policy",
        RULES_TITLE,
        DEPARTMENT,
        people.boss,
        Edition("superseded", RULES.write(**vars(earliest)), 400 * DAY),
        Edition("superseded", RULES.write(**vars(before)), 200 * DAY),
        Edition("in_force", RULES.write(**vars(now)), 20 * DAY, company.start - IN_FORCE_S),
        Edition("draft", RULES.write(**vars(draft)), 2 * DAY),
    )


def _stricter(version: Version) -> Version:
    return replace(version, quotes_from=version.quotes_from - 1000, excluded=version.excluded[::-1])


def _write_covers(company: Company, people: People, terms: Terms) -> Row:
    """Write an obsolete letter of cover from last year and the current one, and return this."""
    me, head, second, keeper = people.me, people.head, people.second, people.keeper
    obsolete = {PURCHASE: 4000.0, INVOICE: 9000.0, TRAINING: 1000.0}
    letters = ((190 * DAY, 12, obsolete, keeper, second), (2 * DAY, 9, terms.limits, second, keeper))
    for age_s, days, limits, above, apart in letters:
        body = COVER.write(
            start=to_date(company.start - age_s),
            end=to_date(company.start - age_s + days * DAY),
            me=me.name,
            me_id=me.id,
            second_name=above.name,
            second=above.id,
            keeper_name=apart.name,
            keeper=apart.id,
            apart=terms.apart,
            head=head.name,
            **limits,
        )
        title = f"Cover for {head.name}"
        cover = company.add_document("letter", title, DEPARTMENT, head, body, age_s=age_s, links=[me.id])
    return cover


def _write_minutes(company: Company, people: People, terms: Terms) -> Row:
    """Write the minutes of four meetings of the heads, and return those of this morning."""
    news = (COVER_ENDED if terms.ended else STAYS).write(head=people.head.name, me=people.me.name)
    back = BACK.write(head=people.second.name)
    meetings = ((21 * DAY, _POINTS[3]), (14 * DAY, _POINTS[2]), (7 * DAY, back), (HOUR, news))
    present = f"{people.second.name}, {people.keeper.name}"
    for age_s, about_cover in meetings:
        first, last = company.draws.sample("points", _POINTS, 2, age_s)
        body = _MINUTES.format(present=present, first=first, about_cover=about_cover, last=last)
        title = f"Minutes of the heads of unit, {to_date(company.start - age_s)}"
        minutes = company.add_document("minutes", title, DEPARTMENT, people.second, body, age_s=age_s)
    return minutes
