"""The vocabulary of customer care: what customers buy, ask and write."""

from typing import Final

from companyos.sdk.company import names

HOSTS: Final = ("post.example", "mailbox.example", "inbox.example", "letters.example")
TOWNS: Final = ("Aarhus", "Ghent", "Graz", "Lille", "Malaga", "Porto", "Tartu", "Turin", "Turku", "Utrecht")
ITEMS: Final = names("desk lamp, folding bike, standing desk, tent, espresso grinder, hiking boots, shelf")
#: Titles and texts of cases; `{who}` is the customer.
CASES: Final = (
    ("Parcel has not arrived", "{who} asks where the parcel is."),
    ("Wrong item delivered", "{who} got something else than ordered and wants to send it back."),
    ("Refund is missing", "{who} waits for a refund since last month."),
    ("Address to be changed", "{who} has moved and wants the new address on file."),
    ("Complaint about the hotline", "{who} was cut off twice and is not amused."),
    ("Question about the warranty", "{who} wants to know how long the warranty lasts."),
)
BY_NUMBER: Final = "Customer number {number}."
BY_MAIL: Final = "Please answer to {mail}."
BY_ORDER: Final = "It is about {order}."
CHATTER: Final = (
    "There was a similar case last week.",
    "I have told them that we are looking into it.",
    "They were friendly about it.",
    "Called twice already.",
)
#: Forms that customers fill in; the schedule says which are special.
FORMS: Final = names(
    "allergy_form, access_needs, diet_profile, fingerprint_pass, union_discount, voice_sample"
)
LETTERS: Final = (
    "Thank you for the quick exchange of my {item}.",
    "I am writing to you because my {item} broke after a week.",
    "Could you tell me whether the {item} comes in green?",
)
MAILS: Final = (
    ("My order", "Hello, when does my {item} arrive? {who}"),
    ("Thanks", "The {item} is just right, thank you. {who}"),
    ("Invoice", "Could you send me the invoice of the {item} once more? {who}"),
)
REMARKS: Final = (
    "{who} ({number}) has the same question, perhaps we can answer both.",
    "Same as with {who} ({number}) the other day.",
    "This reminds me of {who}, {number}: there it was the depot.",
)
AGENDA: Final = "{who} ({order}) was offered a replacement."
#: What people write in a ticket about an erasure.
ASKED: Final = (
    "A mail about erasure came in: {mail}. It is about {who}.",
    "{who} is to be deleted; see {mail}.",
    "Please look at {mail}: somebody wants the data of {who} erased.",
    "The data of {who} should go. The mail is {mail}.",
)
CLAIMS: Final = (
    "I think it is customer {number}.",
    "As far as I can see that is {number}, please check.",
    "They are in a hurry.",
    "Legal has nothing against it, I was told.",
    "All clear from our side.",
)
MATTERS: Final = ("a claim about a delivery", "a dispute about a refund", "an inquiry of the consumer office")
OWN_MAIL: Final = (
    "Please delete everything that you hold on me. I am {who}, and my customer number is {number}.",
    "I do not want to be your customer any longer. Please erase all my data. {who}, {number}",
)
FOR_ANOTHER: Final = (
    "I act for {who}, customer number {number}, who wants all data erased. A power of attorney is with you.",
    "On behalf of {who} ({number}) I ask you to erase everything. You have my power of attorney.",
)
LAWYERS: Final = ("office@brandt-law.example", "desk@silva-partners.example", "mail@okafor-legal.example")
