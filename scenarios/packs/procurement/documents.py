"""What procurement writes: buying guides, notes on suppliers, and mails."""

from companyos.sdk.company import DocumentTemplate, MailTemplate

DOCUMENTS = (
    DocumentTemplate(
        "policy",
        "Comparing offers",
        "Procurement",
        (
            ("How many", ("One offer below {amount}; three above.",)),
            (
                "What is compared",
                (
                    "Price over {days} months, not the price of the first.",
                    "Notice periods and what a termination costs.",
                    "Whether {team} can work with it without {hours} hours of training.",
                ),
            ),
            ("Keeping them", ("Offers that lost are kept for {days} months.",)),
        ),
    ),
    DocumentTemplate(
        "minutes",
        "Talk with a supplier about {thing}, {month}",
        "Procurement",
        (
            ("Present", ("{person} and two of theirs.",)),
            (
                "Said",
                (
                    "They want {percent} per cent more from {month} on.",
                    "Delivery takes {days} days at present, and they know it.",
                    "They would store {count} pallets for us.",
                ),
            ),
            ("Left open", ("Everything. We write in {days} days.", "The price of {thing}.")),
        ),
        things=("paper", "furniture", "phones", "cleaning", "catering", "parcels"),
        recurring=True,
    ),
    DocumentTemplate(
        "handbook",
        "Receiving goods",
        "Procurement",
        (
            ("At the door", ("Count before signing. Sign for what is there.",)),
            ("Damage", ("Photos on the same day; the claim goes out within {days} days.",)),
            ("Putting away", ("{team} fetch theirs within {hours} hours, or it goes to the cellar.",)),
        ),
    ),
)

MAILS = (
    MailTemplate(
        "Your delivery of {thing}",
        (
            "Your {thing} came on {weekday}.",
            "Please fetch it within {hours} hours.",
            "{count} boxes; one is open.",
            "The slip says {amount}, which I have not checked.",
        ),
        things=("monitors", "paper", "chairs", "samples"),
    ),
)
