"""The documents of the equipment desk: its policy and the teams' arrangements, with former and proposed editions."""

from collections.abc import Mapping, Sequence
from typing import Final

from companyos.sdk.company import Company, Edition, Person, Row
from companyos.sdk.simtime import DAY

from .pack import TEAM, AssetClass
from .rules import ARRANGEMENTS, FOLLOWS, ON_CALL, PAGE, POLICY, UNSTARTED

#: Which hand-over is left out where there is a choice, by the words that say so.
LOWEST, LATEST = "whose ticket has the lowest priority", "that the list names last"
_POLICY: Final = """\
# Handling of equipment

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
If not every hand-over of a list can be made, as few as possible are left out; where there is a choice, the one \
{left_out}. Its asset stays where it is. Where a project wants all or nothing, nothing is moved, and whoever was to \
do it names two things as evidence: the automation that stands in the way, and this policy.

## Reviews
Clearances are reviewed by the security office once a year. Nobody at the desk can restore a level that was lost.
"""
_BUILT_IN: Final = "The rule is built into the register itself, so the list of automations does not show it."
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
    left_out: str,
) -> list[Row]:
    """Add the policy and the arrangements, each with its predecessor, and drafts; return those in force, in this order.

    `unlisted` are the sentences that state the rules that no register shows, by the title of their document. `left_out`
    says which hand-over is left out where there is a choice: `LOWEST` or `LATEST`.
    """
    former = {
        ARRANGEMENTS: [
            UNSTARTED.text.format(**classes[1].fields),
            FOLLOWS.text.format(**classes[2].fields, ticket="the project's ticket", to="low"),
        ],
        ON_CALL: [PAGE.text.format(oncall=author.id)],
    }
    arrangements = [
        _arrange(company, author, title, stated, unlisted.get(title, ())) for title, stated in former.items()
    ]
    other = LATEST if left_out == LOWEST else LOWEST
    superseded = _POLICY.format(last=_FORMER.format(**classes[1].fields), left_out=other)
    in_force = _POLICY.format(last=" ".join([*unlisted[POLICY], _BUILT_IN]), left_out=left_out)
    editions = Edition("superseded", superseded, 400 * DAY), Edition("in_force", in_force, 120 * DAY)
    policy = company.add_editions("policy", POLICY, TEAM, author, *editions)
    draft = _POLICY.format(last=_DRAFT, left_out=other)
    company.add_document("policy", POLICY, TEAM, author, draft, age_s=9 * DAY, status="draft")
    return [policy, *arrangements]


def _arrange(
    company: Company, author: Person, title: str, former: Sequence[str], in_force: Sequence[str]
) -> Row:
    """Add the two editions of a team's arrangements; return the one in force."""
    editions = []
    for status, stated, age_s in (("superseded", former, 300 * DAY), ("in_force", in_force, 40 * DAY)):
        listed = company.draws.shuffled(f"{title} {status}", [*stated, *_USUAL])
        points = "\n".join(f"- {point}" for point in listed)
        editions.append(Edition(status, _ARRANGED.format(title=title, points=points), age_s))
    return company.add_editions("arrangement", title, "Field", author, *editions)
