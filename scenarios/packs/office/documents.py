"""What the office writes: house rules, minutes, notices and mails."""

from companyos.sdk.company import DocumentTemplate, MailTemplate

DOCUMENTS = (
    DocumentTemplate(
        "handbook",
        "Working hours and being reachable",
        "Operations",
        (
            (
                "Core hours",
                (
                    "Everybody is reachable between ten and three, wherever they work.",
                    "{team} agree on their own hours, with at least {hours} hours a week in common.",
                    "Put longer appointments into the calendar {days} days ahead.",
                ),
            ),
            (
                "Reachable means",
                (
                    "Reachable means that a message is read within {hours} hours, not that it is answered at once.",
                    "On {weekday} afternoons nobody is expected to answer.",
                ),
            ),
            (
                "Exceptions",
                ("Ask your lead. Exceptions end after {days} days unless they are asked for again.",),
            ),
        ),
    ),
    DocumentTemplate(
        "policy",
        "Visitors and badges",
        "Operations",
        (
            ("Before the visit", ("Announce visitors {days} days ahead, with name and employer.",)),
            (
                "On the day",
                (
                    "Visitors wear a badge and are never alone in rooms with customer papers.",
                    "Groups of more than {count} enter by the yard.",
                    "Badges are returned at the desk; a lost one costs the host {amount} from the team's budget.",
                ),
            ),
        ),
    ),
    DocumentTemplate(
        "runbook",
        "When the building has no power",
        "Operations",
        (
            ("First", ("Call the number on the meter cabinet. Do not open the cabinet.",)),
            (
                "Then",
                (
                    "Send everybody home after {hours} hours without light.",
                    "The doors stay open on battery for {hours} hours; afterwards somebody stands there.",
                    "{person} tells customers with appointments.",
                ),
            ),
            ("Afterwards", ("Write down what was spoilt, with its value if it exceeds {amount}.",)),
        ),
    ),
    DocumentTemplate(
        "minutes",
        "Minutes of the {team} meeting in {month}",
        "Operations",
        (
            (
                "Present",
                ("{person} and {count} others.", "Everybody but {person}, who is on the road."),
            ),
            (
                "Talked about",
                (
                    "{thing}: it has taken {days} days too long. {person} looks into it.",
                    "Numbers of {quarter}: {percent} per cent above the year before.",
                    "The printers. Again.",
                    "New chairs for {count} people; offers up to {amount} are fine.",
                ),
            ),
            ("Decided", ("Nothing that changes a rule.", "To talk about {thing} again in {days} days.")),
        ),
        things=("the move to the second floor", "the shared calendar", "the supplier of coffee", "parking"),
        recurring=True,
    ),
    DocumentTemplate(
        "form",
        "Form: reserving the large room",
        "Operations",
        (
            ("Who and when", ("Team, day, from and to. At most {hours} hours.",)),
            (
                "What for",
                ("Meetings with guests come first; birthdays come last.", "State how many: at most {count}."),
            ),
        ),
    ),
    DocumentTemplate(
        "handbook",
        "Customer calls",
        "Support",
        (
            ("Answering", ("Take calls within {count} rings, and say your name.",)),
            (
                "Promises",
                (
                    "Promise a time, never an outcome.",
                    "Promise nothing that costs more than {amount}.",
                    "A call that was promised is made within {hours} hours.",
                ),
            ),
            ("Writing it down", ("Note who called, about what, and what was promised, on the same day.",)),
        ),
    ),
    DocumentTemplate(
        "handbook",
        "Discounts that sales may give",
        "Sales",
        (
            ("By yourself", ("Up to {percent} per cent for orders above {amount}.",)),
            (
                "With your lead",
                ("Twice that, once a {quarter}.", "Payment terms of {days} days and more."),
            ),
            (
                "Never",
                ("Discounts for promises of later orders.", "Discounts that only exist by word of mouth."),
            ),
        ),
    ),
    DocumentTemplate(
        "memo",
        "Note on {thing}, {month}",
        "Operations",
        (
            (
                "What was seen",
                (
                    "{thing} went wrong {count} times in {month}.",
                    "{person} asked {team} about it and got {count} different answers.",
                    "Costs of about {amount}, as far as anybody knows.",
                ),
            ),
            ("What might help", ("Less haste.", "One person who answers for it: {person} would.", "A list.")),
        ),
        things=("keys", "the post", "deliveries", "the archive", "cleaning", "the phone system"),
        recurring=True,
    ),
)

MAILS = (
    MailTemplate(
        "{thing}: who has it?",
        (
            "Hello, does anybody know where {thing} is?",
            "It was in the large room on {weekday}.",
            "{person} had it last, I believe.",
            "No hurry, but we need it in {days} days.",
        ),
        things=("the projector", "the key to the archive", "the small ladder", "the label printer"),
    ),
    MailTemplate(
        "Closed on {weekday}",
        (
            "The office is closed on {weekday} from noon.",
            "Deliveries go to the neighbors.",
            "{team} work from home.",
            "Ask {person} if you must come in.",
        ),
    ),
    MailTemplate(
        "Re: {thing}",
        (
            "Thanks, that settles it.",
            "I have told {person}.",
            "If it comes up again before {month}, write to {team}.",
            "It was {amount} in the end, not what we thought.",
        ),
        things=("the offer", "your question", "the list of last week", "the draft"),
    ),
)

COMMON_SECTIONS = (
    (
        "Purpose",
        (
            "This text says what {team} and all others can rely on. It replaces what was agreed by word of mouth.",
            "It was written after {count} questions in {month} had been answered in {count} different ways.",
            "It is as short as it can be. What is not in it is left to good sense, and to your lead.",
        ),
    ),
    (
        "Whom it concerns",
        (
            "Everybody who works here, for whatever time, and people of other employers while they work with us.",
            "It does not concern {team}, who have rules of their own since {month}.",
            "Leads see to it that new colleagues have read it within {days} days.",
        ),
    ),
    (
        "Examples",
        (
            "{person} needed it on a {weekday} and had {hours} hours. Nothing was forgotten: form, witness, note.",
            "{team} once spent {amount} and wrote it down {days} days later. The amount was fine; the delay was not.",
            "If {count} people ask for the same on one day, the first comes first, unless the others cannot wait.",
            "Somebody calls and claims to be sent by {person}. Call back, on the number that we have.",
        ),
    ),
    (
        "What went wrong before",
        (
            "In {quarter}, {percent} per cent of the cases were late. Nobody had told {team}.",
            "An old edition of this text was printed and hung on the wall. Please do not print it.",
            "Two teams meant different things by the same word. Say what you mean, with an example.",
        ),
    ),
    (
        "Numbers to remember",
        (
            "At most {amount} at a time.",
            "At least {days} days ahead.",
            "Not later than {hours} hours afterwards.",
        ),
    ),
    (
        "Questions",
        (
            "{person} answers questions, on {weekday} mornings at the desk and otherwise by mail.",
            "Whoever finds a mistake in this text tells {person}; whoever disagrees with it says so to their lead.",
            "The next edition is due in {month}.",
        ),
    ),
)
