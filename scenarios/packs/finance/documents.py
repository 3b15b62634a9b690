"""What finance writes: rules on spending, notes on closings, and mails."""

from companyos.sdk.company import DocumentTemplate, MailTemplate

DOCUMENTS = (
    DocumentTemplate(
        "policy",
        "Travel",
        "Finance",
        (
            (
                "Booking",
                (
                    "Book {days} days ahead; trains before planes below {hours} hours.",
                    "First class from {hours} hours on.",
                    "Hotels up to {amount} a night in the cities of list A.",
                ),
            ),
            ("Meals", ("Actual costs up to {amount} a day, without drinks.",)),
            (
                "Receipts",
                ("Hand in receipts within {days} days; without receipts nothing above {count} is paid.",),
            ),
        ),
    ),
    DocumentTemplate(
        "policy",
        "Gifts and invitations",
        "Finance",
        (
            ("Receiving", ("Accept nothing worth more than {amount}. Flowers go to the front desk.",)),
            (
                "Giving",
                (
                    "Up to {amount} a year for one customer.",
                    "Never to somebody who decides about an offer of ours.",
                ),
            ),
            ("Register", ("{person} keeps the register; entries within {days} days.",)),
        ),
    ),
    DocumentTemplate(
        "runbook",
        "Closing a month",
        "Finance",
        (
            ("Day one", ("Stop entries of the month at noon.", "Ask {team} for what is missing.")),
            (
                "Day two",
                (
                    "Compare the bank with the books; differences above {amount} are written down.",
                    "Accrue what was delivered and not invoiced.",
                ),
            ),
            ("Day three", ("{person} signs. Nothing is entered afterwards.",)),
        ),
    ),
    DocumentTemplate(
        "memo",
        "Remarks on the figures of {month}",
        "Finance",
        (
            (
                "Above plan",
                (
                    "{thing}: {percent} per cent.",
                    "Travel of {team}: {amount} more than in {quarter} of last year.",
                ),
            ),
            ("Below plan", ("Courses, as always.", "Rent: the landlord paid {amount} back.")),
            ("To be watched", ("{thing}.", "Nothing new.")),
        ),
        things=("electricity", "software", "temporary staff", "postage"),
        recurring=True,
    ),
    DocumentTemplate(
        "handbook",
        "Company cards",
        "Finance",
        (
            ("Who has one", ("Leads, and whoever travels more than {days} days in a {quarter}.",)),
            ("Limits", ("{amount} a month unless {person} raises it for {days} days.",)),
            ("Lost cards", ("Call the bank first and us within {hours} hours.",)),
        ),
    ),
)

MAILS = (
    MailTemplate(
        "Receipts of {month}",
        (
            "Please hand in the receipts of {month} within {days} days.",
            "{count} of yours are missing.",
            "Photos are fine if one can read them.",
            "{person} helps with the form.",
        ),
    ),
)
