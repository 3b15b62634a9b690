"""The topics of support: what customers write, and the articles that answer them."""

from dataclasses import dataclass
from typing import Final

TIERS: Final = ("premium", "plus", "standard")
PRIORITIES: Final = ("urgent", "high", "medium", "low")


@dataclass(frozen=True)
class Topic:
    """Something that customers ask about.

    Attributes:
        about: Its name in the handbook.
        prefix: Prefix of the id of a ticket's subject, such as an invoice.
        asks: Titles and texts of tickets; `{thing}` is the subject.
        search: What finds the document that answers it.
        article: Title of that document, if it is an article.
        advice: What the document says about it.
    """

    id: str
    about: str
    prefix: str
    asks: tuple[tuple[str, str], ...]
    search: str
    article: str
    advice: str


QUESTIONS: Final = (
    Topic(
        "invoices",
        "copies of invoices",
        "INV",
        (
            ("Copy of invoice {thing}", "Our auditors ask for a copy of the invoice {thing}."),
            ("Invoice {thing}, please", "We cannot find the invoice {thing} any more. Can we have it again?"),
            ("Missing invoice {thing}", "The invoice {thing} never reached our bookkeeping."),
        ),
        "copy invoice",
        "Getting a copy of an invoice",
        "Copies of an invoice are under Billing, Documents; a contact with the role Finance can download them.",
    ),
    Topic(
        "cards",
        "payment cards",
        "CARD",
        (
            ("Change payment card {thing}", "Our card {thing} runs out this month. How do we change it?"),
            ("New payment card for {thing}", "How do we replace the payment card {thing}?"),
        ),
        "payment card",
        "Changing the payment card",
        "A payment card is replaced under Billing, Payment; the next invoice is charged to the new one.",
    ),
    Topic(
        "keys",
        "API keys",
        "KEY",
        (
            ("Rotate API key {thing}", "We have to rotate the API key {thing} every year. How?"),
            (
                "API key {thing} of a former colleague",
                "A colleague left. How do we replace the API key {thing}?",
            ),
        ),
        "API key",
        "Rotating an API key",
        "A second API key is made first, then the old one is revoked; both work for a day.",
    ),
    Topic(
        "retention",
        "how long data is kept",
        "ARC",
        (
            ("How long is archive {thing} kept?", "Our lawyer asks how long you keep the archive {thing}."),
            ("Retention of archive {thing}", "When is the archive {thing} deleted, and can we change that?"),
        ),
        "data kept",
        "How long data is kept",
        "Archives are kept for ninety days after a contract ends; the period can be shortened, never extended.",
    ),
)

FAILURE: Final = Topic(
    "exports",
    "exports that fail",
    "EXP",
    (
        (
            "Export {thing} arrives empty",
            "Since this morning the export {thing} arrives without a single row.",
        ),
        ("Empty export {thing}", "Our export {thing} has only a heading today. Yesterday it was fine."),
        ("Nothing in export {thing}", "The export {thing} ran, says it succeeded, and is empty."),
    ),
    "exports arrive empty",
    "Exports that arrive empty",
    "When the service is up, an export is empty because its filter names a column that was renamed; save it again.",
)

DEFECTS: Final = (
    Topic(
        "imports",
        "imports cut off after 500 rows",
        "IMP",
        (
            ("Import {thing} stops after 500 rows", "The import {thing} takes in 500 rows and then ends."),
            ("Only 500 rows of import {thing}", "Of our import {thing} there are 500 rows, of 2,000."),
        ),
        "open",
        "",
        "Imports are cut off after 500 rows",
    ),
    Topic(
        "calendars",
        "calendar dates a day off",
        "CAL",
        (
            ("Calendar {thing} a day off", "All dates of the calendar {thing} are one day early."),
            ("Wrong dates in calendar {thing}", "The calendar {thing} shows every meeting a day too soon."),
        ),
        "open",
        "",
        "Calendar dates are a day off",
    ),
)

#: Tickets without a recognizable subject.
VAGUE: Final = (
    ("It does not work again", "Same problem as last time. Please fix it."),
    ("Please help", "One of our people says that something is wrong. Can you look?"),
    ("Problem", "As discussed on the phone. When will it be done?"),
)
SHOUTS: Final = (
    "This is EXTREMELY urgent, our board is waiting.",
    "Top priority! We expect an answer within ten minutes.",
    "I will escalate this to your management if nobody answers NOW.",
)
#: What customers write again: another question, a withdrawal, or a request for news that changes nothing.
CHANGES: Final = (
    "Sorry, we mixed something up: {thing} is all right. {ask}",
    "Please forget what we wrote about {thing}, that was for another supplier. {ask}",
    "My colleague wrote to you before she had asked us. What we need is this: {ask}",
    "{thing} has been dealt with, but since you have this ticket anyway: {ask}",
)
WITHDRAWALS: Final = (
    "Never mind, {thing} has turned up. You need not do anything.",
    "Please ignore this: somebody here has dealt with {thing} already.",
    "We no longer need an answer about {thing}, thank you.",
)
NUDGES: Final = (
    "Is there any news about {thing}?",
    "We are still interested in {thing}, just so you know.",
    "Please do not forget {thing}, our quarter ends soon.",
)
#: What a colleague answers on a ticket that they have taken.
ANSWERED: Final = (
    "Hello, I have this one and will see it through.",
    "Good morning, I know your case and will call you today.",
    "Thank you for writing. I have sent you what you need.",
)
CHATTER: Final = (
    "Thanks in advance.",
    "We have been customers for years.",
    "You can reach me until five.",
    "My predecessor used to handle this.",
    "Is there a page that explains it?",
    "A colleague asked the same last spring.",
)
CUSTOMERS: Final = (
    "Aldgate Foods", "Birk & Sons", "Cormorant Shipping", "Dellwood Clinics", "Eastmoor Energy", "Fjord Textiles",
    "Granit Bau", "Hollis Optics", "Iberia Tiles", "Juniper Travel", "Kestrel Insurance", "Lindholm Paper",
    "Marlow Dairies", "Nordic Timber", "Orchard Hotels", "Pellier Wines", "Quarry Lane Schools", "Rotterdam Freight",
    "Sable Audio", "Tamar Printing", "Umber Ceramics", "Vantage Labs", "Westerly Boats", "Yarrow Pharmacy",
)  # fmt: skip
SERVICES: Final = ("Export North", "Export South", "Export East", "Export West")
QUEUES: Final = {
    "intake": ("Intake", "What has just come in, before anybody has looked at it."),
    "billing": ("Billing", "Money."),
    "platform": ("Platform", "Services that are down."),
    "integrations": ("Integrations", "What customers connect to us."),
    "care": ("Customer care", "Customers who need a hand."),
    "privacy": ("Privacy", "Personal data."),
    "engineering": ("Engineering", "Defects of the product."),
}
