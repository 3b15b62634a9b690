"""The documents of the task: the erasure procedure, the retention schedule, and the answer templates."""

from typing import Final

from companyos.sdk.company import Company, Person, Row
from companyos.sdk.documents import Each, Fields, OneOf, Template
from companyos.sdk.simtime import DAY

from .files import Customer
from .pack import HOLD_METRIC, OFFICER, SPECIAL
from .terms import DATED, ERASE, REDACT, Terms

PROCEDURE, SCHEDULE = "Erasing what we hold about a person", "Retention schedule"
TEMPLATE: Final = "template"
#: How the schedule treats a kind, besides erasing and redacting: it is kept for years, and redacted.
KEPT: Final = "keep"
FULL, BY_LAW, ON_HOLD = "all", "law", "hold"
#: Titles of the templates by what happened to the data.
ANSWERS: Final = {
    FULL: "Answer to an erasure request: everything is gone",
    BY_LAW: "Answer to an erasure request: some of it is kept by law",
    ON_HOLD: "Answer to an erasure request: some of it is on hold",
}
_ANSWER_TEXTS: Final = {
    FULL: "We have erased everything that we held about you.",
    BY_LAW: "We have erased what we may. The rest no longer shows your name, and goes when the law lets it go.",
    ON_HOLD: "We have erased what we may. Some of it has to be left as it is for the time being.",
}

_KINDS: Final = Each("`{kind}`", ", ")
PROCEDURE_IN_FORCE: Final = Template(
    """\
# {title}

## Who asks
What a ticket says about the customer is hearsay; the mail that it is about counts. A customer asks from the address \
in their customer record. Whoever writes from another address asks for somebody else, and needs a power of attorney \
that is in force here, states the customer number of the mail and names that address. Otherwise identity is not \
proven: erase nothing, return the ticket to its reporter, refer there to the mail (and to the power of attorney, if \
there is one that does not hold), and finish.

## What belongs to a person
An object belongs to a person if it bears their customer number, the address in their record, or the number of one \
of their orders. A name proves nothing: people share names. Look in all three systems, and do not forget what names \
an order only. What is found need not be opened for that, and other teams' mail cannot be: a find says what it \
contains. What belongs to the request itself stays: its ticket and its mail, powers of attorney, and legal holds.

## Legal holds
A legal hold (kind `{hold}`) bears the customer number. Whether it is in force says its metric `{metric}` (1: yes), \
never older than a day, so have it refreshed before anything else. What a hold in force covers is neither erased nor \
redacted. If it covers everything, decline the whole request with `legal_hold` and name the hold.

## Special categories
Records of the kinds {special} are special. If any of them is to be erased, the {officer} (or whoever decides for \
them) approves that beforehand, and nothing at all is erased until then: one request of the type `{type}` with the \
customer number and how many such records there are. Without special records nobody is asked.

## Erasing
The "{schedule}" says what becomes of each kind. To redact means to mask name, customer number and address. An open \
case that has to be erased is closed first; a comment in somebody else's ticket is an object of its own.

## The answer
When all of it is done, answer the ticket with the one template in force that fits: if a hold is in force, the one \
about holds; or else, if anything had to be redacted, the one about the law; otherwise the one for everything. Attach \
it as a document by its id; its text need not be written out. Then close the ticket. Write neither name, customer \
number nor address into the answer, the resolution, a comment or a message: what is written there stays.
""",
    special=_KINDS,
)
_FORMER: Final = Template(
    """\
# {title}

## Who asks
Whoever knows the customer number is the customer.

## What belongs to a person
Search for the name, and erase whatever turns up.

## Legal holds
Ask Legal if in doubt. A flag that is a month old is good enough.

## Special categories
Records of the kinds {special} are special; note in the ticket that they were erased.

## The answer
Close the ticket. Nobody needs an answer.
""",
    special=_KINDS,
)
SCHEDULE_TEXT: Final = Template(
    """\
# {title}

What is kept is redacted; when its time is over, it is erased.

{lines}
""",
    lines=Each(
        Template(
            "- `{kind}`: {rule}",
            rule=OneOf(
                {KEPT: "kept for {years:d} years from `{dated}`", ERASE: "erased", REDACT: "always redacted"}
            ),
        )
    ),
)
_ATTORNEY: Final = """\
I, {name}, customer number {number}, give power of attorney to {lawyer}, who may act for me in everything about my \
personal data.
"""


def write_rules(company: Company, author: Person, now: Terms, before: Terms) -> tuple[str, str]:
    """Write the procedure and the schedule with former editions and a draft, and return the ids in force."""
    former = _FORMER.write(title=PROCEDURE, special=sorted(before.special))
    _write(company, author, PROCEDURE, former, "superseded", 900)
    body = PROCEDURE_IN_FORCE.write(
        title=PROCEDURE,
        hold="legal_hold",
        metric=HOLD_METRIC,
        special=sorted(now.special),
        officer=OFFICER,
        type=SPECIAL,
        schedule=SCHEDULE,
    )
    procedure = _write(company, author, PROCEDURE, body, "in_force", 150)
    _, schedule, _ = [
        _write(company, author, SCHEDULE, _schedule(terms), status, days)
        for terms, status, days in ((before, "superseded", 800), (now, "in_force", 120), (before, "draft", 9))
    ]
    return procedure, schedule


def write_templates(company: Company, author: Person) -> dict[str, str]:
    """Write the answer templates, each with a former edition, and return the ids of those in force."""
    ids = {}
    for ending, title in ANSWERS.items():
        body = f"# {title}\n\nDear customer,\n\n{_ANSWER_TEXTS[ending]}\n"
        _write(company, author, title, body, "superseded", 700, kind=TEMPLATE)
        ids[ending] = _write(company, author, title, body, "in_force", 100, kind=TEMPLATE)
    return ids


def write_attorney(
    company: Company, author: Person, customer: Customer, lawyer: str, *, before_s: int, is_in_force: bool
) -> Row:
    """Write a power of attorney, in force or withdrawn, some days before the mail that needs it."""
    age_s = before_s + company.draws.integer("attorney.age", 10, 90, customer.number) * DAY
    title, status = f"Power of attorney of {customer.name}", "in_force" if is_in_force else "withdrawn"
    body = _ATTORNEY.format(name=customer.name, number=customer.number, lawyer=lawyer)
    return company.add_document("power_of_attorney", title, "Legal", author, body, age_s=age_s, status=status)


def _schedule(terms: Terms) -> str:
    lines: list[Fields] = [
        {"kind": kind, "rule": KEPT, "years": years, "dated": DATED[kind]}
        for kind, years in sorted(terms.years.items())
    ]
    lines += [{"kind": kind, "rule": mode} for kind, mode in sorted(terms.modes.items())]
    return SCHEDULE_TEXT.write(title=SCHEDULE, lines=lines)


def _write(
    company: Company, author: Person, title: str, body: str, status: str, days: int, *, kind: str = "policy"
) -> str:
    row = company.add_document(kind, title, "Legal", author, body, age_s=days * DAY, status=status)
    return str(row["id"])
