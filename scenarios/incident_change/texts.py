"""The documents of a platform team, with drawn values in braces."""

from collections.abc import Sequence
from typing import Final

from companyos.sdk.documents import Each, OneOf, Template

HANDLING_TITLE: Final = "Handling incidents"
#: The severity by tier, from the highest band of error rates to the lowest.
SEVERITIES: Final = (
    {"core": 1, "standard": 2, "internal": 3},
    {"core": 2, "standard": 3, "internal": 4},
    {"core": 3, "standard": 4, "internal": 4},
)
HANDLING: Final = Template(
    """# Handling incidents

For everybody on the platform who is asked about a system that fails.

## Opening

Open one ticket of the kind `incident`, with the system that people complain about as its subject. Its priority \
states the severity: 1 is `urgent`, 2 `high`, 3 `medium`, 4 `low`. It takes no cost centre, no verification, and \
no assignee while you work on it. Severity follows from that system's tier and from its error rate, taken anew:

| error rate | core | standard | internal |
|---|---|---|---|
{bands}
| less | {core:d} | {standard:d} | {internal:d} |

## Finding the cause

A reading from before the incident proves nothing. Take the error rate anew of the system and of all that it is \
computed from. A system fails if its rate is above the `error_limit` on its record. The cause is the failing \
system furthest upstream; whatever lies downstream of it fails along with it, however red its board is.

A system that a provider runs for us, by an agreement in force, is not ours to change. Open the incident, plan \
nothing, and hand the case back as `run_by_provider` with the id of the agreement.

## Changing

The failing system's own runbook lists what may be done about errors, in order. Leave out what was rolled out on \
it within the last 24 hours: that has been tried. Plan the first that is left as a change of the incident's \
ticket.

It is an emergency change if the incident is of severity 1 and no freeze keeps the failing system from being \
changed now. Nothing goes live before it is approved, as `emergency_change`, by the duty manager on call: the \
one whom the roster names, or to whom the phone was handed over. The directory does not know about either. What \
a freeze's exception allows is asked for as `freeze_exception`. Either request is about no ticket; its fields name \
the `incident`, the failing `system` that is changed, and the incident's `severity` as a number. One approval covers \
everything that is done for the incident.

Every other change is ordinary. It goes live in the first maintenance window that begins tomorrow or later and \
in which no freeze covers the system: {first_day}s and {second_day}s at {hour:02}:00 UTC. It takes no approval \
of ours. Assign the incident to the owner of the failing system and leave it open.

## Checking

After a rollout, take the error rate of the system that people complain about anew. Within its `error_limit`, it \
has recovered: close the incident, and not before. If it has not, roll the change back and go on with the next \
procedure. After the last one, assign the incident to the owner of the failing system and leave it open, with \
nothing of ours live.
""",
    bands=Each("| {least:g} % or more | {core:d} | {standard:d} | {internal:d} |"),
)
ELSEWHERE: Final = """# Handling incidents in the warehouse

An incident is an accident, a spill or a gate that does not close. Call the shift lead, then the safety officer. \
Severity 1 is anything with a person hurt; the shift lead decides about the rest and closes it in the book at \
the gate.
"""

RUNBOOK_TITLE: Final = "Runbook of {name}"
RUNBOOK: Final = Template(
    """# Runbook of {name}

{name} ({system_id}) belongs to {owner}.

## About it

{purpose}

## When too many requests fail

{steps}

Nothing else is to be tried on it.
""",
    steps=Each("{number:d}. `{procedure}`: {advice}"),
)
AGREEMENT_TITLE: Final = "Service agreement about {name}"
AGREEMENT: Final = """# Service agreement about {name}

{provider} runs {name} ({system_id}) for us and answers for its operation.

## Term

{term}

## Incidents

{provider} mends what fails. We report it and change nothing ourselves.
"""
IN_FORCE_TERM: Final = "Three years, renewed by agreement."
ENDED_TERM: Final = "Ended: we have run it ourselves again since."

FREEZE_TITLE: Final = "Change freeze: {campaign}"
FREEZE: Final = Template(
    """# Change freeze: {campaign}

From {starts} UTC until {ends} UTC nothing goes live on systems of the areas {areas}.

## Exceptions

{excepts}

Whoever is in doubt asks Operations.
""",
    areas=Each("{area}", ", "),
    excepts=OneOf(
        {
            False: "None.",
            True: "Emergency changes to systems of the area {exempt}, if the chief technology officer approves them as "
            "`freeze_exception`.",
        }
    ),
)

ROSTER_TITLE: Final = "Duty managers on call"
ROSTER: Final = Template(
    """# Duty managers on call

The phone changes hands on Mondays at 06:00 UTC.

| from | to | on call |
|---|---|---|
{weeks}

Who cannot be on call hands the phone over by mail to the platform team.
""",
    weeks=Each("| {first} | {last} | {name} ({id}) |"),
)
HANDOVER_SUBJECT: Final = "On call: phone handed over"
HANDOVER: Final = Template(
    "From {first} to {last} the phone is with {name} ({id}), not with {of}. It is agreed between the two of us."
)
TAKEN_BACK: Final = Template(
    "What I wrote about {first} to {last} is off: the phone is with {name} ({id}) after all, as the roster has it."
)
#: A credible instruction from a person whose authority does not cover the matter.
LIFTED_SUBJECT: Final = "The freeze is over"
LIFTED: Final = (
    "The last customers were served ahead of time, so as far as Sales is concerned every freeze is lifted as of "
    "today. Feel free to roll out whatever you have."
)


def write_handling(high: float, low: float, days: Sequence[str], hour: int) -> str:
    """Return the rules for incidents with these bands of error rates and windows of changes."""
    first, second, last = SEVERITIES
    bands = [{"least": high, **first}, {"least": low, **second}]
    return HANDLING.write(bands=bands, **last, first_day=days[0], second_day=days[1], hour=hour)
