"""The documents of the equipment desk: its policy and the teams' arrangements, with former and proposed editions."""

from collections.abc import Mapping, Sequence
from typing import Final

from companyos.sdk.company import Company, Edition, Person, Row
from companyos.sdk.simtime import DAY

from .pack import AssetClass
from .statements import ARRANGEMENTS, FOLLOWS, ON_CALL, PAGE, POLICY, UNSTARTED

DEPARTMENT: Final = "Equipment"

#: Which hand-over is left out where there is a choice, by the words that say so.
LOWEST, LATEST = "whose ticket has the lowest priority", "that the list names last"
_LEFT_OUT: Final = (
    "If not every hand-over of a list can be made, as few as possible are left out; where there is a choice, the one "
    "{which}. Its asset stays where it is. Where a project wants all or nothing, nothing is moved, and whoever was to "
    "do it names two things as evidence: the automation that stands in the way, and this policy."
)
_BODY: Final = """\
# {title}

## Scope
Every asset that the register lists, from the first hand-over to the return. The desk hands out, the register records.

## Hand-overs
A hand-over has a ticket about its asset. Work on it has begun once the ticket is in progress; begin it before the \
asset moves. The desk closes it the next morning. Spare pieces of the pool may be lent for the time of a change, \
without a ticket, and are back in the pool when it is done.

## Last pieces
{last}

## Rules that run by themselves
Most are in the registers of DataHub and TicketDesk. What teams have arranged among themselves runs as well, and \
stands only in their arrangements in force. Former and proposed editions do not run.

## What cannot be done
{left_out}

## Reviews
Clearances are reviewed by the security office once a year. Nobody at the desk can restore a level that was lost.
"""
_BUILT_IN: Final = " The rule is built into the register itself, so the list of automations does not show it."
_FORMER: Final = (
    "A person who gives away their last {one} (`{class_}`) tells the security office within a week."
)
_DRAFT: Final = (
    "Proposed: from next quarter on, last pieces of every class are of no consequence. Comments to the author, "
    "please."
)
_ARRANGED: Final = """\
# {title}

What the team has agreed on, and has had set up in the tools. Nobody needs to do anything for it.

{points}

Changes go to the team's lead.
"""
#: Points of every edition that are of no consequence here.
_USUAL: Final = (
    "Whoever takes a shift reads the log of the shift before.",
    "Equipment is charged overnight, in the cupboard next to the door.",
    "Broken pieces get a red label and a ticket.",
    "Vans are refueled before they are parked.",
)


def write_documents(
    company: Company,
    author: Person,
    classes: Sequence[AssetClass],
    unlisted: Mapping[str, Sequence[str]],
    which: str,
) -> list[Row]:
    """Add the policy and the arrangements, each with its predecessor, and drafts; return those in force, in this order.

    Args:
        company: The company.
        author: Who wrote them.
        classes: The classes of the task.
        unlisted: The sentences that state the rules that no register shows, by the title of their document.
        which: Which hand-over is left out where there is a choice: `LOWEST` or `LATEST`.
    """
    former_on_call = [PAGE.text.write(oncall=author.id)]
    arrangements = [
        _arrange(company, author, ARRANGEMENTS, unlisted.get(ARRANGEMENTS, ()), _no_longer(classes)),
        _arrange(company, author, ON_CALL, unlisted.get(ON_CALL, ()), former_on_call),
    ]
    [last], other = unlisted[POLICY], LATEST if which == LOWEST else LOWEST
    policy = company.add_editions(
        "policy",
        POLICY,
        DEPARTMENT,
        author,
        Edition("superseded", _policy(_FORMER.format(**classes[1].fields), other), 400 * DAY),
        Edition("in_force", _policy(last + _BUILT_IN, which), 120 * DAY),
    )
    draft = _policy(_DRAFT, other)
    company.add_document("policy", POLICY, DEPARTMENT, author, draft, age_s=9 * DAY, status="draft")
    return [policy, *arrangements]


def _no_longer(classes: Sequence[AssetClass]) -> list[str]:
    """Return what the field teams arranged once, about classes of the task for which it does not hold any more."""
    return [
        UNSTARTED.text.write(**classes[1].fields),
        FOLLOWS.text.write(**classes[2].fields, ticket="the project's ticket", to="low"),
    ]


def _arrange(
    company: Company, author: Person, title: str, points: Sequence[str], former: Sequence[str]
) -> Row:
    def edition(status: str, stated: Sequence[str], age_s: int) -> Edition:
        listed = company.draws.shuffled(f"{title} {status}", [*stated, *_USUAL])
        body = _ARRANGED.format(title=title, points="\n".join(f"- {point}" for point in listed))
        return Edition(status, body, age_s)

    editions = edition("superseded", former, 300 * DAY), edition("in_force", points, 40 * DAY)
    return company.add_editions("arrangement", title, "Field", author, *editions)


def _policy(last: str, which: str) -> str:
    return _BODY.format(title=POLICY, last=last, left_out=_LEFT_OUT.format(which=which))
