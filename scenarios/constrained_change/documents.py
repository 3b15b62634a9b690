"""The documents of the equipment desk: the policy in force, the one before it, and a draft of the next."""

from typing import Final

from companyos.company import Company, Person
from companyos.sdk.simtime import DAY

from .house_rules import LAST, AssetClass

TITLE: Final = "Handling of equipment"
DEPARTMENT: Final = "Equipment"

LEFT_OUT: Final = (
    "If not every hand-over of a list can be made, as few as possible are left out; where there is a choice, the one "
    "whose ticket has the lowest priority. Its asset stays where it is. Where a project wants all or nothing, nothing "
    "is moved, and whoever was to do it says which automation stands in the way."
)
_BODY: Final = """\
# {title}

## Scope
Every asset that the register lists, from the first hand-over to the return. The desk hands out, the register records.

## Hand-overs
A hand-over has a ticket about its asset. Work on it has begun once the ticket is in progress; begin it before the \
asset moves. Spare pieces of the pool may be lent for the time of a change, and are back in the pool when it is done.

## Last pieces
{last}

## What cannot be done
{left_out}

## Reviews
Clearances are reviewed by the security office once a year. Nobody at the desk can restore a level that was lost.
"""
_FORMER: Final = (
    "A person who gives away their last {name} (`{class_}`) tells the security office within a week."
)
_DRAFT: Final = (
    "Proposed: from next quarter on, last pieces of every class are of no consequence. Comments to the author, "
    "please."
)


def write_documents(company: Company, author: Person, class_: AssetClass) -> None:
    """Add the policy with the unregistered rule, its predecessor, and a draft of its successor."""
    former = _write(
        company, author, _FORMER.format(name=class_.one, class_=class_.id), 400 * DAY, "superseded"
    )
    _write(
        company,
        author,
        LAST.format(name=class_.one, class_=class_.id),
        120 * DAY,
        "in_force",
        supersedes=former,
    )
    _write(company, author, _DRAFT, 9 * DAY, "draft")


def _write(
    company: Company, author: Person, last: str, age_s: int, status: str, supersedes: str | None = None
) -> str:
    body = _BODY.format(title=TITLE, last=last, left_out=LEFT_OUT)
    row = company.add_document(
        "policy", TITLE, DEPARTMENT, author, body, age_s=age_s, status=status, supersedes=supersedes
    )
    return str(row["id"])
