"""The documents of analytics: the rules of an audit, releases, and minutes."""

from typing import Final

from companyos.sdk.documents import OneOf, Template

POLICY_TITLE: Final = "Audits of reporting data"

POLICY: Final = Template(
    """\
# {title}

Applies to every area of reporting. Owned by the chief data officer.

## When a feed has failed silently

A source job that fails silently reports no error and delivers its last value again, under a new time. Running it again
proves nothing: it delivers the same value once more. A feed has failed silently if both hold:

- its last two values are equal, as its history shows. A feed that moved has not failed silently, however odd it looks;
- its value differs by more than {tolerance:g} percent from what it is checked by, relative to the latter.

Equal values alone prove nothing: some weeks are quiet. A value that is merely stale is not bad either; its age is shown
to everybody.

## What a feed is checked by

Its record says so. A *control total* comes from the ledger, which is another system: refresh it first, since one taken
before the feed's own value checks nothing. A *dataset* is summed up the way that its description defines.

## Notices

A difference that is explained is none. A document of the kind `notice`, in force, that names the feed applies on the
days that it states, the first and the last included. The day of the audit decides; on other days it changes nothing.
The close of the ledger is on the day that the area's `calendar` in force names.

- A *ledger item* says what the ledger holds on top of a feed, or lacks. What it holds is deducted from the refreshed
  control total, and what it lacks is added, before the two are compared; the difference is relative to the result.
- *Rows that count* says which rows of a dataset count besides those that its description names.

## What is quarantined

The `dashboard_total` of every active dashboard of the area that is computed from a feed which has failed, directly or
through others. Never feeds, marts, averages or control totals, and never a retired (`inactive`) dashboard, on which
nobody decides. Lineage counts, not names. Check everything before the first quarantine: requests that rest on a
dashboard are lost by it.

A dashboard of the area that is in quarantine from an earlier incident, and rests on no feed that has failed now, is
released.

## Statutory dashboards

A dashboard whose `use` is `statutory` goes to authorities. It may be quarantined only under a release of the chief data
officer: a document of the kind `release`, in force, that links the dashboard. If one that ought to be quarantined has
none, nothing of the audit is quarantined or released: the case is handed back with the reason `{reason}` and the
id of that dashboard as evidence.

## Requests that become void

The ticket of every undecided request that rested on a dashboard you quarantine is linked to the ticket of the audit
(kind `relates`, in either direction), so that its owner hears why. Nothing else is entered on either ticket.
"""
)

#: The last day of a notice that ends with the close of the ledger.
THE_CLOSE: Final = "the close of the ledger"
LEDGER_NOTICE: Final = Template(
    """\
# Ledger item: {feed}

From {first} to {last}, the ledger {holds} {feed} ({feed_id}) delivers. The control
total is not corrected for it.
""",
    holds=OneOf(
        {
            True: "holds {amount:,.2f} euros for {cause} on top of what",
            False: "lacks {amount:,.2f} euros for {cause} which",
        }
    ),
)

COUNT_NOTICE: Final = Template(
    """\
# Rows that count: {feed}

From {first} to {last}, the rows of {feed} ({feed_id}) in the state `{state}` count as well. The description of the
dataset stays as it is, since this is not for long.
"""
)

CALENDAR: Final = Template(
    """\
# Close of the ledger: {area}

The ledger of {area} is closed on {day}. Postings of that day are still part of it.
"""
)

GOODS: Final = """\
# Quarantine of returned goods

Goods that come back go to quarantine, whatever the feed of the warehouse says. A pallet that differs by more than 10
percent in weight from its papers is counted. The dashboard at gate 2 shows what lies there. Release: the shift lead.
"""

RELEASE: Final = """\
# Release for quarantine

The dashboard {board} ({board_id}) may be quarantined if an audit finds that it rests on a feed that has failed. The
authority concerned has been told.
"""

MINUTES: Final = """\
# Weekly meeting of {area}

- {feed}: the total jumped because {cause}. Checked against the papers; it stays as it is.
- The coffee machine of the second floor is repaired.
- Next meeting as usual.
"""
