"""Phrases in which people ask for changes to the handbook."""

from companyos.sdk.company import Phrases

HANDBOOK = Phrases(
    openings=(
        "The section {name} is out of date.",
        "Please publish the new text of {name}.",
        "{name} needs an update.",
        "We have a new version of {name}.",
        "Several people asked what {name} means today.",
        "{team} would like {name} to say what we actually do.",
        "New wording for {name}, agreed with the team.",
    ),
    details=(
        "We are {value}, as far as I know.",
        "It was written when there were {value} of us.",
        "The org chart says {value}.",
        "The examples in it name people who left.",
        "Nothing changes for those who are on the old rules.",
        "The works council has seen a draft.",
        "The new text is half as long.",
        "The old version stays in the archive.",
        "There is a typo in the second paragraph, too.",
    ),
    closings=(
        "Thanks!",
        "By the end of the month, if possible.",
        "I am happy to explain.",
        "Please send me the link when it is out.",
        "Nobody is waiting for it, really.",
    ),
)
