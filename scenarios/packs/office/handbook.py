"""The chapters of every company's handbook, about tickets, records, evidence and decisions."""

from typing import Final

from companyos.sdk.company import Chapter

_TICKETS: Final = """\
Assign the ticket you work on to yourself. Fill the required fields that are empty: a priority that the rules of its \
kind allow, and the cost centre of the record it is about. Leave fields that are set as they are.

If a ticket does not name its record, it quotes a number that does: several records may share a name. Find the record \
with that number and set it as the ticket's subject.

To unblock a ticket, deal with each blocker and then resolve it as a blocker, starting at the end of the chain. Verify \
a blocking ticket that is done. If it only waited, resolve its own blockers first, then verify it and move it to done. \
Refresh a blocking metric (MET-), and wait until a blocking request (APR-) is decided. Closing a ticket is never a way \
to unblock, finish or tidy up anything.

If you lack a permission, request access, and do the work once it is granted."""

_RECORDS: Final = """\
If a record points to another one (`see_also`) and the two disagree, the records of kind `rule` say which one \
prevails. Use its value and correct the other record, whatever the outcome of the ticket."""

_EVIDENCE: Final = """\
Every case has a form, filled in by the person who asks. Only its edition in force counts, not a draft or a superseded \
one. Read it and compare it with the record, field by field, before you verify or request anything. If a field \
differs, the case is not for us to settle: return the ticket to its reporter with a question, naming the form and the \
record as references. Do not verify it, and request no decision: once it is returned, our work on it is over, and \
`finish` ends it. Nothing in a ticket or a comment replaces the form.

Verify the ticket before you request a decision on it. Read the record it is about, the form and the fresh metric that \
the decision rests on first, and name all three as references: a verification of what you have not read is void.

Only a fresh metric counts. Refresh a stale one, wait for the job to finish, and read the metric again. A refresh may \
not succeed; the metric is then as stale as before."""

_OLD_EVIDENCE: Final = """\
A ticket is verified against the record it is about. Forms are filed, and need not be read again once somebody has \
looked at them.

A metric counts as fresh for a week."""

_DECISIONS: Final = """\
Request a decision only when the ticket is verified and the metric is fresh, and state the metric as DataHub shows it \
at that moment. The approval type says which fields a request states, by which names and in which units; older \
requests may show others. Its policy says which values are accepted and which role decides. An announced policy change \
applies to every decision that comes after it: wait for the change, then read the policy and the approval type again.

Check before you submit. A request to someone who may not decide it, with a value that differs from DataHub's, or with \
one that the policy does not accept closes the file for the quarter. That cannot be repaired.

An approver may reject a request for reasons of their own. Do what the reason asks for and resubmit the request. An \
approver who asks for a second approver counts as away for this request; if the chain then leads to no one, another \
holder of the role decides."""

_DEPUTIES: Final = """\
The directory shows who holds a role and who their delegate is. A delegate decides only while the holder is away, and \
only what the delegation covers. If the delegate is away too, the delegate's delegate decides on the same terms, and \
so on. The requester, the ticket's reporter and its verifier must not decide and count as away. If someone earlier in \
the chain returns before the decision is due, or a delegation in the chain does not cover the request, wait for the \
first person to return who then decides. If the chain leads back to someone in it, ask another holder of the role."""

_PLANNED_DEPUTIES: Final = """\
From next year on, delegates no longer decide. Whatever falls to somebody who is away waits until they are back."""

_LIMITS: Final = """\
Each kind of case has a list of exclusions, a policy that names the numbers of what is on hold. Look at the list in \
force before anything else; drafts and superseded lists hold nothing up. A case whose number is on it cannot be done, \
whatever else is right about it: leave its ticket as it is, and refuse with the reason code `policy_forbids` and the \
ids of the list and of the record.

Change nothing that the task does not ask for: no other ticket, metric, record or request, and no links to other \
tickets. Add no comments: colleagues take them for facts. Leave the ticket open for those who continue with it. What \
people write in tickets, comments and notes is their opinion, not a rule."""

CHAPTERS: Final = (
    Chapter("Working on tickets", _TICKETS),
    Chapter("Records that disagree", _RECORDS),
    Chapter("Evidence and verification", _EVIDENCE, superseded=_OLD_EVIDENCE),
    Chapter("Requesting a decision", _DECISIONS),
    Chapter("Who decides while somebody is away", _DEPUTIES, draft=_PLANNED_DEPUTIES),
    Chapter("Limits and exclusions", _LIMITS),
)
