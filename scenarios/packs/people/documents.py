"""What the people team writes: chapters of the handbook, notes and mails."""

from companyos.sdk.company import DocumentTemplate, MailTemplate

DOCUMENTS = (
    DocumentTemplate(
        "handbook",
        "Vacation",
        "People",
        (
            ("How much", ("Twenty-five days and {count} hours a year, and the days that the law adds.",)),
            (
                "Asking for it",
                (
                    "Ask {days} days ahead for a day, twice as long for a week.",
                    "{team} may not all be away on a {weekday}.",
                    "Your lead answers within {hours} hours; silence is a yes.",
                ),
            ),
            ("Left over", ("Up to {days} days go into the next year and end in {month}.",)),
        ),
    ),
    DocumentTemplate(
        "handbook",
        "Learning and courses",
        "People",
        (
            ("Budget", ("Each person has {amount} a year for courses and books.",)),
            (
                "Choosing",
                (
                    "Talk to your lead first; conferences count as courses.",
                    "Courses above {amount} need a paragraph on what for.",
                ),
            ),
            ("Afterwards", ("Tell {team} about it within {days} days.",)),
        ),
    ),
    DocumentTemplate(
        "policy",
        "Interviews",
        "People",
        (
            ("Who asks", ("Two people, one of them not of the team that hires.",)),
            (
                "What is asked",
                (
                    "The same {count} questions for everybody.",
                    "Nothing about family, health or belief.",
                    "A task takes at most {hours} hours and is paid.",
                ),
            ),
            ("Answering", ("Everybody hears from us within {days} days.",)),
        ),
    ),
    DocumentTemplate(
        "minutes",
        "Notes of the works council, {month}",
        "People",
        (
            ("Heard", ("{person} on {thing}.", "The numbers of {quarter}: {count} new, {days} gone.")),
            (
                "Asked",
                (
                    "Whether {team} could start {hours} hours later.",
                    "For {amount} for the summer party.",
                    "Who pays for {thing}.",
                ),
            ),
        ),
        things=("glasses for screens", "bicycles", "working from abroad", "the canteen"),
        recurring=True,
    ),
    DocumentTemplate(
        "handbook",
        "The first week of a new colleague",
        "People",
        (
            ("Before", ("Desk, laptop and badge are ordered {days} days ahead.",)),
            (
                "During",
                (
                    "{person} shows them round on the first morning.",
                    "Lunch with {team} on {weekday}.",
                    "No more than {hours} hours of videos.",
                ),
            ),
        ),
    ),
)

MAILS = (
    MailTemplate(
        "Survey of {month}",
        (
            "The survey of {month} is open for {days} days.",
            "It takes {count} minutes.",
            "{percent} per cent of {team} have answered so far.",
            "Nobody sees single answers.",
        ),
    ),
)
