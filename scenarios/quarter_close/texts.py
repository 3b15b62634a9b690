"""The texts of a close: the manual, memos and answers about variances, and how people write about both in tickets."""

from typing import Final

from companyos.sdk.company import Phrases
from companyos.sdk.documents import Each, OneOf, Template, templates

MANUAL_TITLE: Final = "Closing the books of a quarter"

DRAFT_NOTE: Final = "Draft for discussion; comments to the controller by the end of the month.\n\n"
MANUAL: Final = Template(
    """\
{note}# {title}

Applies to every legal entity of the group. Owned by the chief financial officer.

## Before anything else

Quarters of an entity are closed in their order. While an earlier quarter of the same entity is `reopened`,
whoever was asked to close the later one takes nothing anew, files nothing and hands the case back: reason
`{prior}`, with the id of the earlier period as evidence.

## Taking the figures

A period is closed on the metrics of its lines. Every one of them has to be `current` when the close is
submitted. What is current already is left alone.

A figure is taken only when everything that it is computed from, line or not, is current; its lineage says what
that is, and names say nothing. The auditors compare the log of runs with the lineage: a run out of order spoils
the close for good, even if it is repeated. A refreshed figure makes outdated what was computed from the old
one.

A run that fails is repeated. After {runs:d} failed runs of one figure in succession its source counts as
unavailable: the close is postponed and nothing is filed or submitted. Hand the case back with the reason
`{source}` and the id of the metric as evidence.

## Variances

Variances are judged when every line is current, not before. A variance counts if its size is beyond the
tolerance, in percent of the reference. The entity's record names its class.

| class | balance | result |
|---|---|---|
| major | {major_balance:g} percent | {major_result:g} percent |
| minor | {minor_balance:g} percent | {minor_result:g} percent |

What is explained is deducted from the size of a variance, and what remains is compared with the tolerance
again:

1. The controller's memo in force on the differences of this entity and quarter. A superseded memo explains
   nothing, nor does a memo of anybody else.
2. If that is not enough, the owner of the line. Ask them about the metric once it is current, and wait for the
   answer. What was written before that is about other figures and explains nothing, and only the owner's own
   word counts.

If what remains is still beyond the tolerance, there has to be an open `variance` ticket with the metric as its
subject: one for each such line, none for any other. One that a colleague has opened already is enough as it is; closed
ones belong to earlier quarters. Priority: `high` if what remains is more than {high:g} percent of the reference,
else `medium`.

## Sign-off and lock

Submit a `{approval}` for the period with the number of its open variance tickets, the sum of what remains
unexplained in them, to the cent, and the id of the edition of this manual. The policy of the approval says who
decides. Lock the period when it is approved, and not before. The lock cannot be undone, and the system locks
wrong figures as readily as right ones.
""",
    note=OneOf({False: "", True: DRAFT_NOTE}),
)

CLOSING_TIME: Final = """\
# Closing the warehouse at the end of a quarter

Counting begins on the last day at noon. A variance beyond 3 percent of a location is counted again by somebody
else; the second count is final. Tickets are opened by the shift lead. The gate is locked when the last truck
has left.
"""

#: What a part of a variance may be.
CAUSES: Final = (
    "a delivery that arrived after the cut-off",
    "a credit note that was posted twice",
    "an invoice in the wrong quarter",
    "a rounding of the old system that nobody corrected",
    "goods on the way between two warehouses",
    "a bonus that was paid early",
)
MEMO: Final = Template(
    """\
# {title}

On the differences that came up while {quarter} of {entity} ({entity_id}) was prepared. To be deducted from the
variances of these lines, whichever direction they have:

{lines}

{closing}
""",
    lines=Each("- {line} ({metric_id}): {amount:,.2f} EUR, {cause}."),
)
MEMO_CLOSINGS: Final = (
    "Nothing else is known to me.",
    "All of it is posted by now or will be with the next quarter.",
    "The papers are with accounts payable.",
)

EXPLANATIONS: Final = templates(
    "I looked it up: {amount:,.2f} EUR of it is {cause}. I can show you the papers.",
    "That is {cause}, {amount:,.2f} EUR in all.",
    "{amount:,.2f} EUR is explained: {cause}. I know of nothing else.",
)
SILENT: Final = (
    "I went through the postings of the quarter and found nothing that would explain it.",
    "No idea, sorry. The statement looks right to me, and so do our postings.",
    "I cannot explain this one.",
)
WHICH: Final = "For which quarter? Two of them are on my desk; send me a line about the period itself."

CLAIM: Final = templates(
    "If somebody asks about {line} of {entity}: that is {cause}, about {amount:,.2f} EUR. Has been so for weeks.",
    "On {line} of {entity}: {amount:,.2f} EUR is {cause}, no need to ask around.",
)

CLOSE: Final = Phrases(
    openings=(
        "{name} has to be closed.",
        "Please take the close of {name}.",
        "It is that time again: {name}.",
        "{team} waits for the figures of {name}.",
        "The close of {name} is due this week.",
    ),
    details=(
        "The auditors come next month.",
        "Last time it took three days.",
        "Some figures are still from before the weekend.",
        "I have seen differences in the lists.",
        "The bank has sent its statements.",
        "Somebody was on leave when it should have been prepared.",
    ),
    closings=("Thanks!", "Ask Finance if anything is unclear.", "Please do not wait for me."),
)
VARIANCE: Final = Phrases(
    openings=(
        "{name} does not agree with its reference.",
        "There is a difference in {name}.",
        "{name}: the books and the statement differ.",
        "Found while closing: {name}.",
        "Somebody should look into {name}.",
    ),
    details=(
        "I could not find the posting.",
        "It was smaller a quarter ago.",
        "The owner has been asked.",
        "The statement is in the folder.",
        "It may be a matter of cut-off.",
    ),
    closings=("To be settled next quarter.", "Thanks!", "Not urgent for operations."),
)
ENDS: Final = ("Posted with the next quarter.", "Explained by the statement of the bank.", "Written off.")
