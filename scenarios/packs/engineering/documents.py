"""What engineering writes: guides, reviews of incidents, and mails."""

from companyos.sdk.company import DocumentTemplate, MailTemplate

DOCUMENTS = (
    DocumentTemplate(
        "handbook",
        "Reviewing code",
        "Engineering",
        (
            ("Before", ("Read your own change first. Changes above {amount} lines are split.",)),
            (
                "Reviewing",
                (
                    "Answer within {hours} hours, even if only to say when.",
                    "Ask; do not order. Approve what is better than before.",
                    "Two reviewers for what {team} depend on.",
                ),
            ),
        ),
    ),
    DocumentTemplate(
        "review",
        "Review of an incident with {thing} in {month}",
        "Engineering",
        (
            (
                "What happened",
                (
                    "For {hours} hours, {percent} per cent of the requests to {thing} failed.",
                    "{person} noticed it when a customer called.",
                ),
            ),
            (
                "Why",
                (
                    "A change of {weekday} had been tested with {count} rows and met {amount}.",
                    "The alert went to a list that nobody reads.",
                ),
            ),
            ("What changes", ("An alert that wakes somebody.", "A test with more rows, within {days} days.")),
        ),
        things=("search", "the mail queue", "the reporting jobs", "the staging cluster", "backups"),
        recurring=True,
    ),
    DocumentTemplate(
        "runbook",
        "Restoring a backup",
        "Engineering",
        (
            ("Deciding", ("Restore only what {person} has confirmed to be lost.",)),
            (
                "Doing",
                ("Restore beside, compare, then switch.", "Expect {hours} hours for {amount} gigabytes."),
            ),
            ("Telling", ("{team} hear of it before and after.",)),
        ),
    ),
)

MAILS = (
    MailTemplate(
        "{thing} on {weekday}",
        (
            "We work on {thing} on {weekday} evening.",
            "It is away for {hours} hours at most.",
            "{person} watches it.",
            "{team} have been asked and do not mind.",
        ),
        things=("the test systems", "the wiki", "the build machines", "the network in the cellar"),
    ),
)
