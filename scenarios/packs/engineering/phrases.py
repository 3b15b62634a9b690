"""Phrases in which people report bugs."""

from companyos.sdk.company import Phrases

BUG = Phrases(
    openings=(
        "{name} is acting up.",
        "Something is wrong with {name}.",
        "Customers complain about {name}.",
        "We see this on {name} since the weekend.",
        "{name}: reported twice today.",
        "Can somebody look at {name}?",
        "{team} is stuck because of {name}.",
    ),
    details=(
        "The error rate was {value} on the board.",
        "{value} of the calls fail, or did when I looked.",
        "I read {value} somewhere in the channel.",
        "A restart helped for an hour.",
        "It does not happen on staging.",
        "There was a deployment the evening before.",
        "Only large accounts seem to be affected.",
        "The logs say little.",
        "We had this last year, then it went away.",
        "It gets worse towards noon.",
    ),
    closings=(
        "Thanks!",
        "I can send screenshots.",
        "Call me if you need an account to try it with.",
        "This is getting embarrassing.",
        "Not urgent for me, but others may disagree.",
    ),
)
