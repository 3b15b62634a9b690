"""Phrases in which people ask for small things around the office."""

from companyos.sdk.company import Phrases

TASK = Phrases(
    openings=(
        "As discussed on Monday.",
        "{team} needs this before the end of the quarter.",
        "Can somebody take this over?",
        "It has been on our list for a while.",
        "We agreed on this in the last meeting.",
        "For {team}.",
    ),
    details=(
        "The supplier of last time would do.",
        "There is some budget left for it.",
        "The list is in the usual place.",
        "Two people have offered to help.",
        "Last year it took half a day.",
        "Please ask before you order anything.",
    ),
    closings=("Thanks!", "Tell me when it is done.", "No hurry.", "Whoever has time."),
)
